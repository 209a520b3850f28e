"""Algorithms: how records are put into groups."""

TABLE = {
    "mondrian": "kanon_cli.algorithms.mondrian:Mondrian",
    "sequential": "kanon_cli.algorithms.sequential:Sequential",
}
AUTO = "sequential"  # what `algorithm: auto` stands for
