"""What every config releases, as checksums: a change of any cell is seen, and has to be meant."""
