"""The page of a report."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from kanon_cli.report.drawing import LETTER, WIDTH, draw
from kanon_cli.report.facts import Facts
from kanon_cli.report.html import page, standalone
from kanon_cli.report.losses import STEPS
from kanon_cli.report.shapes import Line, Lines, Stacks
from tests.report.reports import NASTY, report

VOID = {"meta", "link", "br", "img"}


class Outline(HTMLParser):
    """The tags of a page, checked for their ends, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that opens."""
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag that is its own end."""
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """Hold an end against what is open."""
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note what is read."""
        if self.open and self.open[-1] != "style":
            self.said.append(data)

    @property
    def text(self) -> str:
        """What a reader reads."""
        return " ".join(" ".join(self.said).split())


def outline(content: dict[str, Any]) -> Outline:
    return Outline(page(Facts(content)))


def test_the_page_says_first_whether_it_is_safe_what_was_lost_and_how_far_from_the_best_that_is() -> None:
    text = outline(report()).text
    places = [text.index(said) for said in ("Safe", "5 = k", "25 % lm", "1.25 × at most", "Promises")]
    assert places == sorted(places)
    assert "loses less than 0.2 lm (99.9 % sure)" in text


def test_every_block_of_a_report_has_a_section() -> None:
    found = [attributes["id"] for tag, attributes in outline(report()).tags if tag == "h2"]
    wanted = (
        "promises leaks attributes exactness before-and-after classes by-size sensitive risk views fairness measures "
        "pairs search suppressed files making"
    )
    assert found == wanted.split()


def test_figures_that_a_later_version_adds_are_shown() -> None:
    assert "sex.f 0.2" in outline(report()).text


def test_what_is_found_is_never_said_to_be_safer_than_it_is() -> None:
    content = report()
    content["privacy"]["achieved"] |= {"l_frequency": 2.49999, "l_entropy": {"a": 1.99999, "b": 3}, "t": 0.20001}
    text = outline(content).text
    assert "l 2 2.4999 kept t 0.25 0.2001 kept" in text
    assert "a: 1.9999, b: 3" in text
    assert "delta - no limit" in text


def test_means_of_dates_are_days() -> None:
    assert "age 2020-01-01 2020-12-31" in outline(report()).text


def test_rows_that_were_left_out_are_described() -> None:
    text = outline(report()).text
    assert "2 (7.69 %) rows were left out." in text
    assert "2 (50 %)" in text, "of the rows with the second most frequent diagnosis"
    assert "times at most 1.5" in text
    assert "like the table.diagnosis 0.25" in text


def test_risks_say_whose_they_are() -> None:
    text = outline(report()).text
    assert "share of the rows with a risk above 10 % - 100 %" in text
    assert "a row on average 90 % 16 %" in text


def test_the_pair_that_loses_most_comes_first_and_groups_have_no_names() -> None:
    text = outline(report()).text
    assert "age, sex 0.5 0.125 25 %" in text
    assert "1 1 14 0 0.25 2 3 10 2 0.375" in text


@pytest.mark.parametrize(("notion", "name"), [("(k,k)", "kk"), ("global-(1,k)", "global_1k")])
def test_another_notion_has_its_own_figure(notion: str, name: str) -> None:
    content = report()
    content["privacy"] |= {"notion": notion, "required": {name: 7}}
    content["privacy"]["achieved"] |= {"k": 1, name: 8}
    assert f"8 = k At least so many rows fit, by {notion}; 7 required." in outline(content).text


@pytest.mark.parametrize(("found", "which"), [(1.0, "the sensitive column"), ({"a": 1.0, "b": 2.0}, "a, so")])
def test_a_table_whose_classes_tell_a_sensitive_value_is_not_called_safe(found: object, which: str) -> None:
    content = report()
    content["privacy"]["achieved"]["l_frequency"] = found
    text = outline(content).text
    assert "Kept, but weak" in text
    assert f"the same value of {which}" in text


def test_a_weak_promise_is_not_called_safe() -> None:
    content = report()
    content["privacy"]["weakness"] = "others can be told apart."
    text = outline(content).text
    assert "Kept, but weak" in text
    assert "Still: others can be told apart." in text


def test_everything_is_escaped() -> None:
    content = report(name=NASTY, column=NASTY)
    content["algorithm"] |= {"name": NASTY, "measure": NASTY, "parameters": {NASTY: NASTY}}
    content["utility"] |= {NASTY: 0.5, "bound": {NASTY: 0.4}}
    content["classes"]["sensitive"] = {NASTY: content["classes"]["sensitive"]["diagnosis"]}
    content["input"]["path"] = content["kanon"]["version"] = content["environment"]["made"] = NASTY
    content["output"]["sha256"] = '"><b>'
    found = outline(content)
    assert NASTY in found.text
    assert not {"script", "b"} & {tag for tag, _ in found.tags}


def test_the_page_needs_nothing_but_itself() -> None:
    text = page(Facts(report()))
    links = [link for link in re.findall(r"https?://[^\"' )]+", text) if link != "http://www.w3.org/2000/svg"]
    assert links == []
    assert not re.search(r"<script|<img|@import|url\(|src=|onload=", text)
    assert [attributes["href"] for tag, attributes in Outline(text).tags if "href" in attributes] == ["data:,"]


def test_tables_have_captions_and_heads_and_pictures_have_names() -> None:
    found = outline(report())
    tags = [tag for tag, _ in found.tags]
    assert tags.count("table") == tags.count("caption") == tags.count("thead") > 8
    assert all(attributes.get("scope") in {"col", "row"} for tag, attributes in found.tags if tag == "th")
    images = [attributes for tag, attributes in found.tags if tag == "svg" and attributes.get("role") == "img"]
    assert len(images) == 5
    assert all(attributes["aria-label"] for attributes in images)
    others = [attributes for tag, attributes in found.tags if tag == "svg" and attributes.get("role") != "img"]
    assert all(attributes.get("aria-hidden") == "true" for attributes in others)


@pytest.mark.parametrize("block", sorted(report()))
@pytest.mark.parametrize("instead", [None, [], {}, "text", 7, True])
def test_a_block_that_is_missing_or_odd_is_left_out(block: str, instead: object) -> None:
    content = report()
    if instead is None:
        del content[block]
    else:
        content[block] = instead
    assert "Anonymity" in outline(content).text or block == "privacy"


def _paths(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    inner = [_paths(found, (*path, key)) for key, found in value.items()] if isinstance(value, dict) else []
    return [path, *(found for several in inner for found in several)] if path else [p for s in inner for p in s]


@pytest.mark.parametrize("instead", [None, [], [3, "x", {}], {}, "text", -1, 0, float("inf"), 10**400, 1e100, True])
def test_a_value_of_another_kind_breaks_nothing(instead: object) -> None:
    for path in _paths(report()):
        content = report()
        block = content
        for step in path[:-1]:
            block = block[step]
        block[path[-1]] = instead
        assert "</html>" in page(Facts(content))


@pytest.mark.parametrize(
    ("verified", "required", "said"),
    [(True, {"k": 5}, "Safe"), (False, {"k": 9}, "Not safe"), (False, {}, "Not judged"), (None, {}, "Not judged")],
)
def test_only_a_verified_table_is_called_safe(verified: bool | None, required: dict[str, int], said: str) -> None:
    content = report()
    content["privacy"] |= {"verified": verified, "required": required}
    assert f"<strong>{said}</strong>" in page(Facts(content))


def test_a_report_of_an_audit_says_which_requirement_is_not_kept() -> None:
    content = {name: block for name, block in report().items() if name in {"privacy", "classes"}}
    content["table"] = {"path": "a.csv", "rows": 24, "sha256": "3" * 64}
    content["privacy"] |= {"verified": False, "required": {"k": 9, "l": 2}}
    content["requirements"] = [
        {"model": "k", "column": None, "required": 9, "achieved": 5, "holds": False},
        {"model": "l_frequency", "column": "diagnosis", "required": 2, "achieved": 2.5, "holds": True},
    ]
    text = outline(content).text
    assert "a.csv A table of 24 rows that was audited" in text
    assert "k 9 5 not kept l 2 2.5 kept" in text


def test_a_picture_can_stand_alone() -> None:
    lines = Lines("a < b", "k", "loss", (Line(NASTY, ((5.0, 0.1), (10.0, 0.2))),), None, is_log_x=True)
    root = ET.fromstring(standalone(lines))  # noqa: S314  our own
    assert root.tag.endswith("svg")
    assert root.attrib["aria-label"] == "a < b"
    assert NASTY in "".join(root.itertext())


def test_it_opens_in_a_browser_without_a_complaint(tmp_path: Path) -> None:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("there is no Chromium here")
    target = tmp_path / "report.html"
    target.write_text(page(Facts(report())), encoding="utf-8")
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        f"--user-data-dir={tmp_path}/u",
    ]
    done = subprocess.run(
        [browser, *options, "--dump-dom", target.as_uri()], capture_output=True, encoding="utf-8", check=True
    )
    assert "CONSOLE" not in done.stderr
    assert "How exact the cells still are" in done.stdout


def test_the_legend_ends_inside_the_picture_however_long_the_names_are() -> None:
    for name in ("q", "a_quasi_identifier_with_a_long_name"):
        drawn = str(draw(Stacks("says", STEPS, ((name, (1.0, *[0.0] * 6)),))))
        starts = [float(x) for x, text in re.findall(r'<text x="([\d.]+)"[^>]*>([^<]*)</text>', drawn) if text in STEPS]
        assert len(starts) == len(STEPS)
        assert starts[0] >= 15
        assert starts[-1] + LETTER * len(STEPS[-1]) <= WIDTH
