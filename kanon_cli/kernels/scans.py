"""The closures of many clusters, column by column, and what they cost when one more of them is joined to each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kanon_cli.kernels.costs import price
from kanon_cli.kernels.jit import inner_kernel, kernel, part_kernel

FAR = 1 << 61  # beyond any cost of a whole table
MIXED = np.int32(-1)  # the label of a cluster whose rows disagree
BLOCK = 2048  # clusters whose sums are kept in the fastest cache at a time

LOOK = 128  # clusters whose least cost is found at a time, before they are looked at one by one


class Closures(NamedTuple):
    """What clusters cover; a cluster of size 0 is gone, and costs so much that nothing ever joins it."""

    label: npt.NDArray[np.int32]  # [cluster, layer] the label that all rows have, or MIXED
    narrow: npt.NDArray[np.int8]  # [layer, cluster] the same as columns for scans: layers with few labels ...
    wide: npt.NDArray[np.int32]  # [layer - layers.narrow, cluster] ... and the others
    lo: npt.NDArray[np.int32]  # [span, cluster]
    hi: npt.NDArray[np.int32]  # [span, cluster]
    size: npt.NDArray[np.int32]  # [cluster]
    price: npt.NDArray[np.int64]  # [cluster] of one row
    spent: npt.NDArray[np.int64]  # [cluster] size * price, or -FAR if it is gone


class Question(NamedTuple):
    """What is to be joined to many clusters: a row or another cluster."""

    layer: npt.NDArray[np.int64]  # [place] the layers in which its rows agree, in their order
    label: npt.NDArray[np.int32]  # [place]
    rise: npt.NDArray[np.int32]  # [place] what it costs to disagree
    lo: npt.NDArray[np.int32]  # [span]
    hi: npt.NDArray[np.int32]  # [span]


def no_closures(layers, room):
    """Make the arrays for so many clusters."""
    narrow, spans = layers.narrow, len(layers.full)
    return Closures(
        label=np.full((room, len(layers.rise_at)), MIXED, dtype=np.int32),
        narrow=np.full((narrow, room), MIXED, dtype=np.int8),
        wide=np.full((len(layers.rise_at) - narrow, room), MIXED, dtype=np.int32),
        lo=np.zeros((spans, room), dtype=np.int32),
        hi=np.zeros((spans, room), dtype=np.int32),
        size=np.zeros(room, dtype=np.int32),
        price=np.zeros(room, dtype=np.int64),
        spent=np.full(room, -FAR, dtype=np.int64),
    )


def rows_alone(layers, room):
    """Let every row be a cluster, and leave room for more."""
    rows = len(layers.label_of)
    closures = no_closures(layers, room)
    closures.label[:rows] = layers.label_of
    closures.narrow[:, :rows] = layers.label_of[:, : layers.narrow].T
    closures.wide[:, :rows] = layers.label_of[:, layers.narrow :].T
    closures.lo[:, :rows] = closures.hi[:, :rows] = layers.value_of.T
    closures.size[:rows] = 1
    closures.spent[:rows] = 0
    return closures


@kernel
def no_question(layers):
    """Make the arrays of a question."""
    count, spans = len(layers.rise_at), len(layers.full)
    return Question(
        np.empty(count, np.int64),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        np.empty(spans, np.int32),
        np.empty(spans, np.int32),
    )


@inner_kernel
def set_label(label, narrow, wide, c, layer, value):
    """Write a cluster's label in a layer."""
    label[c, layer] = value
    if layer < narrow.shape[0]:
        narrow[layer, c] = value
    else:
        wide[layer - narrow.shape[0], c] = value


@inner_kernel
def add_unions(
    narrow,
    wide,
    lo,
    hi,
    question,
    narrow_asked,
    asked,
    lines,
    quick,
    full,
    table,
    table_at,
    ranks,
    base,
    start,
    end,
    total,
):
    """Write the price of a row in the union of the question and each cluster from start to end into total, from 0 on.

    Spans whose price is a formula are left out: `add_slow` adds them where it matters. Four layers at a time, as
    loading and storing the sums takes longer than comparing; plain loops over columns, which compile to SIMD.
    """
    sums = total[: end - start]
    sums[:] = base
    at = 0
    while at + 4 <= narrow_asked:
        layer, label, rise = question.layer, question.label, question.rise
        a, b = narrow[layer[at], start:end], narrow[layer[at + 1], start:end]
        c, d = narrow[layer[at + 2], start:end], narrow[layer[at + 3], start:end]
        label_a, label_b = np.int8(label[at]), np.int8(label[at + 1])
        label_c, label_d = np.int8(label[at + 2]), np.int8(label[at + 3])
        rise_a, rise_b, rise_c, rise_d = rise[at], rise[at + 1], rise[at + 2], rise[at + 3]
        for i in range(len(sums)):
            sums[i] += (
                (rise_a if a[i] != label_a else 0)
                + (rise_b if b[i] != label_b else 0)
                + (rise_c if c[i] != label_c else 0)
                + (rise_d if d[i] != label_d else 0)
            )
        at += 4
    while at < narrow_asked:
        a, label_a, rise_a = (
            narrow[question.layer[at], start:end],
            np.int8(question.label[at]),
            question.rise[at],
        )
        for i in range(len(sums)):
            sums[i] += rise_a if a[i] != label_a else 0
        at += 1
    while at < asked:
        w, label_w, rise_w = (
            wide[question.layer[at] - narrow.shape[0], start:end],
            question.label[at],
            question.rise[at],
        )
        for i in range(len(sums)):
            sums[i] += rise_w if w[i] != label_w else 0
        at += 1
    for span in range(lines):
        low, high = lo[span, start:end], hi[span, start:end]
        least, most, limit = question.lo[span], question.hi[span], full[span]
        for i in range(len(sums)):
            sums[i] += min(np.int32(max(high[i], most) - min(low[i], least)), limit)
    for span in range(lines, quick):
        low, high = lo[span, start:end], hi[span, start:end]
        least, most, width, at = question.lo[span], question.hi[span], ranks[span], table_at[span]
        for i in range(len(sums)):
            sums[i] += table[at + min(low[i], least) * width + max(high[i], most)]


@inner_kernel
def quick_price(label, lo, hi, question, lines, full, base, c):
    """Return what `add_unions` writes for a cluster where all spans are lines."""
    total = base
    for layer in range(label.shape[1]):
        if label[c, layer] != question.label[layer]:
            total += question.rise[layer]
    for span in range(lines):
        total += min(max(hi[span, c], question.hi[span]) - min(lo[span, c], question.lo[span]), full[span])
    return total


@inner_kernel
def least_cost(total, size, spent, more, place, start, count):
    """Return the least cost of joining `more` rows to a cluster from start on, what it has spent taken off.

    The sums stand in total[place] and the next. Places and starts are unsigned: each slice is counted as a reference.
    """
    least, joining = np.int64(FAR), np.int32(more)
    for i in range(count):  # a product of 32 by 32 bits takes a third less time than one of 64 by 64
        here = start + i
        least = min(least, np.int64(total[place + i]) * np.int64(np.int32(size[here] + joining)) - spent[here])
    return least


@inner_kernel
def pass_scan(total, size, spent, more, block, start, end, limit, found):
    """Write the clusters from start to end that more rows can join for less than the limit into found; count them.

    The sum of cluster `block` is the first.
    """
    count = 0
    place, length = np.uint64(start - block), np.uint64(end - start)
    if least_cost(total, size, spent, more, place, np.uint64(start), length) < limit:
        for c in range(start, end):
            found[count] = c
            count += np.int64(total[c - block]) * (size[c] + more) - spent[c] < limit
    return count


@part_kernel
def add_slow(closures, layers, costs, question, c, total):
    """Return the total with the spans whose price is a formula."""
    for span in range(layers.quick, len(layers.full)):
        lo = min(closures.lo[span, c], question.lo[span])
        hi = max(closures.hi[span, c], question.hi[span])
        total += price(costs, layers.column_of[span], lo, hi)
    return total


@inner_kernel
def span_price(layers, costs, span, lo, hi):
    """Return what a span costs."""
    if span < layers.lines:
        return np.int64(min(hi - lo, layers.full[span]))
    return price(costs, layers.column_of[span], lo, hi)


@part_kernel
def ask(closures, layers, costs, c, question):
    """Make a cluster the question; return how many layers are asked, narrow ones and all, and what is paid anyway."""
    asked = narrow_asked = 0
    for layer in range(len(layers.rise_at)):
        label = closures.label[c, layer]
        if label != MIXED:
            question.layer[asked] = layer
            question.label[asked] = label
            question.rise[asked] = layers.rise[layers.rise_at[layer] + label]
            asked += 1
            narrow_asked += layer < layers.narrow
    paid = closures.price[c]
    for span in range(len(layers.full)):
        lo, hi = closures.lo[span, c], closures.hi[span, c]
        question.lo[span], question.hi[span] = lo, hi
        paid -= span_price(layers, costs, span, lo, hi)
    return narrow_asked, asked, paid


@part_kernel
def join(closures, layers, a, b, union_price):
    """Let cluster a cover and count what cluster b covers and counts, and let b be gone."""
    label = closures.label
    for layer in range(label.shape[1]):
        if label[a, layer] != label[b, layer]:
            set_label(label, closures.narrow, closures.wide, a, layer, MIXED)
    for span in range(len(layers.full)):
        closures.lo[span, a] = min(closures.lo[span, a], closures.lo[span, b])
        closures.hi[span, a] = max(closures.hi[span, a], closures.hi[span, b])
    closures.size[a] += closures.size[b]
    closures.price[a] = union_price
    closures.spent[a] = union_price * closures.size[a]
    remove(closures, b)


@part_kernel
def remove(closures, c):
    """Let a cluster be gone."""
    closures.size[c] = 0
    closures.price[c] = 0
    closures.spent[c] = -FAR
