"""What mappings of a spec are made of."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

# A text of the spec is a value of a key or a name; a null character would end it early in a path.
Text = Annotated[str, Field(min_length=1, pattern=r"^[^\x00]*$")]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Character = Annotated[str, Field(min_length=1, max_length=1)]
# A limit on the digits, since 1e-999999 is a number too, and exact arithmetic would take it at its word.
Width = Annotated[Decimal, Field(gt=0, max_digits=30), WithJsonSchema({"type": "number", "exclusiveMinimum": 0})]
Number = Annotated[Decimal, Field(max_digits=30, allow_inf_nan=False), WithJsonSchema({"type": "number"})]
Version = Annotated[Literal[1], BeforeValidator(lambda written: 1 if written == "1" else written)]


class Node(BaseModel):
    """A mapping of the spec: frozen, and strict about its keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)
