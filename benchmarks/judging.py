"""Classes that another tool has made, released with their closures and judged by kanon's auditor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from benchmarks import tables
from benchmarks.inside import Prepared
from kanon_cli import closing
from kanon_cli.auditing import Question, audit
from kanon_cli.events import Silence
from kanon_cli.tables import decode


@dataclass(frozen=True)
class Judgement:
    """What the auditor says of a release."""

    k: int
    loss: float
    classes: int


def judge(prepared: Prepared, class_of: npt.NDArray[np.int64], original: Path, release: Path) -> Judgement:
    """Release each class with the smallest generalization that covers it, and audit the file.

    So a tool is judged by its classes, not by how coarsely it writes them. Rows of class -1 are suppressed: they are
    left out of the file, and lose everything.
    """
    kept = class_of >= 0
    group_of = np.unique(class_of[kept], return_inverse=True)[1].astype(np.int32)
    recoding = closing.close(prepared.problem.rank_of[:, kept], group_of)
    columns = {}
    for at, (name, domain) in enumerate(prepared.domains.items()):
        own = replace(domain, rank_of=domain.rank_of[kept])
        boxes = decode.Boxes(recoding.lo[at], recoding.hi[at], recoding.box_of)
        cells = decode.release_cells(name, own, boxes, "interval", pa.string())[name]
        columns[name] = cells.as_arrow(np.arange(len(group_of)), typed=False).cast(pa.string())
    tables.write(pa.table(columns), release)
    block = audit(Question(release, spec=prepared.spec, original=original), Silence()).block
    lost = len(class_of) - len(group_of) + len(group_of) * float(block["utility"][prepared.spec.measure.name])
    return Judgement(int(block["privacy"]["achieved"]["k"]), lost / len(class_of), int(block["classes"]["count"]))
