"""However long an export is, reading it takes the same little memory."""

from __future__ import annotations

import json
import tracemalloc
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import pytest

from channels.exports.opening import open_export

MESSAGES = {"whatsapp": 20_000, "telegram": 8_000, "jsonl": 15_000}
PEAK_BYTES = 4 * 2**20
"""Less than the entries of any of these files take as a list."""


def write_whatsapp(path: Path, count: int) -> None:
    """300,000 lines, in messages of fifteen."""
    start = datetime(2020, 1, 1)
    with path.open("w") as file:
        for n in range(count):
            at = start + timedelta(minutes=20 * n)
            name = "Anna" if n % 3 else "Ben Müller"
            file.write(f"{at:%d/%m/%Y, %H:%M} - {name}: number {n}" + "\na line more" * 14 + "\n")


def write_telegram(path: Path, count: int) -> None:
    with path.open("w") as file:
        file.write('{\n "name": "Lake",\n "type": "private_group",\n "id": 7,\n "messages": [\n')
        for n in range(count):
            sent = {"id": n + 1, "type": "message", "date_unixtime": str(1_600_000_000 + n)}
            said = {
                "from": "Anna",
                "from_id": f"user{n % 5}",
                "text": ["number ", {"text": str(n)}],
            }
            file.write(json.dumps(sent | said) + (",\n" if n < count - 1 else "\n"))
        file.write(" ]\n}\n")


def write_jsonl(path: Path, count: int) -> None:
    with path.open("w") as file:
        for n in range(count):
            said = {"sender": "Anna", "text": f"number {n}", "timestamp": 1_600_000_000 + n}
            file.write(json.dumps(said) + "\n")


WRITERS = {"whatsapp": write_whatsapp, "telegram": write_telegram, "jsonl": write_jsonl}


@pytest.mark.parametrize("kind", MESSAGES)
def test_memory_does_not_grow_with_the_file(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "export"
    WRITERS[kind](path, MESSAGES[kind])
    tracemalloc.start()
    try:
        export = open_export(path, timezone=UTC)
        count = sum(1 for _ in islice(export.entries(), MESSAGES[kind] // 3))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (export.kind, export.messages, count) == (kind, MESSAGES[kind], MESSAGES[kind] // 3)
    assert peak < PEAK_BYTES, f"{peak / 2**20:.1f} MiB"
