"""`python -m kanon_cli`."""

from kanon_cli.cli import main

main()
