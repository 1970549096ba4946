"""deepset's prompt injections: texts, and whether they are an injection.

Source: https://huggingface.co/datasets/deepset/prompt-injections (Parquet: text, label).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from evals.converters.reading import Left, Row, Unfit, Upstream, table

_LABELS = {"0": 0, "1": 1}


def convert(source: Path, left: Left) -> Iterator[Row]:
    """Yield a line for each text, label 1 being an injection."""
    del left
    which = re.match(r"[A-Za-z]+", source.stem)
    prefix = which[0] if which else "row"
    for number, row in enumerate(table(source, ("text", "label"))):
        label = _LABELS.get(str(row["label"]))
        if label is None or not isinstance(row["text"], str):
            raise Unfit(f"row {number + 1}: expected a text and label 0 or 1")
        yield {"id": str(row.get("id", f"{prefix}{number}")), "text": row["text"], "label": label}


DEEPSET = Upstream(
    name="deepset",
    title="deepset's prompt injections",
    suite="injection",
    measures="texts that are an injection, and questions that are none",
    where="https://huggingface.co/datasets/deepset/prompt-injections",
    licence="Apache-2.0",
    source="train-*.parquet or test-*.parquet (needs pyarrow), or an export as .csv or .jsonl",
    convert=convert,
)
