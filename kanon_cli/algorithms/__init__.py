"""Algorithms: how records are put into groups."""

TABLE = {
    "bisecting": "kanon_cli.algorithms.bisecting:Bisecting",
    "hilbert": "kanon_cli.algorithms.hilbert:Hilbert",
    "lns": "kanon_cli.algorithms.lns:Lns",
    "mondrian": "kanon_cli.algorithms.mondrian:Mondrian",
    "sequential": "kanon_cli.algorithms.sequential:Sequential",
}
AUTO = "lns"  # what `algorithm: auto` stands for
