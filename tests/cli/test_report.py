"""`kanon report`, and the page that `kanon run` makes."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Desk
from tests.report.reports import NASTY
from tests.report.reports import report as whole


def test_a_report_is_shown_in_the_terminal(desk: Desk) -> None:
    desk.write("r.json", json.dumps(whole(name="a [bold]name\x1b[31m")))
    done = desk.kanon("report", "r.json", PYTHONIOENCODING="utf-8")
    assert done.returncode == 0, done.stderr
    assert "✓ Safe" in done.stdout
    assert "a [bold]name" in done.stdout
    assert "\x1b[31m" not in done.stdout
    assert "Distance to the best  1.25 × at most" in done.stdout


def test_signs_beyond_ascii_are_left_out_where_the_terminal_has_none(desk: Desk) -> None:
    desk.write("r.json", json.dumps(whole()))
    done = desk.kanon("report", "r.json", PYTHONIOENCODING="ascii")
    assert "+ Safe" in done.stdout
    assert done.stdout.isascii()


def test_a_run_makes_the_page_that_report_makes(desk: Desk) -> None:
    assert desk.kanon("run", "spec.yaml", "--set", "output.html=out/page.html").returncode == 0
    assert desk.files("out") == {"people.csv", "people.report.json", "page.html"}
    assert desk.kanon("report", "out/people.report.json", "--html", "again.html").returncode == 0
    page = (desk.folder / "out/page.html").read_text(encoding="utf-8")
    assert (desk.folder / "again.html").read_text(encoding="utf-8") == page
    checksum = json.loads((desk.folder / "out/people.report.json").read_text(encoding="utf-8"))["output"]["sha256"]
    assert f'name="kanon-release-sha256" content="{checksum}"' in page
    assert "Asthma" not in page


def test_with_a_page_the_terminal_shows_the_report_too_unless_it_shall_be_quiet(desk: Desk) -> None:
    desk.write("r.json", json.dumps(whole()))
    shown = desk.kanon("report", "r.json").stdout
    assert "Safe" in shown
    assert desk.kanon("report", "r.json", "--html", "r.html").stdout == shown
    assert desk.kanon("report", "r.json", "--html", "r.html", "-q").stdout == ""


@pytest.mark.parametrize("target", ["out/people.csv", "people.csv", "copy.csv"])
def test_a_page_takes_the_place_of_no_file_that_its_report_tells_of_even_by_force(desk: Desk, target: str) -> None:
    assert desk.kanon("run", "spec.yaml", "-q").returncode == 0
    desk.write("copy.csv", (desk.folder / "out/people.csv").read_text(encoding="utf-8"))
    before = (desk.folder / target).read_bytes()
    for force in ((), ("--force",)):
        done = desk.kanon("report", "out/people.report.json", "--html", target, *force)
        assert done.returncode == 2
        assert "would overwrite a file that it belongs to" in done.stderr
    assert (desk.folder / target).read_bytes() == before


def test_a_dry_run_makes_no_page(desk: Desk) -> None:
    assert desk.kanon("run", "spec.yaml", "--dry-run", "--set", "output.html=out/page.html").returncode == 0
    assert desk.files() == {"people.csv", "spec.yaml"}


def test_a_foreign_page_stops_a_run_before_anything_is_done(desk: Desk) -> None:
    desk.write("page.html", "mine")
    done = desk.kanon("run", "spec.yaml", "--set", "output.html=page.html")
    assert done.returncode == 2
    assert "did not make" in done.stderr
    assert desk.files() == {"people.csv", "spec.yaml", "page.html"}


def test_a_run_that_dies_before_its_page_is_out_leaves_the_old_one_to_the_next_run(desk: Desk) -> None:
    command = ("run", "spec.yaml", "--set", "output.html=out/page.html")
    assert desk.kanon(*command).returncode == 0
    old = (desk.folder / "out/page.html").read_text(encoding="utf-8")
    death = "W.bring_out = lambda _: os.kill(os.getpid(), 9)"
    kill = f"import os; from kanon_cli.release.pages import WaitingPage as W; {death}"
    assert desk.kanon(*command, "--set", "privacy.k=4", first=kill).returncode == -9
    report = json.loads((desk.folder / "out/people.report.json").read_text(encoding="utf-8"))
    assert report["privacy"]["required"]["k"] == 4
    assert (desk.folder / "out/page.html").read_text(encoding="utf-8") == old
    assert desk.kanon(*command, "--set", "privacy.k=4").returncode == 0
    assert (desk.folder / "out/page.html").read_text(encoding="utf-8") != old
    assert desk.files("out") == {"people.csv", "people.report.json", "page.html"}


def test_two_specs_of_a_batch_cannot_have_one_page(desk: Desk) -> None:
    for name in ("a.yaml", "b.yaml"):
        desk.write_spec(name, f"{{path: out/{name}.csv, html: out/page.html}}")
    done = desk.kanon("run", "a.yaml", "b.yaml")
    assert done.returncode == 2
    assert "writes a file that a.yaml writes too" in done.stderr


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', '{"privacy": 1}', "[" * 100_000, "\x00\xff"])
def test_what_is_no_report_is_refused(desk: Desk, text: str) -> None:
    desk.write("r.json", text)
    done = desk.kanon("report", "r.json")
    assert done.returncode == 2
    assert "this is not a report of kanon" in done.stderr


def test_a_report_that_is_not_there_is_a_mistake(desk: Desk) -> None:
    done = desk.kanon("report", "nowhere.json")
    assert done.returncode == 2
    assert "nowhere.json: cannot be read" in done.stderr


def test_what_an_audit_found_can_be_shown_too(desk: Desk) -> None:
    found = desk.kanon("audit", "people.csv", "--qi", "age,sex", "--sensitive", "diagnosis", "--json").stdout
    desk.write("a.json", found)
    done = desk.kanon("report", "a.json", "--html", "a.html")
    assert done.returncode == 0, done.stderr
    page = (desk.folder / "a.html").read_text(encoding="utf-8")
    assert "<strong>Not judged</strong>" in page
    assert "A table of 48 rows that was audited" in page


def test_the_page_of_a_report_is_not_fooled_by_its_texts(desk: Desk) -> None:
    desk.write("r.json", json.dumps(whole(name=NASTY)))
    assert desk.kanon("report", "r.json", "--html", "r.html", "--quiet").returncode == 0
    assert "<script" not in (desk.folder / "r.html").read_text(encoding="utf-8")
