"""The version of kanon."""

VERSION = "0.1.0"
