"""`kanon schema`: the JSON Schemas."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from kanon_cli.cli import results
from kanon_cli.cli.guard import guard
from kanon_cli.cli.options import Debug
from kanon_cli.cli.voices import LogFormat, voice_for


class Document(StrEnum):
    """What a schema describes."""

    spec = "spec"
    report = "report"


def schema(
    document: Annotated[
        Document, typer.Argument(metavar="spec|report", help="What the schema describes.")
    ] = Document.spec,
    debug: Debug = False,
) -> None:
    """Print the JSON Schema of the spec or of the report, for editors and for checks of your own."""
    with guard(voice_for(LogFormat.text, quiet=False, debug=debug)):
        from kanon_cli.report.model import report_schema
        from kanon_cli.spec.schema import spec_schema

        results.show_json(spec_schema() if document is Document.spec else report_schema())
