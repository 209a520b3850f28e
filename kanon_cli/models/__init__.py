"""Privacy models: the promises that a release makes."""

TABLE = {
    "k": "kanon_cli.models.k:K",
    "l": "kanon_cli.models.l_frequency:LFrequency",
    "alpha": "kanon_cli.models.alpha:Alpha",
    "distinct": "kanon_cli.models.distinct:Distinct",
    "entropy": "kanon_cli.models.entropy:Entropy",
    "recursive": "kanon_cli.models.recursive:Recursive",
    "t": "kanon_cli.models.t:T",
    "beta": "kanon_cli.models.beta:Beta",
    "delta": "kanon_cli.models.delta:Delta",
}
