"""kanon: a table about people in, a table that may be published out."""
