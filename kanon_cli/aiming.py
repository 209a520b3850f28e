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

from kanon_cli.models.base import Model, Notion, Ratio, SecretModel
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Meaning
from kanon_cli.tables.numbers import rank_numbers
from kanon_cli.tables.taxonomy import Taxonomy

if TYPE_CHECKING:
    from kanon_cli.kernels.clusters import Aim

IntArray = npt.NDArray[np.int64]

LONGEST_CAP = 1 << 31
ROOM = 55  # bits that what a group lacks of one rule may take, so that sums of several stay below 63
FINEST = 30  # bits of a fraction
LINE_CODES = 256  # numbers of a line are put together to so many at the most ...
PEOPLE_CODES = 256  # ... and people who have several rows share so many codes, or 16 k if that is more


@dataclass(frozen=True)
class _Coded:
    """A secret as the engine sees it: codes from 0 on, the last being missing."""

    code_of: IntArray  # [row]
    values: int
    tree: Taxonomy | None = None
    is_ordered: bool = False

    @property
    def rows_of(self) -> IntArray:
        """[code] rows of the table with this value."""
        return np.bincount(self.code_of, minlength=self.values + 1)[:-1].astype(np.int64)

    @property
    def missing(self) -> int:
        """Rows without a value."""
        return int((self.code_of == self.values).sum())


@dataclass(frozen=True)
class _Promise:
    """What is asked of one secret."""

    coded: _Coded
    share: Fraction
    rules: tuple[IntArray, ...]

    def row(self, width: int) -> IntArray:
        """The row of whole numbers, filled up with zeros."""
        parts = [np.array([*_whole_cap(self.share), self.coded.values, len(self.rules)], dtype=np.int64), *self.rules]
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


def _code(column: TextColumn, meaning: Meaning) -> _Coded:
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
    return _Coded(code_of.astype(np.int64), values, tree, meaning.kind.type == "numeric")


def _combine(parts: Sequence[_Coded]) -> _Coded:
    """All secrets as one; a combination with a missing part is missing."""
    codes = np.zeros_like(parts[0].code_of)
    absent = np.zeros(len(codes), dtype=np.bool_)
    for part in parts:
        codes = np.unique(codes * (part.values + 1) + part.code_of, return_inverse=True)[1].astype(np.int64)
        absent |= part.code_of == part.values
    found, code_of = np.unique(codes[~absent], return_inverse=True)
    codes[~absent] = code_of
    codes[absent] = len(found)
    return _Coded(codes, len(found))


def _promises(coded: _Coded, models: Sequence[SecretModel]) -> Iterator[_Promise]:
    """What the models ask of one secret; distances on a long line are a promise of their own, with fewer codes."""
    share = min((model.largest_share for model in models if model.largest_share is not None), default=Fraction(1))
    rules = [rule for model in models for rule in _rules(coded, model)]
    distance = min((m.largest_distance for m in models if m.largest_distance is not None), default=None)
    is_far = coded.values > 1 or (coded.missing > 0 and not coded.is_ordered)  # a missing value may be any name
    if distance is not None and distance < 1 and is_far:
        together = -(-coded.values // LINE_CODES) if coded.is_ordered else 1
        if together > 1:
            codes = np.where(coded.code_of < coded.values, coded.code_of // together, -(-coded.values // together))
            coarse = _Coded(codes, -(-coded.values // together), is_ordered=True)
            steps = Fraction(coded.values - 1, together)
            off = Fraction(together - 1, coded.values - 1)  # what putting together can hide
            yield _Promise(coarse, Fraction(1), (_line(coarse, distance - off, steps),))
        elif coded.is_ordered:
            rules.append(_line(coded, distance, Fraction(coded.values - 1)))
        else:
            rules.append(_tree(coded, distance))
    if share < 1 or rules:
        yield _Promise(coded, share, tuple(rules))


def _rules(coded: _Coded, model: SecretModel) -> Iterator[IntArray]:
    """What a model asks beside a largest share and a largest distance."""
    from kanon_cli.kernels import promise

    rows = len(coded.code_of)
    if model.least_values > 1:
        yield _rule(promise.KINDS, [model.least_values, 0])
    if model.least_entropy > 1:
        counts = np.arange(rows + 1, dtype=np.float64)
        logs = counts * np.log(np.maximum(counts, 1.0))
        unit = 2.0 ** min(40, ROOM - 2 - max(int(logs[-1]).bit_length(), 1))
        needed = math.floor(math.log(model.least_entropy) * unit) + 2
        yield _rule(promise.ENTROPY, [needed, math.ceil(model.least_entropy)], np.floor(logs * unit).astype(np.int64))
    if model.tail is not None:
        c, place = model.tail
        bits = min(FINEST, max(ROOM - 2 * (rows + 1).bit_length(), 0))
        c = min(c, Fraction(rows + 1))
        if c.denominator > 1 << bits:
            c = Fraction(math.floor(c * (1 << bits)), 1 << bits)
        yield _rule(promise.TAIL, [c.numerator, c.denominator, place])
    if model.ratio != Ratio():
        yield _band(coded, model.ratio)


def _line(coded: _Coded, limit: Fraction, steps: Fraction) -> IntArray:
    """At most so far from the table, where the whole line is so many steps long."""
    from kanon_cli.kernels import promise

    rows = len(coded.code_of)
    middle = (coded.values - 1) // 2
    scale = _scale(limit * rows * steps, rows * rows * coded.values)
    numbers = [rows, coded.missing, math.floor(limit * rows * steps * scale)]
    return _rule(promise.LINE, [*numbers, scale, scale * (coded.values - 1 - middle), middle], coded.rows_of)


def _tree(coded: _Coded, limit: Fraction) -> IntArray:
    """At most so far from the table by the heights of nodes; names without a tree are leaves under one root."""
    from kanon_cli.kernels import promise

    rows = len(coded.code_of)
    tree = coded.tree if coded.tree is not None and coded.tree.size > 1 else None
    height = int(tree.height[0]) if tree is not None else 1
    scale = _scale(limit * rows * 2 * height, rows * rows * 2 * height)
    if tree is None:
        codes = np.arange(coded.values)
        nodes = np.stack([codes, codes, np.full(coded.values, scale)], axis=1)
    else:
        rise = (tree.height[tree.parent[1:]] - tree.height[1:]) * scale
        nodes = np.stack([tree.first[1:], tree.last[1:], rise], axis=1)
    numbers = [rows, coded.missing, math.floor(limit * rows * 2 * height * scale), scale * height, len(nodes)]
    return _rule(promise.TREE, numbers, coded.rows_of, nodes.ravel())


def _scale(limit: Fraction, most: int) -> int:
    """A factor that makes a limit a whole number, if the most that is compared with it leaves room for that."""
    return max(min(limit.denominator, (1 << ROOM) // max(most, 1)), 1)


def _band(coded: _Coded, ratio: Ratio) -> IntArray:
    """Shares between two curves over the share in the table; rounded inwards."""
    from kanon_cli.kernels import promise

    rows = len(coded.code_of)
    unit = rows << max(min(FINEST, ROOM - 2 * rows.bit_length()), 0)
    share = np.arange(rows + 1) / rows
    most = least = np.empty(0, dtype=np.int64)
    if ratio.gain is not None:
        a, b = _whole_cap(1 + min(ratio.gain, Fraction(rows)))
        most = np.array([min(count * (unit // rows) * b // a, unit) for count in range(rows + 1)], dtype=np.int64)
        if ratio.by_log:
            enough = (1 - np.log(np.maximum(share, 1 / (2 * rows)))) * share * (1 - 1e-12)
            most = np.minimum(most, np.where(share == 1, unit, np.floor(np.minimum(enough, 1) * unit)).astype(np.int64))
    if ratio.log is not None:
        factor = math.exp(min(ratio.log, 700.0)) * (1 - 1e-12)
        most = np.floor(np.minimum(share * factor, 1) * unit).astype(np.int64)
        least = np.ceil(share / factor * unit).astype(np.int64)
    start = 8 + coded.values
    places = [start if len(most) else 0, start + len(most) if len(least) else 0]
    return _rule(promise.BAND, [rows, coded.missing, unit, int(ratio.absent), *places], coded.rows_of, most, least)


def _rule(kind: int, numbers: Sequence[int], *tables: IntArray) -> IntArray:
    """A rule with its kind and its length before it."""
    length = 2 + len(numbers) + sum(map(len, tables))
    return np.concatenate([np.array([kind, length, *numbers], dtype=np.int64), *tables])


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
        yield _Promise(_Coded(code_of_unit[unit.code_of], values), Fraction(1), (_rule(promise.KINDS, [k, 1]),))


def _whole_cap(share: Fraction) -> tuple[int, int]:
    """Whole numbers a and b such that rows * a <= size * b keeps the share, and no product leaves 64 bits.

    A share that takes longer numbers is rounded down a little: the groups keep more than was asked for.
    """
    if share.denominator <= LONGEST_CAP:
        return share.denominator, share.numerator
    return LONGEST_CAP, math.floor(share * LONGEST_CAP)
