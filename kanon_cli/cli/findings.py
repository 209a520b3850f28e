"""What `kanon audit` prints, and how it says that a table falls short."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from kanon_cli.audit.inspection import IDENTIFIERS, TRUTH
from kanon_cli.audit.leaks import RULES
from kanon_cli.audit.requiring import sign_of
from kanon_cli.auditing import Answer
from kanon_cli.cli.page import Page, asked, classes_of, count, kept, number, percent
from kanon_cli.errors import Mistake
from kanon_cli.models.base import Verdict
from kanon_cli.report.checks import Check

RULE_OF = {IDENTIFIERS: "identifiers", TRUTH: "untruthful"}  # all others: falls-short
UNCLEAR = "say --spec or --taxonomy, which tell what cells mean, or --null for a text that stands for a missing value"
VIEWS = {"missing": "missing", "suppressed": "* cells"}
L_WORDS = {"l_frequency": "by frequency", "l_distinct": "distinct", "l_entropy": "by entropy"}


def describe(answer: Answer) -> list[Text]:
    """Say what was found in a table, and what was required of it."""
    block = answer.block
    page = Page()
    page.title(block["table"]["path"])
    people = block["table"]["people"]
    page.row("rows", f"{block['table']['rows']:,}", f" of {people:,} people" if people is not None else "")
    page.row("classes", classes_of(block["classes"]))
    for verdict in answer.verdicts:
        if verdict.model == IDENTIFIERS and not verdict.holds:
            page.row("identifiers", (str(verdict.column), "bold"))
    _write_privacy(page, block["privacy"])
    _write_attacks(page, block)
    _write_views(page, block)
    _write_truth(page, block)
    _write_leaks(page, block)
    promises = [verdict for verdict in answer.verdicts if verdict.model not in {TRUTH, IDENTIFIERS}]
    if promises:
        page.blank()
    for verdict in promises:
        said = f"{verdict.model}{_of_column(verdict)} = {_figure(verdict, verdict.achieved)}"
        page.mark(verdict.holds, said, f"({asked(verdict.model, verdict.required)})")
    return page.lines


def checks(answer: Answer) -> list[Check]:
    """List what was required, and what the table gives away."""
    found = []
    for verdict in answer.verdicts:
        is_figure = verdict.model not in RULE_OF
        name = f"{verdict.model} {_bound(verdict)}" if is_figure else verdict.model
        message = None if verdict.holds else str(shortfall(verdict, answer))
        if verdict.holds and verdict.model == TRUTH and answer.block["truth"]["unchecked"]:
            said = _as_far_as_can_be_told(answer.block["truth"])
            found.append(Check(RULE_OF[TRUTH], TRUTH, None, said, "note", required=False))
            continue
        found.append(Check(RULE_OF.get(verdict.model, "falls-short"), name, verdict.column, message))
    for leak in answer.leaks:
        message = ": ".join(part for part in (leak.column, f"{leak.what}; {leak.hint}") if part)
        found.append(Check(leak.rule, leak.rule, leak.column, message, leak.severity, required=False))
    absent = [rule for rule in RULES if rule not in {leak.rule for leak in answer.leaks}]
    return found + [Check(rule, rule, required=False) for rule in absent]


def _write_privacy(page: Page, privacy: Mapping[str, Any]) -> None:
    achieved = dict(privacy["achieved"])
    page.row("k", (kept(achieved.pop("k")), "bold"))
    if found := [f"{name} = {achieved.pop(name)}" for name in ("k1", "1k", "kk", "global_1k") if name in achieved]:
        page.row("notions", ", ".join(found))
    for column, figures in _by_column(achieved).items():
        of_column = f"{column}: " if column else ""
        diversities = ", ".join(f"{kept(figures[name])} {word}" for name, word in L_WORDS.items())
        others = [f"{name} {kept(value, True)}" for name, value in figures.items() if name not in L_WORDS]
        page.words("l", of_column + diversities)
        page.words("others", of_column + ", ".join(others))
    risk = privacy["risk"]
    page.words("risk", _risk(risk, "prosecutor"))
    if "journalist_max" in risk:
        page.words("", f"journalist: {_risk(risk, 'journalist')}")
        page.words("", f"marketer: {percent(risk['marketer'])} of rows are linked right")


def _risk(risk: Mapping[str, float], who: str) -> str:
    above = risk[f"{who}_at_risk"]
    said = f"{percent(risk[f'{who}_max'])} at most, {percent(risk[f'{who}_mean'])} on average"
    return f"{said}, {percent(above)} of rows above {percent(risk['threshold'])}" if above else said


def _write_views(page: Page, block: Mapping[str, Any]) -> None:
    """Say what k is where cells that say nothing are seen in another way."""
    for silent, label in VIEWS.items():
        view = block["views"][silent]
        if not view["rows"]:
            continue
        own, wildcard, left_out = (view[way] for way in ("own", "wildcard", "left_out"))
        as_wildcards = f"{wildcard['k']:,} as wildcards" if wildcard else "not counted as wildcards"
        without = f"{left_out['k']:,} with their rows left out" if left_out else "and no row has none"
        page.words(label, f"in {count(view['rows'], 'row')}; k = {own['k']:,} as values, {as_wildcards}, {without}")


def _write_leaks(page: Page, block: Mapping[str, Any]) -> None:
    for leak in block["leaks"]:
        page.row(leak["severity"], (leak["rule"], "bold"), f": {leak['column']}" if leak["column"] else "")
        page.words("", f"{leak['what']}; {leak['hint']}")


def _write_attacks(page: Page, block: Mapping[str, Any]) -> None:
    """Say what is left of a table for somebody who knows the original, as far as it was tried."""
    words = {"neighbours": "who knows all people", "matches": "who knows who is in the table, too"}
    for name, attack in (block.get("attacks") or {}).items():
        found = f"{count(attack['least'], 'row')} could be the worst person's"
        page.words("attack", f"{words[name]}: {found}, risk {percent(attack['risk_mean'])} on average")


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
        page.row("truthful", _as_far_as_can_be_told(truth))
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
    if fairness := block["utility"].get("fairness"):
        what = f" between the groups by {fairness['column']} that lose most and least"
        page.row("fairness", number(fairness["gap"]), what)


def _as_far_as_can_be_told(truth: Mapping[str, Any]) -> str:
    return f"as far as can be told: midpoints of {', '.join(truth['unchecked'])} don't say what they cover"


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
            return Mistake(what, table, hint=UNCLEAR)
        hint = "; ".join(answer.block["truth"]["findings"])
        return Mistake("not every row is true of the original", table, hint=hint or None)
    what = f"{verdict.model}{_of_column(verdict)} {'is too large' if verdict.at_most else 'falls short'}"
    return Mistake(what, table, expected=_bound(verdict), got=_figure(verdict, verdict.achieved))


def _bound(verdict: Verdict) -> str:
    return f"{sign_of(verdict.model)} {_figure(verdict, verdict.required)}"


def _figure(verdict: Verdict, value: float) -> str:
    """Write a figure so that it never looks safer than it is."""
    return kept(value, verdict.at_most)


def _of_column(verdict: Verdict) -> str:
    return f" of {verdict.column!r}" if verdict.column else ""
