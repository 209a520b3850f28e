"""The worked examples of Goldberger and Tassa 2010: a rescaled Hilbert curve, and private mutual information."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from benchmarks import tables
from benchmarks.inside import prepare
from benchmarks.results import Finding, Row, Target
from benchmarks.setting import Setting
from kanon_cli.auditing import Question, audit
from kanon_cli.events import Silence
from kanon_cli.kernels.hilbert import hilbert_keys

RECORDS = ((0, 0, 0, 0), (1, 1, 1, 0), (0, 0, 0, 2), (1, 1, 1, 2))
PLACES = {"as they are": (0, 9, 118, 123), "rescaled": (0, 220, 118, 162)}
SUPPRESSED = {"as they are": 6.0, "rescaled": 2.0}  # cells, in k
STRETCH = {"as they are": 1, "rescaled": 2}  # of the first three attributes
ORDER = 2  # of the curve: coordinates are below 4

ORIGINAL, SECRET = "aaaabbbbc", "000101111"
RELEASES = {"g1": ("aaa**bbb*", -0.126), "g2": ("aa*a*bbb*", 0.086)}


def hilbert(_setting: Setting) -> Iterator[Finding]:
    """Where four records lie on the curve, and what it costs to part the line in the middle."""
    for how, paper in PLACES.items():
        records = np.array(RECORDS, dtype=np.int32)
        records[:, :3] *= STRETCH[how]
        places = hilbert_keys(np.ascontiguousarray(records.T), ORDER)[0]
        for record, place, expected in zip(records.tolist(), places.tolist(), paper, strict=True):
            at = {"attributes": how, "record": str(tuple(record))}
            yield Row(at, {"place on the curve": place, "paper": expected})
        halves = np.split(np.argsort(places), 2)  # two records of k / 2 rows each make a group
        cost = sum(2 * 0.5 * int((records[half].max(axis=0) > records[half].min(axis=0)).sum()) for half in halves)
        off = int(np.abs(places - np.array(paper)).max())
        yield Target(f"{how}: places on the curve, off by at most", 0, off)
        yield Target(f"{how}: suppressed cells are {SUPPRESSED[how]:g} k, off by", 0, abs(cost - SUPPRESSED[how]))


def private_information(setting: Setting) -> Iterator[Finding]:
    """What kanon's auditor says of the two releases of nine records."""
    table = pa.table({"D": list(ORIGINAL), "secret": list(SECRET)})
    path = tables.write(table, setting.folder / "original.csv")
    spec = prepare(setting.folder, path, {"D": "categorical"}, 3, "pmi", ["secret"]).spec
    for name, (cells, paper) in RELEASES.items():
        release = tables.write(pa.table({"D": list(cells), "secret": list(SECRET)}), setting.folder / f"{name}.csv")
        found = audit(Question(release, spec=spec, original=path), Silence()).block["utility"]["pmi"]
        yield Row({"release": name, "D": f"`{cells}`"}, {"pmi": found, "paper": paper})
        yield Target(f"{name}: {paper:g}, off by at most", 0.0005, round(abs(found - paper), 6))
