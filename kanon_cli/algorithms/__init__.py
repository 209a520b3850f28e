"""Algorithms: how records are put into groups."""

TABLE = {
    "agglomerative": "kanon_cli.algorithms.agglomerative:Agglomerative",
    "forest": "kanon_cli.algorithms.forest:Forest",
    "lns": "kanon_cli.algorithms.lns:Lns",
    "mondrian": "kanon_cli.algorithms.mondrian:Mondrian",
    "sequential": "kanon_cli.algorithms.sequential:Sequential",
}
AUTO = "lns"  # what `algorithm: auto` stands for
