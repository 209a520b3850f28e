"""The works that can be done: a module each."""

TABLE = {
    "suppression": "benchmarks.works.suppression",
    "diversity": "benchmarks.works.diversity",
    "adult8": "benchmarks.works.adult8",
    "arx": "benchmarks.works.arx",
    "art": "benchmarks.works.art",
    "notions": "benchmarks.works.notions",
    "sequential": "benchmarks.works.sequential",
    "algorithms": "benchmarks.works.algorithms",
    "rows": "benchmarks.works.rows",
    "k": "benchmarks.works.k",
    "columns": "benchmarks.works.columns",
    "threads": "benchmarks.works.threads",
    "quickstart": "benchmarks.works.quickstart",
    "growth": "benchmarks.works.growth",
    "million": "benchmarks.works.million",
    "peers": "benchmarks.works.peers",
}
