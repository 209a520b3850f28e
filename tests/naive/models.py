"""Every promise about sensitive columns by its definition: all ways to fill in missing values are tried."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from tests import naive

Secrets = Sequence[str | None]  # a sensitive column, row by row; None is missing
Meaning = None | str | naive.Tree  # of its values: names, "numeric", or leaves of a tree
Shares = Mapping[str, Fraction]

MOST_WAYS, SOME_WAYS = 100, 20


def people(values: Secrets, rows: Sequence[int], units: Sequence[str] | None) -> tuple[Counter[str], int, int]:
    """How many people have each value, how many have none, and how many there are; without units, rows."""
    unit_of = units or [str(row) for row in range(len(values))]
    pairs = {(unit_of[row], values[row]) for row in rows}
    counts = Counter(value for _, value in pairs if value is not None)
    return counts, sum(value is None for _, value in pairs), len({unit_of[row] for row in rows})


def worst_share(values: Secrets, rows: Sequence[int], units: Sequence[str] | None = None) -> Fraction:
    """The largest share of a value, whatever one value is in the place of the missing ones."""
    everybody = people(values, rows, units)[2]
    return Fraction(max(max(counts.values()) for counts in fillings(values, rows, units)), everybody)


def fillings(values: Secrets, rows: Sequence[int], units: Sequence[str] | None = None) -> Iterator[Counter[str]]:
    """The counts of a group with all missing ones taken for one value, for each value of the table."""
    for value in sorted({value for value in values if value is not None} or {"unknown"}):
        yield people([value if found is None else found for found in values], rows, units)[0]


def entropy(values: Secrets, rows: Sequence[int], units: Sequence[str] | None = None) -> float:
    """exp(H) at its least, each row without a value being of another person than those who have one."""
    found = []
    known, missing = people(values, rows, units)[0], sum(values[row] is None for row in rows)
    for value in {value for value in values if value is not None} or {"unknown"}:
        counts = known + Counter({value: missing})
        shares = [count / counts.total() for count in counts.values() if count]
        found.append(math.exp(-sum(share * math.log(share) for share in shares)))
    return min(found)


def smallest_c(values: Secrets, rows: Sequence[int], l: int, units: Sequence[str] | None = None) -> float:  # noqa: E741  the spec's own name
    """What c has to exceed."""
    found = []
    for counts in fillings(values, rows, units):
        falling = sorted(counts.values(), reverse=True)
        rest = sum(falling[l - 1 :])
        found.append(falling[0] / rest if rest else math.inf)
    return max(found)


def distance(p: Shares, q: Shares, meaning: Meaning) -> Fraction:
    """How much has to be moved how far to turn one distribution into the other."""
    values = sorted({*p, *q}, key=float if meaning == "numeric" else str)
    extra = {value: p.get(value, Fraction(0)) - q.get(value, Fraction(0)) for value in values}
    if meaning == "numeric":
        sums = [sum((extra[value] for value in values[: at + 1]), Fraction(0)) for at in range(len(values))]
        return sum(map(abs, sums), Fraction(0)) / max(len(values) - 1, 1)
    if isinstance(meaning, naive.Tree):
        root = meaning.above(next(iter(meaning.leaves)))[-1]
        return _cost(meaning, root, extra) / meaning.height(root)
    return sum(map(abs, extra.values()), Fraction(0)) / 2


def _cost(tree: naive.Tree, node: str, extra: Shares) -> Fraction:
    """Li et al.: at each node what the branches below have too much meets what others have too little."""
    children = [child for child, parent in tree.parent_of.items() if parent == node]
    if not children:
        return Fraction(0)
    sums = [sum((extra.get(leaf, Fraction(0)) for leaf in tree.below(child)), Fraction(0)) for child in children]
    meets = min(sum((s for s in sums if s > 0), Fraction(0)), -sum((s for s in sums if s < 0), Fraction(0)))
    return tree.height(node) * meets + sum((_cost(tree, child, extra) for child in children), Fraction(0))


def closeness(values: Secrets, rows: Sequence[int], meaning: Meaning, units: Sequence[str] | None = None) -> Fraction:
    """The largest distance from the table, whatever the missing values are."""
    missing = [row for row, value in enumerate(values) if value is None]
    choices = sorted({value for value in values if value is not None}) or ["0"]
    found = [Fraction(0)]
    inside = [row in set(rows) for row in missing]
    for filling in _assignments(choices, inside, units is not None):
        filled = list(values)
        for row, value in zip(missing, filling, strict=True):
            filled[row] = value
        shares = []
        for part in (rows, range(len(values))):
            counts, _, _ = people(filled, part, units)
            shares.append({value: Fraction(counts[value], counts.total()) for value in choices})
        found.append(distance(shares[0], shares[1], meaning))
    return max(found)


def _assignments(choices: Sequence[str], inside: Sequence[bool], collapse: bool) -> Iterator[Sequence[str]]:
    """Ways to fill in values, the worst among them: one value inside a group, and one outside of it.

    Where people are counted, a value `collapse`s with another of the same person, so other ways may be worse: all, or
    of very many some.
    """
    for own, other in product(choices if any(inside) else choices[:1], choices if not all(inside) else choices[:1]):
        yield [own if is_in else other for is_in in inside]
    if collapse and len(choices) ** len(inside) <= MOST_WAYS:
        yield from product(choices, repeat=len(inside))
    elif collapse:
        draws = np.random.default_rng(len(inside)).integers(0, len(choices), (SOME_WAYS, len(inside)))
        yield from ([choices[at] for at in row] for row in draws.tolist())


def ratios(
    values: Secrets, rows: Sequence[int], units: Sequence[str] | None = None
) -> Iterator[tuple[bool, Fraction, Fraction]]:
    """For each value and filling: whether the group has it, and its shares of the group and of the table."""
    unit_of = units or [str(row) for row in range(len(values))]
    size, total = len({unit_of[row] for row in rows}), len(set(unit_of))
    unsure = {unit_of[row] for row in rows if values[row] is None}
    others = {unit for unit, value in zip(unit_of, values, strict=True) if value is None} - unsure
    for value in {value for value in values if value is not None}:
        here = {unit_of[row] for row in rows if values[row] == value}
        known = {unit for unit, found in zip(unit_of, values, strict=True) if found == value}
        for moved, inside, outside in product(
            *(range(len(people) + 1) for people in (unsure & known - here, unsure - known, others - known))
        ):
            yield (
                len(here) > 0,
                Fraction(len(here) + moved + inside, size),
                Fraction(len(known) + inside + outside, total),
            )


def keeps_beta(
    values: Secrets, rows: Sequence[int], beta: Fraction, enhanced: bool, units: Sequence[str] | None = None
) -> bool:
    """beta-likeness."""
    return all(
        p <= (1 + beta) * q and (not enhanced or float(p) <= float(q) * (1 - math.log(q)) + 1e-12)
        for _, p, q in ratios(values, rows, units)
    )


def disclosure(values: Secrets, rows: Sequence[int], present: bool, units: Sequence[str] | None = None) -> float:
    """The largest |ln(p/q)|; of values that the group may lack only how much likelier they are, if `present`."""
    found = [0.0]
    for is_there, p, q in ratios(values, rows, units):
        if present and not is_there:
            found.append(math.log(p / q) if p else 0.0)
        else:
            found.append(abs(math.log(p / q)) if p else math.inf)
    return max(found)


def keeps(
    privacy: Mapping[str, Any],
    values: Secrets,
    rows: Sequence[int],
    meaning: Meaning = None,
    units: Sequence[str] | None = None,
) -> bool:
    """Whether a group of rows keeps what a spec's `privacy` promises of one sensitive column."""
    return all(_keeps(key, value, values, rows, meaning, units) for key, value in _asked(privacy))


def _asked(privacy: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in privacy.items():
        if isinstance(value, Mapping):
            yield from ((f"{key}.{inner}", number) for inner, number in value.items())
        else:
            yield key, value


def _keeps(
    key: str, value: Any, values: Secrets, rows: Sequence[int], meaning: Meaning, units: Sequence[str] | None
) -> bool:
    found: bool = True
    if key == "l":
        found = worst_share(values, rows, units) <= 1 / Fraction(repr(value))
    elif key == "alpha":
        found = worst_share(values, rows, units) <= Fraction(repr(value))
    elif key == "t":
        found = closeness(values, rows, meaning, units) <= Fraction(repr(value))
    elif key == "diversity.distinct":
        found = max(len(people(values, rows, units)[0]), 1) >= value
    elif key == "diversity.entropy":
        found = entropy(values, rows, units) >= value - 1e-9
    elif key == "diversity.recursive":
        found = smallest_c(values, rows, value["l"], units) < value["c"]
    elif key.startswith("beta."):
        found = keeps_beta(values, rows, Fraction(repr(value)), key == "beta.enhanced", units)
    elif key.startswith("delta."):
        found = disclosure(values, rows, key == "delta.present", units) < value
    return found
