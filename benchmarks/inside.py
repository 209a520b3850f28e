"""Measuring inside this process: the problem is built once, kernels are warm, and only the algorithm's time counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.outside import write_spec
from benchmarks.setting import Setting, Unavailable
from kanon_cli import algorithms, closing, encoding, warmup
from kanon_cli.algorithms import recordwise
from kanon_cli.algorithms.base import Algorithm, Covering, Grouping, Terms
from kanon_cli.events import Silence
from kanon_cli.intake import Intake, build_domains, take_in
from kanon_cli.kernels.costs import Costs, price_all
from kanon_cli.kernels.jit import kernel
from kanon_cli.parts import load
from kanon_cli.problem import Problem
from kanon_cli.spec.model import Spec
from kanon_cli.spec.parse import parse
from kanon_cli.tables.domains import Domain

Groups = npt.NDArray[np.int32]
ENDLESS = 1 << 40  # effort that no search comes to the end of
Work = Callable[[int], tuple[Groups | Covering, float]]  # a seed to the groups or the boxes of rows, and CPU seconds


@dataclass(frozen=True)
class Prepared:
    """A spec with its table, as far as `kanon run` has it before it clusters."""

    spec: Spec
    intake: Intake
    domains: dict[str, Domain]
    problem: Problem


def prepare(
    folder: Path,
    table: Path,
    columns: Mapping[str, Any],
    k: int,
    measure: str | Mapping[str, Any] = "lm",
    sensitive: Sequence[str] = (),
    promises: Mapping[str, Any] = MappingProxyType({}),
) -> Prepared:
    """Build the problem as `kanon run` does; `promises` are further keys of `privacy`."""
    path = write_spec(
        folder,
        input=str(table),
        output="out.csv",
        quasi_identifiers=columns,
        sensitive=list(sensitive),
        privacy={"k": k, **promises},
        measure=measure,
    )
    spec = parse(path)
    intake = take_in(spec, Silence())
    domains = build_domains(intake)
    return Prepared(spec, intake, domains, encoding.encode(domains, intake.secrets, spec.measure, spec.models))


@kernel
def total_price(costs: Costs, lo: Groups, hi: Groups, size: npt.NDArray[np.int64]) -> Any:
    """Add up what all rows cost, by closures lo and hi [column, group] and sizes [group]."""
    total = np.int64(0)
    for group in range(len(size)):
        total += price_all(costs, lo[:, group], hi[:, group]) * size[group]
    return total


def loss_of(problem: Problem, found: Groups | Covering) -> float:
    """The mean loss of a cell; groups that break the promise of k are refused."""
    if isinstance(found, Covering):
        check_boxes(problem, found)
        return loss_in(problem, closing.recode(problem.rank_of, found))
    size = np.bincount(found)
    if int(size.min()) < problem.aim.k:
        raise AssertionError(f"a group has {size.min()} rows, k is {problem.aim.k}")
    return loss_in(problem, closing.close(problem.rank_of, found))


def loss_in(problem: Problem, recoding: closing.Recoding) -> float:
    """The mean loss of a cell, whatever boxes rows are released as."""
    columns, rows = problem.rank_of.shape
    size = np.bincount(recoding.box_of)
    price: int = int(total_price(problem.costs, recoding.lo, recoding.hi, size))
    whole: int = int(problem.costs.unit) * rows * columns
    return price / whole


@cache
def ready(name: str, groups: bool = True) -> Algorithm:
    """An algorithm with its default options, its kernels compiled and loaded; `groups`: it has to make groups."""
    if name not in algorithms.TABLE:
        raise Unavailable(f"This version of kanon has no algorithm `{name}`.")
    algorithm = load(algorithms.TABLE, name, Algorithm)()
    if groups and algorithm.keeps != "k":
        raise Unavailable(f"The algorithm `{name}` makes no groups.")
    warmup.warm(name, lambda problem: algorithm.work(problem, Terms()))
    return algorithm


def timed(problem: Problem, algorithm: Algorithm, seed: int) -> tuple[Grouping | Covering, float]:
    """Let an algorithm work until it ends by itself; also gives the CPU seconds that it took."""
    started = time.process_time()
    found = algorithm.work(problem, Terms(seed))
    return found, time.process_time() - started


def to_the_end(problem: Problem, algorithm: Algorithm) -> Work:
    """Let an algorithm work until it ends by itself, whether it makes groups or a box for each row."""

    def work(seed: int) -> tuple[Groups | Covering, float]:
        found, spent = timed(problem, algorithm, seed)
        return found if isinstance(found, Covering) else found.group_of, spent

    return work


def recoded(problem: Problem, name: str, **options: Any) -> dict[str, float]:
    """What an algorithm that gives each row a box of its own loses, and the CPU seconds it took."""
    ready(name, groups=False)  # compiles what the default options need
    return mean_of(problem, to_the_end(problem, load(algorithms.TABLE, name, Algorithm)(**options)), [0])


def check_boxes(problem: Problem, found: Covering) -> None:
    """Refuse boxes that cover fewer than k rows, or not their own."""
    bench = recordwise.lay_out(problem)
    boxes = recordwise.enclose(bench, found.lo, found.hi)
    if not (boxes.low == found.lo.T).all() or not (boxes.high == found.hi.T).all():
        raise AssertionError("a box covers other rows than its cells say")
    if (found.lo > problem.rank_of).any() or (found.hi < problem.rank_of).any():
        raise AssertionError("a box does not cover its row")
    links = recordwise.link(bench, boxes)
    held = np.add.reduceat(bench.records.weight[links.point], links.start[:-1])
    if int(held.min()) < problem.aim.k:
        raise AssertionError(f"a box covers {held.min()} rows, k is {problem.aim.k}")


def run_for(problem: Problem, algorithm: Algorithm, seed: int, seconds: float) -> tuple[Groups, float]:
    """Let an algorithm that can stop at any time work for so many CPU seconds; also gives those it really took.

    This is the only place that knows how an algorithm is stopped: `spent` is asked now and then.
    """
    if not algorithm.anytime:
        raise Unavailable(f"The algorithm `{algorithm.name}` cannot be stopped after a time.")
    started = time.process_time()
    terms = Terms(seed, ENDLESS, spent=lambda: (time.process_time() - started) / seconds)
    grouping = algorithm.partition(problem, terms)
    return grouping.group_of, time.process_time() - started


def mean_of(problem: Problem, work: Work, seeds: Sequence[int]) -> dict[str, float]:
    """Loss and CPU seconds as means over the seeds, and how far the losses of several seeds differ."""
    losses, seconds = [], []
    for seed in seeds:
        found, cpu = work(seed)
        losses.append(loss_of(problem, found))
        seconds.append(cpu)
    spread = {"spread": max(losses) - min(losses)} if len(losses) > 1 else {}
    return {"loss": float(np.mean(losses)), **spread, "seeds": len(losses), "cpu_s": float(np.mean(seconds))}


def ended(problem: Problem, name: str, seeds: Sequence[int]) -> dict[str, float]:
    """What an algorithm of the table reaches by itself; one seed is enough for one that draws nothing."""
    algorithm = ready(name)
    return mean_of(problem, to_the_end(problem, algorithm), seeds if algorithm.randomized else seeds[:1])


def after(problem: Problem, name: str, seconds: float, setting: Setting) -> dict[str, float]:
    """What an algorithm of the table reaches after so many CPU seconds; long runs are not repeated."""
    algorithm = ready(name)
    seeds = setting.seeds if seconds <= 20 else setting.seeds[:1]
    return mean_of(problem, lambda seed: run_for(problem, algorithm, seed, setting.seconds(seconds)), seeds)
