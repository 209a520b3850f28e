"""The papers' tables and figures, made again: `make reproduce`."""
