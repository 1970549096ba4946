"""What exists only at run time: ids and texts of what the agent sent, put into deliveries."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_FORM = re.compile(r"\{\{(sent|sent_full|sent_text):([1-9]\d*)\}\}")


@dataclass(frozen=True, slots=True)
class Sent:
    """One text that a gateway carried out for the agent.

    `message_id` is the bare id, `full_id` WAHA's serialized one (Telegram: the same), `at` the
    gateway's time, seconds since the epoch.
    """

    account: str
    chat_id: str
    message_id: str
    full_id: str
    text: str
    at: int
    reply_to: str = ""


def highest(text: str) -> int:
    """Return the largest N of any placeholder in a text; 0 without one."""
    return max((int(match[2]) for match in _FORM.finditer(text)), default=0)


def resolve(value: Any, sent: Sequence[Sent], *, numbers: bool) -> Any:  # Any: JSON
    """Return JSON with every placeholder in its strings replaced; keys stay.

    With `numbers` a string that is exactly `{{sent:N}}` becomes an integer (Telegram's ids).

    Raises:
        IndexError: a placeholder names a send that has not happened.
    """
    if isinstance(value, dict):
        return {key: resolve(one, sent, numbers=numbers) for key, one in value.items()}
    if isinstance(value, list):
        return [resolve(one, sent, numbers=numbers) for one in value]
    if not isinstance(value, str):
        return value
    whole = _FORM.fullmatch(value)
    if numbers and whole and whole[1] == "sent":
        return int(sent[int(whole[2]) - 1].message_id)
    return _FORM.sub(lambda match: _text(match, sent), value)


def _text(match: re.Match[str], sent: Sequence[Sent]) -> str:
    one = sent[int(match[2]) - 1]
    return {"sent": one.message_id, "sent_full": one.full_id, "sent_text": one.text}[match[1]]
