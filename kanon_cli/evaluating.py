"""What a release is good for: what can be learned from it, beside what can be learned from the original."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from kanon_cli import pipeline
from kanon_cli.audit.reading import read
from kanon_cli.errors import DataError, Mistake, SpecError, did_you_mean
from kanon_cli.events import Observer
from kanon_cli.intake import Intake, take_in
from kanon_cli.mining.classifiers import CLASSIFIERS, cross_validate, lost, require_sklearn
from kanon_cli.mining.features import View, features, items, of_original, of_release
from kanon_cli.mining.rules import Rules, find, hold_against
from kanon_cli.spec.model import Output, Spec
from kanon_cli.spec.tables import null_text
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.read import read_release

IntArray = npt.NDArray[np.int64]

MOST_CLASSES = 50
FIGURES = ("accuracy", "auc")


@dataclass(frozen=True)
class Terms:
    """How it is evaluated."""

    target: str
    folds: int
    rows: int  # drawn at random, if there are more
    seed: int


@dataclass(frozen=True)
class Side:
    """The original or a release, as classifiers and rules see it: rows whose class is known and frequent enough."""

    views: dict[str, View]
    class_of: IntArray  # [row]
    rows: IntArray  # [row] of the table


def choose_target(spec: Spec, wanted: str | None) -> str:
    """The column whose values are to be learned: one that is released as it is."""
    known = [*spec.sensitive, *spec.keep]
    if wanted is None and known:
        return known[0]
    if wanted in known:
        return str(wanted)
    what = "there is no column to learn" if wanted is None else f"{wanted!r} is not released as it is"
    hint = did_you_mean(wanted or "", known) or "name the column under `sensitive` or `keep`"
    raise SpecError(Mistake(what, where="--target", expected=" | ".join(known) or None, hint=hint))


def seen_by(spec: Spec, target: str) -> str | None:
    """What looked at the target's values, those of all rows, when groups were formed; None: nothing did."""
    is_first = target == next(iter(spec.sensitive), None)  # of several, costs depend on the first one
    if is_first and ((spec.measure.by_secret and spec.measure.mi_share < 1) or spec.algorithm.by_label):
        return "cost"
    return "promise" if any(target in model.about for model in spec.models) else None


def evaluate(specs: Sequence[Spec], terms: Terms, observer: Observer) -> dict[str, Any]:
    """Make the release of each spec (they differ in the measure only), and learn from each and from the original."""
    require_sklearn()
    intake = take_in(specs[0], observer)
    classes = _classes(intake.columns[terms.target], terms)
    found: dict[str, Any] = {}
    releases = []
    for spec in specs:
        report, released = _release(spec, observer)
        observer.stage("learn")
        readings = read(released, intake.columns, intake.kinds, "interval")
        if not found:
            views = {name: of_original(reading, intake.columns[name]) for name, reading in readings.items()}
            original = _side(views, classes[intake.columns[terms.target].code_of], terms)
            rules = _rules(original, len(set(classes[classes >= 0])))
            found = _begin(spec, intake, terms, original, observer)
        code_of = {text: code for code, text in enumerate(intake.columns[terms.target].text.to_pylist())}
        own = released[terms.target]
        translated = np.array([*(code_of[text] for text in own.text.to_pylist()), -1], dtype=np.int64)
        release = _side(
            {name: of_release(reading) for name, reading in readings.items()},
            classes[translated[own.code_of]],
            terms,
        )
        seen = seen_by(spec, terms.target)
        learned = _learn(original, release, found, terms, observer)
        releases.append(
            {
                "measure": spec.measure.name,
                "loss": report["utility"][spec.measure.name],
                "target_seen_by": seen,
                "classifiers": _without_lost(learned) if seen == "cost" else learned,
                "rules": hold_against(rules, _rules(release, len(found["classes"]))),
            }
        )
    return {**found, "releases": releases}


def _classes(column: TextColumn, terms: Terms) -> IntArray:
    """[code] the class of a value, the last for missing; -1 for what too few rows have to be learned."""
    rows = np.bincount(column.code_of[column.code_of >= 0], minlength=len(column.text))
    frequent = np.flatnonzero(rows >= 2 * terms.folds)
    if not 2 <= len(frequent) <= MOST_CLASSES:
        what = f"{len(frequent)} different values are frequent enough to be learned"
        hint = f"a target has 2 to {MOST_CLASSES} values of at least {2 * terms.folds} rows each"
        raise DataError(Mistake(what, where="--target", path=terms.target, hint=hint))
    class_of = np.full(len(rows) + 1, -1, dtype=np.int64)
    class_of[frequent] = np.arange(len(frequent))
    return class_of


def _release(spec: Spec, observer: Observer) -> tuple[dict[str, Any], dict[str, TextColumn]]:
    """Make a release in a folder that is gone afterwards, and read it as its reader would."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "release.parquet"
        output = Output(path=str(target), order="input")
        run = pipeline.run(spec.model_copy(update={"output": output, "limits": {}}), observer)
        null_values = (*spec.input.null_values, null_text(spec.input.null_values))
        _, released = read_release(target, target, null_values)
    return run.report.model_dump(), released


def _side(views: dict[str, View], class_of: IntArray, terms: Terms) -> Side:
    """Take the rows that have a class, or as many of them as are wanted, drawn at random."""
    rows = np.flatnonzero(class_of >= 0)
    if len(rows) > terms.rows:
        rows = np.sort(np.random.default_rng(terms.seed).choice(rows, terms.rows, replace=False))
    chosen = {name: View(view.reading, view.cell_of[rows], view.reach, view.bounds) for name, view in views.items()}
    return Side(chosen, class_of[rows], rows)


def _rules(side: Side, classes: int) -> Rules:
    item_of, column_of = items(side.views)
    return find(item_of, column_of, side.class_of, classes)


def _begin(spec: Spec, intake: Intake, terms: Terms, original: Side, observer: Observer) -> dict[str, Any]:
    """What can be learned from the original."""
    matrix = features(original.views)
    sizes = np.bincount(original.class_of)
    scores = {}
    for done, name in enumerate(CLASSIFIERS):
        observer.progress(done / len(CLASSIFIERS), f"{name}, original")
        score = cross_validate(name, matrix, matrix, original.class_of, terms.folds, terms.seed)
        scores[name] = score.as_json()
    return {
        "target": terms.target,
        "k": max(model.minimum_size for model in spec.models),
        "rows": intake.rows,
        "learned_rows": len(original.rows),
        "folds": terms.folds,
        "classes": [int(size) for size in sizes],
        "chance": {"accuracy": float(sizes.max() / sizes.sum()), "auc": 0.5},
        "original": scores,
    }


def _learn(original: Side, release: Side, found: Mapping[str, Any], terms: Terms, observer: Observer) -> dict[str, Any]:
    """What can be learned from a release, asked about cells like its own, and about those of the original."""
    exact, coarse = features(original.views), features(release.views)
    is_aligned = np.array_equal(original.rows, release.rows) and np.array_equal(original.class_of, release.class_of)
    result = {}
    for done, name in enumerate(CLASSIFIERS):
        observer.progress(done / len(CLASSIFIERS), f"{name}, release")
        own = cross_validate(name, coarse, coarse, release.class_of, terms.folds, terms.seed)
        entry: dict[str, Any] = own.as_json()
        for figure in FIGURES:
            before, after = found["original"][name][figure], entry[figure]
            entry[f"{figure}_lost"] = lost(before, after, found["chance"][figure])
        entry["on_original"] = None
        if is_aligned:  # without suppressed rows, the same rows can be asked about
            entry["on_original"] = cross_validate(
                name, coarse, exact, release.class_of, terms.folds, terms.seed
            ).as_json()
        result[name] = entry
    return result


def _without_lost(learned: Mapping[str, Any]) -> dict[str, Any]:
    """Say nothing of what is lost where cells hint at the answers of the rows that are asked about."""
    return {name: {**entry, **{f"{figure}_lost": None for figure in FIGURES}} for name, entry in learned.items()}
