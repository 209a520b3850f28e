"""A picture of each algorithm's groups of the same 200 points; only drawing needs matplotlib."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kanon_cli import algorithms, closing
from kanon_cli.algorithms.base import Algorithm, Terms
from kanon_cli.encoding import encode
from kanon_cli.measures.lm import Lm
from kanon_cli.models.k import K
from kanon_cli.parts import load
from kanon_cli.problem import Problem
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.domains import Domain, build
from kanon_cli.tables.kinds import Kind

RankArray = npt.NDArray[np.int32]

PICTURES = Path(__file__).resolve().parent / "pictures"
POINTS = 200
K_OF_PICTURES = 8
HEAPS = ((22, 25, 14), (70, 30, 20), (48, 74, 17))  # where their middles are, and how far they reach
EVERYWHERE = 5  # one point in so many belongs to no heap
DRAWING = "1"  # another number has all pictures drawn anew
SIZE = 3.4


def points() -> list[tuple[int, int]]:
    """Three heaps and some noise; only Python's own random numbers are the same with every version."""
    draw = random.Random(4).random  # noqa: S311  a toy
    found = []
    for at in range(POINTS):
        x, y, reach = HEAPS[at % len(HEAPS)]
        if at % EVERYWHERE == 0:
            found.append((int(100 * draw()), int(100 * draw())))
        else:
            away = [reach * (draw() + draw() + draw() - 1.5) for _ in range(2)]
            found.append((round(x + away[0]), round(y + away[1])))
    return found


@cache
def problem() -> Problem:
    """The points as a table of two numbers."""
    domains: dict[str, Domain] = {}
    for name, values in zip("xy", zip(*points(), strict=True), strict=True):
        texts, code_of = np.unique(np.array(list(map(str, values))), return_inverse=True)
        column = TextColumn(code_of.astype(np.int32), pa.array(texts.tolist(), type=pa.string()), pa.string())
        domain = build(name, column, Kind("numeric"))
        if not isinstance(domain, Domain):
            raise AssertionError("the points are proper numbers")
        domains[name] = domain
    return encode(domains, {}, Lm(), (K(k=K_OF_PICTURES),))


@cache
def boxes(name: str) -> tuple[RankArray, RankArray]:
    """[column, row] the box that each point is released as, lo and hi."""
    algorithm = load(algorithms.TABLE, name, Algorithm)()
    recoding = closing.recode(problem().rank_of, algorithm.work(problem(), Terms()))
    return recoding.lo[:, recoding.box_of], recoding.hi[:, recoding.box_of]


def picture_of(name: str) -> Path:
    """Where an algorithm's picture is."""
    return PICTURES / f"algorithm-{name}.svg"


def digest(name: str) -> str:
    """What a picture shows, in a word that is written into it."""
    lo, hi = boxes(name)
    return hashlib.sha256(DRAWING.encode() + repr(points()).encode() + lo.tobytes() + hi.tobytes()).hexdigest()


def stale() -> Iterator[str]:
    """The algorithms whose pictures are missing or show something else."""
    for name in algorithms.TABLE:
        path = picture_of(name)
        if not path.exists() or digest(name) not in path.read_text(encoding="utf-8"):
            yield name


def draw(name: str) -> None:
    """Draw every point in the colour of its box, and the boxes."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    from benchmarks.pictures import STYLE

    (left, bottom), (right, top) = (_places(ranks) for ranks in boxes(name))
    corners = np.stack([left, bottom, right, top], axis=1)
    kinds, box_of = np.unique(corners, axis=0, return_inverse=True)
    x, y = np.array(points()).T
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(SIZE, SIZE), layout="constrained")
        axes: Any = figure.add_subplot()
        for number, (x0, y0, x1, y1) in enumerate(kinds.tolist()):
            color, own = f"C{number % 10}", box_of.reshape(-1) == number
            shape = Rectangle((x0 - 0.5, y0 - 0.5), x1 - x0 + 1, y1 - y0 + 1, facecolor=color, alpha=0.15)
            edge = Rectangle(shape.get_xy(), shape.get_width(), shape.get_height(), fill=False, edgecolor=color)
            axes.add_patch(shape)
            axes.add_patch(edge)
            axes.plot(x[own], y[own], color=color, linestyle="", marker=".", markersize=4)
        axes.set(xlim=(-3, 103), ylim=(-3, 103), xticks=[], yticks=[], aspect="equal")
        axes.set_title(f"{name}: {len(kinds)} boxes", fontsize=11)
        said = {"Date": None, "Creator": None, "Identifier": digest(name)}
        figure.savefig(picture_of(name), format="svg", metadata=said)


def _places(ranks: RankArray) -> npt.NDArray[np.int64]:
    """[column, row] ranks as the numbers they stand for."""
    numbers = [np.unique(values) for values in np.array(points()).T]
    return np.stack([values[own] for values, own in zip(numbers, ranks, strict=True)])
