"""Measures: what a release costs. Those that price cells can also be minimised."""

TABLE = {
    "lm": "kanon_cli.measures.lm:Lm",
    "il": "kanon_cli.measures.il:Il",
    "gcp": "kanon_cli.measures.gcp:Gcp",
    "entropy": "kanon_cli.measures.entropy:Entropy",
    "dm": "kanon_cli.measures.dm:Dm",
    "class_size": "kanon_cli.measures.class_size:ClassSize",
}
