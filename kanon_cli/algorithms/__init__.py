"""Algorithms: how records are put into groups."""

TABLE = {
    "mondrian": "kanon_cli.algorithms.mondrian:Mondrian",
    "sequential": "kanon_cli.algorithms.sequential:Sequential",
}
AUTO = "mondrian"  # what `algorithm: auto` stands for: quick at any size
