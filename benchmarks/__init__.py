"""Measurements of loss, speed and memory: `make bench`."""
