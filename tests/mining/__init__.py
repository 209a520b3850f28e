"""Tests of what a release is good for."""
