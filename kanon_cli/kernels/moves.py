"""Moving one record after the other to where it costs least."""

from __future__ import annotations

import numpy as np

from kanon_cli.kernels.clusters import (
    JOINS,
    LEAVES,
    NOBODY,
    bounds,
    link,
    may_change,
    recount,
    shortfall_of,
    shortfall_with,
    unlink,
)
from kanon_cli.kernels.jit import inner_kernel, kernel
from kanon_cli.kernels.promise import has_rules
from kanon_cli.kernels.scans import (
    BLOCK,
    FAR,
    LOOK,
    MIXED,
    add_slow,
    add_unions,
    no_question,
    pass_scan,
    quick_price,
    set_label,
    span_price,
)
from kanon_cli.kernels.sieve import MOST, PARTS, STRIDE, count_equal, least_limit, pass_sieve, set_limit
from kanon_cli.kernels.splits import split

# Hot loops here work on arrays, not on states: each array that a call hands over in a NamedTuple is counted as one more
# reference, and with some thirty of them that took up to three quarters of the time.

LATE = 4  # steps of a walk after which a member that settles something is worth hanging to the front


@inner_kernel
def find_rest(  # noqa: PLR0912  a kernel for each part would take the arrays over again
    head, after, before, label, low, high, label_of, value_of, own, row, agrees, open_layers, lo, hi
):
    """Write what a cluster without one of its rows covers into agrees, lo and hi; return another row of it.

    The other members are walked through until nothing is open any more. Who settles something late in the walk is hung
    to the front of the list, so that the next walks are short: a few members, even where a thousand agree.
    """
    first = head[own]
    if first == row:
        first = after[row]
    open_count = open_ends = 0
    for layer in range(len(agrees)):
        agrees[layer] = True
        if label[own, layer] == MIXED:
            open_layers[open_count] = layer
            open_count += 1
    for span in range(len(lo)):
        lo[span] = hi[span] = value_of[first, span]
        if low[span, own] < value_of[row, span] < high[span, own]:
            lo[span], hi[span] = low[span, own], high[span, own]
        open_ends += lo[span] != low[span, own]
        open_ends += hi[span] != high[span, own]
    other, steps = after[first], 0
    while other >= 0 and open_count + open_ends > 0:
        follower, was_open = after[other], open_count + open_ends
        at = 0
        while other != row and at < open_count:
            layer = open_layers[at]
            if label_of[other, layer] == label_of[first, layer]:
                at += 1
                continue
            agrees[layer] = False
            open_count -= 1
            open_layers[at] = open_layers[open_count]
        if other != row and open_ends > 0:
            for span in range(len(lo)):
                value = value_of[other, span]
                if value < lo[span]:
                    lo[span] = value
                    open_ends -= value == low[span, own]
                if value > hi[span]:
                    hi[span] = value
                    open_ends -= value == high[span, own]
        steps += 1
        if steps > LATE and open_count + open_ends < was_open:
            unlink(head, after, before, other, own)
            link(head, after, before, other, own)
        other = follower
    return first


@kernel
def relocate(  # noqa: PLR0912, PLR0915  see the docstring
    clusters, layers, costs, aim, rules, draws, start, end, count
):
    """Visit the rows from `start` to `end` in order; move each to where it costs least, if that lowers the cost.

    A row that is alone moves to its best cluster at any cost. Of equally good clusters the lowest number is taken.
    Return the row to go on with (before `end` if there is no room for one more cluster), and the numbers of clusters,
    moves and splits. The scan stands here, not in a kernel of its own: handing so many arrays over takes its time.
    """
    closures = clusters.closures
    label, narrow, wide, lo, hi = closures.label, closures.narrow, closures.wide, closures.lo, closures.hi
    size, price, spent = closures.size, closures.price, closures.spent
    group_of, head, after, before = clusters.group_of, clusters.head, clusters.after, clusters.before
    label_of, rise, rise_at, value_of = layers.label_of, layers.rise, layers.rise_at, layers.value_of
    lines, quick, full = layers.lines, layers.quick, layers.full
    table, table_at, ranks, base = layers.table, layers.table_at, layers.ranks, layers.base
    layer_count, spans = len(layers.rise_at), len(layers.full)
    has_caps, is_ruled, judged_from = len(aim.values) > 0, has_rules(aim.cap), rules.judged_from
    most, mode, missing = clusters.most, clusters.mode, clusters.missing
    secret_of, values, cap = aim.secret_of, aim.values, aim.cap
    agrees, open_layers = np.empty(layer_count, np.bool_), np.empty(layer_count, np.int64)
    own_lo, own_hi = np.empty(spans, np.int32), np.empty(spans, np.int32)
    question = no_question(layers)
    asked_layer, asked_label, asked_rise = question.layer, question.label, question.rise
    asked_lo, asked_hi = question.lo, question.hi
    total, equal = np.empty(BLOCK, np.int32), np.empty(BLOCK, np.int8)
    found = np.empty(BLOCK, np.int64)
    top, step = np.empty(len(size), np.int16), np.empty(len(size), np.int16)
    narrow_layers = layers.narrow
    unit = layers.least_rise // PARTS if narrow_layers > 0 else np.int64(0)
    if unit > 0:
        for c in range(count):
            set_limit(top, step, unit, label, narrow_layers, size, price, c)
    moves = splits = 0
    for row in range(start, end):
        if rules.at_once and count == len(size):
            return row, count, moves, splits
        own = np.int64(group_of[row])
        own_price, best_cost, other = np.int64(0), np.int64(FAR), row
        if size[own] > 1:
            other = find_rest(
                head, after, before, label, lo, hi, label_of, value_of, own, row, agrees, open_layers, own_lo, own_hi
            )
            own_price = np.int64(base[other])
            for layer in range(layer_count):
                if not agrees[layer]:
                    own_price += rise[rise_at[layer] + label_of[other, layer]]
            for span in range(spans):
                if span < lines:
                    own_price += min(own_hi[span] - own_lo[span], full[span])
                else:
                    own_price += span_price(layers, costs, span, own_lo[span], own_hi[span])
            best_cost = spent[own] - own_price * (size[own] - 1)
        if has_caps and not may_change(clusters, aim, judged_from, own, row, LEAVES):
            continue
        for layer in range(layer_count):
            asked_layer[layer] = layer
            asked_label[layer] = label_of[row, layer]
            asked_rise[layer] = rise[rise_at[layer] + label_of[row, layer]]
        for span in range(spans):
            asked_lo[span] = asked_hi[span] = value_of[row, span]
        target, target_price = np.int64(-1), np.int64(0)
        own_spent = spent[own]
        spent[own] = -FAR
        is_sieved = unit > 0 and best_cost < MOST * unit
        limit = (best_cost - 1) // unit if is_sieved else np.int64(0)
        stride = STRIDE if is_sieved else LOOK
        for first in range(0, count, BLOCK):
            last = min(first + BLOCK, count)
            if is_sieved:
                count_equal(narrow, asked_label, narrow_layers, first, last, equal)
                if least_limit(equal, top, step, np.uint64(0), np.uint64(first), np.uint64(last - first)) > limit:
                    continue
            else:
                add_unions(
                    *(narrow, wide, lo, hi, question, narrow_layers, layer_count),
                    *(lines, quick, full, table, table_at, ranks, np.int64(base[row]), first, last, total),
                )
            for start_at in range(first, last, stride):
                end_at = min(start_at + stride, last)
                if is_sieved:
                    candidates = pass_sieve(equal, top, step, first, start_at, end_at, limit, found)
                else:
                    candidates = pass_scan(total, size, spent, np.int64(1), first, start_at, end_at, best_cost, found)
                for at in range(candidates):
                    c = found[at]
                    if is_sieved:
                        if top[c] - np.int64(equal[c - first]) * step[c] > limit:  # it has fallen since
                            continue
                        union_price = quick_price(label, lo, hi, question, lines, full, np.int64(base[row]), c)
                    else:
                        union_price = np.int64(total[c - first])
                    cost = union_price * (size[c] + 1) - spent[c]
                    if cost >= best_cost:
                        continue
                    if spans > quick:
                        union_price = add_slow(closures, layers, costs, question, c, union_price)
                        cost = union_price * (size[c] + 1) - spent[c]
                    if cost >= best_cost:
                        continue
                    if is_ruled:
                        if size[c] + 1 >= judged_from and shortfall_with(
                            clusters, aim, c, NOBODY, row, JOINS
                        ) > shortfall_of(clusters, aim, c):
                            continue
                    elif has_caps:
                        short, least, highest = bounds(
                            size, most, mode, missing, secret_of, values, cap, judged_from, c, row, JOINS
                        )
                        if least > short:
                            continue
                        if highest > short and shortfall_with(clusters, aim, c, NOBODY, row, JOINS) > short:
                            continue
                    target, target_price, best_cost = c, union_price, cost
                    limit = (best_cost - 1) // unit if is_sieved else limit
        spent[own] = own_spent
        if target < 0:
            continue
        moves += 1
        unlink(head, after, before, row, own)
        link(head, after, before, row, target)
        group_of[row] = target
        size[own] -= 1
        size[target] += 1
        price[own], price[target] = own_price, target_price
        spent[own] = own_price * size[own] if size[own] > 0 else -FAR
        spent[target] = target_price * size[target]
        for layer in range(layer_count):
            if agrees[layer] and label[own, layer] == MIXED and size[own] > 0:
                set_label(label, narrow, wide, own, layer, label_of[other, layer])
            if label[target, layer] != label_of[row, layer] and label[target, layer] != MIXED:
                set_label(label, narrow, wide, target, layer, MIXED)
        for span in range(spans):
            if size[own] > 0:  # what is gone keeps its values, as scans look up their prices
                lo[span, own], hi[span, own] = own_lo[span], own_hi[span]
            lo[span, target] = min(lo[span, target], value_of[row, span])
            hi[span, target] = max(hi[span, target], value_of[row, span])
        if has_caps:
            recount(clusters, aim, target)
            recount(clusters, aim, own)
        if rules.at_once and size[target] > rules.largest:
            was_split = split(clusters, layers, costs, aim, rules, draws, target, count)
            count += was_split
            splits += was_split
        if unit > 0:
            for c in (own, target, np.int64(count - 1)):  # if it was split, the other half is the last one
                set_limit(top, step, unit, label, narrow_layers, size, price, c)
    return end, count, moves, splits
