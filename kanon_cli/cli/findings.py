"""What `kanon audit` prints, and how it says that a table falls short."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from kanon_cli.audit.inspection import IDENTIFIERS, TRUTH
from kanon_cli.auditing import Answer
from kanon_cli.cli.page import Page, classes_of, count, kept, number, percent
from kanon_cli.errors import Mistake
from kanon_cli.models.base import Verdict

L_WORDS = {"l_frequency": "by frequency", "l_distinct": "distinct", "l_entropy": "by entropy"}


def describe(answer: Answer) -> list[Text]:
    """Say what was found in a table, and what was required of it."""
    block = answer.block
    page = Page()
    page.title(block["table"]["path"])
    page.row("rows", f"{block['table']['rows']:,}")
    page.row("classes", classes_of(block["classes"]))
    _write_privacy(page, block["privacy"])
    _write_attacks(page, block)
    _write_truth(page, block)
    promises = [verdict for verdict in answer.verdicts if verdict.model not in {TRUTH, IDENTIFIERS}]
    if promises:
        page.blank()
    for verdict in promises:
        said = f"{verdict.model}{_of_column(verdict)} = {kept(verdict.achieved)}"
        page.mark(verdict.holds, said, f"({kept(verdict.required)} required)")
    return page.lines


def _write_privacy(page: Page, privacy: Mapping[str, Any]) -> None:
    achieved = dict(privacy["achieved"])
    page.row("k", (kept(achieved.pop("k")), "bold"))
    if found := [f"{name} = {achieved.pop(name)}" for name in ("k1", "1k", "kk", "global_1k") if name in achieved]:
        page.row("notions", ", ".join(found))
    for column, figures in _by_column(achieved).items():
        said = ", ".join(f"{kept(value)} {L_WORDS.get(name, name)}" for name, value in figures.items())
        page.row("l", f"{column}: {said}" if column else said)
    risk = privacy["risk"]
    page.row("risk", f"{percent(risk['prosecutor_max'])} at most, {percent(risk['prosecutor_mean'])} on average")


def _write_attacks(page: Page, block: Mapping[str, Any]) -> None:
    """Say what is left of a table for somebody who knows the original, as far as it was tried."""
    words = {"neighbours": "who knows all people", "matches": "who knows who is in the table, too"}
    for name, attack in (block.get("attacks") or {}).items():
        found = f"{count(attack['least'], 'row')} could be the worst person's"
        page.row("attack", f"{words[name]}: {found}, risk {percent(attack['risk_mean'])} on average")


def _by_column(achieved: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Turn figures by name into figures by column; the column is "" where there is only one."""
    turned: dict[str, dict[str, float]] = {}
    for name, figure in achieved.items():
        for column, value in figure.items() if isinstance(figure, Mapping) else (("", figure),):
            turned.setdefault(column, {})[name] = value
    return turned


def _write_truth(page: Page, block: Mapping[str, Any]) -> None:
    if "truth" not in block:
        return
    truth = block["truth"]
    if truth["holds"] and truth["unchecked"]:
        columns = ", ".join(truth["unchecked"])
        page.row("truthful", f"as far as can be told: midpoints of {columns} don't say what they cover")
    elif truth["holds"]:
        page.row("truthful", "yes, every cell covers its original value")
    elif block["privacy"]["truthful"] is None:
        page.row("truthful", f"can't be told: there are cells that are not understood in {_unclear(truth)}")
    else:
        fitting = f"{truth['matched']:,} of {count(truth['rows'], 'row')} fit the original"
        page.row("truthful", f"no, {fitting}" if truth["matched"] < truth["rows"] else f"no: {truth['findings'][0]}")
    losses = {name: loss for name, loss in block["utility"].items() if not isinstance(loss, Mapping)}
    page.items("losses", (f"{name} {number(loss)}" for name, loss in losses.items()))
    page.losses({name: attribute["loss"] for name, attribute in block["attributes"].items()})


def _unclear(truth: Mapping[str, Any]) -> str:
    return ", ".join(truth["not_understood"])


def shortfall(verdict: Verdict, answer: Answer) -> Mistake:
    """Say which requirement a table does not keep."""
    table = answer.block["table"]["path"]
    if verdict.model == IDENTIFIERS:
        return Mistake(f"the table has identifiers of the spec: {verdict.column}", table)
    if verdict.model == TRUTH:
        if answer.block["privacy"]["truthful"] is None:
            columns = _unclear(answer.block["truth"])
            what = f"whether the rows are true of the original can't be told: cells of {columns} are not understood"
            return Mistake(what, table, hint="say --spec SPEC: its taxonomies tell what the cells mean")
        hint = "; ".join(answer.block["truth"]["findings"])
        return Mistake("not every row is true of the original", table, hint=hint or None)
    what = f"{verdict.model}{_of_column(verdict)} falls short"
    return Mistake(what, table, expected=f">= {kept(verdict.required)}", got=kept(verdict.achieved))


def _of_column(verdict: Verdict) -> str:
    return f" of {verdict.column!r}" if verdict.column else ""
