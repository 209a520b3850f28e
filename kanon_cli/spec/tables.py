"""What a spec says of its table, ready for use: how it is written, and what its columns are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kanon_cli.errors import Mistake, SpecError
from kanon_cli.spec.model import QuasiIdentifier, Spec
from kanon_cli.tables.kinds import Kind, Meaning
from kanon_cli.tables.sources import Layout, layout_for
from kanon_cli.tables.taxonomy_files import load


def layout_of(spec: Spec, path: Path) -> Layout:
    """How a table that the spec speaks of is written."""
    source = spec.input
    return layout_for(path, source.format, source.delimiter, source.quote, source.encoding, source.null_values)


def null_text(null_values: Sequence[str]) -> str:
    """How a missing value is written in text: empty if that means missing in the input, else as listed first."""
    return "" if "" in null_values or not null_values else null_values[0]


def load_kinds(spec: Spec) -> dict[str, Kind]:
    """The kinds of the quasi-identifiers, their taxonomies loaded; all that is wrong with those is said at once."""
    kinds: dict[str, Kind] = {}
    mistakes: list[Mistake] = []
    for name, column in spec.quasi_identifiers.items():
        try:
            kinds[name] = _kind(spec, column)
        except SpecError as error:
            mistakes.extend(error.mistakes)
    if mistakes:
        raise SpecError(*dict.fromkeys(mistakes))
    return kinds


def forbidden(spec: Spec) -> tuple[str, ...]:
    """The columns that are never released."""
    unit = spec.privacy.unit
    return spec.identifiers if unit is None or unit in spec.identifiers else (*spec.identifiers, unit)


def load_meanings(spec: Spec) -> dict[str, Meaning]:
    """What the values of the sensitive columns are."""
    return {
        name: Meaning(
            Kind(
                type=column.type,
                taxonomy=load(spec.locate(column.taxonomy)) if column.taxonomy else None,
                file=column.taxonomy,
            ),
            column.bins or (),
        )
        for name, column in spec.meanings.items()
    }


def _kind(spec: Spec, column: QuasiIdentifier) -> Kind:
    source = column.taxonomy
    file = source.file if source else None
    return Kind(
        type=column.type,
        taxonomy=load(spec.locate(file)) if file else None,
        file=file,
        mask=source.mask if source else None,
        intervals=source.intervals or () if source else (),
        calendar=source.calendar if source else False,
        as_set=column.generalize == "set",
        weight=column.weight,
    )
