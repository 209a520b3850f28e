"""Original values to arrays and back: files, columns, taxonomies."""
