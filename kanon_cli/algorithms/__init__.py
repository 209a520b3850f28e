"""Algorithms: how records are put into groups."""

TABLE = {
    "agglomerative": "kanon_cli.algorithms.agglomerative:Agglomerative",
    "bisecting": "kanon_cli.algorithms.bisecting:Bisecting",
    "forest": "kanon_cli.algorithms.forest:Forest",
    "hilbert": "kanon_cli.algorithms.hilbert:Hilbert",
    "k-member": "kanon_cli.algorithms.k_member:KMember",
    "lns": "kanon_cli.algorithms.lns:Lns",
    "mondrian": "kanon_cli.algorithms.mondrian:Mondrian",
    "oka": "kanon_cli.algorithms.oka:Oka",
    "sequential": "kanon_cli.algorithms.sequential:Sequential",
    "threshold-greedy": "kanon_cli.algorithms.threshold_greedy:ThresholdGreedy",
    "weighted-c-means": "kanon_cli.algorithms.weighted_c_means:WeightedCMeans",
}
AUTO = "lns"  # what `algorithm: auto` stands for
