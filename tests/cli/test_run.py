"""`kanon run`: exit codes, streams, batches, and what it leaves on disk."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Desk, people

RELEASE = {"people.csv", "people.report.json"}


def test_a_run_publishes_and_shows_what_it_keeps_and_loses(desk: Desk) -> None:
    done = desk.kanon("run", "spec.yaml")
    assert done.returncode == 0
    assert desk.files("out") == RELEASE
    for word in ("verified", "k = ", "(3 required)", "l = ", "48", "classes", "lm", "age", "zip", "out/people.csv"):
        assert word in done.stdout
    assert "out/people.report.json" in done.stdout


def test_a_run_says_on_which_side_of_its_bound_each_promise_is_kept(desk: Desk) -> None:
    promises = ("--set", "privacy.t=0.9", "--set", "privacy.diversity={recursive: {c: 9, l: 2}}")
    done = desk.kanon("run", "spec.yaml", "--dry-run", *promises)
    assert done.returncode == 0, done.stderr
    assert "(3 required)" in done.stdout
    assert "(<= 0.9 required)" in done.stdout
    assert "(< 9 required)" in done.stdout


def test_a_run_says_how_far_the_losses_of_groups_are_apart(desk: Desk) -> None:
    done = desk.kanon("run", "spec.yaml", "--set", "output.fairness=zip")
    assert done.returncode == 0
    assert "between the groups that lose most and least" in " ".join(done.stdout.split())
    report = json.loads((desk.folder / "out/people.report.json").read_text(encoding="utf-8"))
    fairness = report["utility"]["fairness"]
    losses = [group["loss"] for group in fairness["groups"]]
    assert fairness["gap"] == max(losses) - min(losses)
    assert sum(group["rows"] for group in fairness["groups"]) == 48
    gap = report["utility"]["details"]["bound"]["lm"]["gap"]
    assert gap == report["utility"]["lm"] - report["utility"]["bound"]["lm"]
    unknown = desk.kanon("run", "spec.yaml", "--force", "--set", "output.fairness=zop")
    assert unknown.returncode == 2
    assert "did you mean zip?" in unknown.stderr


def test_progress_goes_to_stderr_and_results_to_stdout(desk: Desk) -> None:
    done = desk.kanon("run", "spec.yaml")
    assert [line for line in done.stderr.splitlines() if not line.startswith("kanon: ")] == []
    assert "kanon: reading" in done.stderr.splitlines()
    assert "kanon: verifying" in done.stderr.splitlines()
    assert "kanon:" not in done.stdout


def test_the_summary_is_no_wider_than_80_columns(desk: Desk) -> None:
    long = "the age at which this person came here in full years"
    desk.write_table([{long: row.pop("age"), **row} for row in people()])
    specs = [desk.write_spec(f"{'very ' * 8}{name}.yaml", f"{name}.csv", ("age", long)) for name in ("long", "longer")]
    done = desk.kanon("run", *specs)
    assert done.returncode == 0
    lines = [line for line in done.stdout.splitlines() if line not in specs]  # a name is never cut in its heading
    assert max(map(len, lines)) <= 80


def test_output_that_is_not_utf_8_gets_plain_signs(desk: Desk) -> None:
    done = desk.kanon("run", "spec.yaml", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "+ verified" in done.stdout
    assert done.stdout.isascii()


def test_json_is_the_report_as_it_was_published(desk: Desk) -> None:
    done = desk.kanon("run", "spec.yaml", "--json")
    assert done.stdout == (desk.folder / "out/people.report.json").read_text(encoding="utf-8")


def test_quiet_is_quiet(desk: Desk) -> None:
    done = desk.kanon("run", "spec.yaml", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert desk.files("out") == RELEASE


def test_quiet_still_tells_errors(desk: Desk) -> None:
    done = desk.kanon("run", "spec.yaml", "-q", "--set", "privacy.k=100")
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("kanon: error: spec.yaml: privacy.k: ")


def test_quiet_leaves_the_json_that_was_asked_for(desk: Desk) -> None:
    done = desk.kanon("run", "spec.yaml", "--quiet", "--json")
    assert json.loads(done.stdout)["privacy"]["verified"] is True
    assert done.stderr == ""


def test_a_dry_run_writes_nothing(desk: Desk) -> None:
    before = desk.files()
    done = desk.kanon("run", "spec.yaml", "--dry-run")
    assert done.returncode == 0
    assert "nothing was published" in done.stdout
    assert desk.files() == before


def test_output_and_report_go_where_the_command_line_says(desk: Desk) -> None:
    done = desk.kanon("run", "spec.yaml", "--output", "a/b.csv", "--report", "c.json")
    assert done.returncode == 0
    assert {"a/b.csv", "c.json"} <= desk.files()
    assert desk.files("out") == set()


def test_a_file_that_kanon_did_not_make_is_replaced_by_force_only(desk: Desk) -> None:
    foreign = desk.write("out/people.csv", "somebody's work\n")
    refused = desk.kanon("run", "spec.yaml")
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert foreign.read_text() == "somebody's work\n"
    assert desk.kanon("run", "spec.yaml", "--force").returncode == 0
    assert foreign.read_text() != "somebody's work\n"


def test_a_release_of_its_own_is_replaced_without_force(desk: Desk) -> None:
    assert desk.kanon("run", "spec.yaml").returncode == 0
    before = (desk.folder / "out/people.csv").read_bytes()
    assert desk.kanon("run", "spec.yaml", "--set", "privacy.k=8").returncode == 0
    assert (desk.folder / "out/people.csv").read_bytes() != before


@pytest.mark.parametrize(
    ("options", "exit_code"),
    [
        (["--set", "privacy.k=many"], 2),
        (["--set", "quasi_identifiers.name=numeric", "--set", "identifiers=[]"], 3),
        (["--set", "privacy.k=49"], 4),
        (["--set", "limits.lm=0.000001"], 7),
        (["--nonsense"], 2),
    ],
)
def test_a_refusal_has_its_exit_code_and_leaves_nothing(desk: Desk, options: list[str], exit_code: int) -> None:
    before = desk.files()
    done = desk.kanon("run", "spec.yaml", *options)
    assert done.returncode == exit_code
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert desk.files() == before


def test_all_mistakes_are_told_each_on_its_line_with_their_count(desk: Desk) -> None:
    done = desk.kanon("run", "spec.yaml", "--set", "privacy.k=1", "--set", "privcy.l=2", "-q")
    lines = done.stderr.splitlines()
    assert done.returncode == 2
    assert len([line for line in lines if line.startswith("kanon: error: ")]) == 2
    assert [line for line in lines if not line.startswith(("kanon: ", "  hint: "))] == []
    assert lines[-1] == "kanon: 2 errors"


def test_a_batch_goes_on_past_failures_and_ends_with_a_table(desk: Desk) -> None:
    specs = [
        desk.write_spec("good.yaml"),
        desk.write_spec("large.yaml", None, ("k: 3", "k: 49")),
        desk.write_spec("wrong.yaml", None, ("k: 3", "k: many")),
        desk.write_spec("last.yaml"),
    ]
    done = desk.kanon("run", *specs)
    assert done.returncode == 4
    assert {"good.csv", "last.csv"} < desk.files("out")
    table = done.stdout.splitlines()[-4:]
    assert [line.split()[1:3] for line in table] == [
        ["good.yaml", "published"],
        ["large.yaml", "promise"],
        ["wrong.yaml", "spec"],
        ["last.yaml", "published"],
    ]
    assert "kanon: error: large.yaml: " in done.stderr
    assert "kanon: error: wrong.yaml:" in done.stderr


def test_a_batch_in_json_has_the_report_or_the_error_of_each_spec(desk: Desk) -> None:
    specs = [desk.write_spec("large.yaml", None, ("k: 3", "k: 49")), desk.write_spec("good.yaml")]
    failed, report = json.loads(desk.kanon("run", *specs, "--json").stdout)
    assert failed["spec"] == "large.yaml"
    assert (failed["error"]["exit_code"], failed["error"]["kind"]) == (4, "promise")
    assert failed["error"]["mistakes"][0]["path"] == "privacy.k"
    assert report == json.loads((desk.folder / "out/good.report.json").read_text())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["spec.yaml", "other.yaml", "--output", "x.csv"], "--output goes with a single spec"),
        (["spec.yaml", "other.yaml", "--report", "x.json"], "--report goes with a single spec"),
        (["spec.yaml", "./out/../spec.yaml"], "given twice"),
        (["spec.yaml", "same.yaml"], "writes a file that spec.yaml writes too"),
        (["spec.yaml", "same-report.yaml"], "writes a file that spec.yaml writes too"),
    ],
)
def test_specs_that_get_in_each_others_way_are_refused_before_anything_runs(
    desk: Desk, arguments: list[str], said: str
) -> None:
    desk.write("out/keep.txt", "")
    desk.write_spec("other.yaml")
    desk.write_spec("same.yaml", "out/../out/people.csv")
    desk.write_spec("same-report.yaml", "{path: out/x.csv, report: out/people.report.json}")
    done = desk.kanon("run", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert desk.files("out") == {"keep.txt"}


def test_json_log_lines_tell_stages_warnings_and_the_end(desk: Desk) -> None:
    desk.write_spec("spec.yaml", "out/people.csv", ("keep: [visit]\n", ""))
    done = desk.kanon("run", "spec.yaml", "--log-format", "json", "--quiet", "--dry-run")
    assert done.stderr == ""
    done = desk.kanon("run", "spec.yaml", "--log-format", "json")
    events = [json.loads(line) for line in done.stderr.splitlines()]
    assert all({"time", "level", "event", "spec"} <= set(event) for event in events)
    assert [event["stage"] for event in events if event["event"] == "stage"][:2] == ["read", "encode"]
    assert [event["level"] for event in events if event["event"] == "warning"] == ["warning"]
    assert events[-1]["event"] == "done"
    assert events[-1]["published"] is True


def test_json_log_lines_tell_errors_with_their_exit_code(desk: Desk) -> None:
    done = desk.kanon("run", "spec.yaml", "--log-format", "json", "--quiet", "--set", "privacy.k=49")
    (event,) = [json.loads(line) for line in done.stderr.splitlines()]
    assert (event["level"], event["event"], event["exit_code"], event["kind"]) == ("error", "error", 4, "promise")
    assert event["mistakes"][0]["path"] == "privacy.k"


def test_any_number_of_threads_gives_the_same_bytes(desk: Desk) -> None:
    desk.write_table(people(1500))
    releases, reports = [], []
    for threads in ("1", "2", "auto"):
        done = desk.kanon("run", "spec.yaml", "--set", "effort=fast", "--set", f"engine.threads={threads}", "-q")
        assert (done.returncode, done.stderr) == (0, "")
        releases.append((desk.folder / "out/people.csv").read_bytes())
        reports.append(json.loads((desk.folder / "out/people.report.json").read_text()))
    assert releases[0] == releases[1] == releases[2]
    assert reports[0]["algorithm"] == reports[1]["algorithm"] == reports[2]["algorithm"]


def test_more_effort_loses_less_and_the_report_says_how_the_search_went(desk: Desk) -> None:
    desk.write_table(people(1500))
    reports = [
        json.loads(desk.kanon("run", "spec.yaml", "--json", "--set", f"effort={effort}").stdout)
        for effort in ("1", "20", "fast")
    ]
    assert [report["algorithm"]["effort"] for report in reports] == [1, 20, 100]
    losses = [report["algorithm"]["losses"] for report in reports]
    assert losses[0][0] == losses[1][0] == losses[2][0], "the first grouping is the same"
    assert all(len(found) <= 40 for found in losses)
    found = [report["utility"]["lm"] for report in reports]
    assert found[0] > found[1] > found[2]
    assert [fallen[-1] for fallen in losses] == pytest.approx(found, abs=1e-6)


def test_the_summary_draws_the_search(desk: Desk) -> None:
    desk.write_table(people(300))
    (line,) = [line for line in desk.kanon("run", "spec.yaml").stdout.splitlines() if "search" in line]
    signs = line.split()[1]
    assert set(signs) <= set("▁▂▃▄▅▆▇█")
    assert len(signs) == 24
    assert (signs[0], signs[-1]) == ("█", "▁")
    assert line.endswith("effort 750")
    plain = desk.kanon("run", "spec.yaml", PYTHONIOENCODING="ascii").stdout
    assert any(line.split()[0] == "search" and line.split()[1].startswith("^") for line in plain.splitlines() if line)


@pytest.mark.parametrize("key", ["effort=fast", "time_limit=1h"])
def test_an_algorithm_that_ends_by_itself_warns_of_effort_and_time(desk: Desk, key: str) -> None:
    done = desk.kanon("run", "spec.yaml", "--set", "algorithm=mondrian", "--set", key)
    assert done.returncode == 0
    assert "kanon: warning: mondrian has no use for effort and time_limit" in done.stderr
    assert "  search" not in done.stdout
    assert "warning" not in desk.kanon("run", "spec.yaml", "--set", key).stderr


def test_progress_shows_the_loss_beside_the_least_possible(desk: Desk) -> None:
    desk.write_table(people(3000))
    first = "from kanon_cli.cli import voices; voices.PAUSE = 0.0"
    done = desk.kanon("run", "spec.yaml", "--log-format", "json", "--set", "effort=fast", first=first)
    events = [json.loads(line) for line in done.stderr.splitlines()]
    told = [event for event in events if event["event"] == "progress" and event["stage"] == "cluster"]
    assert (told[0]["done"], told[-1]["done"]) == (0, 1)
    assert [event["done"] for event in told] == sorted(event["done"] for event in told)
    report = json.loads((desk.folder / "out/people.report.json").read_text())
    assert told[-1]["note"] == f"loss {report['utility']['lm']:.4f}, at best {report['utility']['bound']['lm']:.4f}"


def test_a_release_that_a_time_limit_cut_short_is_verified_and_can_be_made_again(desk: Desk) -> None:
    desk.write_table(people(1500))
    done = desk.kanon("run", "spec.yaml", "--json", "-q", "--set", "time_limit=1ms")
    assert (done.returncode, done.stderr) == (0, "")
    release, report = (desk.folder / "out/people.csv").read_bytes(), json.loads(done.stdout)
    assert report["privacy"]["verified"] is True
    work = report["algorithm"]["effort"]
    assert work < 500
    assert desk.kanon("run", "spec.yaml").returncode == 0
    assert (desk.folder / "out/people.csv").read_bytes() != release
    again = desk.kanon("run", "spec.yaml", "--json", "--set", f"effort={work}")
    assert json.loads(again.stdout)["algorithm"] == report["algorithm"]
    assert (desk.folder / "out/people.csv").read_bytes() == release
