"""Tests of publishing: after a kill, an error or a race, a folder holds one whole pair and nothing else."""
