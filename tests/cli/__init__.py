"""Tests of the command line, through real processes."""
