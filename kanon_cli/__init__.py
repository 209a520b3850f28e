"""kanon anonymizes tables of personal records and checks what it has made before anybody sees it."""
