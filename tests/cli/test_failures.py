"""Signals, defects, streams that go away, and data that must not be told."""

from __future__ import annotations

import os
import pty
import signal
import subprocess

import pytest

from tests.cli.conftest import Desk, people

SENTINEL = "Xyzzy4711"
HANG = """
import signal, sys, time
from kanon_cli import pipeline
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests in the background has it ignored
def hang(*_):
    print("it hangs", file=sys.stderr, flush=True)
    time.sleep(600)
pipeline.seal = hang
"""
DEFECT = f"""
from kanon_cli import pipeline
def fail(*_):
    raise KeyError("{SENTINEL}")
pipeline.seal = fail
"""
NO_MEMORY = DEFECT.replace("KeyError", "MemoryError")
LOSE = """
import ctypes, os, signal
from kanon_cli import pipeline
take_in = pipeline.take_in
def lose(*arguments):
    ctypes.CFUNCTYPE(None)(lambda: os.kill(os.getpid(), signal.SIGTERM))()
    {then}
pipeline.take_in = lose
"""


@pytest.mark.parametrize(
    ("number", "exit_code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_a_signal_ends_a_run_with_one_line_and_nothing_left_behind(
    desk: Desk, number: signal.Signals, exit_code: int, word: str
) -> None:
    before = desk.files()
    command = desk.command("run", "spec.yaml", first=HANG)
    with subprocess.Popen(
        command, cwd=desk.folder, env=desk.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        for line in process.stderr:
            if "it hangs" in line:
                break
        assert desk.files() > before
        process.send_signal(number)
        assert process.stderr.read() == f"kanon: {word}\n"
        assert process.stdout.read() == ""
    assert process.returncode == exit_code
    assert desk.files() == before


@pytest.mark.parametrize("then", ["return take_in(*arguments)", "raise RuntimeError"])
def test_a_signal_that_gets_lost_in_c_code_still_ends_the_batch(desk: Desk, then: str) -> None:
    other = desk.write_spec("other.yaml")
    done = desk.kanon("run", "spec.yaml", other, "-q", first=LOSE.format(then=then))
    assert (done.returncode, done.stderr) == (143, "kanon: terminated\n")
    assert desk.files("out") == set()


def test_a_defect_is_told_by_its_type_and_place_alone(desk: Desk) -> None:
    done = desk.kanon("run", "spec.yaml", "-q", first=DEFECT)
    assert done.returncode == 1
    said, hint = done.stderr.splitlines()
    assert said.startswith("kanon: a defect in kanon: spec.yaml: KeyError at kanon_cli.pipeline:")
    assert "--debug" in hint


@pytest.mark.parametrize(("options", "extra"), [(["--debug"], {}), ([], {"KANON_DEBUG": "1"})])
def test_debug_shows_the_traceback(desk: Desk, options: list[str], extra: dict[str, str]) -> None:
    done = desk.kanon("run", "spec.yaml", "-q", *options, first=DEFECT, **extra)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert SENTINEL in done.stderr


def test_too_little_memory_is_no_defect(desk: Desk) -> None:
    done = desk.kanon("run", "spec.yaml", "-q", first=NO_MEMORY)
    assert done.returncode == 1
    assert "not enough memory" in done.stderr
    assert "defect" not in done.stderr


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("age", SENTINEL),
        ("born", SENTINEL),
        ("born", f"2020-13-{SENTINEL}"),
        ("sex", f"{{{SENTINEL}|M}}"),
        ("country", SENTINEL),
        ("diagnosis", f"{SENTINEL},{SENTINEL}"),
        ("diagnosis", f'"{SENTINEL}'),
        ("name", f"{SENTINEL}\udcff"),
        ("zip", f"{SENTINEL}*"),
    ],
)
@pytest.mark.parametrize("options", [["run", "spec.yaml"], ["validate", "spec.yaml"]])
def test_no_value_of_a_broken_table_is_told(desk: Desk, column: str, value: str, options: list[str]) -> None:
    desk.write("country.csv", "Peru;South America;World\nChile;South America;World\n")
    desk.write_spec("spec.yaml", "out/people.csv", ("  sex:", "  country: {taxonomy: country.csv}\n  sex:"))
    rows = [{"country": "Peru", **row} for row in people()]
    rows[17][column] = value
    lines = [",".join(row.values()) for row in rows]  # as they are: quotes and delimiters too
    text = "\n".join([",".join(rows[0]), *lines, ""])
    (desk.folder / "people.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
    done = desk.kanon(*options)
    assert done.returncode == 3, done.stderr
    assert "kanon: error: " in done.stderr
    assert SENTINEL not in done.stdout + done.stderr


@pytest.mark.parametrize("first", [DEFECT, NO_MEMORY])
@pytest.mark.parametrize("log_format", ["text", "json"])
def test_no_value_is_told_by_a_defect(desk: Desk, first: str, log_format: str) -> None:
    desk.write_table([{**row, "name": SENTINEL, "visit": SENTINEL} for row in people()])
    done = desk.kanon("run", "spec.yaml", "--json", "--log-format", log_format, first=first)
    assert done.returncode == 1
    assert SENTINEL not in done.stdout + done.stderr


def test_a_name_with_an_escape_sequence_does_not_reach_the_terminal(desk: Desk) -> None:
    done = desk.kanon("run", "no\x1b[31msuch\nfile.yaml")
    assert done.returncode == 2
    assert "no\\x1b[31msuch\\nfile.yaml" in done.stderr
    assert "\x1b" not in done.stderr


def test_a_reader_that_goes_away_is_no_error(desk: Desk) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as nowhere:
        done = subprocess.run(
            desk.command("run", "spec.yaml", "-q", "--json"),
            cwd=desk.folder,
            env=desk.environ,
            stdout=nowhere,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_log_that_nobody_reads_does_not_stop_the_release(desk: Desk) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as nowhere:
        done = subprocess.run(
            desk.command("run", "spec.yaml"),
            cwd=desk.folder,
            env=desk.environ,
            stdout=subprocess.PIPE,
            stderr=nowhere,
            check=False,
        )
    assert done.returncode == 0
    assert desk.files("out") == {"people.csv", "people.report.json"}


def test_a_result_that_cannot_be_written_is_an_error(desk: Desk) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123  a device, not a file
        done = subprocess.run(
            desk.command("schema"), env=desk.environ, stdout=full, stderr=subprocess.PIPE, check=False, encoding="utf-8"
        )
    assert done.returncode == 2
    assert done.stderr == "kanon: error: the standard output: cannot be written: No space left on device\n"


def test_closed_streams_are_no_obstacle(desk: Desk) -> None:
    script = 'exec "$0" "$@" >&- 2>&-'
    done = subprocess.run(
        ["/bin/sh", "-c", script, *desk.command("run", "spec.yaml")], cwd=desk.folder, env=desk.environ, check=False
    )
    assert done.returncode == 0
    assert desk.files("out") == {"people.csv", "people.report.json"}


@pytest.mark.parametrize("options", [[], ["--set", "privacy.k=49"]])
def test_on_a_terminal_a_live_line_comes_and_goes(desk: Desk, options: list[str]) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        desk.command("run", "spec.yaml", *options),
        cwd=desk.folder,
        env=desk.environ | {"TERM": "xterm-256color", "COLUMNS": "80"},
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        seen = b""
        while chunk := _read(ours):
            seen += chunk
    os.close(ours)
    shown = seen.decode()
    assert "reading" in shown
    assert "\nkanon: reading" not in shown
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") == 1  # the cursor is hidden, and comes back
    last = shown.rsplit("\x1b[?25h", 1)[1]
    assert ("verified" in last) == (process.returncode == 0)
    assert ("error" in last) == (process.returncode == 4)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other side is closed
        return b""
