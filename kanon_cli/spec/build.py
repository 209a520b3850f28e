"""The parts of a spec, built from their names and options."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from pydantic import ValidationError

from kanon_cli import algorithms, backends, measures, models, parts
from kanon_cli.algorithms.base import IMPLIED, Algorithm
from kanon_cli.backends.base import Backend
from kanon_cli.composing import Value, ValuePath
from kanon_cli.errors import suggest
from kanon_cli.measures.base import CellMeasure, Measure
from kanon_cli.models.base import Model, Notion, SecretModel
from kanon_cli.models.evidence import JOINT
from kanon_cli.models.k import K
from kanon_cli.parts import Part
from kanon_cli.spec import words
from kanon_cli.spec.later import LATER_NAMES, NOT_YET
from kanon_cli.spec.model import Engine
from kanon_cli.spec.privacy import Beta, Delta, Diversity, Privacy
from kanon_cli.spec.source import Source
from kanon_cli.spec.written import WrittenEngine

P = TypeVar("P", bound=Part)


def build_models(privacy: Privacy, sensitive: tuple[str, ...]) -> tuple[Model, ...]:
    """The promises."""
    columns = (*sensitive, JOINT.join(sensitive)) if privacy.joint and len(sensitive) > 1 else sensitive
    beta, delta = privacy.beta or Beta(), privacy.delta or Delta()
    asked: list[tuple[str, dict[str, object]]] = [
        ("l", {"l": privacy.l}),
        ("alpha", {"alpha": privacy.alpha}),
        ("t", {"t": privacy.t}),
        ("beta", {"beta": beta.basic}),
        ("beta", {"beta": beta.enhanced, "enhanced": True}),
        ("delta", {"delta": delta.strict}),
        ("delta", {"delta": delta.present, "present": True}),
    ]
    notion: type[K] | type[Notion] = parts.load(models.TABLE, "k", K)
    if privacy.notion != "k":
        notion = parts.load(models.TABLE, models.NOTIONS[privacy.notion], Notion)
    promises: list[Model] = [notion(k=privacy.k)]
    for name, options in asked:
        if None not in options.values():
            promises.append(parts.load(models.TABLE, name, SecretModel).model_validate({**options, "columns": columns}))
    by_column = privacy.diversity if isinstance(privacy.diversity, dict) else {}
    for names, diversity in ((columns, privacy.diversity), *(((name,), by_column[name]) for name in by_column)):
        if isinstance(diversity, Diversity):
            promises += _diversities(diversity, names)
    return tuple(promises)


def _diversities(diversity: Diversity, columns: tuple[str, ...]) -> Iterator[Model]:
    """The further kinds of l-diversity."""
    recursive = diversity.recursive
    asked: dict[str, dict[str, object]] = {
        "distinct": {"l": diversity.distinct},
        "entropy": {"l": diversity.entropy},
        "recursive": {"c": recursive and recursive.c, "l": recursive and recursive.l},
    }
    for name, options in asked.items():
        if None not in options.values():
            yield parts.load(models.TABLE, name, SecretModel).model_validate({**options, "columns": columns})


def minimisable() -> list[str]:
    """The names of the measures that can be minimised."""
    return [name for name in measures.TABLE if issubclass(parts.load(measures.TABLE, name, Measure), CellMeasure)]


def build_measure(source: Source) -> CellMeasure | None:
    """The measure that is minimised; None if there is something wrong with it."""
    name = _name(source, ("measure", "name"), "lm")
    if name in measures.TABLE and name not in minimisable():
        what = "cannot be minimised; it is a figure of the report"
        source.complain(("measure", "name"), what, expected=" | ".join(minimisable()))
        return None
    if not _is_known(source, ("measure", "name"), name, measures.TABLE, minimisable(), "measure"):
        return None
    part = parts.load(measures.TABLE, name, CellMeasure)
    return _build(source, ("measure",), part, _options(source, ("measure",), ("name",)))


def build_algorithm(source: Source) -> Algorithm | None:
    """The algorithm; None if there is something wrong with it."""
    name = _name(source, ("algorithm", "name"), "auto")
    known = ["auto", *algorithms.TABLE]
    if name != "auto" and not _is_known(source, ("algorithm", "name"), name, algorithms.TABLE, known, "algorithm"):
        return None
    notion = _name(source, ("privacy", "notion"), "k")
    if name == "auto":
        name = algorithms.AUTO_OF.get(notion, algorithms.AUTO)
    part = parts.load(algorithms.TABLE, name, Algorithm)
    if notion in IMPLIED and name not in keeping(notion):
        what = f"keeps {part.keeps}, which is less than {notion}"
        hint = f"set privacy.notion: {part.keeps}" if notion == "k" else None
        source.complain(("algorithm", "name"), what, expected=" | ".join(keeping(notion)), hint=hint)
        return None
    options = _options(source, ("algorithm",), ("name",))
    if _name(source, ("algorithm", "name"), "auto") == "auto":
        _complain_without_a_name(source, [key for key in options if key not in part.model_fields])
    return _build(source, ("algorithm",), part, options)


def _complain_without_a_name(source: Source, keys: Iterable[str]) -> None:
    """Note options that only algorithms have which the spec does not name."""
    fields_of = {name: parts.load(algorithms.TABLE, name, Algorithm).model_fields for name in algorithms.TABLE}
    for key in keys:
        having = [name for name, fields in fields_of.items() if key in fields]
        if having:
            what = "is an option of algorithms that have to be named"
            source.complain(("algorithm", key), what, hint=f"`name` is missing: {' | '.join(having)}", at_key=True)


def keeping(notion: str) -> list[str]:
    """The names of the algorithms whose releases keep a notion of anonymity."""
    table = algorithms.TABLE
    return [name for name in table if notion in IMPLIED[parts.load(table, name, Algorithm).keeps]]


def build_backend(source: Source) -> Backend | None:
    """The backend; its options are those keys of `engine` that are not every backend's."""
    name = _name(source, ("engine", "backend"), "local")
    if not _is_known(source, ("engine", "backend"), name, backends.TABLE, list(backends.TABLE), "backend"):
        return None
    part = parts.load(backends.TABLE, name, Backend)
    common = tuple(WrittenEngine.model_fields)
    return _build(source, ("engine",), part, _options(source, ("engine",), common), common)


def build_engine(written: WrittenEngine) -> Engine:
    """What holds for every backend."""
    return Engine(threads=written.threads, shard_rows=written.shard_rows, memory=written.memory)


def _name(source: Source, path: ValuePath, default: str) -> str:
    name = source.get(path)
    return name if isinstance(name, str) and name else default


def _options(source: Source, path: ValuePath, but: tuple[str, ...]) -> dict[str, Value]:
    written = source.get(path)
    options = written if isinstance(written, dict) else {}
    return {key: value for key, value in options.items() if key not in but}


def _is_known(
    source: Source, path: ValuePath, name: str, table: Mapping[str, str], known: list[str], family: str
) -> bool:
    if name in table:
        return True
    later = name in LATER_NAMES[family]
    near = None if later else suggest(name, known)
    hint = f"did you mean {near}?" if near else None
    source.complain(path, NOT_YET if later else "is not known", expected=" | ".join(known), hint=hint)
    return False


def _build(
    source: Source, path: ValuePath, part: type[P], options: dict[str, Value], common: Iterable[str] = ()
) -> P | None:
    try:
        return part.model_validate(options)
    except ValidationError as error:
        schema = part.model_json_schema()
        schema["properties"] = {**schema.get("properties", {}), **{key: {} for key in common}}
        words.report(source, error, schema, path)
        return None
