"""The command line. Importing it loads typer and little else: what a command needs is imported in its body."""

from kanon_cli.cli.app import main

__all__ = ["main"]
