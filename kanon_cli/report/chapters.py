"""The sections of a report's page, in their order; each is None where the report has nothing to fill it with."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kanon_cli.report.facts import Facts, as_number
from kanon_cli.report.figures import duration, number
from kanon_cli.report.losses import attributes, before_and_after, exactness, fairness, measures, pairs, sizes
from kanon_cli.report.pieces import WHAT, histogram, listing, part, size_span, whole
from kanon_cli.report.safety import leaks, promises, risks, secrets, views
from kanon_cli.report.shapes import Cell, Head, Line, Lines, Section, Table


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
        said.append(
            "No row was left out."
            if rows == 0
            else f"{part(rows, total)} row{'s were' if rows > 1 else ' was'} left out."
        )
    if known and released:
        cells = sum(known.values())
        said.append(f"{part(cells, released * len(columns))} of the cells say nothing any more (*).")
    lack = report.block("suppressed")
    told = {
        "rows that may be left out": lack.at("most"),
        "a sensitive value is more frequent among them, times at most": lack.at("overrepresented"),
        "share of them that would need another sensitive value to be like the table": lack.at("distance"),
    }
    tables = (listing("Rows that were left out", told), *_by_value(lack)) if lack else ()
    return Section("suppressed", "What was suppressed", " ".join(said), tables=tables)


def _by_value(lack: Facts) -> Iterator[Table]:
    """How many rows of each sensitive value were left out; values have a number, not a name."""
    for column in lack.block("by_value").content:
        head = (Head(f"values of {column}, the most frequent first"), Head("rows"), Head("left out"))
        rows = tuple(
            (
                Cell(str(rank)),
                Cell(whole(value.number("rows"))),
                Cell(part(value.number("left_out"), value.number("rows"))),
            )
            for rank, value in enumerate(lack.entries("by_value", column), start=1)
        )
        yield Table(f"Left out by value of {column}", head, rows)


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
    leaks,
    attributes,
    exactness,
    before_and_after,
    classes,
    sizes,
    secrets,
    risks,
    views,
    fairness,
    measures,
    pairs,
    search,
    suppression,
    origin,
    making,
)
