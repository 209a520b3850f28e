"""A spec file to a Spec, or to everything that is wrong with it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from kanon_cli import documents
from kanon_cli.errors import KanonError, Mistake, SpecError
from kanon_cli.spec import build, fit, later, words
from kanon_cli.spec.model import Settings, Spec
from kanon_cli.spec.overrides import Override, read_set
from kanon_cli.spec.source import Source, open_source
from kanon_cli.spec.written import Written


def parse(
    path: Path,
    sets: Sequence[str] = (),
    environ: Mapping[str, str] | None = None,
    need_output: bool = True,
    output: str | None = None,
    report: str | None = None,
) -> Spec:
    """Read a spec; `sets` are texts of --set, `output` and `report` paths from the current directory.

    Everything that is wrong is said at once, in one SpecError; only a text that is not YAML hides the rest.
    """
    data = documents.fetch(path, documents.LARGEST_FILE)
    document = documents.read_text(documents.decode(data, str(path)), str(path))
    overrides, mistakes = _read_overrides(sets, output, report)
    source = open_source(document, overrides, os.environ if environ is None else environ)
    source.add(mistakes)
    later.refuse(source)
    written = _typed(source)
    fit.check(source, need_output)
    built = _built(source)
    source.raise_if_wrong()
    if written is None:  # pydantic found something and no mistake came of it
        raise KanonError(Mistake("the spec was refused without a reason", where=str(path)))
    common = {name: getattr(written, name) for name in Settings.model_fields}
    sensitive = tuple(written.sensitive)
    common |= {"sensitive": sensitive, "meanings": written.sensitive if isinstance(written.sensitive, dict) else {}}
    return Spec(
        source=path.absolute(),
        given=frozenset(written.model_fields_set),
        sha256=_checksum(data, sets),
        models=build.build_models(written.privacy, sensitive),
        engine=build.build_engine(written.engine),
        **built,
        **common,
    )


def _read_overrides(
    sets: Sequence[str], output: str | None, report: str | None
) -> tuple[list[Override], list[Mistake]]:
    overrides: list[Override] = []
    mistakes: list[Mistake] = []
    for text in sets:
        try:
            overrides.append(read_set(text))
        except SpecError as error:
            mistakes += error.mistakes
    for key, path in (("path", output), ("report", report)):
        if path is not None:
            label = "--output" if key == "path" else "--report"
            absolute = str(Path(path).absolute()) if path else path  # "" would become the current directory
            plain = absolute.replace("${", "$${")  # the shell has put its variables in already
            overrides.append(Override(("output", key), plain, label))
    return overrides, mistakes


def _checksum(data: bytes, sets: Sequence[str]) -> str:
    """That of the file; the texts of --set count if there are any."""
    return hashlib.sha256(data + "".join(f"\0{text}" for text in sets).encode(errors="surrogateescape")).hexdigest()


@cache
def _schema() -> dict[str, Any]:
    return Written.model_json_schema()


def _typed(source: Source) -> Written | None:
    try:
        return Written.model_validate(source.spec)
    except ValidationError as error:
        words.report(source, error, _schema())
        return None


def _built(source: Source) -> dict[str, Any]:
    measure = build.build_measure(source)
    if measure is not None and measure.by_secret and not source.get(("sensitive",)):
        what = f"{measure.name} is about a sensitive column, and there are none"
        source.complain(("measure", "name"), what, hint="name it with `sensitive: column`")
    return {
        "measure": measure,
        "algorithm": build.build_algorithm(source),
        "backend": build.build_backend(source),
    }
