"""All that can be found out about a finished table, in one look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from kanon_cli.audit.gather import gather
from kanon_cli.audit.judge import judge
from kanon_cli.audit.linking import MOST_LINKS, find_links
from kanon_cli.audit.losses import footprints
from kanon_cli.audit.reading import Numeric, released_names
from kanon_cli.audit.truth import Truth, check_rows, check_sets
from kanon_cli.audit.utility import Utility, measure_all
from kanon_cli.measures.base import CellMeasure
from kanon_cli.models.base import Model, Notion, Verdict
from kanon_cli.models.evidence import Evidence
from kanon_cli.models.k import smallest_class
from kanon_cli.tables.columns import TextColumn
from kanon_cli.tables.kinds import Kind

IDENTIFIERS = "absence of identifiers"
TRUTH = "truthfulness"


@dataclass(frozen=True)
class Subject:
    """A finished table, and which of its columns say what."""

    columns: Mapping[str, TextColumn]
    kinds: Mapping[str, Kind | None]  # by quasi-identifier; None: to be guessed
    sensitive: Sequence[str]
    numeric: Numeric = "interval"
    forbidden: Sequence[str] = ()  # columns that must not be there

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


@dataclass(frozen=True)
class AttributeFinding:
    """One quasi-identifier before and after."""

    loss: float | None
    distinct_in: int
    distinct_out: int
    suppressed: int
    missing: int


@dataclass(frozen=True)
class Finding:
    """What a look at a finished table has shown."""

    evidence: Evidence
    verdicts: tuple[Verdict, ...]
    truth: Truth | None = None
    utility: Utility | None = None
    attributes: Mapping[str, AttributeFinding] | None = None
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
    original: Original | None = None,
    attack: bool = False,
) -> Finding:
    """Find the classes anew, judge them, and hold the cells against the original if there is one.

    Which rows could be whose is found where a notion is promised that asks it, and where an attack is wanted.
    """
    evidence = gather(subject.columns, subject.quasi_identifiers, subject.sensitive)
    is_promised = any(isinstance(model, Notion) for model in models)
    if original is not None and (attack or is_promised):
        tables = (subject.columns, original.columns, subject.kinds, subject.numeric, original.witness)
        evidence = replace(evidence, links=find_links(*tables, None if is_promised else MOST_LINKS))
    verdicts = judge(evidence, models)
    if subject.forbidden:
        found = [name for name in subject.forbidden if name in subject.columns]
        verdicts.append(Verdict(IDENTIFIERS, ", ".join(found) or None, 1, float(not found), not found))
    if original is None:
        return Finding(evidence, tuple(verdicts))
    truth = _check_truth(subject, original)
    verdicts.append(Verdict(TRUTH, None, 1, float(truth.holds), truth.holds))
    covered = footprints(subject.columns, original.columns, subject.kinds, subject.numeric, original.witness)
    k = max((model.minimum_size for model in models), default=smallest_class(evidence))
    utility = measure_all(covered, evidence, k, objective)
    attributes = {name: _compare(subject, original, name, utility.by_column[name]) for name in subject.kinds}
    guessed = any(subject.kinds.get(column) is None for column in truth.not_understood)
    return Finding(evidence, tuple(verdicts), truth, utility, attributes, guessed)


def _check_truth(subject: Subject, original: Original) -> Truth:
    tables = (subject.columns, original.columns, subject.kinds, original.plain)
    if original.witness is not None:
        return check_rows(*tables, original.witness, subject.numeric)
    truth = check_sets(*tables, subject.numeric)
    if not original.invented:
        return truth
    found = f"columns that the original doesn't have: {', '.join(original.invented)}"
    return replace(truth, holds=False, findings=(found, *truth.findings))


def _compare(subject: Subject, original: Original, name: str, loss: float | None) -> AttributeFinding:
    """Count what became of one quasi-identifier."""
    before = original.columns[name]
    after = [subject.columns[column] for column in subject.names_of(name)]
    stars = [code for code, text in enumerate(after[0].text.to_pylist()) if text == "*"]
    suppressed = int(np.isin(after[0].code_of, stars).sum())
    kind = subject.kinds[name]
    if subject.numeric != "interval" and kind is not None and kind.type == "numeric":
        suppressed = after[0].missing  # numbers have no "*": what covers a missing value is missing
    cells = np.unique(np.stack([column.code_of for column in after]), axis=1).shape[1]
    return AttributeFinding(loss, len(before.text) + bool(before.missing), cells, suppressed, before.missing)
