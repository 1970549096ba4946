"""JSON Schemas of the case files, made from the models that the loaders check by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from evals.episodes.cases import Dialogue
from evals.errors import BadInputError
from evals.facts.cases import FactCase
from evals.injection.cases import InjectionCase
from evals.loops.cases import LoopCase
from evals.mood.cases import MoodCase
from evals.open_loops.cases import OpenLoopCase
from evals.recall.cases import RecallCase
from evals.summaries.cases import SummaryCase

MODELS: dict[str, type[BaseModel]] = {
    "recall": RecallCase,
    "facts": FactCase,
    "loops": LoopCase,
    "episodes": Dialogue,
    "summaries": SummaryCase,
    "mood": MoodCase,
    "injection": InjectionCase,
    "open_loops": OpenLoopCase,
}
"""A line of a suite's case files."""

_ABOUT = (
    "One line of a case file of the suite {suite}. The loader also checks what a schema cannot"
    " say: that ids are unique, and that what is referred to exists."
)


class _Plain(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:  # Any: pydantic's own types
        del schema
        return False


def schema(suite: str) -> dict[str, Any]:  # Any: JSON
    """Return the JSON Schema (draft 2020-12) of a line of this suite's case files."""
    made = MODELS[suite].model_json_schema(schema_generator=_Plain)
    comment = _ABOUT.format(suite=suite)
    return {"$schema": GenerateJsonSchema.schema_dialect, "$comment": comment, **made}


def schema_files() -> dict[str, str]:
    """Return name and text of every schema file, as they belong into `datasets/schemas`."""
    return {
        f"{suite}.schema.json": json.dumps(schema(suite), indent=2, ensure_ascii=False) + "\n"
        for suite in MODELS
    }


def write_schemas(folder: Path) -> list[str]:
    """Write every schema file into a folder; return the names of those that were not so before.

    Raises:
        BadInputError: the folder cannot be written.
    """
    changed = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in schema_files().items():
            path = folder / name
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                path.write_text(text, encoding="utf-8")
                changed.append(name)
    except OSError as error:
        raise BadInputError(f"{folder}: cannot be written ({error.strerror or error})") from error
    return changed


def outdated(folder: Path) -> list[str]:
    """Return the names of schema files that are absent, or not what the models say."""
    return [
        name
        for name, text in schema_files().items()
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != text
    ]
