"""Requirements as people write them, `k=5, l=2, t<=0.3`, held against what a table achieves."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from kanon_cli.audit.judge import AT_MOST, NOTIONS, OF_SECRETS, REQUIRABLE, STRICT, Figure, Number
from kanon_cli.audit.risks import OF_CLASSES, OF_POPULATION
from kanon_cli.errors import Mistake, SpecError, did_you_mean
from kanon_cli.models.base import Verdict

WRITTEN = 'write "k=5, l=2, prosecutor_mean<=0.1"'

FIGURES = {"k", "leaks", *NOTIONS, *OF_SECRETS, *OF_CLASSES, *OF_POPULATION}  # all that can be found
KNOWN = tuple(dict.fromkeys((*REQUIRABLE, *OF_SECRETS, *OF_CLASSES, *OF_POPULATION, "leaks")))  # their names

_ITEM = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9_-]*)\s*(>=|<=|<|>|=)\s*([^<>=]*?)\s*")
_NUMBER = re.compile(r"[-+.0-9eE]+", re.ASCII)
_WHOLE = {"k", "l_distinct", "leaks", *NOTIONS}
_FROM_ONE = {"k", "l", "k1", "1k", "kk", "global"}
_UNWANTED = {"prosecutor", "journalist", "marketer", "leaks", "suppression"}

Sign = Literal[">=", "<=", "<"]


@dataclass(frozen=True)
class Requirement:
    """What one figure must keep."""

    name: str  # as it was written
    sign: Sign
    value: int | float

    @property
    def figure(self) -> str:
        """The figure of the report that it speaks of."""
        return REQUIRABLE.get(self.name, self.name)


def smaller_is_safer(figure: str) -> bool:
    """Whether a table keeps more, the less this figure is: t, alpha, beta, delta, c, all risks, rows left out."""
    return figure in AT_MOST or figure.partition("_")[0] in _UNWANTED


def sign_of(figure: str) -> Sign:
    """What stands between a figure and its bound, as its model asks it."""
    if figure in STRICT:
        return "<"
    return "<=" if smaller_is_safer(figure) else ">="


def stricter(promised: Mapping[str, float], wanted: Sequence[Requirement]) -> dict[str, float]:
    """Everything that is required of each figure: of several bounds the one that asks most."""
    bounds = dict(promised)
    for item in wanted:
        choose = min if smaller_is_safer(item.figure) else max
        bounds[item.figure] = choose(item.value, bounds.get(item.figure, item.value))
    return bounds


def requirements(texts: Sequence[str]) -> list[Requirement]:
    """Read requirements with commas between them; every mistake in them is told at once."""
    read = [_requirement(item) for text in texts for item in text.split(",")]
    mistakes = [item for item in read if isinstance(item, Mistake)]
    if mistakes:
        raise SpecError(*mistakes)
    return [item for item in read if isinstance(item, Requirement)]


def require(wanted: Sequence[Requirement], figures: Mapping[str, Figure]) -> list[Verdict]:
    """Hold what a table achieves against requirements; one of a figure that it doesn't have is a mistake."""
    check_names(wanted, figures)
    return [verdict for item in wanted for verdict in _verdicts(item, figures[item.figure])]


def check_names(wanted: Sequence[Requirement], figures: Collection[str]) -> None:
    """Refuse requirements of any other figures."""
    unknown = [_absent(item) for item in wanted if item.figure not in figures]
    if unknown:
        raise SpecError(*unknown)


def _requirement(item: str) -> Requirement | Mistake:
    match = _ITEM.fullmatch(item)
    if match is None:
        return Mistake("not a requirement", where="--require", got=repr(item.strip()), hint=WRITTEN)
    name, sign, number = match.groups()
    figure = REQUIRABLE.get(name, name)
    if figure not in FIGURES:
        hint = did_you_mean(name, KNOWN)
        return Mistake("unknown requirement", "--require", expected=" | ".join(KNOWN), got=repr(name), hint=hint)
    safe = sign_of(figure)
    if sign not in {"=", safe}:
        what = f"the {'larger' if safe == '>=' else 'smaller'} {name}, the safer"
        if (sign, safe) == ("<=", "<"):
            what = f"{name} has to stay below its bound"
        return Mistake(what, where="--require", path=name, expected=f"{name}{safe}...", got=repr(sign))
    value = _bound(number, figure)
    if value is None:
        kind = "a whole number" if figure in _WHOLE else "a number"
        expected = f"{kind} of at least {_least(figure)}"
        return Mistake("bad number", where="--require", path=name, expected=expected, got=repr(number))
    return Requirement(name, safe, value)


def _least(figure: str) -> int:
    return int(figure.partition("_")[0] in _FROM_ONE)


def _bound(text: str, figure: str) -> int | float | None:
    if _NUMBER.fullmatch(text) is None:  # Python reads 1_0, and digits of other scripts, too
        return None
    try:
        value = int(text) if figure in _WHOLE else float(text)
    except ValueError:
        return None
    return value if _least(figure) <= value < math.inf else None


def _absent(item: Requirement) -> Mistake:
    if item.figure in NOTIONS:
        what = "can only be told beside the table it was made from"
        return Mistake(what, where="--require", path=item.name, hint="name it with --original")
    if item.figure in OF_SECRETS:
        return Mistake("needs a sensitive column", where="--require", path=item.name, hint="name it with --sensitive")
    return Mistake("needs a population", where="--require", path=item.name, hint="name it with --population")


def _verdicts(item: Requirement, found: Figure) -> list[Verdict]:
    by_column = found if isinstance(found, dict) else {None: found}
    return [_verdict(item, column, value) for column, value in by_column.items()]


def _verdict(item: Requirement, column: str | None, found: Number) -> Verdict:
    """Compare; what has no limit is as unsafe as can be."""
    value = math.inf if found is None else found
    if item.sign == ">=":
        return Verdict(item.figure, column, item.value, value, found is not None and value >= item.value)
    holds = value < item.value if item.sign == "<" else value <= item.value
    return Verdict(item.figure, column, item.value, value, holds, at_most=True)
