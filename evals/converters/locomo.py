"""LoCoMo: `locomo10.json`, ten conversations of two people over months, with questions.

Source: https://github.com/snap-research/locomo (format: its README, "Data").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from evals.converters.dialogs import Asked, questions, with_image
from evals.converters.reading import Left, Part, Row, Unfit, Upstream, fit, read_json

_SESSION = re.compile(r"session_(\d+)")
_WHEN = "%I:%M %p on %d %B, %Y"
_STEP = timedelta(minutes=1)


class _Turn(Part):
    speaker: str
    dia_id: str
    text: str
    blip_caption: str | None = None


class _Sample(Part):
    sample_id: str
    conversation: dict[str, Any]  # Any: sessions and their times beside two names
    qa: list[Asked]


def convert(source: Path, left: Left) -> Iterator[Row]:
    """Yield a case for each conversation.

    A session has one time: its turns follow each other by a minute. Both people are users.
    """
    data = read_json(source)
    for number, one in enumerate(data if isinstance(data, list) else [data]):
        sample = fit(_Sample, one, str(number))
        turns = list(_turns(sample))
        known = {turn["id"] for turn in turns}
        yield {
            "case_id": sample.sample_id,
            "turns": turns,
            "questions": questions(sample.sample_id, sample.qa, known, left),
        }


def _turns(sample: _Sample) -> Iterator[Row]:
    sessions = sorted(int(m[1]) for key in sample.conversation if (m := _SESSION.fullmatch(key)))
    for session in sessions:
        key = f"session_{session}"
        where = f"{sample.sample_id}.conversation.{key}"
        when = _time(sample.conversation.get(f"{key}_date_time"), where)
        for turn in fit(list[_Turn], sample.conversation[key], where):
            yield {
                "id": turn.dia_id,
                "session_id": f"S{session}",
                "role": "user",
                "speaker": turn.speaker,
                "text": with_image(turn.text, turn.blip_caption),
                "timestamp": when.isoformat(),
            }
            when += _STEP


def _time(given: object, where: str) -> datetime:
    try:
        return datetime.strptime(str(given), _WHEN)
    except ValueError:
        raise Unfit(f"{where}_date_time: expected a time as '1:56 pm on 8 May, 2023'") from None


LOCOMO = Upstream(
    name="locomo",
    title="LoCoMo",
    suite="recall",
    measures="two people over months: single-hop, multi-hop, temporal, open-domain, adversarial",
    where="https://github.com/snap-research/locomo (data/locomo10.json)",
    licence="CC BY-NC 4.0",
    source="locomo10.json",
    convert=convert,
)
