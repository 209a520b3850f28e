"""From a report to what is told of it: first whether it is safe, what was lost, how far from the best that is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType

from kanon_cli.report.chapters import CHAPTERS
from kanon_cli.report.facts import Facts, as_number
from kanon_cli.report.figures import kept, number, percent, times_the_least
from kanon_cli.report.shapes import Story, Tile, Tone

# Notions of anonymity, and the figures that they speak of.
FIGURES = MappingProxyType({"k": "k", "(k,k)": "kk", "global-(1,k)": "global_1k", "(k,1)": "k1", "(1,k)": "1k"})
SHARES = frozenset({"lm", "il", "gcp", "tree"})  # measures that go from 0, nothing lost, to 1, everything


def tell(report: Facts) -> Story:
    """Tell a report, as far as it goes: blocks that are missing are left out."""
    tone, verdict, because = _judgement(report)
    sections = [section for chapter in CHAPTERS if (section := chapter(report)) is not None]
    return Story(
        title=_title(report),
        subtitle=_subtitle(report),
        tone=tone,
        verdict=verdict,
        because=because,
        tiles=tuple(tile for tile in (_anonymity(report), _risk(report), _loss(report), _distance(report)) if tile),
        sections=tuple(sections),
        version=report.text("kanon", "version") or "",
        made=report.text("environment", "made") or "",
        sha256=report.text("output", "sha256") or "",
    )


def _title(report: Facts) -> str:
    path = report.text("output", "path") or report.text("table", "path")
    return report.text("spec", "name") or (PurePosixPath(path).name if path else "A table without a name")


def _subtitle(report: Facts) -> str:
    rows = report.number("output", "rows")
    if rows is not None:
        before = report.number("input", "rows")
        of_before = f" of {before:,.0f}" if before is not None and before != rows else ""
        return f"A release of {rows:,.0f}{of_before} rows"
    rows = report.number("table", "rows")
    return "A table that was audited" if rows is None else f"A table of {rows:,.0f} rows that was audited"


def _judgement(report: Facts) -> tuple[Tone, str, str]:
    """Say whether it is safe, and why."""
    verified = report.at("privacy", "verified")
    weakness = report.text("privacy", "weakness") or _told_by_class(report)
    if verified is True and weakness:
        return "dim", "Kept, but weak", f"Every promise holds on the cells of the finished file. Still: {weakness}"
    if verified is True:
        true = " Every cell covers its original value." if report.at("privacy", "truthful") is True else ""
        return "good", "Safe", f"The finished file was read back, and every promise holds on its cells.{true}"
    if verified is False and report.block("privacy", "required"):
        return "bad", "Not safe", "The table falls short of what was required of it, or is not true of its original."
    return "dim", "Not judged", "Nothing was required of this table; the figures say what it keeps."


def _told_by_class(report: Facts) -> str | None:
    """Say if the class alone tells a sensitive value of somebody: k does not protect from that."""
    found = report.at("privacy", "achieved", "l_frequency")
    by_column = found if isinstance(found, Mapping) else {"": found}
    open_ones = [name for name, value in by_column.items() if (least := as_number(value)) is not None and least <= 1]
    if not open_ones:
        return None
    which = ", ".join(name for name in open_ones if name) or "the sensitive column"
    return f"in some classes all rows have the same value of {which}, so who knows a person's class knows it too."


def _anonymity(report: Facts) -> Tile | None:
    notion = report.text("privacy", "notion") or "k"
    found = FIGURES.get(notion, "k")
    k, required = (report.number("privacy", block, found) for block in ("achieved", "required"))
    if k is None:
        return None
    asked = "" if required is None else f"; {kept(required)} required"
    others = "nobody else" if k < 2 else f"at least {k - 1:,.0f} others"
    said = f"Everybody looks like {others}" if found == "k" else f"At least so many rows fit, by {notion}"
    return Tile("Anonymity", f"{k:,.0f}", "= k", f"{said}{asked}.")


def _risk(report: Facts) -> Tile | None:
    risk, before = (report.number("privacy", block, "prosecutor_max") for block in ("risk", "risk_before"))
    if risk is None:
        return None
    was = "" if before is None else f" It was {percent(before)} before."
    return Tile("Highest risk", percent(risk), "", f"The chance to pick a person's row rightly.{was}", share=risk)


def _loss(report: Facts) -> Tile | None:
    measure = report.text("algorithm", "measure")
    loss = report.number("utility", measure) if measure else None
    if measure is None or loss is None:
        return None
    if measure in SHARES:
        return Tile("Loss", percent(loss), measure, "0 % is the original, 100 % nothing but *.", share=loss)
    return Tile("Loss", number(loss), measure, "0 is the original; more is worse.")


def _distance(report: Facts) -> Tile | None:
    measure = report.text("algorithm", "measure")
    if measure is None:
        return None
    loss, least = report.number("utility", measure), report.number("utility", "bound", measure)
    if loss is None or least is None:
        return None
    note = f"No release that keeps this k and all rows loses less than {number(least)} {measure}"
    confidence = report.number("utility", "details", "bound", measure, "confidence")
    note += "." if confidence in (None, 1.0) else f" ({percent(confidence or 0.0)} sure)."
    times = times_the_least(loss, least)
    if loss <= 0 or times is None:
        value, unit = ("none", "") if loss <= 0 else ("unknown", "")
        return Tile("Distance to the best", value, unit, note)
    return Tile("Distance to the best", number(times), "× at most", note, share=min(least / loss, 1.0))
