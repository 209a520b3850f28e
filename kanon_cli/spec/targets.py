"""The files that a run of a spec writes."""

from __future__ import annotations

from pathlib import Path

from kanon_cli.errors import Mistake, SpecError
from kanon_cli.spec.model import Output, Spec


def output_of(spec: Spec) -> Output:
    """Where the release goes; a spec without an output can be checked, but not run."""
    if spec.output is None:
        raise SpecError(Mistake("there is no output", where=str(spec.source), path="output", hint="say --output FILE"))
    return spec.output


def targets_of(spec: Spec) -> tuple[Path, Path]:
    """The files that a run writes: the release and its report."""
    output = output_of(spec)
    return spec.locate(output.path), spec.locate(output.report_path)


def page_of(spec: Spec) -> Path | None:
    """The page that a run makes of its report, if the spec asks for one."""
    html = output_of(spec).html
    return None if html is None else spec.locate(html)
