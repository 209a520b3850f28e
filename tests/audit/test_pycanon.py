"""Another auditor, pycanon, finds the same; where it does not, the reason is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import pytest
from pycanon import anonymity

from kanon_cli.audit.gather import gather
from kanon_cli.audit.judge import Figure, achieved
from kanon_cli.tables.kinds import Kind, Meaning
from tests.audit.tables import table

Cell = str | None
Theirs = Callable[[pd.DataFrame, list[str], list[str]], float]

# Their figure by the name of ours. A model that is added to `achieved` gets its line here.
THEIRS: Mapping[str, Theirs] = {
    "k": lambda data, qi, _: anonymity.k_anonymity(data, qi),
    "l_distinct": anonymity.l_diversity,
}


def ours(columns: Mapping[str, Sequence[Cell]], qi: Sequence[str]) -> dict[str, Figure]:
    """What kanon finds, `s` being sensitive."""
    return achieved(gather(table(columns), qi, ["s"]))


def of_numbers(columns: Mapping[str, Sequence[Cell]]) -> dict[str, Figure]:
    """What kanon finds, `q` being the quasi-identifier and `s` sensitive numbers."""
    return achieved(gather(table(columns), ["q"], ["s"], {"s": Meaning(Kind(type="numeric"))}))


def random_table(rng: np.random.Generator) -> dict[str, list[Cell]]:
    """One to three quasi-identifiers and a sensitive column, nothing missing."""
    rows = int(rng.integers(1, 40))
    names = [f"q{place}" for place in range(int(rng.integers(1, 4)))]
    choices = {**dict.fromkeys(names, int(rng.integers(1, 4))), "s": int(rng.integers(1, 6))}
    return {name: [f"v{code}" for code in rng.integers(0, count, rows)] for name, count in choices.items()}


@pytest.mark.parametrize("seed", range(30))
def test_both_find_the_same_in_random_tables(seed: int) -> None:
    """Their alpha is the share that l by frequency limits; their l by entropy is cut to a whole number."""
    columns = random_table(np.random.default_rng(seed))
    data, qi = pd.DataFrame(columns), [name for name in columns if name != "s"]
    figures = ours(columns, qi)
    assert {name: figures[name] for name in THEIRS} == {name: find(data, qi, ["s"]) for name, find in THEIRS.items()}
    l_frequency, l_entropy = figures["l_frequency"], figures["l_entropy"]
    assert isinstance(l_frequency, float)
    assert isinstance(l_entropy, float)
    assert anonymity.alpha_k_anonymity(data, qi, ["s"])[0] == pytest.approx(1 / l_frequency)
    assert anonymity.entropy_l_diversity(data, qi, ["s"]) in {int(l_entropy), int(l_entropy - 1e-9)}


def test_they_leave_out_rows_with_a_missing_quasi_identifier() -> None:
    """pandas groups only what is there, so such a row is in no class, and k is overstated."""
    columns: dict[str, list[Cell]] = {"q": ["a", "a", "a", None], "s": ["x", "y", "z", "x"]}
    assert anonymity.k_anonymity(pd.DataFrame(columns), ["q"]) == 3
    assert ours(columns, ["q"])["k"] == 1


def test_they_take_labels_of_rows_for_places() -> None:
    """A table that was sorted or filtered has labels in another order: values of other classes are looked at."""
    columns: dict[str, list[Cell]] = {"q": ["a", "a", "b", "b"], "s": ["x", "x", "y", "y"]}
    data = pd.DataFrame(columns, index=[0, 2, 1, 3])
    assert anonymity.l_diversity(data, ["q"], ["s"]) == 2
    assert anonymity.alpha_k_anonymity(data, ["q"], ["s"])[0] == 0.5
    assert ours(columns, ["q"])["l_distinct"] == 1
    assert ours(columns, ["q"])["l_frequency"] == 1.0
    filtered = data[data["q"] == "b"]
    with pytest.raises(IndexError):
        anonymity.l_diversity(filtered, ["q"], ["s"])


@pytest.mark.parametrize("count", [2, 3, 4, 6, 7, 8, 10])
def test_they_cut_the_entropy_after_it_was_rounded(count: int) -> None:
    """So many equally frequent values give one less as often as not."""
    columns: dict[str, list[Cell]] = {"q": ["a"] * count, "s": [f"v{code}" for code in range(count)]}
    found = anonymity.entropy_l_diversity(pd.DataFrame(columns), ["q"], ["s"])
    assert found in {count - 1, count}
    assert ours(columns, ["q"])["l_entropy"] == count


def test_they_count_missing_numbers_as_a_value() -> None:
    """One value and two missing ones may be the same three times."""
    data = pd.DataFrame({"q": ["a"] * 3, "s": [1.0, None, None]})
    assert anonymity.l_diversity(data, ["q"], ["s"]) == 2
    assert ours({"q": ["a"] * 3, "s": ["1.0", None, None]}, ["q"])["l_distinct"] == 1


def test_they_cannot_read_missing_texts() -> None:
    data = pd.DataFrame({"q": ["a"] * 3, "s": ["x", None, None]})
    with pytest.raises(TypeError):
        anonymity.l_diversity(data, ["q"], ["s"])
    assert ours({"q": ["a"] * 3, "s": ["x", None, None]}, ["q"])["l_distinct"] == 1


def test_they_cannot_take_the_entropy_of_missing_numbers() -> None:
    data = pd.DataFrame({"q": ["a", "a", "b", "b"], "s": [1.0, None, 2.0, None]})
    with np.errstate(divide="ignore", invalid="ignore"), pytest.raises(ValueError, match="NaN"):
        anonymity.entropy_l_diversity(data, ["q"], ["s"])
    columns: dict[str, list[Cell]] = {"q": ["a", "a", "b", "b"], "s": ["1", None, "2", None]}
    assert ours(columns, ["q"])["l_entropy"] == 1.0


def test_they_divide_by_zero_where_there_is_one_number() -> None:
    with pytest.raises(ZeroDivisionError):
        anonymity.t_closeness(pd.DataFrame({"q": ["a", "a"], "s": [1, 1]}), ["q"], ["s"])
    assert of_numbers({"q": ["a", "a"], "s": ["1", "1"]})["t"] == 0.0


def test_they_find_distances_beyond_the_limit_where_numbers_are_missing() -> None:
    """A distance is 1 at most."""
    assert anonymity.t_closeness(pd.DataFrame({"q": ["a", "a", "b"], "s": [1, 1, None]}), ["q"], ["s"]) > 1.3
    columns: dict[str, list[Cell]] = {"q": ["a", "a", "b"], "s": ["1", "1", None]}
    assert of_numbers(columns)["t"] == 0.0, "the missing one may only be 1"


def test_they_do_not_count_values_that_a_class_lacks_as_disclosed() -> None:
    """By the definition the logarithm of 0 is without limit; kanon tells both readings, each by its name."""
    columns: dict[str, list[Cell]] = {"q": [*"aaabbb"], "s": [*"xyzxxy"]}
    theirs = anonymity.delta_disclosure(pd.DataFrame(columns), ["q"], ["s"])
    figures = ours(columns, ["q"])
    assert figures["delta"] is None
    assert figures["delta_present"] == pytest.approx(theirs) == pytest.approx(np.log(2))
