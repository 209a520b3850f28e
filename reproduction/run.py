"""Make the papers' tables and figures again: `make reproduce`, or `python -m reproduction.run [PAPER ...]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks import results
from benchmarks.run import do, draw
from benchmarks.setting import PICTURES, PROJECT
from reproduction.page import RESULTS, picture_name, work_name
from reproduction.papers import TABLE, paper_called

QUICK = PROJECT / "out" / "reproduction"  # quick runs never touch what is published


def main(arguments: Sequence[str]) -> None:
    """Make what the named papers show, or all; or only draw the pictures anew."""
    parser = argparse.ArgumentParser(prog="python -m reproduction.run", description="Make papers' results again.")
    parser.add_argument("papers", nargs="*", metavar="PAPER", help=f"default: all of {', '.join(TABLE)}")
    parser.add_argument("--only", metavar="NAME", help="one table or figure of the papers, such as table-2")
    parser.add_argument("--quick", action="store_true", help=f"cut tables, to try the experiments; writes to {QUICK}")
    parser.add_argument("--draw", action="store_true", help="measure nothing, draw the pictures of earlier results")
    given = parser.parse_args(arguments)
    if unknown := [name for name in given.papers if name not in TABLE]:
        parser.error(f"no such paper: {', '.join(unknown)}; there are {', '.join(TABLE)}")
    folder = QUICK if given.quick else RESULTS
    for name in given.papers or TABLE:
        for experiment in paper_called(name).experiments:
            if given.only not in (None, experiment.name):
                continue
            work = work_name(name, experiment)
            if not given.draw:
                results.save_numbers(do(work, experiment.title, experiment.measure, given.quick), folder)
            if (folder / f"{work}.json").exists():
                pictures = QUICK if given.quick else PICTURES
                draw(results.load(folder / f"{work}.json"), experiment.panels, pictures / picture_name(work))


if __name__ == "__main__":
    main(sys.argv[1:])
