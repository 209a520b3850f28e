"""Sections about what a release keeps: promises, sensitive values, risks, leaks."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kanon_cli.report.facts import Facts, as_number
from kanon_cli.report.figures import kept, percent
from kanon_cli.report.pieces import figure, histogram, listing, share_cell, share_span
from kanon_cli.report.shapes import Cell, Columns, Head, Section, Table

# What a promise is called among the figures that are achieved.
LONG_NAME = MappingProxyType({"l": "l_frequency", "distinct": "l_distinct", "entropy": "l_entropy"})
LESS_IS_SAFER = frozenset({"t", "alpha", "beta", "delta", "recursive"})
RISKS = MappingProxyType(
    {
        "prosecutor_max": "the row that is easiest to find",
        "prosecutor_mean": "a row on average",
        "prosecutor_at_risk": "share of the rows with a risk{above}",
        "journalist_max": "the row that is easiest to find, for who does not know that it is there",
        "journalist_mean": "a row on average, for who does not know that it is there",
        "journalist_at_risk": "share of the rows with a risk{above}, for who does not know that they are there",
        "marketer": "share of the rows that are linked rightly, if all are linked",
    }
)


def promises(report: Facts) -> Section | None:
    """What was required and what is kept."""
    required = report.block("privacy", "required").content
    achieved = report.block("privacy", "achieved")
    verified = report.at("privacy", "verified") is True
    rows = []
    for name, value in required.items():
        known = LONG_NAME.get(name, name)
        rows.append(
            (
                Cell(name),
                Cell(figure(value)),
                Cell(_found(achieved, known)),
                Cell("kept", tone="good") if verified else _holds(report, {name, known}),
            )
        )
    asked = {LONG_NAME.get(name, name) for name in required}
    extra = [name for name in achieved.content if name not in asked]
    rows += [(Cell(name, tone="dim"), Cell("-", tone="dim"), Cell(_found(achieved, name)), Cell("")) for name in extra]
    if not rows:
        return None
    head = (Head("figure", is_number=False), Head("required"), Head("found"), Head("", is_number=False))
    lead = "What was asked for, and what was found in the cells of the finished file."
    notion = report.text("privacy", "notion")
    if notion not in (None, "k"):
        lead += f" The notion of anonymity is {notion}."
    return Section("promises", "Promises", lead, tables=(Table("Promises", head, tuple(rows)),))


def _found(achieved: Facts, name: str) -> str:
    """What was found, rounded so that it is never said to be safer than it is; `name` may end with a column."""
    base, _, column = name.partition(".")
    value = achieved.at(name)
    if value is None and column:
        value = achieved.at(base, column) if isinstance(achieved.at(base), Mapping) else achieved.at(base)
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_rounded(base, inner)}" for key, inner in value.items())
    return _rounded(base, value)


def _rounded(name: str, value: object) -> str:
    plain = as_number(value)
    if plain is None or isinstance(plain, int):
        return "no limit" if value is None else figure(value)
    return kept(plain, at_most=name.partition("_")[0] in LESS_IS_SAFER)


def _holds(report: Facts, names: set[str]) -> Cell:
    verdicts = [entry.at("holds") for entry in report.entries("requirements") if entry.text("model") in names]
    if not verdicts:
        return Cell("")
    return Cell("kept", tone="good") if all(found is True for found in verdicts) else Cell("not kept", tone="bad")


def secrets(report: Facts) -> Section | None:
    """How mixed the sensitive values of the classes are."""
    pictures: list[Columns] = []
    tables: list[Table] = []
    required = report.number("privacy", "required", "l")
    for name, bins in report.block("classes", "sensitive").content.items():
        entries = [Facts(entry) for entry in bins if isinstance(entry, Mapping)] if isinstance(bins, list) else []
        drawn, listed = histogram(entries, f"share of the most frequent value of {name}", "classes", share_span)
        if required and drawn and len(entries) == 10:
            mark = (10 / required, f"limit: 1/{kept(required)}")
            drawn = tuple(Columns(p.says, p.x, p.y, p.labels, p.values, mark) for p in drawn)
        pictures += drawn
        tables += listed
    if not tables:
        return None
    lead = (
        "How large the share of the most frequent sensitive value is in each class: the smaller, the less is learned "
        "about a person whose class is known. The values themselves are never shown."
    )
    return Section("sensitive", "Sensitive values", lead, tuple(pictures), tuple(tables))


def risks(report: Facts) -> Section | None:
    """The chance to find a person, before and after."""
    after, before = report.block("privacy", "risk"), report.block("privacy", "risk_before")
    threshold = after.number("threshold")
    above = "" if threshold is None else f" above {percent(threshold)}"
    rows = []
    for name, value in after.content.items():
        if name != "threshold":
            said = RISKS.get(name, name).format(above=above)
            cells = [share_cell(before.number(name))] if before else []
            rows.append((Cell(said), *cells, share_cell(as_number(value))))
    if not rows:
        return None
    head = (Head("", is_number=False), *((Head("before"),) if before else ()), Head("after"))
    lead = "The chance that somebody who knows a person's quasi-identifiers, and that they are in it, picks their row."
    return Section("risk", "Risk", lead, tables=(Table("Risk", head, tuple(rows)),))


def leaks(report: Facts) -> Section | None:
    """What an audit found that a table gives away besides its classes."""
    rows = []
    for leak in report.entries("leaks"):
        serious = leak.text("severity") in {"error", "warning"}
        cells = [leak.text(name) or "" for name in ("severity", "rule", "column", "what", "hint")]
        rows.append((Cell(cells[0], tone="bad" if serious else "plain"), *map(Cell, cells[1:])))
    if not rows:
        return None
    names = ("", "rule", "column", "what it gives away", "what to do")
    head = tuple(Head(name, is_number=False) for name in names)
    lead = "What the table gives away besides its classes."
    return Section("leaks", "Leaks", lead, tables=(Table("Leaks", head, tuple(rows)),))


def views(report: Facts) -> Section | None:
    """What is kept if cells that say nothing are read in other ways."""
    found = report.blocks("views")
    tables = tuple(listing(name, block.content) for name, block in found.items() if block)
    return Section("views", "Other readings", "", tables=tables) if tables else None
