"""What a chat model is asked about, as fenced data, and the JSON that it answers. Pure.

Nothing that somebody wrote can close the fence: it is JSON with `<` escaped.
"""

from __future__ import annotations

import json
from typing import Any, Final

MAX_ANSWER_CHARS: Final = 65_536


def fenced(tag: str, data: object) -> str:
    """Return data as JSON between the tags of a fence."""
    # What is no valid Unicode cannot be sent.
    told = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace").decode()
    return f"<{tag}>\n" + told.replace("<", "\\u003c") + f"\n</{tag}>"


def listed_in(answer: str, name: str) -> list[Any]:  # Any: whatever a model writes
    """Return the list that an answer's JSON object has under a name.

    Raises:
        ValueError: it has none, or is too long or too deep to be read.
    """
    if len(answer) > MAX_ANSWER_CHARS:
        raise ValueError("the answer is too long")
    try:
        given = json.loads(answer)
    except RecursionError as error:
        raise ValueError("the answer is nested too deeply") from error
    listed = given.get(name) if isinstance(given, dict) else None
    if not isinstance(listed, list):
        raise ValueError(f"the answer lists no {name}")
    return listed
