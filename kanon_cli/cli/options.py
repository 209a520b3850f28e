"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Specs = Annotated[list[Path], typer.Argument(metavar="SPEC", help="Spec files.", show_default=False)]
Sets = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Set a value of the spec, as in privacy.k=20. Can be given several times.",
        show_default=False,
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors; --json still prints.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Debug = Annotated[
    bool,
    typer.Option("--debug", envvar="KANON_DEBUG", help="Show the traceback of an error, which may hold data."),
]
