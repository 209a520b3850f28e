"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def several(metavar: str, said: str, *names: str) -> Any:
    """An option that can be given several times."""
    return typer.Option(*names, metavar=metavar, help=f"{said} Can be given several times.", show_default=False)


Specs = Annotated[list[Path], typer.Argument(metavar="SPEC", help="Spec files.", show_default=False)]
Sets = Annotated[list[str] | None, several("KEY=VALUE", "Set a value of the spec, as in privacy.k=20.", "--set")]
Html = Annotated[Path | None, typer.Option(metavar="FILE", help="Write it as a page for the browser.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that kanon did not make.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors; --json still prints.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Debug = Annotated[
    bool,
    typer.Option("--debug", envvar="KANON_DEBUG", help="Show the traceback of an error, which may hold data."),
]
