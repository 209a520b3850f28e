"""Environment variables in the texts of a spec."""

from __future__ import annotations

import re
from collections.abc import Mapping

from kanon_cli.errors import Mistake, SpecError

_VARIABLE = re.compile(r"\$\$\{|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}|\$\{")


def expand(text: str, environ: Mapping[str, str]) -> str:
    """Put variables into a text: ${NAME}, ${NAME:-default} where NAME is unset or empty, and $${ for a plain ${.

    What a variable holds stays text: it is not expanded again and never read as YAML.
    """
    mistakes: list[Mistake] = []

    def replacement(match: re.Match[str]) -> str:
        if match.group() == "$${":
            return "${"
        name, default = match["name"], match["default"]
        if name is None:
            mistakes.append(
                Mistake(
                    "`${` begins no variable", expected="${NAME} or ${NAME:-default}", hint="a plain ${ is written $${"
                )
            )
        elif default is not None:
            return environ.get(name) or default
        elif name not in environ:
            hint = f"set it, or give a default: ${{{name}:-...}}"
            mistakes.append(Mistake(f"the environment variable {name} is not set", hint=hint))
        else:
            return environ[name]
        return match.group()

    expanded = _VARIABLE.sub(replacement, text)
    if mistakes:
        raise SpecError(*mistakes)
    return expanded
