"""Checks as JUnit XML, in the form that build servers read."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from kanon_cli.report.checks import Check


def junit(checks: Sequence[Check], table: str) -> str:
    """Write a suite with a case for each check: requirements pass or fail, what else was found is their output."""
    tests, failures = str(len(checks)), str(sum(check.fails for check in checks))
    suites = Element("testsuites", name="kanon audit", tests=tests, failures=failures, errors="0")
    suite = SubElement(suites, "testsuite", name=_plain(table), tests=tests, failures=failures, errors="0", skipped="0")
    for check in checks:
        name = f"{check.name} of {check.column}" if check.column else check.name
        case = SubElement(suite, "testcase", classname=f"kanon.{check.rule}", name=_plain(name), time="0")
        if check.message is None:
            continue
        message = _plain(check.message)
        if check.fails:
            SubElement(case, "failure", message=message, type=check.rule).text = message
        else:
            SubElement(case, "system-out").text = f"{check.level}: {message}"
    indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suites, encoding="unicode") + "\n"


def _plain(text: str) -> str:
    """Put a sign in the place of all that XML cannot hold: the name of a column can be anything."""
    return "".join(sign if sign in "\t\n" or (sign >= " " and not _unfit(ord(sign))) else "\ufffd" for sign in text)


def _unfit(code: int) -> bool:
    return 0xD800 <= code <= 0xDFFF or code in {0xFFFE, 0xFFFF}
