"""Tables that others published and measured: audited, they have the figures that were found elsewhere."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from kanon_cli.audit.gather import gather
from kanon_cli.audit.judge import achieved
from kanon_cli.audit.silence import silent_rows, views
from kanon_cli.measures.base import Release
from kanon_cli.measures.dm import Dm
from kanon_cli.models.evidence import Evidence, Secret
from kanon_cli.models.t import distances
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Kind, Meaning
from tests.audit.adult import adult, needs_adult

BoolArray = npt.NDArray[np.bool_]
Fits = Callable[[npt.NDArray[Any]], bool]  # the codes of a class's sensitive values -> it is kept

# Releases that only leave rows out, of Adult and of stroke patients, as counts of two sensitive values by class.


def counted(name: str, k: int) -> Evidence:
    """The classes of k rows or more of a file of counts: how many classes have how many rows of two values."""
    with (Path(__file__).parent / "known" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(line for line in file if not line.startswith("#")))[1:]
    pairs = np.array([line for line in lines for _ in range(int(line[2]))], dtype=np.int64)[:, :2]
    pairs = pairs[pairs.sum(axis=1) >= k]
    class_of = np.repeat(np.arange(len(pairs)), pairs.sum(axis=1))
    code_of = np.repeat(np.tile([0, 1], len(pairs)), pairs.ravel())
    return Evidence(class_of, {"s": Secret(code_of, 2)})


@pytest.mark.parametrize(
    ("name", "k", "rows", "classes", "least", "t", "beta", "delta", "discernability"),
    [
        ("adult", 3, 18_203, 2_837, 3, 0.713564, 2.491178, 2.920613, 194_183),
        ("adult", 10, 7_303, 462, 10, 0.634945, 1.739310, 2.803879, 136_905),
        ("adult", 20, 2_428, 89, 20, 0.668451, 2.016149, 2.855305, 70_778),
        ("stroke", 20, 4_788, 42, 22, 0.228868, 5.218182, 2.398692, 1_197_320),
        ("stroke", 25, 4_651, 36, 27, 0.229511, 5.310719, 2.383920, 1_194_189),
    ],
)
def test_releases_that_leave_small_classes_out(
    name: str, k: int, rows: int, classes: int, least: int, t: float, beta: float, delta: float, discernability: int
) -> None:
    """They are in the repository of pycanon, under names that say k; those of the patients keep more than they say."""
    evidence = counted(name, k)
    figures = achieved(evidence)
    assert (evidence.rows, len(evidence.sizes), figures["k"]) == (rows, classes, least)
    assert [figures[found] for found in ("l_distinct", "l_entropy", "alpha")] == [1, 1.0, 1.0]
    assert [figures[found] for found in ("t", "beta", "delta_present")] == pytest.approx([t, beta, delta], abs=1e-6)
    assert figures["delta"] is None
    assert Dm().loss(Dm().tally(Release({}, evidence.sizes, 0, 1))) == discernability


# Releases by ARX of the first 30,162 rows of Adult, in the repository of PETWorks: columns taken up to one level each,
# and the quasi-identifiers of classes that fall short suppressed. They are made here from Adult itself: written as ARX
# does it, such tables had the length of the published files to the character, and the same cells in the first 155 rows.

BROAD = {"sex": 0, "race": 0, "marital-status": 1, "education": 1, "native-country": 1, "workclass": 1, "income": 0}


def release(table: Mapping[str, TextColumn], secret: str | None, fits: Fits) -> dict[str, TextColumn]:
    """A table in which the quasi-identifiers of classes that do not fit are suppressed."""
    qi = [name for name in table if name != secret]
    class_of = gather(table, qi, []).class_of
    codes = table[secret].code_of if secret else class_of
    order = np.argsort(class_of, kind="stable")
    parts = np.split(codes[order], np.cumsum(np.bincount(class_of))[:-1])
    suppressed = ~np.array([fits(part) for part in parts])[class_of]
    return {name: starred(column, suppressed) if name in qi else column for name, column in table.items()}


def starred(column: TextColumn, suppressed: BoolArray) -> TextColumn:
    """A column with a * in some rows."""
    texts = pa.array([*column.text.to_pylist(), "*"], pa.string())
    return TextColumn(np.where(suppressed, len(column.text), column.code_of).astype(np.int32), texts, pa.string())


def seen(released: Mapping[str, TextColumn], secret: str | None) -> tuple[int, Evidence]:
    """How many rows are suppressed, and the classes of the others."""
    qi, secrets = [name for name in released if name != secret], [secret] if secret else []
    found = views(released, qi, gather(released, qi, secrets), "suppressed")
    assert found.left_out is not None
    return found.rows, found.left_out


@needs_adult
def test_a_release_of_arx_with_five_rows_in_a_class() -> None:
    table = adult({"age": 0, **BROAD}, ages=(20, 40, 60, 80))
    suppressed, others = seen(release(table, None, lambda codes: len(codes) >= 5), None)
    assert (suppressed, len(others.sizes), achieved(others)) == (1_178, 370, {"k": 5})


@needs_adult
def test_a_release_of_arx_with_five_occupations_in_a_class() -> None:
    """Ages, which are all one value there, are left away."""
    table = adult({**BROAD, "marital-status": 0, "education": 2, "occupation": 0})
    suppressed, others = seen(release(table, "occupation", lambda codes: len(np.unique(codes)) >= 5), "occupation")
    figures = achieved(others)
    assert (suppressed, len(others.sizes), figures["k"], figures["l_distinct"]) == (1_109, 193, 5, 5)


@needs_adult
def test_a_release_of_arx_in_which_ages_are_close_to_all_ages() -> None:
    """This says nothing about k: the age of somebody alone in a class can be as close."""
    table = adult({**BROAD, "native-country": 0, "workclass": 0, "occupation": 1, "age": 0})
    shares = np.bincount(table["age"].code_of) / len(table["age"].code_of)

    def is_close(codes: npt.NDArray[np.int32]) -> bool:
        gaps = np.cumsum(np.bincount(codes, minlength=len(shares)) / len(codes) - shares)
        return bool(np.abs(gaps).sum() / (len(shares) - 1) <= 0.2)

    released = release(table, "age", is_close)
    suppressed, others = seen(released, "age")
    assert (suppressed, len(others.sizes), achieved(others)["k"]) == (881, 1_908, 1)
    qi = [name for name in released if name != "age"]
    evidence = gather(released, qi, ["age"], {"age": Meaning(Kind(type="numeric"))})
    below, above = distances(evidence, "age")
    is_whole = silent_rows(released["sex"], "suppressed")[np.unique(evidence.class_of, return_index=True)[1]]
    assert float((below / above)[~is_whole].max()) == pytest.approx(0.199499, abs=1e-6)


@needs_adult
def test_a_release_of_arx_that_only_keeps_delta_presence() -> None:
    """Each person could be one of many of the population; among the released rows some are alone."""
    levels = {**BROAD, "age": 0, "workclass": 0, "occupation": 0, "marital-status": 2}
    table = adult(levels, ages=(20, 30, 40, 50, 60, 70, 80))
    evidence = gather(table, list(table), [])
    assert (len(evidence.sizes), achieved(evidence)) == (4_999, {"k": 1})
