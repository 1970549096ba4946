"""REALTALK: chats of real people over three weeks, a JSON file each.

Source: https://github.com/danny911kr/REALTALK (data/Chat_*.json).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from evals.converters.dialogs import Asked, files, questions, with_image
from evals.converters.reading import Left, Part, Row, Unfit, Upstream, fit, read_json

_SESSION = re.compile(r"session_(\d+)")
_WHEN = "%d.%m.%Y, %H:%M:%S"


class _Turn(Part):
    clean_text: str
    speaker: str
    date_time: str
    dia_id: str
    blip_caption: str | None = None


def convert(source: Path, left: Left) -> Iterator[Row]:
    """Yield a case for each chat: of one file, or of the files `Chat_*.json` in a folder."""
    for path in files(source, "Chat_*.json"):
        chat = fit(dict[str, Any], read_json(path), path.name)  # Any: sessions beside others
        case_id = f"realtalk-{path.stem}"
        turns = list(_turns(path.name, chat))
        if not turns:
            raise Unfit(f"{path.name}: no session_1")
        known = {turn["id"] for turn in turns}
        asked = fit(list[Asked], chat.get("qa"), f"{path.name}: qa")
        yield {
            "case_id": case_id,
            "turns": turns,
            "questions": questions(case_id, asked, known, left),
        }


def _turns(file: str, chat: dict[str, Any]) -> Iterator[Row]:
    for session in sorted(int(m[1]) for key in chat if (m := _SESSION.fullmatch(key))):
        where = f"{file}: session_{session}"
        for turn in fit(list[_Turn], chat[f"session_{session}"], where):
            yield {
                "id": turn.dia_id,
                "session_id": f"S{session}",
                "role": "user",
                "speaker": turn.speaker,
                "text": with_image(turn.clean_text, turn.blip_caption),
                "timestamp": _time(turn, where).isoformat(),
            }


def _time(turn: _Turn, where: str) -> datetime:
    try:
        return datetime.strptime(turn.date_time, _WHEN)
    except ValueError:
        raise Unfit(
            f"{where}: {turn.dia_id}: expected a date_time as '29.12.2023, 22:42:04'"
        ) from None


REALTALK = Upstream(
    name="realtalk",
    title="REALTALK",
    suite="recall",
    measures="ten chats of real people over three weeks: multi-hop, temporal, open-domain",
    where="https://github.com/danny911kr/REALTALK (data/Chat_*.json)",
    licence="none stated",
    source="the folder data, or one of its files Chat_*.json",
    convert=convert,
)
