"""What the papers print is what their algorithms lose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import artificial, tables
from benchmarks.inside import prepare
from kanon_cli.algorithms.base import Terms
from kanon_cli.algorithms.kk import Kk
from kanon_cli.kernels.records import price_boxes, rates_of

KK = {5: 0.53, 10: 0.83, 15: 0.99, 20: 1.08}  # Gionis, Mazza and Tassa 2008, table I: ART, entropy, (k,k)


@pytest.mark.parametrize("k", KK)
def test_the_artificial_table_loses_by_kk_what_its_authors_say(k: int, tmp_path: Path) -> None:
    table = tables.write(artificial.generate(artificial.ROWS), tmp_path / "art.csv")
    problem = prepare(tmp_path, table, artificial.columns(tmp_path), k, "entropy").problem
    found = Kk(tighten=False).recode(problem, Terms())
    price_of = np.empty(problem.rows, dtype=np.int32)
    low, high = np.ascontiguousarray(found.lo.T), np.ascontiguousarray(found.hi.T)
    price_boxes(rates_of(problem.costs), low, high, price_of)
    assert price_of.mean() / (6 * int(problem.costs.unit)) == pytest.approx(KK[k], abs=0.03)
