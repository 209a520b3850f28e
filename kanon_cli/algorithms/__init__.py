"""Algorithms: how records are put into groups."""

TABLE = {
    "agglomerative": "kanon_cli.algorithms.agglomerative:Agglomerative",
    "bisecting": "kanon_cli.algorithms.bisecting:Bisecting",
    "forest": "kanon_cli.algorithms.forest:Forest",
    "global-1k": "kanon_cli.algorithms.global_1k:Global1k",
    "hilbert": "kanon_cli.algorithms.hilbert:Hilbert",
    "k-member": "kanon_cli.algorithms.k_member:KMember",
    "k1-expansion": "kanon_cli.algorithms.k1_expansion:K1Expansion",
    "k1-nearest": "kanon_cli.algorithms.k1_nearest:K1Nearest",
    "kk": "kanon_cli.algorithms.kk:Kk",
    "lns": "kanon_cli.algorithms.lns:Lns",
    "mondrian": "kanon_cli.algorithms.mondrian:Mondrian",
    "nonhomogeneous": "kanon_cli.algorithms.nonhomogeneous:Nonhomogeneous",
    "oka": "kanon_cli.algorithms.oka:Oka",
    "sequential": "kanon_cli.algorithms.sequential:Sequential",
    "threshold-greedy": "kanon_cli.algorithms.threshold_greedy:ThresholdGreedy",
    "weighted-c-means": "kanon_cli.algorithms.weighted_c_means:WeightedCMeans",
}
AUTO = "lns"  # what `algorithm: auto` stands for ...
AUTO_OF = {  # ... and where another notion than k is asked for
    "(k,k)": "kk",
    "global-(1,k)": "global-1k",
    "(k,1)": "k1-expansion",
    "(1,k)": "kk",
}
