"""Tests of what is special about an algorithm."""
