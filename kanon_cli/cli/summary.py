"""What `kanon run` prints when it is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from kanon_cli.audit.judge import AT_MOST, FIGURE_OF
from kanon_cli.cli.batch import Outcome
from kanon_cli.cli.failures import one_line
from kanon_cli.cli.page import Page, asked, can_draw, classes_of, duration, kept, number, percent, place, spark
from kanon_cli.pipeline import Run
from kanon_cli.report.figures import times_the_least
from kanon_cli.report.model import Fairness, Report, Verified

SPEC = 34  # cells that the name of a spec takes in the table of a batch at the most


def summarize(run: Run, heading: str | None) -> list[Text]:
    """Describe a run: what it keeps, what it loses, where it is."""
    report = run.report
    page = Page()
    title = ": ".join(part for part in (heading, report.spec.name) if part)
    if title:
        page.title(title)
    page.mark(report.privacy.verified, "verified", promises(report.privacy))
    if report.privacy.weakness:
        page.text(f"{report.privacy.notion} is weak: {report.privacy.weakness}")
    page.blank()
    page.row("rows", f"{report.output.rows:,}", f" of {report.input.rows:,}" if report.suppressed_rows else "")
    page.row("classes", classes_of(report.classes.model_dump()))
    _write_losses(page, report)
    _write_search(page, report)
    page.row("time", duration(report.timing["total"]))
    page.blank()
    if run.published:
        page.row("release", place(run.release))
        page.row("report", place(run.report_file))
        if run.page is not None:
            page.row("page", place(run.page))
    else:
        page.row("dry run", "nothing was published")
    if heading:
        page.blank()
    return page.lines


def promises(privacy: Verified) -> str:
    """Say each promise with what is kept of it."""
    said = []
    for name, required in privacy.required.items():
        figure = FIGURE_OF.get(name, name)
        if figure not in privacy.achieved:  # it only says which figure another one is
            continue
        at_most = figure in AT_MOST
        found = privacy.achieved[figure]
        values = list(found.values()) if isinstance(found, Mapping) else [found]
        known = [value for value in values if value is not None]
        worst = None if len(known) < len(values) else (max if at_most else min)(known)
        said.append(f"{name} = {kept(worst, at_most)} ({asked(figure, required)})")
    return "   ".join(said)


def _write_losses(page: Page, report: Report) -> None:
    measure = report.algorithm.measure
    figures = {name: loss for name, loss in report.utility.items() if loss is None or isinstance(loss, (int, float))}
    page.row("loss", (number(figures.pop(measure)), "bold"), f" {measure}, by column:")
    page.losses({name: attribute.loss for name, attribute in report.attributes.items()})
    _write_best(page, report)
    fairness = report.utility.get("fairness")
    if isinstance(fairness, Fairness):
        page.row("fairness", number(fairness.gap), " between the groups that lose most and least")
    page.items("also", (f"{name} {number(loss)}" for name, loss in figures.items()))


def _write_best(page: Page, report: Report) -> None:
    """Say what any release loses at least, and how many times that this one loses."""
    measure, utility = report.algorithm.measure, report.model_dump()["utility"]
    if measure not in utility["bound"]:
        return
    least, facts, loss = utility["bound"][measure], utility["details"]["bound"][measure], utility[measure]
    sure = "" if facts["confidence"] == 1 else f", {percent(facts['confidence'])} sure"
    page.row("at best", number(least), f" ({facts['kind']} bound{sure})")
    times = None if loss is None else times_the_least(loss, least)
    if times is not None:
        page.row("", f"this release loses at most {number(times)} times the least possible")


def _write_search(page: Page, report: Report) -> None:
    """Draw how the loss fell, for an algorithm that goes on as long as one likes."""
    losses = (report.algorithm.model_extra or {}).get("losses")
    if losses:
        work = (report.algorithm.model_extra or {})["effort"]
        page.row("search", spark(losses), f" from {number(losses[0])}, effort {work:,}")


def tabulate(outcomes: Sequence[Outcome]) -> list[Text]:
    """Put a batch into a table: one line a spec."""
    names = [Text(one_line(str(outcome.spec))) for outcome in outcomes]
    width = min(SPEC, max(name.cell_len for name in names))
    lines = [Text(f"  {'spec':<{width}}  {'outcome':<18}{'k':>5}{'loss':>9}{'time':>10}", style="dim")]
    for name, outcome in zip(names, outcomes, strict=True):
        name.truncate(width, overflow="ellipsis" if can_draw() else "crop", pad=True)
        sign, colour = _sign(outcome)
        said, k, loss = _cells(outcome)
        tail = f"  {said:<18}{k:>5}{loss:>9}{duration(outcome.seconds):>10}"
        lines.append(Text.assemble((sign, colour), " ", name, tail))
    return lines


def _sign(outcome: Outcome) -> tuple[str, str]:
    good = outcome.failure is None
    return ("✓" if good else "✗") if can_draw() else ("+" if good else "x"), "bold green" if good else "bold red"


def _cells(outcome: Outcome) -> Iterator[str]:
    if outcome.failure is not None:
        yield from (f"{outcome.failure.kind} (exit {outcome.failure.exit_code})", "-", "-")
    elif outcome.run is not None:
        report = outcome.run.report
        loss = report.utility[report.algorithm.measure]
        yield "published" if outcome.run.published else "dry run"
        yield str(report.privacy.achieved["k"])
        yield number(loss if isinstance(loss, (int, float)) else None)
