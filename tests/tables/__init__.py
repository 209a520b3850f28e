"""Tables in and out, columns and taxonomies."""
