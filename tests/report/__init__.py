"""Tests of reports as people read them."""
