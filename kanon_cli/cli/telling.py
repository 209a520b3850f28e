"""A report's story as lines for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from kanon_cli.cli import results
from kanon_cli.cli.failures import one_line
from kanon_cli.cli.page import Page, bar, spark
from kanon_cli.cli.results import WIDEST
from kanon_cli.report.shapes import Cell, Lines, Section, Story, Table

MARGIN = 2
GAP = "  "
BAR_SHARE = 0.5  # of the length that the bars of a summary have
STYLES = {"good": "green", "bad": "bold red", "dim": "dim", "plain": ""}


def show(story: Story, found: Any, as_json: bool, quiet: bool) -> None:
    """Print what was found: as JSON, as a story, or not at all."""
    if as_json:
        results.show_json(found)
    elif not quiet:
        results.show(describe(story))


def put_page(story: Story, html: Path, spec: Path, force: bool) -> None:
    """Write a story that a spec tells as a page for the browser."""
    from kanon_cli.release.pages import put
    from kanon_cli.report.html import page_of  # templates are loaded only where a page is wanted

    put(html, page_of(story), [spec], force)


def describe(story: Story) -> list[Text]:
    """Tell a story: the headline, and its sections one below the other."""
    page = Page()
    page.title(story.title)
    page.lines.append(Text(one_line(story.subtitle), style="dim"))
    if story.tone in {"good", "bad"}:
        page.mark(story.tone == "good", story.verdict, "")
    elif story.verdict:
        page.lines.append(Text(story.verdict, style="bold"))
    page.lines += _wrapped(story.because)
    if story.tiles:
        page.blank()
        page.lines += _tiles(story)
    for section in story.sections:
        page.blank()
        page.title(section.title)
        page.lines += _section(section)
    return page.lines


def _tiles(story: Story) -> list[Text]:
    width = max((len(tile.label) for tile in story.tiles), default=0)
    return [
        Text.assemble(
            " " * MARGIN, (f"{tile.label:<{width}}", "dim"), GAP, (f"{tile.value} {tile.unit}".strip(), "bold")
        )
        for tile in story.tiles
    ]


def _section(section: Section) -> list[Text]:
    """Write a section; what only a picture shows is drawn as far as letters can."""
    lines = _wrapped(section.lead)
    for picture in section.pictures:
        if isinstance(picture, Lines):
            lines += _sparks(picture)
    for at, table in enumerate(section.tables):
        if len(section.tables) > 1:
            lines += [Text(), *_wrapped(table.caption)] if at else _wrapped(table.caption)
        lines += tabulate(table)
    return lines


def _sparks(picture: Lines) -> list[Text]:
    """Draw a line of many points; a table has the few points of others."""
    long = [line for line in picture.lines if len(line.points) > 2 and not picture.is_log_x]
    return [Text.assemble(" " * MARGIN, (spark([y for _, y in line.points]), "cyan")) for line in long]


def _wrapped(text: str) -> list[Text]:
    return [Text(" " * MARGIN + line, style="dim") for line in textwrap.wrap(one_line(text), WIDEST - MARGIN)]


def tabulate(table: Table) -> list[Text]:
    """Write a table: numbers to the right, bars behind their numbers."""
    texts = [[Text(one_line(cell.text), style=STYLES[cell.tone]) for cell in row] for row in table.rows]
    widths = [
        max([len(head.text), *(row[at].cell_len for row in texts)], default=0) for at, head in enumerate(table.head)
    ]
    bars = [any(row[at].share is not None for row in table.rows) for at in range(len(table.head))]
    longest = len(_bar(1.0))
    lines = []
    if any(head.text for head in table.head):
        heads = [_placed(Text(h.text), w, h.is_number) for h, w in zip(table.head, widths, strict=True)]
        lines.append(Text(style="dim").join(_spaced(heads, [longest if has else 0 for has in bars])))
    for cells, row in zip(table.rows, texts, strict=True):
        placed = [_placed(text, w, h.is_number) for text, w, h in zip(row, widths, table.head, strict=True)]
        lines.append(Text().join(_with_bars(placed, cells, bars, longest)))
    for line in lines:
        line.rstrip()
    return lines


def _placed(text: Text, width: int, to_the_right: bool) -> Text:
    missing = " " * (width - text.cell_len)
    return Text.assemble(missing, text) if to_the_right else Text.assemble(text, missing)


def _spaced(heads: Sequence[Text], extra: Sequence[int]) -> list[Text]:
    parts = [Text(" " * MARGIN)]
    for head, more in zip(heads, extra, strict=True):
        parts += [head, Text(GAP + (" " * more + GAP if more else ""))]
    return parts


def _with_bars(placed: Sequence[Text], cells: Sequence[Cell], bars: Sequence[bool], longest: int) -> list[Text]:
    parts = [Text(" " * MARGIN)]
    for text, cell, has_bar in zip(placed, cells, bars, strict=True):
        parts += [text, Text(GAP)]
        if has_bar:
            drawn = "" if cell.share is None else _bar(cell.share)
            parts.append(Text.assemble((drawn, "cyan"), " " * (longest - len(drawn)), GAP))
    return parts


def _bar(share: float) -> str:
    return bar(share * BAR_SHARE)
