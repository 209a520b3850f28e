"""Why the loss is what it is, as a story."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanon_cli.report.figures import number, percent
from kanon_cli.report.shapes import Cell, Head, Line, Lines, Section, Story, Table, Tile


def tell_explanation(title: str, found: Mapping[str, Any], version: str) -> Story:
    """Tell what `explaining.explain` has found."""
    bound = next(entry["bound"] for entry in found["frontier"] if entry["k"] == found["k"])
    measure = found["measure"]
    tiles = (
        Tile("Loss", number(found["loss"]), measure, f"With k = {found['k']} and little effort."),
        Tile("At best", number(bound), measure, "No release with this k and all rows loses less."),
    )
    said = f"{found['rows']:,} rows, k = {found['k']}, effort {found['effort']:,}; differences of 1 % mean nothing"
    sections = (_columns(found), _values(found), _left_out(found), _frontier(found))
    return Story(title, said, "plain", "", "", tiles, sections, version, "", "")


def _columns(found: Mapping[str, Any]) -> Section:
    most = max(entry["share"] for entry in found["columns"]) or 1.0
    rows = []
    for entry in found["columns"]:
        half, levels = entry["half_weight"], entry["more_levels"]
        rows.append(
            (
                Cell(entry["column"]),
                Cell(number(entry["loss"])),
                Cell(percent(entry["share"]), share=entry["share"] / most),
                _saving(entry["others"], entry["others_without"]),
                _saving(entry["others"], half and half["others"]),
                Cell("-" if half is None else number(half["loss"])),
                _saving(found["loss"], levels and levels["all"]),
            )
        )
    head = (
        Head("column", is_number=False),
        Head("loss"),
        Head("share of the loss"),
        Head("without it"),
        Head("half weight"),
        Head("then it loses"),
        Head("finer taxonomy"),
    )
    lead = (
        "Without it: what the other columns would save if it were not released. Half weight: what they would save, and "
        "what it would lose then. Finer taxonomy: what all columns would save if every step of its taxonomy were taken "
        "in two, by way of groups of neighbours; a dash where there is nothing to part, as values are free "
        "already or no node of the taxonomy has four children."
    )
    return Section("columns", "By column", lead, tables=(Table("By column", head, tuple(rows)),))


def _saving(before: float, after: float | None) -> Cell:
    if after is None or before <= 0:
        return Cell("-", tone="dim")
    saved = (before - after) / before
    return Cell(f"{100 * saved:.1f} %", tone="good" if saved >= 0.01 else "plain")


def _values(found: Mapping[str, Any]) -> Section:
    rows = []
    for name, entries in found["values"].items():
        for entry in entries:
            lost = entry["row_loss"]
            factor = "-" if lost is None or not found["loss"] else f"{lost / found['loss']:.2f}"
            rows.append((Cell(name), Cell(entry["value"]), Cell(f"{entry['rows']:,}"), Cell(factor)))
    head = (
        Head("column", is_number=False),
        Head("value", is_number=False),
        Head("rows"),
        Head("loss of its rows, mean row = 1"),
    )
    lead = "Rows with which values lose most, in all their columns together. Values of few rows are not named."
    return Section("values", "By value", lead, tables=(Table("By value", head, tuple(rows)),))


def _left_out(found: Mapping[str, Any]) -> Section:
    rows = tuple(
        (
            Cell(f"{entry['rows']:,} ({percent(entry['rows'] / found['rows'])})"),
            Cell(f"{entry['classes']:,}"),
            Cell(percent(entry["share_of_loss"])),
            Cell(number(entry["loss"])),
            _saving(found["loss"], entry["loss"]),
        )
        for entry in found["left_out"]
    )
    head = (Head("rows"), Head("classes"), Head("their share of the loss"), Head("loss of the others"), Head("saved"))
    lead = "The classes that lose most a row, and what the release would lose without them."
    tables = (Table("The rows that lose most", head, rows),) if rows else ()
    return Section("rows", "By row", lead if rows else "There are too few classes to leave any out.", tables=tables)


def _frontier(found: Mapping[str, Any]) -> Section:
    entries = found["frontier"]
    measure = found["measure"]
    rows = tuple(
        (
            Cell(f"{entry['k']:,}", tone="good" if entry["k"] == found["k"] else "plain"),
            Cell(number(entry["loss"])),
            Cell(number(entry["bound"])),
            Cell(f"{entry['classes']:,}"),
        )
        for entry in entries
    )
    loss, bound = (
        Line(name, tuple((float(entry["k"]), entry[key]) for entry in entries))
        for name, key in (("loss", "loss"), ("at best", "bound"))
    )
    ends = [f"{number(entry['loss'])} at k = {entry['k']}" for entry in (entries[0], entries[-1])]
    says = f"The loss goes from {' to '.join(ends)}."
    pictures = (Lines(says, "k", measure, (loss,), bound, is_log_x=True),) if len(entries) > 1 else ()
    table = Table("Loss by k", (Head("k"), Head("loss"), Head("at best"), Head("classes")), rows)
    return Section("frontier", "Loss by k", "What more protection costs.", pictures, (table,))
