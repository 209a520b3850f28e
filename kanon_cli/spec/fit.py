"""Do the parts of a spec fit together? What no single key can tell."""

from __future__ import annotations

from itertools import pairwise

from kanon_cli import measures, models
from kanon_cli.composing import Value, ValuePath
from kanon_cli.errors import suggest
from kanon_cli.models.base import Notion
from kanon_cli.parts import load
from kanon_cli.spec import fit_files
from kanon_cli.spec.model import Input, QuasiIdentifier, Sensitive
from kanon_cli.spec.privacy import Diversity, Privacy
from kanon_cli.spec.source import Source
from kanon_cli.tables.sources import is_encoding

# What the keys of `privacy` that speak of sensitive columns are called.
ABOUT_SENSITIVE = {
    "l": "l-diversity",
    "diversity": "l-diversity",
    "t": "t-closeness",
    "alpha": "(alpha,k)-anonymity",
    "beta": "beta-likeness",
    "delta": "delta-disclosure",
}
_TYPE_OF_SOURCE = {"file": "categorical", "mask": "categorical", "intervals": "numeric", "calendar": "date"}


def check(source: Source, need_output: bool) -> None:
    """Note everything that does not fit."""
    _check_roles(source)
    _check_columns(source)
    _check_input(source)
    fit_files.check(source, need_output)
    _check_fairness(source)
    _check_limits(source)
    _check_sensitive(source)
    _check_promises(source)
    _check_notion(source)
    if source.get(("algorithm", "class_penalty")) and not source.get(("sensitive",)):
        what = "class labels are the values of the first sensitive column, and there is none"
        source.complain(("algorithm", "class_penalty"), what, hint="name it with `sensitive: column`")


def _check_roles(source: Source) -> None:
    columns = source.mapping("quasi_identifiers")
    if isinstance(source.get(("quasi_identifiers",)), dict) and not columns:
        source.complain(("quasi_identifiers",), "there are no quasi-identifiers", expected="at least one column")
    role_of: dict[str, str] = dict.fromkeys(columns, "quasi_identifiers")
    for at, name in enumerate(source.listed):
        if isinstance(name, str) and name in source.listed[:at]:
            source.complain(("quasi_identifiers", at), "is named twice")
    for role in ("sensitive", "identifiers", "keep"):
        names = source.get((role,))
        keys: list[tuple[str | int, Value]] = list(enumerate(names)) if isinstance(names, list) else []
        keys = [(name, name) for name in names] if isinstance(names, dict) else keys
        for key, name in keys:
            if not isinstance(name, str):
                continue
            if name in role_of:
                twice = "is named twice" if role_of[name] == role else f"has two roles: it is in {role_of[name]} too"
                source.complain((role, key), twice, hint="a column has one role", at_key=isinstance(key, str))
            role_of.setdefault(name, role)


def _check_columns(source: Source) -> None:
    for name in source.mapping("quasi_identifiers"):
        path = ("quasi_identifiers", name)
        column = source.typed(QuasiIdentifier, path)
        if column is not None:
            _check_column(source, path, column)


def _check_column(source: Source, path: ValuePath, column: QuasiIdentifier) -> None:
    taxonomy = column.taxonomy
    if column.generalize == "set" and (taxonomy is not None or column.type != "categorical"):
        what = "sets are for categorical columns without a taxonomy"
        source.complain((*path, "generalize"), what, hint="leave out the taxonomy or generalize: set")
    if taxonomy is None:
        return
    given = [key for key in _TYPE_OF_SOURCE if getattr(taxonomy, key) not in (None, False)]
    if len(given) != 1:
        what = f"a taxonomy comes from one source, not from {' and '.join(given) if given else 'none'}"
        source.complain((*path, "taxonomy"), what, expected="one of " + " | ".join(_TYPE_OF_SOURCE))
        return
    fitting = _TYPE_OF_SOURCE[given[0]]
    if column.type != fitting:
        name = "a taxonomy file" if given[0] == "file" else given[0]
        what = f"{name} is for {fitting} columns, and this one is {column.type}"
        source.complain((*path, "taxonomy", given[0]), what, hint=f"write type: {fitting}, or another taxonomy")
    widths = taxonomy.intervals or ()
    for at, (narrow, wide) in enumerate(pairwise(widths), start=1):
        if wide <= narrow or wide % narrow != 0:
            what = f"is not {'a multiple of' if wide > narrow else 'larger than'} the width before it"
            source.complain((*path, "taxonomy", "intervals", at), what, hint="for example [5, 10, 50]")


def _check_sensitive(source: Source) -> None:
    for name in source.mapping("sensitive"):
        path = ("sensitive", name)
        column = source.typed(Sensitive, path)
        if column is None:
            continue
        if column.taxonomy is not None and column.type == "numeric":
            what = "numbers have distances of their own, and need no taxonomy"
            source.complain((*path, "taxonomy"), what, hint="leave out the taxonomy or type: numeric")
        bins = column.bins or ()
        if bins and column.type != "numeric":
            source.complain((*path, "bins"), "bins are for numbers", hint="write type: numeric")
        for at, (low, high) in enumerate(pairwise(bins), start=1):
            if high <= low:
                source.complain(
                    (*path, "bins", at), "is not larger than the number before it", hint="for example [0, 5, 50]"
                )


def _check_promises(source: Source) -> None:
    """Note promises about sensitive columns that there are not, and people counted by a column that is released."""
    names = source.get(("sensitive",))
    columns = [name for name in names if isinstance(name, str)] if isinstance(names, list | dict) else []
    for key, name in ABOUT_SENSITIVE.items():
        if source.get(("privacy", key)) is not None and not columns:
            what = f"{name} is about sensitive columns, and there are none"
            source.complain(("privacy", key), what, hint="name them with `sensitive: column`")
    diversity = source.get(("privacy", "diversity"))
    if isinstance(diversity, dict) and not set(diversity) & set(Diversity.model_fields):
        for column in set(diversity) - set(columns):
            near = suggest(column, columns)
            hint = f"did you mean {near}?" if near else None
            source.complain(("privacy", "diversity", column), "is no sensitive column", hint=hint, at_key=True)
    unit = source.get(("privacy", "unit"))
    released = {"quasi_identifiers": list(source.mapping("quasi_identifiers")), "sensitive": columns}
    kept = source.get(("keep",))
    released["keep"] = [name for name in kept if isinstance(name, str)] if isinstance(kept, list) else []
    for role, others in released.items():
        if unit in others:
            source.complain(
                ("privacy", "unit"), f"is in {role} too", hint="the column that tells people apart is never released"
            )


def _check_notion(source: Source) -> None:
    """Refuse a notion that is weak, or that the release does not go with."""
    privacy = source.typed(Privacy, ("privacy",))
    if privacy is None or privacy.notion == "k":
        return
    notion, key = privacy.notion, ("privacy", "notion")
    weakness = load(models.TABLE, models.NOTIONS[notion], Notion).weakness
    if weakness and not privacy.accept_weak:
        what = f"is not safe by itself: {weakness}"
        source.complain(key, what, expected="k | (k,k) | global-(1,k)", hint="or set privacy.accept_weak: true")
    if source.get(("output", "numeric")) == "midpoint":
        what = f"does not go with {notion}: a midpoint does not say whose it could be"
        source.complain(("output", "numeric"), what, expected="interval | bounds")


def _check_input(source: Source) -> None:
    table = source.typed(Input, ("input",))
    if table is None:
        return
    if not is_encoding(table.encoding):
        hint = suggest(table.encoding, ("utf-8", "latin-1", "cp1252", "utf-16", "iso-8859-15"))
        hint = f"did you mean {hint}?" if hint else "for example utf-8, latin-1 or cp1252"
        source.complain(("input", "encoding"), "is not a known text encoding", hint=hint)
    for key in ("delimiter", "quote"):
        if getattr(table, key) in ("\n", "\r"):
            source.complain(("input", key), "cannot be a line break")
    if table.delimiter == table.quote:
        source.complain(("input", "delimiter"), "is the quote too", hint="the two have to differ")


def _check_fairness(source: Source) -> None:
    name = source.text(("output", "fairness"))
    roles = [source.get((role,)) for role in ("quasi_identifiers", "sensitive", "keep")]
    known = [
        column for names in roles if isinstance(names, (dict, list)) for column in names if isinstance(column, str)
    ]
    if name is not None and name not in known and source.get(("unlisted",)) != "keep":
        near = suggest(name, known)
        hint = f"did you mean {near}?" if near else "name one that is released"
        source.complain(("output", "fairness"), "is not a column of the release", hint=hint)


def _check_limits(source: Source) -> None:
    for name in source.mapping("limits"):
        if name in measures.TABLE:
            continue
        near = suggest(name, measures.TABLE)
        hint = f"did you mean {near}?" if near else None
        what = "is not a known measure"
        source.complain(("limits", name), what, expected=" | ".join(measures.TABLE), hint=hint, at_key=True)
