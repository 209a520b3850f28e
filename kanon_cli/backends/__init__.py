"""Backends: where the work runs."""

TABLE = {
    "local": "kanon_cli.backends.local:Local",
}
