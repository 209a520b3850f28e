"""What a comparison has shown, as a story: tables of losses and times, and lines over k and over time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from kanon_cli.report.figures import duration, number
from kanon_cli.report.shapes import Cell, Head, Line, Lines, Section, Story, Table, Tone


class Point(NamedTuple):
    """A run of a comparison."""

    algorithm: str
    k: int
    measure: str
    loss: float | None
    bound: float | None
    seconds: float | None
    reason: str | None  # why there is no release


def tell_comparison(title: str, rows: Sequence[dict[str, Any]], version: str) -> Story:
    """Tell of the rows of a comparison."""
    points = [Point(*(row[name] for name in Point._fields)) for row in rows]
    measures = list(dict.fromkeys(point.measure for point in points))
    sections = [section for measure in measures for section in _of_measure([p for p in points if p.measure == measure])]
    failed = [point for point in points if point.reason is not None]
    if failed:
        cells = tuple((Cell(f"{p.algorithm}, k = {p.k}, {p.measure}"), Cell(p.reason or "")) for p in failed)
        head = (Head("run", is_number=False), Head("why there is none", is_number=False))
        sections.append(
            Section("failed", "Runs without a release", tables=(Table("Runs without a release", head, cells),))
        )
    said = f"{len(points) - len(failed)} releases, each read back and checked; none was published"
    return Story(title, said, "plain", "", "", (), tuple(sections), version, "", "")


def pictures(story: Story) -> dict[str, Lines]:
    """The pictures of a comparison, by the names of their files."""
    return {
        f"{section.key}.svg": picture
        for section in story.sections
        for picture in section.pictures
        if isinstance(picture, Lines)
    }


def _of_measure(points: Sequence[Point]) -> list[Section]:
    measure = points[0].measure
    known = [point for point in points if point.loss is not None]
    if not known:
        return []
    loss = _table(f"Loss by {measure}", points, "loss", number, _floors(points))
    seconds = _table(f"Seconds, for the least {measure}", points, "seconds", duration, {})
    by_k = _lines(known, measure, "k", lambda point: float(point.k))
    by_time = _lines(known, measure, "seconds", lambda point: max(point.seconds or 0.0, 1e-3))
    return [
        Section(
            f"loss-by-k-{measure}",
            f"Loss by {measure}",
            "The less, the better; no release can lose less than the line at the bottom.",
            (by_k,) if len({point.k for point in known}) > 1 else (),
            (loss,),
        ),
        Section(
            f"loss-by-time-{measure}",
            f"Loss by {measure} and time",
            "Seconds that the algorithm took by itself. A line leads from the smallest k to the largest.",
            (by_time,),
            (seconds,),
        ),
    ]


def _floors(points: Sequence[Point]) -> dict[int, float]:
    """What any release loses at least, by k; of several limits, which are all right, the highest counts."""
    floors: dict[int, float] = {}
    for point in points:
        if point.bound is not None:
            floors[point.k] = max(point.bound, floors.get(point.k, 0.0))
    return floors


def _table(
    caption: str, points: Sequence[Point], field: str, written: Callable[[float], str], floors: dict[int, float]
) -> Table:
    ks = sorted({point.k for point in points})
    value_of = {(point.algorithm, point.k): getattr(point, field) for point in points}
    best = {k: min((v for (_, other), v in value_of.items() if other == k and v is not None), default=None) for k in ks}
    rows = []
    for name in dict.fromkeys(point.algorithm for point in points):
        cells = []
        for k in ks:
            value = value_of.get((name, k))
            tone: Tone = "good" if floors and value is not None and value == best[k] else "plain"
            cells.append(Cell("-", tone="dim") if not isinstance(value, float) else Cell(written(value), tone=tone))
        rows.append((Cell(name), *cells))
    if floors:
        rows.append((Cell("at best"), *(Cell(number(floors[k]) if k in floors else "-", tone="dim") for k in ks)))
    return Table(caption, (Head("algorithm", is_number=False), *(Head(f"k = {k}") for k in ks)), tuple(rows))


def _lines(points: Sequence[Point], measure: str, x: str, place: Callable[[Point], float]) -> Lines:
    drawn = []
    for name in dict.fromkeys(point.algorithm for point in points):
        own = sorted((point for point in points if point.algorithm == name), key=lambda point: point.k)
        drawn.append(Line(name, tuple((place(point), point.loss) for point in own if point.loss is not None)))
    floors = _floors(points)
    floor = Line("at best", tuple((float(k), floors[k]) for k in sorted(floors))) if x == "k" and floors else None
    says = f"Loss by {measure} over {x}: " + "; ".join(
        f"{line.name} {number(line.points[0][1])} to {number(line.points[-1][1])}" for line in drawn
    )
    return Lines(says, x, measure, tuple(drawn), floor, is_log_x=True)
