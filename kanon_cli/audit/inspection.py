"""All that can be found out about a finished table, in one look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.bins import Binned, bin_column, means_of, pairs_told
from kanon_cli.audit.breakdown import Part, by_group, by_size
from kanon_cli.audit.divergence import divergence
from kanon_cli.audit.gather import gather, group, row_count
from kanon_cli.audit.judge import judge, size_bins
from kanon_cli.audit.lack import Lack, lack_of
from kanon_cli.audit.linking import MOST_LINKS, find_links
from kanon_cli.audit.losses import Trace, footprints, left_out_rows
from kanon_cli.audit.portions import View, private_of
from kanon_cli.audit.precision import precision
from kanon_cli.audit.reading import Numeric, released_names
from kanon_cli.audit.truth import Truth, check_rows, check_sets, witness_fault
from kanon_cli.audit.utility import Utility, measure_all
from kanon_cli.measures.base import CellMeasure
from kanon_cli.models.base import Model, Notion, Verdict
from kanon_cli.models.evidence import Evidence
from kanon_cli.models.k import smallest_class
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Kind, Meaning

IntArray = npt.NDArray[np.int64]

IDENTIFIERS = "absence of identifiers"
TRUTH = "truthfulness"
SUPPRESSION = "suppression"


@dataclass(frozen=True)
class Subject:
    """A finished table, and which of its columns say what."""

    columns: Mapping[str, TextColumn]
    kinds: Mapping[str, Kind | None]  # by quasi-identifier; None: to be guessed
    sensitive: Sequence[str]
    numeric: Numeric = "interval"
    forbidden: Sequence[str] = ()  # columns that must not be there
    meanings: Mapping[str, Meaning] = field(default_factory=dict)  # by sensitive column: what values are; else names
    unit_of: npt.NDArray[np.int64] | None = None  # [row] whose row it is, where that is known
    joint: bool = False  # sensitive columns are also looked at together
    fairness: str | None = None  # the column by whose values the loss is told

    def names_of(self, name: str) -> tuple[str, ...]:
        """The columns that hold a quasi-identifier."""
        return released_names(name, self.kinds[name], self.numeric)

    @property
    def quasi_identifiers(self) -> list[str]:
        """All columns that tell classes apart."""
        return [column for name in self.kinds for column in self.names_of(name)]


@dataclass(frozen=True)
class Original:
    """The table that a release was made from."""

    columns: Mapping[str, TextColumn]
    plain: Sequence[str]  # released as they are
    witness: npt.NDArray[np.int64] | None = None  # [released row] -> original row, where the maker says so
    invented: Sequence[str] = ()  # columns of the release that are not in the original
    most_left_out: int | None = None  # rows that the release may lack, where that is promised


@dataclass(frozen=True)
class AttributeFinding:
    """One quasi-identifier before and after."""

    loss: float | None
    distinct_in: int
    distinct_out: int
    suppressed: int
    missing: int
    precision: list[dict[str, float]] | None  # rows by the share of the domain that their cell spans
    counts_in: list[int] | None
    counts_out: list[float] | None
    means: tuple[float, float] | None


@dataclass(frozen=True)
class Finding:
    """What a look at a finished table has shown."""

    evidence: Evidence
    verdicts: tuple[Verdict, ...]
    truth: Truth | None = None
    utility: Utility | None = None
    attributes: Mapping[str, AttributeFinding] | None = None
    lack: Lack | None = None  # the rows that were left out, if there are any
    by_size: Mapping[str, Part] | None = None
    by_group: Sequence[Part] | None = None  # of the column that was chosen
    pairs: Mapping[str, Mapping[str, tuple[float, float]]] | None = None  # of columns: information before and after
    guessed: bool = False  # cells of columns without a kind were not understood

    @property
    def truthful(self) -> bool | None:
        """Whether every cell covers its original; None without an original, or if that can't be told of all cells."""
        if self.truth is None or (self.guessed and not self.truth.holds):
            return None
        return None if self.truth.holds and self.truth.unchecked else self.truth.holds


def inspect(
    subject: Subject,
    models: Sequence[Model],
    objective: CellMeasure,
    original: Original | None,
    attack: bool = False,
    notions: bool = False,
) -> Finding:
    """Find the classes anew, judge them, and hold the cells against the original if there is one.

    Which rows could be whose is found where a notion is promised that asks it, or notions are asked for, and where an
    attack is wanted.
    """
    gathered = gather(subject.columns, subject.quasi_identifiers, subject.sensitive, subject.meanings)
    evidence = replace(gathered, unit_of=subject.unit_of, joint=subject.joint)
    is_promised = notions or any(isinstance(model, Notion) for model in models)
    if original is not None and (attack or is_promised):
        tables = (subject.columns, original.columns, subject.kinds, subject.numeric, original.witness)
        most = None if is_promised else MOST_LINKS
        evidence = replace(evidence, links=find_links(*tables, most, subject.unit_of))
    verdicts = judge(evidence, models)
    if subject.forbidden:
        found = [name for name in subject.forbidden if name in subject.columns]
        verdicts.append(Verdict(IDENTIFIERS, ", ".join(found) or None, 1, float(not found), not found))
    if original is None:
        return Finding(evidence, tuple(verdicts))
    truth = _check_truth(subject, original)
    verdicts.append(Verdict(TRUTH, None, 1, float(truth.holds), truth.holds))
    left_out = max(row_count(original.columns) - evidence.rows, 0)
    if original.most_left_out is not None and (left_out or original.most_left_out):
        kept = left_out <= original.most_left_out
        verdicts.append(Verdict(SUPPRESSION, None, original.most_left_out, left_out, kept, at_most=True))
    k = max((model.minimum_size for model in models), default=smallest_class(evidence))
    witness = _witness(subject, original, truth)
    view = _view(subject, original, evidence, k, witness)
    utility = measure_all(view, objective)
    known = {name: trace for name, trace in view.traces.items() if trace is not None}
    binned = {name: bin_column(trace, k) for name, trace in known.items()}
    attributes = {
        name: _compare(subject, original, name, utility.by_column[name], precision(view.whole.columns.get(name)))
        for name in subject.kinds
    }
    for name, trace in known.items():
        attributes[name] = _count(attributes[name], trace, binned[name])
    group_of = _groups(subject, original, binned, witness)
    return Finding(
        evidence,
        tuple(verdicts),
        truth,
        utility,
        attributes,
        lack_of(subject.columns, original.columns, subject.sensitive, subject.meanings),
        by_size(view, objective, list(size_bins(int(evidence.sizes.max())))),
        None if group_of is None else by_group(view, objective, group_of),
        pairs_told(binned, evidence.class_of),
        any(subject.kinds.get(column) is None for column in truth.not_understood),
    )


def _witness(subject: Subject, original: Original, truth: Truth) -> IntArray | None:
    """[row] the original row that it comes from; None if nobody knows."""
    rows, originals = row_count(subject.columns), row_count(original.columns)
    witness = np.arange(rows) if truth.how == "rows" else original.witness
    return None if witness is None or witness_fault(witness, rows, originals) else witness


def _groups(
    subject: Subject, original: Original, binned: Mapping[str, Binned], witness: IntArray | None
) -> IntArray | None:
    """[row] the value, or the bin of the number, by which the loss is told; None if nobody knows whose it is.

    First the rows of the release, then those that were left out.
    """
    name = subject.fairness
    if name is None:
        return None
    if name in original.plain:
        return private_of(subject.columns[name], original.columns[name], witness).code_of
    if name not in subject.kinds or witness is None:
        return None
    source_of = np.append(witness, left_out_rows(witness, row_count(original.columns)))
    kind = subject.kinds[name]
    if kind is not None and kind.metric and name in binned:
        return binned[name].bin_of[source_of]
    return original.columns[name].code_of[source_of].astype(np.int64)


def _count(found: AttributeFinding, trace: Trace, binned: Binned) -> AttributeFinding:
    """Add what a reader would count."""
    after = [round(rows, 3) for rows in binned.after.tolist()]
    return replace(found, counts_in=binned.before.tolist(), counts_out=after, means=means_of(trace))


def _view(subject: Subject, original: Original, evidence: Evidence, k: int, witness: IntArray | None) -> View:
    """What measures look at: the cells, and the first sensitive column."""
    traces = footprints(subject.columns, original.columns, subject.kinds, subject.numeric, original.witness)
    private = None
    if subject.sensitive and subject.sensitive[0] in original.columns:
        name = subject.sensitive[0]
        private = private_of(subject.columns[name], original.columns[name], witness)
    suppressed = max(row_count(original.columns) - evidence.rows, 0)
    known = [trace for trace in traces.values() if trace is not None]
    bits = divergence(known, evidence.class_of, suppressed) if len(known) == len(traces) else None
    return View(traces, evidence, k, suppressed, private, bits)


def _check_truth(subject: Subject, original: Original) -> Truth:
    tables = (subject.columns, original.columns, subject.kinds, original.plain)
    if original.witness is not None:
        return check_rows(*tables, original.witness, subject.numeric)
    truth = check_sets(*tables, subject.numeric)
    if not original.invented:
        return truth
    found = f"columns that the original doesn't have: {', '.join(original.invented)}"
    return replace(truth, holds=False, findings=(found, *truth.findings))


def _compare(
    subject: Subject, original: Original, name: str, loss: float | None, exactness: list[dict[str, float]] | None
) -> AttributeFinding:
    """Count what became of one quasi-identifier."""
    before = original.columns[name]
    after = [subject.columns[column] for column in subject.names_of(name)]
    stars = [code for code, text in enumerate(after[0].text.to_pylist()) if text == "*"]
    suppressed = int(np.isin(after[0].code_of, stars).sum())
    kind = subject.kinds[name]
    if subject.numeric != "interval" and kind is not None and kind.type == "numeric":
        suppressed = after[0].missing  # numbers have no "*": what covers a missing value is missing
    cells = int(group([column.code_of for column in after], row_count(subject.columns)).max(initial=-1)) + 1
    distinct = len(before.text) + bool(before.missing)
    return AttributeFinding(loss, distinct, cells, suppressed, before.missing, exactness, None, None, None)
