"""What a release is good for, as a story."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanon_cli.report.figures import number, percent
from kanon_cli.report.shapes import Cell, Head, Section, Story, Table

NAMES = {"accuracy": "Accuracy", "auc": "Area under the curve"}
LEADS = {
    "accuracy": "How often a classifier is right about rows that it was not trained with.",
    "auc": "How well a classifier tells the classes apart: 0.5 is by chance, 1 without a mistake.",
}
SEEN = {  # what looked at the target when groups were formed, and what is to be thought of the figures then
    "cost": (
        "Groups formed by the answers: what was minimised depends on {target} in all rows, those asked about, too, so "
        "that cells hint at the answers. Figures of such a release are no measure of use, and nothing is said of what "
        "is lost; where the original is asked about, the hints are weaker, but not gone."
    ),
    "promise": (
        "Groups kept mixed: a promise is about {target}, and groups were formed to keep it in all rows, those asked "
        "about, too, which can move the figures either way."
    ),
}
MARKS = {"cost": ", groups formed by the answers", "promise": ", groups kept mixed", None: ""}


def tell_evaluation(title: str, found: Mapping[str, Any], version: str) -> Story:
    """Tell what `evaluating.evaluate` has found."""
    said = (
        f"Learning {found['target']} ({len(found['classes'])} classes) from {found['learned_rows']:,} of "
        f"{found['rows']:,} rows, k = {found['k']}, {found['folds']} folds"
    )
    sections = [_scores(found, figure) for figure in NAMES]
    return Story(title, said, "plain", "", "", (), (*sections, _rules(found)), version, "", "")


def _scores(found: Mapping[str, Any], figure: str) -> Section:
    chance = found["chance"][figure]
    rows = []
    for name, score in found["original"].items():
        rows.append((Cell(name), Cell("the original", tone="dim"), _share(score[figure]), Cell(""), Cell("")))
        for release in found["releases"]:
            own = release["classifiers"][name]
            exact = own["on_original"]
            gone = own[f"{figure}_lost"]
            rows.append(
                (
                    Cell(name),
                    Cell(f"the release by {release['measure']}{MARKS[release['target_seen_by']]}"),
                    _share(own[figure]),
                    Cell("-" if gone is None else percent(gone)),
                    Cell("-") if exact is None else _share(exact[figure]),
                )
            )
    head = (
        Head("classifier", is_number=False),
        Head("learns from", is_number=False),
        Head("asked about its like"),
        Head("lost"),
        Head("asked about the original"),
    )
    seen = {release["target_seen_by"] for release in found["releases"]}
    remarks = [said.format(target=found["target"]) for what, said in SEEN.items() if what in seen]
    lost = f"By chance: {number(chance)}. Lost is the share of what was above that."
    lead = " ".join([LEADS[figure], lost, *remarks])
    return Section(figure, NAMES[figure], lead, tables=(Table(NAMES[figure], head, tuple(rows)),))


def _share(value: float | None) -> Cell:
    return Cell("-") if value is None else Cell(number(value), share=max(value, 0.0))


def _rules(found: Mapping[str, Any]) -> Section:
    rows = []
    for release in found["releases"]:
        rules = release["rules"]
        rows.append(
            (
                Cell(release["measure"]),
                Cell(number(release["loss"])),
                Cell(f"{rules['rules']:,}"),
                Cell(f"{rules['survive']:,}"),
                Cell("-") if rules["share"] is None else Cell(percent(rules["share"]), share=rules["share"]),
                Cell(f"{rules['new']:,}"),
                Cell("-" if rules["confidence_change"] is None else number(rules["confidence_change"])),
            )
        )
    head = (
        Head("release by", is_number=False),
        Head("loss"),
        Head("rules"),
        Head("survive"),
        Head("share"),
        Head("new"),
        Head("change of confidence"),
    )
    lead = (
        f"Rules say that rows with a value, or two, have a certain {found['target']} more often than others. They "
        "survive if the release shows them too, all that a cell covers being as likely; new ones are seen only there."
    )
    return Section("rules", "Association rules", lead, tables=(Table("Association rules", head, tuple(rows)),))
