"""The finished file, held against the promises, the original and the limits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.inspection import Finding, Original, Subject, inspect
from kanon_cli.audit.leaks import leaks
from kanon_cli.errors import LimitError, Mistake, UnsafeError
from kanon_cli.events import Observer
from kanon_cli.intake import Intake
from kanon_cli.release import Stage
from kanon_cli.spec.model import Output, Spec
from kanon_cli.spec.tables import forbidden, null_text
from kanon_cli.tables.read import read_release

IntArray = npt.NDArray[np.int64]


def examine(spec: Spec, intake: Intake, output: Output, stage: Stage, witness: IntArray, observer: Observer) -> Finding:
    """Read the finished file back as a stranger would and hold it against the promises and the original."""
    null_values = intake.layout.null_values
    names, released = read_release(stage.release_file, stage.release, (*null_values, null_text(null_values)))
    unit_of = None if intake.unit is None else intake.unit.code_of[witness].astype(np.int64)
    subject = Subject(
        released,
        intake.kinds,
        intake.sensitive,
        output.numeric,
        forbidden(spec),
        intake.meanings,
        unit_of,
        spec.privacy.joint,
        output.fairness,
    )
    if sorted(names) != sorted([*subject.quasi_identifiers, *intake.plain]):
        raise UnsafeError(Mistake("the release has other columns than it should", where=str(stage.release)))
    most = spec.privacy.most_left_out(intake.rows)
    original = Original(intake.columns, intake.plain, witness, most_left_out=most)
    for leak in leaks(subject, original):
        if leak.severity != "note":
            observer.warn(f"{leak.rule}: {leak.column}: {leak.what}; {leak.hint}")
    return inspect(subject, spec.models, spec.measure, original)


def check_limits(spec: Spec, finding: Finding) -> None:
    """Refuse a release that loses more than the spec allows."""
    losses = finding.utility.losses if finding.utility else {}
    over = []
    for name, limit in spec.limits.items():
        loss = losses.get(name)
        if loss is None or loss > limit:
            got = "unknown" if loss is None else f"{loss:.6g}"
            over.append(
                Mistake("the release would lose too much", path=f"limits.{name}", expected=f"<= {limit:g}", got=got)
            )
    if over:
        raise LimitError(*over)
