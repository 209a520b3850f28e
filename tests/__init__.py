"""The tests of kanon."""
