"""Pictures as SVG: no script, no network; colours come from the page's style, every text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatch
from itertools import pairwise

from markupsafe import Markup

from kanon_cli.report.axes import Axis
from kanon_cli.report.figures import number, percent
from kanon_cli.report.shapes import Columns, Line, Lines, Picture, Stacks, Twins

WIDTH = 720
COLOURS = 8  # of lines; from the ninth on they are dashed
LETTER = 7.2  # width of a letter at 12 pixels, roughly
NO_MARKUP = Markup("")


@singledispatch
def draw(picture: Picture) -> Markup:
    """Draw a picture."""
    raise TypeError(type(picture).__name__)


def _svg(height: float, says: str, parts: Iterable[Markup], width: float = WIDTH) -> Markup:
    """An image with a name for those who don't see it."""
    head = Markup(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">'
    ).format(number(width), number(height), number(width), number(height), says)
    return Markup("{}<title>{}</title>{}</svg>").format(head, says, NO_MARKUP.join(parts))


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> Markup:
    form = Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}" class="{}">{}</text>')
    return form.format(x, y, anchor, kind, text)


def _rect(x: float, y: float, width: float, height: float, kind: str, says: str = "") -> Markup:
    form = Markup('<rect x="{:.1f}" y="{:.1f}" width="{:.2f}" height="{:.2f}" class="{}">{}</rect>')
    title = Markup("<title>{}</title>").format(says) if says else NO_MARKUP
    return form.format(x, y, max(width, 0.0), max(height, 0.0), kind, title)


def _stroke(x1: float, y1: float, x2: float, y2: float, kind: str) -> Markup:
    form = Markup('<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>')
    return form.format(x1, y1, x2, y2, kind)


def bar(share: float) -> Markup:
    """A bar beside its number, so that it needs no name."""
    form = Markup('<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">{}{}</svg>')
    return form.format(_rect(0, 0, 100, 8, "back"), _rect(0, 0, 100 * share, 8, "fill"))


@draw.register
def _(picture: Columns) -> Markup:
    """A histogram: a column a label, with its value above it where there is room."""
    left, right, top, bottom, height = 56.0, 8.0, 20.0, 46.0, 260.0
    count = len(picture.values)
    step = (WIDTH - left - right) / count
    base = height - bottom
    axis = Axis(0.0, max(*picture.values, 1.0), base, top)
    every = -(-int(max(len(label) for label in picture.labels) * LETTER + 8) // int(step))  # labels must not touch
    parts = [_stroke(left, y, WIDTH - right, y, "grid") for y, _ in axis.marks(4)]
    parts += [_text(left - 6, y + 4, said, "end") for y, said in axis.marks(4)]
    for at, (label, value) in enumerate(zip(picture.labels, picture.values, strict=True)):
        x, y = left + at * step, axis.place(value)
        parts.append(_rect(x + step * 0.08, y, step * 0.84, base - y, "fill", f"{label}: {value:,.0f} {picture.y}"))
        if at % every == 0:
            parts.append(_text(x + step / 2, base + 16, label, "middle"))
        if value > 0 and step > 8 + LETTER * len(f"{value:,.0f}"):
            parts.append(_text(x + step / 2, y - 5, f"{value:,.0f}", "middle", "strong"))
    if picture.mark is not None:
        place, said = picture.mark
        x = left + place * step
        parts += [_stroke(x, top - 8, x, base, "limit"), _text(x + 5, top, said, "start", "limit-text")]
    parts.append(_stroke(left, base, WIDTH - right, base, "axis"))
    parts.append(_text((left + WIDTH - right) / 2, height - 8, picture.x, "middle"))
    parts.append(_text(4, 12, picture.y))
    return _svg(height, picture.says, parts)


@draw.register
def _(picture: Twins) -> Markup:
    """Two columns a value, side by side; the picture is small, since there is one for each column of the table."""
    width, height, top = 330.0, 110.0, 22.0
    count = len(picture.before)
    step = width / count
    axis = Axis(0.0, max(*picture.before, *picture.after, 1.0), height - 2, top)
    parts = [_text(0, 13, picture.title, "start", "strong")]
    for at, pair in enumerate(zip(picture.before, picture.after, strict=True)):
        for side, (value, kind) in enumerate(zip(pair, ("grey", "fill"), strict=True)):
            y = axis.place(max(value, 0.0))
            x = at * step + step * (0.1 + 0.4 * side)
            parts.append(
                _rect(x, y, step * 0.4, height - 2 - y, kind, f"{('before', 'after')[side]}: {value:,.0f} rows")
            )
    parts.append(_stroke(0, height - 2, width, height - 2, "axis"))
    return _svg(height, picture.says, parts, width)


@draw.register
def _(picture: Stacks) -> Markup:
    """Bars of parts, one below the other, and what the colours mean."""
    longest = max(len(name) for name, _ in picture.bars)
    left, top, row = min(8 + LETTER * longest, 220.0), 30.0, 26.0
    width = WIDTH - left - 8
    parts = []
    widths = [30 + LETTER * len(name) for name in picture.parts]
    x = max(min(left, WIDTH - sum(widths)), 0.0)  # beside long names the legend begins further left, to end inside
    for at, (name, wide) in enumerate(zip(picture.parts, widths, strict=True)):
        parts += [_rect(x, 6, 11, 11, f"step{at}"), _text(x + 15, 16, name)]
        x += wide
    for at, (name, shares) in enumerate(picture.bars):
        y, x = top + at * row, left
        shown = name if len(name) * LETTER <= left else f"{name[: int(left / LETTER) - 2]}..."
        parts.append(_text(left - 8, y + 15, shown, "end"))
        for step, share in enumerate(shares):
            says = f"{name}, {picture.parts[step]}: {percent(share)}"
            if share > 0:
                parts.append(_rect(x, y, share * width, row - 6, f"step{step} part", says))
            if share > 0.07:
                parts.append(_text(x + share * width / 2, y + 15, f"{100 * share:.0f} %", "middle", f"on{step}"))
            x += share * width
    return _svg(top + row * len(picture.bars), picture.says, parts)


@draw.register
def _(picture: Lines) -> Markup:
    """Lines over an axis, each with its name at its last point."""
    lines = [*picture.lines, *([picture.floor] if picture.floor else [])]
    longest = max(len(line.name) for line in lines)
    left, right, top, bottom, height = 60.0, 24.0 + LETTER * longest, 24.0, 46.0, max(300.0, 90.0 + 15 * len(lines))
    base = height - bottom
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points]
    across = Axis(min(xs), max(xs), left, WIDTH - right, picture.is_log_x)
    up = Axis(min(0.0, *ys) if min(ys) < 0.6 * max(ys) else min(ys), max(*ys, 1e-9), base, top)
    parts = [_stroke(left, y, WIDTH - right, y, "grid") for y, _ in up.marks()]
    parts += [_text(left - 6, y + 4, said, "end") for y, said in up.marks()]
    parts += [_text(x, base + 16, said, "middle") for x, said in across.marks()]
    parts.append(_stroke(left, base, WIDTH - right, base, "axis"))
    kinds = [*(_kind(at) for at in range(len(picture.lines))), "floor"]
    for line, kind in zip(lines, kinds, strict=False):
        parts.append(_polyline(line, across, up, kind))
    ends = [up.place(line.points[-1][1]) for line in lines]
    for line, kind, y in zip(lines, kinds, _apart(ends, 14.0, base), strict=False):
        parts.append(_text(across.place(line.points[-1][0]) + 8, y + 4, line.name, "start", f"name {kind}"))
    parts.append(_text((left + WIDTH - right) / 2, height - 8, picture.x, "middle"))
    parts.append(_text(4, 12, picture.y))
    return _svg(height, picture.says, parts)


def _kind(at: int) -> str:
    return f"line{at % COLOURS}{' dashed' if at >= COLOURS else ''}"


def _polyline(line: Line, across: Axis, up: Axis, kind: str) -> Markup:
    """A line; with few points, each has a dot that says its value."""
    places = [(across.place(x), up.place(y)) for x, y in line.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = []
    if len(places) <= 12 and kind != "floor":
        form = Markup('<circle cx="{:.1f}" cy="{:.1f}" r="3.2" class="dot {}"><title>{}</title></circle>')
        dots = [
            form.format(*place, kind, f"{line.name}: {number(y)} at {number(x)}")
            for place, (x, y) in zip(places, line.points, strict=True)
        ]
    drawn = Markup('<polyline points="{}" class="curve {}"/>').format(path, kind)
    return drawn + NO_MARKUP.join(dots)


def _apart(places: Sequence[float], gap: float, lowest: float) -> list[float]:
    """Move names so far apart that they don't touch, and none below the picture."""
    order = sorted(range(len(places)), key=lambda at: places[at])
    moved = list(places)
    for before, after in pairwise(order):
        moved[after] = max(moved[after], moved[before] + gap)
    limit = lowest
    for at in reversed(order):
        moved[at] = min(moved[at], limit)
        limit = moved[at] - gap
    return moved
