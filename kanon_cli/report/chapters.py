"""The sections of a report's page; each is None where the report has nothing to fill it with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from kanon_cli.report.facts import Facts, as_number
from kanon_cli.report.figures import duration, kept, number, percent
from kanon_cli.report.pieces import WHAT, figure, histogram, listing, part, share_cell, share_span, size_span, whole
from kanon_cli.report.shapes import Cell, Columns, Head, Line, Lines, Section, Stacks, Table

STEPS = ("unchanged", "to 5 %", "to 10 %", "to 25 %", "to 50 %", "more", "all: *")  # of audit/precision.py
LONG_NAME = MappingProxyType({"l": "l_frequency"})  # what a promise is called among the figures that are achieved


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
                Cell(figure(achieved.at(known))),
                Cell("kept", tone="good") if verified else Cell(_holds(report, {name, known})),
            )
        )
    asked = {LONG_NAME.get(name, name) for name in required}
    extra = [name for name in achieved.content if name not in asked]
    rows += [
        (Cell(name, tone="dim"), Cell("-", tone="dim"), Cell(figure(achieved.at(name))), Cell("")) for name in extra
    ]
    if not rows:
        return None
    head = (Head("figure", is_number=False), Head("required"), Head("found"), Head("", is_number=False))
    lead = "What was asked for, and what was found in the cells of the finished file."
    return Section("promises", "Promises", lead, tables=(Table("Promises", head, tuple(rows)),))


def _holds(report: Facts, names: set[str]) -> str:
    verdicts = [entry.at("holds") for entry in report.entries("requirements") if entry.text("model") in names]
    if not verdicts:
        return ""
    return "kept" if all(verdict is True for verdict in verdicts) else "not kept"


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


def classes(report: Facts) -> Section | None:
    """How large the classes are."""
    block = report.block("classes")
    if not block:
        return None
    bins = block.entries("sizes") or block.entries("histogram")
    told = {name: block.number(name) for name in ("count", "min", "mean", "max")}
    lead = "Rows that look alike make a class."
    if None not in told.values():
        lead += (
            f" There are {told['count']:,.0f} classes: the smallest has {told['min']:,.0f} rows, the largest "
            f"{told['max']:,.0f}, and the mean is {told['mean']:,.1f}."
        )
    return Section("classes", "Class sizes", lead, *histogram(bins, "rows in a class", "classes", size_span))


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
    names = {"prosecutor_max": "the row that is easiest to find", "prosecutor_mean": "a row on average"}
    rows = []
    for name, value in after.content.items():
        cells = [share_cell(before.number(name))] if before else []
        rows.append((Cell(names.get(name, name)), *cells, share_cell(as_number(value))))
    if not rows:
        return None
    head = (Head("", is_number=False), *((Head("before"),) if before else ()), Head("after"))
    lead = "The chance that somebody who knows a person's quasi-identifiers, and that they are in it, picks their row."
    return Section("risk", "Risk", lead, tables=(Table("Risk", head, tuple(rows)),))


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
    others = {name: block for name, block in utility.blocks().items() if name not in {"details", "bound"}}
    tables += [listing(name, block.content) for name, block in others.items() if block]
    if not tables:
        return None
    return Section("measures", "Other measures", "The same release, by every measure.", tables=tuple(tables))


def search(report: Facts) -> Section | None:
    """How the loss fell while the algorithm worked."""
    losses = report.numbers("algorithm", "losses")
    measure = report.text("algorithm", "measure") or "loss"
    if len(losses) < 2:
        return None
    least = report.number("utility", "bound", measure)
    effort = report.number("algorithm", "effort")
    last = len(losses) - 1
    places = [at * effort / last if effort else at for at in range(len(losses))]
    floor = None if least is None else Line("at best", ((places[0], least), (places[-1], least)))
    x = "effort" if effort else "step"
    says = f"The loss fell from {number(losses[0])} to {number(losses[-1])}."
    lead = f"{says} If the line is flat at its end, more effort will gain little."
    drawn = Lines(says, x, measure, (Line("loss", tuple(zip(places, losses, strict=True))),), floor)
    return Section("search", "The search", lead, (drawn,))


def suppression(report: Facts) -> Section | None:
    """What says nothing any more."""
    rows, total = report.number("suppressed_rows"), report.number("input", "rows")
    columns = {name: column.number("suppressed") for name, column in report.blocks("attributes").items()}
    released = report.number("output", "rows") or report.number("table", "rows")
    known = {name: count for name, count in columns.items() if count is not None}
    if rows is None and not known:
        return None
    said = []
    if rows is not None:
        said.append("No row was left out." if rows == 0 else f"{part(rows, total)} rows were left out.")
    if known and released:
        cells = sum(known.values())
        said.append(f"{part(cells, released * len(columns))} of the cells say nothing any more (*).")
    return Section("suppressed", "What was suppressed", " ".join(said))


def origin(report: Facts) -> Section | None:
    """The files, with their checksums."""
    rows = []
    for name in ("input", "output", "table"):
        block = report.block(name)
        if block:
            cells = (block.text("path") or "", whole(block.number("rows")), block.text("sha256") or "")
            rows.append((Cell(name), *map(Cell, cells)))
    if sha256 := report.text("spec", "sha256"):
        rows.append((Cell("spec"), Cell(report.text("spec", "name") or ""), Cell(""), Cell(sha256)))
    if not rows:
        return None
    head = (WHAT, Head("path", is_number=False), Head("rows"), Head("SHA-256", is_number=False))
    lead = "A file with another checksum is not the one that this report speaks of."
    return Section("files", "Files", lead, tables=(Table("Files and checksums", head, tuple(rows)),))


def making(report: Facts) -> Section | None:
    """How it was made: the algorithm, the time, the machine."""
    algorithm = {name: value for name, value in report.block("algorithm").content.items() if name != "losses"}
    seconds = report.block("timing").content
    timing = {name: duration(value) for name, found in seconds.items() if (value := as_number(found)) is not None}
    tables = [
        listing(title, content)
        for title, content in (
            ("Algorithm", algorithm),
            ("Time", timing),
            ("Environment", {"kanon": report.text("kanon", "version"), **report.block("environment").content}),
        )
        if any(value is not None for value in content.values())
    ]
    return Section("making", "How it was made", tables=tuple(tables)) if tables else None


CHAPTERS: tuple[Callable[[Facts], Section | None], ...] = (
    promises,
    attributes,
    exactness,
    classes,
    secrets,
    risks,
    measures,
    search,
    suppression,
    origin,
    making,
)
