"""How a search spends its effort: hot, then cooling; where it pays, several times, and what was found is recombined."""

from __future__ import annotations

from kanon_cli.algorithms.recombining import Recombination
from kanon_cli.algorithms.searching import Search

STARTS = 2  # searches that begin by themselves, each with a unit of effort: half of it hot
MOST_UNIT = 256  # of effort: a power of two, as all units are, so that an effort says how large its unit is
LEAST_UNITS = ((0.2, 8), (0.1, 128), (0.0, 256))  # where the start loses so much at least: the more, the sooner it pays
SMALL = 1 << 13  # rows: tables of no more are recombined as soon as those where much is lost
LEAST_LOOPS = 2  # times at least that what was found is recombined and improved: the first time takes ...
LOOP = 5  # ... so many half units, and each further one up to twice as long as the one before, and no less than that
SHORTEST = STARTS + LEAST_LOOPS * LOOP // 2  # units that all this takes
CHOOSING = 2 * SHORTEST + 1  # half units that there has to be time for before a unit is that large ...
BESIDES = 40  # ... and so much effort that looking into new boxes and dealing out what is left takes, whatever the unit
LARGE = 1 << 17  # rows: what was found in tables of more is not recombined
LOOP_HEAT = 0.6  # of what is hot: from there a clustering cools down that was recombined


def least_unit_of(loss: float, rows: int) -> int:
    """The least unit that pays where a start loses so much of what would be lost if every cell told nothing."""
    return next(unit for least, unit in LEAST_UNITS if loss >= least or rows <= SMALL)


def unit_of(effort: int, least: int) -> int:
    """The unit of a search with this effort, 0 if it is too little to recombine."""
    unit = min(1 << (effort // SHORTEST).bit_length() >> 1, MOST_UNIT)
    return unit if unit >= least else 0


def _needed(unit: int) -> int:
    """The effort that there has to be time for before a unit is that large."""
    return CHOOSING * unit // 2 + BESIDES


class Course:
    """The way of a search. What it reports as its effort repeats it, wherever the time has ended it."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.effort = search.terms.effort
        self.before = search.terms.spent()
        is_free = not len(search.problem.aim.values)  # k is all that is promised
        self.least_unit = least_unit_of(search.first_loss, search.problem.rows)
        self.most_unit = unit_of(self.effort, self.least_unit) if is_free and search.problem.rows <= LARGE else 0
        self.found: Recombination | None = None  # what could be recombined
        self.loops = 0

    def follow(self) -> dict[str, int | float | bool]:
        """Spend the effort or the time, and say what was done."""
        unit = self._search_hot()
        if unit:
            self._recombine(unit)
        else:
            self._anneal(self.effort, self.search.heat)
        facts: dict[str, int | float | bool] = {"effort": self.effort, "rounds": self.search.rounds}
        return {**facts, "recombined": self.loops} if self.loops else facts

    def _search_hot(self) -> int:
        """Search hot until it is clear how large the unit is, and give it: 0 where nothing will be recombined."""
        search, least, half = self.search, self.least_unit, self.effort // 2
        unit = least if self.most_unit else 0
        while search.can_improve:
            if unit == least and self._is_spent(unit // 2 / _needed(unit)):
                unit, half = 0, SHORTEST * least // 2 - 1  # at most: no unit belongs to twice that
            elif unit and search.touches == unit // 2:
                if unit == self.most_unit or self._is_spent(search.touches / _needed(2 * unit)):
                    return unit
                unit *= 2
            if unit == 0 and (search.touches >= half or self._is_spent(1 / 2)):
                break
            search.round(search.heat)
        if unit and 2 * search.touches >= SHORTEST * least:  # and nothing is left to improve
            return unit
        if search.touches < self.effort // 2:
            self.effort = 2 * search.touches
        return 0

    def _recombine(self, unit: int) -> None:
        """Finish the first search, begin others, and recombine what they found as often as there is time."""
        search = self.search
        most = self.effort if unit in (self.most_unit, MOST_UNIT) else 2 * SHORTEST * unit - 1
        self.found = found = Recombination(search)
        self.effort = SHORTEST * unit
        self._anneal(unit, search.heat)
        for start in range(1, STARTS):
            if search.can_improve:
                search.keep_best()
                search.start()
                self._anneal(start * unit + unit // 2, search.heat, search.heat)
                self._anneal((start + 1) * unit, search.heat)
        search.keep_best()
        loop, taken, is_last = LOOP * unit // 2, 0.0, False  # and how long the last one took
        while search.can_improve and not is_last:
            begun, left = search.terms.spent(), most - search.touches
            length, is_last = (left, True) if left < 2 * loop else (loop, False)
            expected = 2 * taken
            if self.loops + 1 >= LEAST_LOOPS and 1 - begun <= 2 * expected:  # not enough for this and as much again
                fitting = max(int(loop * (1 - begun) / max(expected, 1e-9)), loop // 2)
                length, is_last = min(left, fitting, 2 * loop - 1), True
            self.effort = search.touches + length
            self._loop(found, length)
            taken = search.terms.spent() - begun
            loop *= 2
        self.effort = max(self.effort, SHORTEST * unit)  # as less, where nothing was left to improve, has another unit

    def _loop(self, found: Recombination, length: int) -> None:
        """Recombine what was found, for a part of so much effort, and spend the rest on improving that."""
        search = self.search
        group_of = found.recombine(length)
        if group_of is not None:
            search.take(group_of)
            search.note()
        self._anneal(self.effort, int(search.heat * LOOP_HEAT))
        search.keep_best()
        self.loops += 1

    def _anneal(self, end: int, heat: int, least: int = 0) -> None:
        """Cool down until so much of the effort is spent, and remember what is found on the way."""
        search, cooling = self.search, end - self.search.touches
        while search.touches < end and search.can_improve:
            search.round(least + (heat - least) * (end - search.touches - 1) // cooling)
            if self.found and least == 0:
                self.found.remember()

    def _is_spent(self, share: float) -> bool:
        """Whether so large a share of the time that there was is over."""
        return self.search.terms.spent() - self.before >= share * (1 - self.before)
