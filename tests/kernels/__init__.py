"""Kernels against their slow twins; CI also runs these with bounds checked and as plain Python."""
