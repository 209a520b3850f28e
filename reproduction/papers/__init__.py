"""The papers, a module each, with the name by which `make reproduce WORKS=...` knows it."""

from importlib import import_module

from reproduction.experiment import Paper

TABLE = {
    "goldberger2010": "reproduction.papers.goldberger2010",
    "byun2007": "reproduction.papers.byun2007",
    "lin2008": "reproduction.papers.lin2008",
    "gionis2008": "reproduction.papers.gionis2008",
    "he2012": "reproduction.papers.he2012",
}


def paper_called(name: str) -> Paper:
    """The paper with a name of the table."""
    paper: Paper = import_module(TABLE[name]).PAPER
    return paper
