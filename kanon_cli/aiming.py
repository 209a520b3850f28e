"""From models to what every group has to keep: a size, and for each secret a row of whole numbers (see promise.py)."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from kanon_cli.models.base import Model, Notion, SecretModel
from kanon_cli.ruling import Coded, line_rule, make_rule, rules_of, tree_rule, whole_cap
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Meaning
from kanon_cli.tables.numbers import rank_numbers

if TYPE_CHECKING:
    from kanon_cli.kernels.clusters import Aim

IntArray = npt.NDArray[np.int64]

LINE_CODES = 256  # numbers of a line are put together to so many at the most ...
PEOPLE_CODES = 256  # ... and people who have several rows share so many codes, or 16 k if that is more


@dataclass(frozen=True)
class _Promise:
    """What is asked of one secret."""

    coded: Coded
    share: Fraction
    rules: tuple[IntArray, ...]

    def row(self, width: int) -> IntArray:
        """The row of whole numbers, filled up with zeros."""
        parts = [np.array([*whole_cap(self.share), self.coded.values, len(self.rules)], dtype=np.int64), *self.rules]
        found = np.zeros(width, dtype=np.int64)
        laid = np.concatenate(parts)
        found[: len(laid)] = laid
        return found

    @property
    def width(self) -> int:
        """How many numbers the row takes."""
        return 4 + sum(map(len, self.rules))


def aim_of(
    models: Sequence[Model],
    secrets: Mapping[str, TextColumn],
    rows: int,
    meanings: Mapping[str, Meaning] = MappingProxyType({}),
    unit: TextColumn | None = None,
) -> Aim:
    """Join what the models ask of a group: the largest size, and what each sensitive column has to keep."""
    from kanon_cli.kernels.clusters import Aim

    asking = [model for model in models if isinstance(model, SecretModel)]
    k = max(model.minimum_size for model in models)
    coded = {name: _code(column, meanings.get(name, Meaning())) for name, column in secrets.items()}
    promises: list[_Promise] = []
    for name in dict.fromkeys(name for model in asking for name in model.columns):
        one = coded[name] if name in coded else _combine(list(coded.values()))
        promises += _promises(one, [model for model in asking if name in model.columns])
    if unit is not None:
        promises += _people(unit, k)
    least = [max(model.least_values, math.ceil(model.least_entropy), (model.tail or (0, 1))[1]) for model in asking]
    width = max((promise.width for promise in promises), default=4)
    return Aim(
        k=max([k, *(min(number, rows) for number in least)]),
        secret_of=np.array([promise.coded.code_of for promise in promises], dtype=np.int32).reshape(-1, rows),
        values=np.array([promise.coded.values + 1 for promise in promises], dtype=np.int64),
        cap=np.array([promise.row(width) for promise in promises], dtype=np.int64).reshape(-1, width),
    )


def bound_aim(aim: Aim, models: Sequence[Model]) -> Aim:
    """What every released row keeps by itself, for a bound of the loss.

    With another notion than k, what has to be diverse are the rows that could be a person's, not those that a released
    row covers: of these there are only so many as the notion says.
    """
    notion = next((model for model in models if isinstance(model, Notion)), None)
    return aim if notion is None else aim._replace(k=notion.covered)


def _code(column: TextColumn, meaning: Meaning) -> Coded:
    """Give equal values one code: names in any order, numbers by rank or bin, leaves by rank in their tree."""
    tree = meaning.kind.taxonomy
    if meaning.kind.type == "numeric":
        code_of_text, _, numbers = rank_numbers(column.text.to_pylist())
        if meaning.bins:
            bins = np.array([bisect_right(meaning.bins, number) for number in numbers], dtype=np.int64)
            code_of_text = np.unique(bins, return_inverse=True)[1][code_of_text] if len(bins) else code_of_text
        values = int(code_of_text.max(initial=-1)) + 1
    elif tree is not None:
        rank_of = {tree.label[node]: rank for rank, node in enumerate(tree.leaf.tolist())}
        code_of_text = np.array([rank_of[text] for text in column.text.to_pylist()], dtype=np.int64)
        values = tree.size
    else:
        code_of_text = np.arange(len(column.text))
        values = len(column.text)
    code_of = np.append(code_of_text, values)[column.code_of]
    return Coded(code_of.astype(np.int64), values, tree, meaning.kind.type == "numeric")


def _combine(parts: Sequence[Coded]) -> Coded:
    """All secrets as one; a combination with a missing part is missing."""
    codes = np.zeros_like(parts[0].code_of)
    absent = np.zeros(len(codes), dtype=np.bool_)
    for part in parts:
        codes = np.unique(codes * (part.values + 1) + part.code_of, return_inverse=True)[1].astype(np.int64)
        absent |= part.code_of == part.values
    found, code_of = np.unique(codes[~absent], return_inverse=True)
    codes[~absent] = code_of
    codes[absent] = len(found)
    return Coded(codes, len(found))


def _promises(coded: Coded, models: Sequence[SecretModel]) -> Iterator[_Promise]:
    """What the models ask of one secret; distances on a long line are a promise of their own, with fewer codes."""
    share = min((model.largest_share for model in models if model.largest_share is not None), default=Fraction(1))
    rules = [rule for model in models for rule in rules_of(coded, model)]
    distance = min((m.largest_distance for m in models if m.largest_distance is not None), default=None)
    is_far = coded.values > 1 or (coded.missing > 0 and not coded.is_ordered)  # a missing value may be any name
    if distance is not None and distance < 1 and is_far:
        together = -(-coded.values // LINE_CODES) if coded.is_ordered else 1
        if together > 1:
            codes = np.where(coded.code_of < coded.values, coded.code_of // together, -(-coded.values // together))
            coarse = Coded(codes, -(-coded.values // together), is_ordered=True)
            steps = Fraction(coded.values - 1, together)
            off = Fraction(together - 1, coded.values - 1)  # what putting together can hide
            yield _Promise(coarse, Fraction(1), (line_rule(coarse, distance - off, steps),))
        elif coded.is_ordered:
            rules.append(line_rule(coded, distance, Fraction(coded.values - 1)))
        else:
            rules.append(tree_rule(coded, distance))
    if share < 1 or rules:
        yield _Promise(coded, share, tuple(rules))


def _people(unit: TextColumn, k: int) -> Iterator[_Promise]:
    """k different people, as a secret whose values are people: those with one row have code 0, each row one of them.

    The others share some codes, since a group has few of them; who is taken for another is not counted.
    """
    from kanon_cli.kernels import promise

    rows_of = np.bincount(unit.code_of)
    several = np.flatnonzero(rows_of > 1)
    if len(several):
        codes = max(PEOPLE_CODES, 16 * k)
        code_of_unit = np.zeros(len(rows_of), dtype=np.int64)
        code_of_unit[several] = 1 + np.arange(len(several)) % codes
        values = 1 + min(len(several), codes)
        yield _Promise(Coded(code_of_unit[unit.code_of], values), Fraction(1), (make_rule(promise.KINDS, [k, 1]),))
