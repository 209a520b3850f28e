"""Releases that keep another notion than k, from the command line."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Desk


@pytest.mark.parametrize("notion", ["(k,k)", "global-(1,k)"])
def test_what_a_run_keeps_an_audit_with_the_original_finds(desk: Desk, notion: str) -> None:
    sets = ("--set", f"privacy.notion={notion}")
    assert desk.kanon("run", "spec.yaml", "-q", *sets).returncode == 0
    report = json.loads((desk.folder / "out/people.report.json").read_text())
    found = ("--spec", "spec.yaml", "--original", "people.csv", "--json", *sets)
    audited = desk.kanon("audit", "out/people.csv", *found)
    assert audited.returncode == 0, audited.stderr
    block = json.loads(audited.stdout)
    assert block["privacy"]["risk"].items() >= report["privacy"]["risk"].items()
    told = {"risk", "risk_before"}  # of which a run and an audit say different things
    assert all(block["privacy"][name] == report["privacy"][name] for name in report["privacy"].keys() - told)
    assert block["attacks"]["neighbours"]["least"] == report["privacy"]["achieved"]["1k"] >= 3
    assert block["attacks"]["matches"]["least"] == report["privacy"]["achieved"]["global_1k"]


def test_an_audit_shows_the_attacks_and_wants_the_original_for_a_notion(desk: Desk) -> None:
    assert desk.kanon("run", "spec.yaml", "-q").returncode == 0
    shown = desk.kanon("audit", "out/people.csv", "--spec", "spec.yaml", "--original", "people.csv").stdout
    assert "attack    who knows all people: " in shown
    assert "who is in the table, too: " in shown
    blind = desk.kanon("audit", "out/people.csv", "--spec", "spec.yaml", "--set", "privacy.notion=(k,k)")
    assert blind.returncode == 2
    assert "can only be told beside its original" in blind.stderr
    assert "say --original FILE" in blind.stderr


def test_a_weak_notion_is_refused_or_said_to_be_weak(desk: Desk) -> None:
    sets = ("--set", "privacy.notion=(k,1)")
    refused = desk.kanon("run", "spec.yaml", "-q", *sets)
    assert refused.returncode == 2
    assert "accept_weak: true" in refused.stderr
    accepted = desk.kanon("run", "spec.yaml", *sets, "--set", "privacy.accept_weak=true")
    assert accepted.returncode == 0
    report = json.loads((desk.folder / "out/people.report.json").read_text())
    assert "who looks for that person finds it" in report["privacy"]["weakness"]
    assert report["privacy"]["weakness"] in " ".join(accepted.stdout.split())


def test_a_seed_that_hides_whose_row_is_whose_is_not_in_the_report_and_has_to_be_set(desk: Desk) -> None:
    sets = ("--set", "privacy.notion=global-(1,k)", "--set", "algorithm=nonhomogeneous")
    warned = desk.kanon("run", "spec.yaml", *sets)
    assert warned.returncode == 0, warned.stderr
    assert "set a long random `seed`" in " ".join(warned.stderr.split())
    set_anew = desk.kanon("run", "spec.yaml", "--force", *sets, "--set", "seed=8318530717958647692")
    assert set_anew.returncode == 0, set_anew.stderr
    assert "random `seed`" not in " ".join(set_anew.stderr.split())
    written = (desk.folder / "out/people.report.json").read_text()
    assert json.loads(written)["algorithm"]["seed"] is None
    assert "8318530717958647692" not in written + set_anew.stdout + set_anew.stderr
    assert desk.kanon("run", "spec.yaml", "--force", *sets[:2], "--set", "seed=7").returncode == 0
    assert json.loads((desk.folder / "out/people.report.json").read_text())["algorithm"]["seed"] == 7
