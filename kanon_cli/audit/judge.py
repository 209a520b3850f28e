"""Evidence to verdicts and figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count

import numpy as np

from kanon_cli.errors import Mistake, SpecError
from kanon_cli.models.base import Model, Notion, Verdict, linkage
from kanon_cli.models.evidence import Evidence, Ground
from kanon_cli.models.k import smallest_class
from kanon_cli.models.l_frequency import l_distinct, l_entropy, l_frequency

Figure = int | float | dict[str, int | float]

REQUIRABLE = {
    "k": "k",
    "l": "l_frequency",
    "l_frequency": "l_frequency",
    "l_distinct": "l_distinct",
    "l_entropy": "l_entropy",
}
_WHOLE = {"k", "l_distinct"}


def judge(evidence: Evidence, models: Sequence[Model]) -> list[Verdict]:
    """Ask every model about the table; about sensitive values where the notion of anonymity says."""
    seen = evidence.among(ground_of(models))
    return [verdict for model in models for verdict in model.check(evidence if isinstance(model, Notion) else seen)]


def ground_of(models: Sequence[Model]) -> Ground:
    """Say among which rows a person is looked for: in a class, or where the notion that is promised says."""
    return next((model.ground for model in models if isinstance(model, Notion)), "classes")


def achieved(evidence: Evidence, ground: Ground = "classes") -> dict[str, Figure]:
    """Find the k and l that the table really has; l by column if there are several sensitive ones."""
    figures: dict[str, Figure] = {"k": smallest_class(evidence)}
    if ground != "classes":
        figures |= linkage(evidence)
    if evidence.secrets:
        seen = evidence.among(ground)
        figures["l_frequency"] = _by_column(seen, l_frequency)
        figures["l_distinct"] = _by_column(seen, l_distinct)
        figures["l_entropy"] = _by_column(seen, _rounded_l_entropy)
    return figures


def attacks(evidence: Evidence) -> dict[str, dict[str, int | float]] | None:
    """Find how many released rows could be a person's, for who knows the original: the worst person's, and the risk.

    `neighbours`: all that cover the person's row; `matches`: those that are left for who knows exactly who is in the
    table. None where that cannot be told.
    """
    if evidence.links is None:
        return None
    grounds: tuple[Ground, ...] = ("neighbours", "matches")
    return {ground: _attack(evidence.among(ground), risk(evidence, ground)) for ground in grounds}


def _attack(seen: Evidence, found: Mapping[str, float]) -> dict[str, int | float]:
    least = int(seen.sizes.min(initial=seen.rows))
    return {
        "least": least,
        "rows": int(seen.seekers[seen.sizes == least].sum()),
        "risk_max": found["prosecutor_max"],
        "risk_mean": found["prosecutor_mean"],
    }


def _rounded_l_entropy(evidence: Evidence, column: str) -> float:
    """Without the last digits, which are noise of log and exp: three equally frequent values give 3."""
    return round(l_entropy(evidence, column), 12)


def _by_column(evidence: Evidence, figure: Callable[[Evidence, str], int | float]) -> Figure:
    found = {column: figure(evidence, column) for column in evidence.secrets}
    return next(iter(found.values())) if len(found) == 1 else found


def risk(evidence: Evidence, ground: Ground = "classes") -> dict[str, float]:
    """Find the chance that a guess hits a person's row, in their class or where `ground` says: worst and mean."""
    seen = evidence.among(ground)
    sizes, size_of = np.unique(np.maximum(seen.sizes, 1), return_inverse=True)
    people = np.zeros(len(sizes), dtype=np.int64)
    np.add.at(people, size_of, seen.seekers)
    return {
        "prosecutor_max": 1 / int(sizes[0]),
        "prosecutor_mean": float((people / sizes).sum()) / int(people.sum()),  # a sum in the order of the sizes
    }


def classes(evidence: Evidence) -> dict[str, int | float | list[dict[str, int]]]:
    """Count the classes and say how large they are: the smallest, the mean, the largest, and a histogram."""
    sizes = evidence.sizes
    return {
        "count": len(sizes),
        "min": int(sizes.min()),
        "mean": float(evidence.rows / len(sizes)),
        "max": int(sizes.max()),
        "histogram": _histogram(evidence),
    }


def _histogram(evidence: Evidence) -> list[dict[str, int]]:
    bins = []
    for low, high in _bins(int(evidence.sizes.max())):
        inside = evidence.sizes[(evidence.sizes >= low) & (evidence.sizes <= high)]
        if len(inside):
            bins.append({"from": low, "to": high, "classes": len(inside), "rows": int(np.sum(inside))})
    return bins


def _bins(largest: int) -> Iterator[tuple[int, int]]:
    """1, 2, 3, 4, 5-9, and from there 10-19, 20-49, 50-99, and so on with every power of ten."""
    yield from ((size, size) for size in range(1, 5))
    yield 5, 9
    for power in count(1):
        unit = 10**power
        if unit > largest:
            return
        yield from ((unit, 2 * unit - 1), (2 * unit, 5 * unit - 1), (5 * unit, 10 * unit - 1))


def requirements(text: str, has_sensitive: bool) -> list[tuple[str, int | float]]:
    """Read requirements written "k=5,l=2", by figure; every mistake in them is told at once."""
    read = [_requirement(item.strip(), has_sensitive) for item in text.split(",")]
    mistakes = [item for item in read if isinstance(item, Mistake)]
    if mistakes:
        raise SpecError(*mistakes)
    return [item for item in read if not isinstance(item, Mistake)]


def require(wanted: Sequence[tuple[str, int | float]], achieved: Mapping[str, Figure]) -> list[Verdict]:
    """Hold what a table achieves against requirements."""
    return [verdict for figure, value in wanted for verdict in _verdicts(figure, value, achieved)]


def _requirement(item: str, has_sensitive: bool) -> tuple[str, int | float] | Mistake:
    name, equals, number = (part.strip() for part in item.partition("="))
    figure = REQUIRABLE.get(name)
    if not equals or figure is None:
        what = "not a requirement" if not equals else "unknown requirement"
        return Mistake(what, where="--require", expected=" | ".join(REQUIRABLE), got=repr(item), hint='write "k=5,l=2"')
    value = _bound(number, whole=figure in _WHOLE)
    if value is None:
        expected = "a whole number of at least 1" if figure in _WHOLE else "a number of at least 1"
        return Mistake("bad number", where="--require", path=name, expected=expected, got=repr(number))
    if figure != "k" and not has_sensitive:
        return Mistake("needs a sensitive column", where="--require", path=name, hint="name it with --sensitive")
    return figure, value


def _bound(text: str, whole: bool) -> int | float | None:
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        return None
    return value if 1 <= value < math.inf else None


def _verdicts(figure: str, required: int | float, achieved: Mapping[str, Figure]) -> list[Verdict]:
    found = achieved[figure]
    if not isinstance(found, dict):
        return [Verdict(figure, None, required, found, found >= required)]
    return [Verdict(figure, column, required, value, value >= required) for column, value in found.items()]
