"""Field types that the case files of all suites share, alike in a model and in its JSON Schema."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated

from pydantic import BeforeValidator, Field, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

# ISO 8601 as RFC 3339 narrows it, the offset left out at will. Source: RFC 3339, section 5.6.
_TIMESTAMP = (
    r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?"
    r"(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?$"
)
_IS_TIMESTAMP = re.compile(_TIMESTAMP.removesuffix("$") + r"\Z")


def shape_error(what: str) -> PydanticCustomError:
    """Return an error that a JSON Schema finds too; a `ValueError` is for what only code can."""
    return PydanticCustomError("shape", "{what}", {"what": what})


def _iso_only(value: object) -> object:
    if isinstance(value, datetime) or value is None:
        return value
    if not isinstance(value, str) or not _IS_TIMESTAMP.match(value):
        raise shape_error("expected a time such as 2026-03-01T18:30:00 or 2026-03-01T18:30:00Z")
    return value


Name = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\x00]+$")]
"""An id or a name: at least one character, none of them NUL, which no store can keep."""

Timestamp = Annotated[
    datetime,
    BeforeValidator(_iso_only),
    Field(strict=False),
    WithJsonSchema({"type": "string", "pattern": _TIMESTAMP}),
]
"""A point in time as ISO 8601 text; one without an offset is UTC."""
