"""Privacy models: the promises that a release makes."""

TABLE = {
    "k": "kanon_cli.models.k:K",
    "l": "kanon_cli.models.l_frequency:LFrequency",
}
