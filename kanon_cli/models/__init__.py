"""Privacy models: the promises that a release makes."""

TABLE = {
    "1k": "kanon_cli.models.one_k:OneK",
    "global-1k": "kanon_cli.models.global_1k:Global1k",
    "k": "kanon_cli.models.k:K",
    "k1": "kanon_cli.models.k1:K1",
    "kk": "kanon_cli.models.kk:Kk",
    "l": "kanon_cli.models.l_frequency:LFrequency",
    "alpha": "kanon_cli.models.alpha:Alpha",
    "distinct": "kanon_cli.models.distinct:Distinct",
    "entropy": "kanon_cli.models.entropy:Entropy",
    "recursive": "kanon_cli.models.recursive:Recursive",
    "t": "kanon_cli.models.t:T",
    "beta": "kanon_cli.models.beta:Beta",
    "delta": "kanon_cli.models.delta:Delta",
}
NOTIONS = {"k": "k", "(k,k)": "kk", "global-(1,k)": "global-1k", "(k,1)": "k1", "(1,k)": "1k"}  # `privacy.notion`
