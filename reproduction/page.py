"""The generated sections of docs/reproduction.md, made from reproduction/results alone."""

from __future__ import annotations

from pathlib import Path

from benchmarks import results
from benchmarks.results import Outcome
from benchmarks.setting import PICTURES
from reproduction.experiment import Experiment, spread_out
from reproduction.papers import TABLE, paper_called

HOME = Path(__file__).resolve().parent
RESULTS = HOME / "results"
CLAIM_HEAD = ("what the paper has or says", "reach", "ours", "holds")


def work_name(paper: str, experiment: Experiment) -> str:
    """What an experiment's results are called."""
    return f"{paper}-{experiment.name}"


def picture_name(work: str) -> str:
    """The file of an experiment's picture."""
    return f"paper-{work}.svg"


def claims() -> str:
    """How much of each paper holds."""
    lines = []
    for name in TABLE:
        for experiment in paper_called(name).experiments:
            outcome = outcome_of(name, experiment)
            if outcome and outcome.targets:
                held = sum(bool(target.holds) for target in outcome.targets)
                link = f"[{experiment.title}](#{_anchor(experiment)})"
                lines.append((paper_called(name).title, link, f"{held} of {len(outcome.targets)}"))
    return results.table(("paper", "experiment", "holds"), lines)


def papers() -> str:
    """Every paper with its experiments: pictures, numbers beside the paper's, and where they differ."""
    pieces = []
    for name in TABLE:
        paper = paper_called(name)
        pieces += [f"## {paper.title}", paper.setting]
        for experiment in paper.experiments:
            pieces += [f"### {experiment.title}", *_shown(name, experiment)]
    return "\n\n".join(pieces)


def _anchor(experiment: Experiment) -> str:
    """What a heading is linked by: its letters and digits in lower case, blanks as dashes."""
    kept = (letter for letter in experiment.title.lower() if letter.isalnum() or letter in " -_")
    return "".join(kept).replace(" ", "-")


def outcome_of(paper: str, experiment: Experiment) -> Outcome | None:
    """What was measured, if it was."""
    path = RESULTS / f"{work_name(paper, experiment)}.json"
    return results.load(path) if path.exists() else None


def _shown(paper: str, experiment: Experiment) -> list[str]:
    outcome = outcome_of(paper, experiment)
    if outcome is None:
        return ["Not measured yet."]
    pieces = results.notes_of(outcome)
    picture = PICTURES / picture_name(outcome.work)
    if picture.exists():
        pieces.append(f"![{experiment.title}](pictures/{picture.name})")
    for grid in experiment.grids if outcome.rows else ():
        pieces += [grid.caption] if grid.caption else []
        pieces.append(spread_out(outcome.rows, grid))
    if outcome.targets:
        pieces.append(results.table(CLAIM_HEAD, map(results.target_cells, outcome.targets)))
    pieces.append(experiment.remark)
    pieces.append(f"`make reproduce WORKS={paper}`, {outcome.made}, on {outcome.machine}.")
    return pieces
