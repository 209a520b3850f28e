"""Sections about what a release loses: by column, by measure, by group."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from kanon_cli.report.facts import Facts
from kanon_cli.report.figures import number, percent
from kanon_cli.report.pieces import figure, listing, part, share_cell, whole
from kanon_cli.report.shapes import Cell, Head, Section, Stacks, Table, Twins

STEPS = ("unchanged", "to 5 %", "to 10 %", "to 25 %", "to 50 %", "more", "all: *")  # of audit/precision.py
TOLD = frozenset({"details", "bound", "by_size", "fairness", "pairs"})  # entries of `utility` with a place of their own
MOST_PAIRS = 20  # of columns that are listed, those that lose most


def attributes(report: Facts) -> Section | None:
    """What each quasi-identifier lost."""
    columns = report.blocks("attributes")
    if not columns:
        return None
    total = report.number("output", "rows") or report.number("table", "rows")
    losses = {name: column.number("loss") for name, column in columns.items()}
    most = max((loss for loss in losses.values() if loss is not None), default=0.0)
    rows = []
    for name, column in columns.items():
        loss = losses[name]
        rows.append(
            (
                Cell(name),
                Cell(column.text("type") or "", tone="dim"),
                Cell(figure(column.at("weight"))),
                Cell(number(loss), share=None if loss is None or most <= 0 else max(loss, 0.0) / most),
                Cell(whole(column.number("distinct_in"))),
                Cell(whole(column.number("distinct_out"))),
                Cell(part(column.number("suppressed"), total)),
                Cell(part(column.number("missing"), total)),
            )
        )
    head = (
        Head("column", is_number=False),
        Head("type", is_number=False),
        Head("weight"),
        Head("loss"),
        Head("values before"),
        Head("cells after"),
        Head("suppressed"),
        Head("missing before"),
    )
    measure = report.text("algorithm", "measure")
    lead = f"The mean loss of a cell{f' by {measure}' if measure else ''}, and how many different values are left."
    return Section("attributes", "Loss by column", lead, tables=(Table("Loss by column", head, tuple(rows)),))


def exactness(report: Facts) -> Section | None:
    """How exact the cells still are."""
    bars, rows = [], []
    for name, column in report.blocks("attributes").items():
        counts = [entry.number("rows") or 0.0 for entry in column.entries("precision")]
        total = sum(counts)
        if len(counts) == len(STEPS) and total > 0:
            shares = tuple(count / total for count in counts)
            bars.append((name, shares))
            rows.append((Cell(name), *(Cell(percent(share) if share else "-") for share in shares)))
    if not bars:
        return None
    says = "Rows by the share of a column's range that their cell spans: " + "; ".join(
        f"{name} {percent(shares[0])} unchanged, {percent(shares[-1])} suppressed" for name, shares in bars
    )
    head = (Head("column", is_number=False), *map(Head, STEPS))
    lead = "How much of its column's range a released cell spans, from an unchanged value to a cell that says nothing."
    return Section(
        "exactness",
        "How exact the cells still are",
        lead,
        (Stacks(says, STEPS, tuple(bars)),),
        (Table("Share of the rows, by how much of the range their cell spans", head, tuple(rows), is_detail=True),),
    )


def measures(report: Facts) -> Section | None:
    """The loss by each measure, and all further figures under `utility`."""
    utility, details = report.block("utility"), report.block("utility", "details")
    losses = {name: value for name, value in utility.content.items() if not isinstance(value, Mapping)}
    rows = []
    for name, value in losses.items():
        least = utility.number("bound", name)
        further = ", ".join(f"{key} {figure(inner)}" for key, inner in details.block(name).content.items())
        rows.append((Cell(name), Cell(figure(value)), Cell("" if least is None else number(least)), Cell(further)))
    head = (Head("measure", is_number=False), Head("loss"), Head("at best"), Head("further figures", is_number=False))
    tables = [Table("Loss by measure", head, tuple(rows))] if rows else []
    others = {name: block for name, block in utility.blocks().items() if name not in TOLD}
    tables += [listing(name, block.content) for name, block in others.items() if block]
    if not tables:
        return None
    return Section("measures", "Other measures", "The same release, by every measure.", tables=tuple(tables))


def before_and_after(report: Facts) -> Section | None:
    """How often values stand in the original, and how often the release says that they do."""
    pictures, rows = [], []
    for name, column in report.blocks("attributes").items():
        before, after = column.numbers("counts_in"), column.numbers("counts_out")
        if len(before) == len(after) > 1:
            says = f"{name}: rows by value in {len(before)} parts, before and after."
            pictures.append(Twins(says, name, tuple(before), tuple(after)))
        means = column.numbers("means")
        if len(means) == 2:
            written = _day if column.text("type") == "date" else number
            rows.append((Cell(name), Cell(written(means[0])), Cell(written(means[1]))))
    if not pictures and not rows:
        return None
    head = (Head("column", is_number=False), Head("mean before"), Head("mean after"))
    tables = (Table("Means", head, tuple(rows)),) if rows else ()
    lead = (
        "Rows by value, in the original (grey) and as the release tells it (blue): numbers and dates from low to high, "
        "categories from the most frequent on, the rest last. All that a cell may stand for counts as equally likely."
    )
    return Section("before-and-after", "Before and after", lead, tuple(pictures), tables)


def _day(value: float) -> str:
    """Write a mean of dates, which are days since the year 1, as a day."""
    return date.fromordinal(round(value)).isoformat() if 1 <= value < date.max.toordinal() else number(value)


def fairness(report: Facts) -> Section | None:
    """Whether some groups lose more than others."""
    block = report.block("utility", "fairness")
    groups = block.entries("groups")
    losses = [group.number("loss") for group in groups]
    most = max((loss for loss in losses if loss is not None), default=0.0)
    rows = []
    for group, loss in zip(groups, losses, strict=True):
        share = None if loss is None or most <= 0 else max(loss, 0.0) / most
        cells = (
            Cell(whole(group.number("values"))),
            Cell(whole(group.number("rows"))),
            Cell(whole(group.number("left_out"))),
            Cell(number(loss), share=share),
        )
        rows.append((Cell(whole(group.number("rank"))), *cells))
    if not rows:
        return None
    column = block.text("column") or "a column"
    head = (Head("group"), Head("values"), Head("rows"), Head("left out"), Head("loss"))
    lead = (
        f"The mean loss of the rows by their value of {column}, the largest group first; values are not told. "
        "Rows that were left out count as fully suppressed."
    )
    return Section("fairness", f"Who pays: by {column}", lead, tables=(Table(f"Loss by {column}", head, tuple(rows)),))


def sizes(report: Facts) -> Section | None:
    """The loss of rows by the size of their class."""
    found = report.blocks("utility", "by_size")
    rows = tuple(
        (Cell(name), Cell(whole(block.number("rows"))), Cell(number(block.number("loss"))))
        for name, block in found.items()
    )
    if len(rows) < 2:
        return None
    table = Table("Loss by class size", (Head("rows in a class"), Head("rows"), Head("loss")), rows)
    return Section("by-size", "Loss by class size", "Rows in large classes need not lose more.", tables=(table,))


def pairs(report: Facts) -> Section | None:
    """What two columns tell about each other."""
    told = []
    for first, others in report.blocks("utility", "pairs").items():
        for second, pair in others.blocks().items():
            before, after = pair.number("before"), pair.number("after")
            if before is not None and after is not None:
                told.append((after - before, first, second, before, after))
    if not told:
        return None
    rows = tuple(
        (
            Cell(f"{first}, {second}"),
            Cell(number(before)),
            Cell(number(after)),
            share_cell(min(max(after / before, 0.0), 1.0) if before > 0 else None),
        )
        for _, first, second, before, after in sorted(told)[:MOST_PAIRS]
    )
    head = (Head("columns", is_number=False), Head("bits before"), Head("bits after"), Head("kept"))
    lead = "How much two columns tell about each other (mutual information), those first that lose most of it."
    return Section("pairs", "Pairs of columns", lead, tables=(Table("Pairs of columns", head, rows),))
