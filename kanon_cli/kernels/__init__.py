"""Compiled loops over bare arrays: no names, no values, no files, no global random state."""
