"""A report as one file for the browser: no network, no script, light and dark, and it prints."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import jinja2
from markupsafe import Markup

from kanon_cli.report.drawing import bar, draw
from kanon_cli.report.facts import Facts
from kanon_cli.report.shapes import Picture, Story
from kanon_cli.report.story import tell

COLOURS, STROKES, LAYOUT, TEMPLATE = "colours.css", "svg.css", "page.css", "page.html.jinja"


def page(report: Facts) -> str:
    """Write a report as a page."""
    return page_of(tell(report))


def page_of(story: Story) -> str:
    """Write a story as a page; whatever it holds is escaped."""
    return _template().render(story=story, style=Markup(_style(COLOURS, STROKES, LAYOUT)))  # noqa: S704  our own


def standalone(picture: Picture) -> str:
    """Write a picture as a file of its own, which has its style in it."""
    opening, rest = str(draw(picture)).split(">", 1)
    ground = '<rect width="100%" height="100%" style="fill: var(--paper)"/>'
    return f"{opening}><style>{_style(COLOURS, STROKES)}</style>{ground}{rest}\n"


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True, trim_blocks=False
    )
    environment.globals.update(draw=draw, bar=bar)
    return environment.from_string(_resource(TEMPLATE))


def _style(*names: str) -> str:
    return "".join(_resource(name) for name in names)


def _resource(name: str) -> str:
    return (files("kanon_cli.report") / name).read_text(encoding="utf-8")
