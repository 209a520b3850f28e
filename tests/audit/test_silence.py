"""Missing and suppressed cells in three ways, against plain Python; a value of its own is the strictest way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kanon_cli.audit import crossing
from kanon_cli.audit.gather import gather
from kanon_cli.audit.judge import achieved
from kanon_cli.audit.silence import Silent, views
from tests.audit.tables import rows, table

Cell = str | None
CELLS = st.sampled_from(["a", "b", "*", "***", "", None])
RECORDS = st.lists(st.tuples(CELLS, CELLS, CELLS, st.sampled_from("xyz")), min_size=1, max_size=25)


def is_silent(cell: Cell, silent: Silent) -> bool:
    """Whether a cell says nothing."""
    return cell is None if silent == "missing" else cell in {"*", "***"}


def matches(one: Sequence[Cell], other: Sequence[Cell], silent: Silent) -> bool:
    """Whether two rows could be alike."""
    pairs = zip(one, other, strict=True)
    return all(mine == its or is_silent(mine, silent) or is_silent(its, silent) for mine, its in pairs)


@given(RECORDS, st.sampled_from(get_args(Silent)))
@settings(deadline=None)
def test_views_agree_with_comparing_all_rows(records: list[tuple[Cell, Cell, Cell, str]], silent: Silent) -> None:
    """Wildcards by all pairs of rows; rows left out by leaving them out."""
    released = rows("abcs", records)
    evidence = gather(released, list("abc"), ["s"])
    seen = views(released, list("abc"), evidence, silent)
    keys = [record[:3] for record in records]
    full = [record for record in records if not any(is_silent(cell, silent) for cell in record[:3])]
    assert seen.rows == len(records) - len(full)

    assert seen.wildcard is not None
    hidden = [sum(matches(key, other, silent) for other in keys) for key in keys]
    assert [int(seen.wildcard.matches[number]) for number in evidence.class_of] == hidden
    assert seen.wildcard.k == min(hidden)
    assert seen.wildcard.mean_risk == pytest.approx(sum(1 / count for count in hidden) / len(hidden))

    assert (seen.left_out is None) == (not full)
    if seen.left_out is not None:
        assert achieved(seen.left_out) == achieved(gather(rows("abcs", full), list("abc"), ["s"]))


@given(RECORDS, st.sampled_from(get_args(Silent)))
@settings(deadline=None)
def test_cells_as_values_of_their_own_are_the_strictest_view(
    records: list[tuple[Cell, Cell, Cell, str]], silent: Silent
) -> None:
    """So a release that keeps k as it is keeps it in every view."""
    released = rows("abcs", records)
    evidence = gather(released, list("abc"), ["s"])
    own = min(Counter(record[:3] for record in records).values())
    seen = views(released, list("abc"), evidence, silent)
    assert achieved(evidence)["k"] == own
    assert seen.wildcard is not None
    assert seen.wildcard.k >= own
    if seen.left_out is not None:
        assert int(seen.left_out.sizes.min()) >= own


def test_tables_in_many_pieces_are_counted_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """Targets are taken in parts when there are many cells, queries in blocks."""
    monkeypatch.setattr(crossing, "_CELLS", 64)
    monkeypatch.setattr(crossing, "_BLOCK", 3)
    cells: list[Cell] = [*(str(row % 29) for row in range(290)), *[None] * 10]
    released = table({"q": cells})
    seen = views(released, ["q"], gather(released, ["q"], []), "missing")
    assert seen.wildcard is not None
    assert sorted(seen.wildcard.matches.tolist()) == [20] * 29 + [300]


def test_too_many_pairs_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the wildcard view is unknown, and the others are told all the same."""
    monkeypatch.setattr(crossing, "MOST_PAIRS", 1)
    released = table({"q": ["a", "a", None, None]})
    seen = views(released, ["q"], gather(released, ["q"], []), "missing")
    assert seen.wildcard is None
    assert seen.left_out is not None
