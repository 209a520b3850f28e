"""Measures: what a release costs. Those that price cells can also be minimised."""

TABLE = {
    "lm": "kanon_cli.measures.lm:Lm",
    "tree": "kanon_cli.measures.tree:Tree",
    "il": "kanon_cli.measures.il:Il",
    "gcp": "kanon_cli.measures.gcp:Gcp",
    "entropy": "kanon_cli.measures.entropy:Entropy",
    "mi": "kanon_cli.measures.mi:Mi",
    "pmi": "kanon_cli.measures.pmi:Pmi",
    "wmi": "kanon_cli.measures.wmi:Wmi",
    "am": "kanon_cli.measures.am:Am",
    "dm": "kanon_cli.measures.dm:Dm",
    "cm": "kanon_cli.measures.cm:Cm",
    "kl": "kanon_cli.measures.kl:Kl",
    "class_size": "kanon_cli.measures.class_size:ClassSize",
}
