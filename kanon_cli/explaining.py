"""Why a release loses what it loses: the same search, with little effort, on tables that differ in one thing."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_cli import bounding, closing, encoding, warmup
from kanon_cli.algorithms.base import Terms
from kanon_cli.algorithms.lns import Lns
from kanon_cli.compiling import compile_all, kernels_of
from kanon_cli.deepening import deepen
from kanon_cli.errors import DataError, Mistake
from kanon_cli.events import Observer
from kanon_cli.feasibility import check_feasible
from kanon_cli.intake import Intake, build_domains, take_in
from kanon_cli.models.base import Model
from kanon_cli.preparing import lower_bound
from kanon_cli.spec.model import Spec
from kanon_cli.tables.domains import Domain

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

FRONTIER = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
LEFT_OUT = (0.01, 0.02, 0.05, 0.1)  # shares of the rows
COMMONEST = 10  # a value is named only if so many rows have it, and k at the least
NAMED = 3  # values of a column that are named
BANDS = 5  # of the rows, where values lie on a line


@dataclass(frozen=True)
class Trial:
    """What a search has found: the mean loss of each column's cells, and of each row."""

    loss_of: dict[str, float]
    weight_of: dict[str, float]
    row_loss: FloatArray  # [row] by weight
    group_of: npt.NDArray[np.int32]  # [row]

    @property
    def loss(self) -> float:
        """The mean loss of a cell, each column by its weight."""
        return self.without(())

    def without(self, left_out: Sequence[str]) -> float:
        """The loss of the other columns."""
        names = [name for name in self.loss_of if name not in left_out]
        total = sum(self.weight_of[name] for name in names)
        return sum(self.weight_of[name] * self.loss_of[name] for name in names) / total if total else 0.0


@dataclass(frozen=True)
class Laboratory:
    """A table, and the terms on which it is searched again and again."""

    spec: Spec
    intake: Intake
    domains: Mapping[str, Domain]
    terms: Terms

    def models(self, k: int | None) -> tuple[Model, ...]:
        """The promises, with another k."""
        models = self.spec.models
        if k is None:
            return models
        return tuple(
            model.model_copy(update={"k": k}) if "k" in type(model).model_fields else model for model in models
        )

    def search(self, domains: Mapping[str, Domain], k: int | None = None) -> Trial:
        """Group the rows of these columns."""
        from kanon_cli.kernels.boxprices import price_boxes

        problem = encoding.encode(domains, self.intake.secrets, self.spec.measure, self.models(k))
        grouping = Lns().partition(problem, self.terms)
        recoding = closing.close(problem.rank_of, grouping.group_of)
        row_loss = np.zeros(problem.rows)
        loss_of, weight_of = {}, {}
        for at, (name, domain) in enumerate(domains.items()):
            ranks = np.arange(domain.ranks, dtype=np.int32)
            kept = price_boxes(problem.costs, at, ranks, ranks)  # not every measure keeps a cell for nothing
            boxes = price_boxes(problem.costs, at, recoding.lo[at], recoding.hi[at])
            lost = boxes[recoding.box_of] - kept[domain.rank_of]
            loss_of[name] = int(lost.sum()) / float(problem.costs.scale[at]) / problem.rows
            weight_of[name] = domain.kind.weight
            row_loss += lost / float(problem.costs.unit) / len(domains)
        return Trial(loss_of, weight_of, row_loss, grouping.group_of)

    def bound(self, k: int) -> float:
        """What any release with this k loses at least."""
        models = self.models(k)
        problem = encoding.encode(self.domains, self.intake.secrets, self.spec.measure, models)
        return lower_bound(problem, self.domains, models, self.spec.seed).loss


def explain(spec: Spec, effort: int, observer: Observer) -> dict[str, Any]:
    """Find out what the loss of a release comes from."""
    laboratory = _open(spec, effort, observer)
    if spec.privacy.notion != "k":
        observer.warn(f"what is explained are groups of k rows: {spec.privacy.notion} can lose less")
    observer.stage("explain")
    domains = laboratory.domains
    k = max(model.minimum_size for model in spec.models)
    ks = sorted({k, *(at for at in FRONTIER if 2 * at <= laboratory.intake.rows)})
    steps = 1 + len(domains) + len(ks)
    base = laboratory.search(domains)
    columns = []
    for done, name in enumerate(domains, start=1):
        observer.progress(done / steps, name)
        columns.append(_column(laboratory, base, name))
    frontier = []
    for done, at in enumerate(ks, start=1 + len(domains)):
        observer.progress(done / steps, f"k = {at}")
        trial = base if at == k else laboratory.search(domains, at)
        classes = int(trial.group_of.max()) + 1
        frontier.append({"k": at, "loss": trial.loss, "bound": laboratory.bound(at), "classes": classes})
    return {
        "measure": spec.measure.name,
        "k": k,
        "effort": effort,
        "rows": laboratory.intake.rows,
        "loss": base.loss,
        "columns": columns,
        "values": {name: by_value(domain, base.row_loss, max(k, COMMONEST)) for name, domain in domains.items()},
        "left_out": _left_out(base),
        "frontier": frontier,
    }


def _open(spec: Spec, effort: int, observer: Observer) -> Laboratory:
    observer.stage("read")
    intake = take_in(spec, observer)
    observer.stage("encode")
    domains = build_domains(intake)
    check_feasible(spec, intake)
    if not domains:
        raise DataError(Mistake("there are no quasi-identifiers"))
    kernels = (*kernels_of(Lns.name, spec.models), bounding.NAME)
    if any(map(warmup.needed, kernels)):
        observer.stage("compile")
        compile_all(kernels)
    threads = len(os.sched_getaffinity(0)) if spec.engine.threads == "auto" else spec.engine.threads
    return Laboratory(spec, intake, domains, Terms(seed=spec.seed, effort=effort, threads=threads))


def _column(laboratory: Laboratory, base: Trial, name: str) -> dict[str, Any]:
    """What a column costs the others, and what could be done about it."""
    domains = laboratory.domains
    others = base.without([name])
    whole = base.loss * sum(base.weight_of.values())
    found: dict[str, Any] = {
        "column": name,
        "loss": base.loss_of[name],
        "share": base.weight_of[name] * base.loss_of[name] / whole if whole else 0.0,
        "others": others,
        "others_without": None,
        "half_weight": None,
        "more_levels": None,
    }
    if len(domains) > 1:
        rest = {other: domain for other, domain in domains.items() if other != name}
        found["others_without"] = laboratory.search(rest).loss
        domain = domains[name]
        lighter = replace(domain, kind=replace(domain.kind, weight=domain.kind.weight / 2))
        trial = laboratory.search({**domains, name: lighter})
        found["half_weight"] = {"loss": trial.loss_of[name], "others": trial.without([name])}
    deeper = deepen(domains[name])
    if deeper is not None:
        trial = laboratory.search({**domains, name: deeper})
        found["more_levels"] = {"loss": trial.loss_of[name], "others": trial.without([name]), "all": trial.loss}
    return found


def by_value(domain: Domain, row_loss: FloatArray, fewest: int) -> list[dict[str, Any]]:
    """Which values go with a high loss of their rows: those of many rows by name, the others together.

    Where values lie on a line, about fifths of them in their order, without a value.
    """
    if domain.tree is None and not domain.kind.as_set:
        return _bands(domain, row_loss, fewest)
    rows = domain.rows_of
    lost = np.bincount(domain.rank_of, weights=row_loss, minlength=domain.ranks).astype(np.float64)
    common = np.flatnonzero(rows >= fewest)
    means = lost[common] / rows[common]
    found = [
        _entry(_name(domain, int(rank)), int(rows[rank]), float(lost[rank]))
        for rank in common[np.argsort(-means, kind="stable")][:NAMED]
    ]
    rare = np.flatnonzero((rows > 0) & (rows < fewest))
    if len(rare):
        said = f"{len(rare)} value{'s' * (len(rare) > 1)} of fewer than {fewest} rows each"
        found.append(_entry_of(said, rows[rare], lost[rare], fewest))
    return found


def _bands(domain: Domain, row_loss: FloatArray, fewest: int) -> list[dict[str, Any]]:
    """Part the values where that is nearest to fifths of the rows; rows with the same value are never parted."""
    rows = domain.rows_of
    lost = np.bincount(domain.rank_of, weights=row_loss, minlength=domain.ranks).astype(np.float64)
    present = domain.ranks - domain.has_missing
    before = np.concatenate([[0], np.cumsum(rows[:present])])  # rows of lower values, by rank
    wanted = np.arange(1, BANDS) * before[-1] / BANDS
    nearest = np.abs(before[:, None] - wanted).argmin(axis=0)
    found = []
    for low, high in pairwise(sorted({0, *nearest.tolist(), present})):
        start, end = (100 * before[at] / before[-1] for at in (low, high))
        said = f"{start:.3g}-{end:.3g} % of the values, from low to high"
        found.append(_entry_of(said, rows[low:high], lost[low:high], fewest))
    if domain.has_missing:
        found.append(_entry_of("(missing)", rows[present:], lost[present:], fewest))
    return found


def _entry_of(name: str, rows: IntArray, lost: FloatArray, fewest: int) -> dict[str, Any]:
    """A line about some values together."""
    together = int(rows.sum())
    return _entry(name, together, float(lost.sum()) if together >= fewest else None)


def _entry(name: str, rows: int, lost: float | None) -> dict[str, Any]:
    """A line about many rows; of a few, only how many they are is told."""
    return {"value": name, "rows": rows, "row_loss": None if lost is None else lost / rows}


def _name(domain: Domain, rank: int) -> str:
    return "(missing)" if domain.has_missing and rank == domain.ranks - 1 else domain.text[rank]


def _left_out(base: Trial) -> list[dict[str, Any]]:
    """What would be lost if the classes that lose most a row were left out: the others stay as they are."""
    rows, whole = len(base.row_loss), float(base.row_loss.sum())
    sizes = np.bincount(base.group_of)
    lost = np.bincount(base.group_of, weights=base.row_loss)
    order = np.argsort(-lost / sizes, kind="stable")
    rows_out, lost_out = np.cumsum(sizes[order]), np.cumsum(lost[order])
    counts = {int(np.searchsorted(rows_out, share * rows, side="right")) for share in LEFT_OUT}
    found = []
    for classes in sorted(counts - {0, len(order)}):
        out, gone = int(rows_out[classes - 1]), float(lost_out[classes - 1])
        loss = (whole - gone) / (rows - out)
        share = gone / whole if whole else 0.0
        found.append({"rows": out, "classes": classes, "share_of_loss": share, "loss": loss})
    return found
