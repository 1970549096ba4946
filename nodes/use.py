"""What of its prompt an answer used: as the model itself says, or as its words tell. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from langchain_core.messages import AnyMessage

from memory.domain.chats import ChatRef, message_uid
from memory.domain.recalls import Use, Used, UsedKind
from memory.recall.passages import Remembered
from memory.recall.underway import Underway
from memory.recall.use import used_lines
from nodes.prompts import instructs

USED: Final = "used"
"""Under which a model that knows it says in its metadata which lines it used: [kind, number]s."""

_Line = tuple[UsedKind, str, str]


def lines_of(
    remembered: Remembered,
    around: Underway,
    window: Sequence[AnyMessage],
    chat: ChatRef,
    *,
    of_owner: bool = False,
) -> list[_Line]:
    """Return the lines of a prompt in the order of each kind: (kind, id, text).

    The last line of the window, which is answered, is none of them, nor are orders. `so_far` and
    `open` have numbers for ids.
    """
    lines: list[_Line] = [
        ("fact", entry.item_id, fact.value)
        for entry, fact in remembered.shown_facts
        if not instructs(fact, of_owner=of_owner)
    ]
    lines += [("message", entry.item_id, told.text) for entry, told in remembered.shown_messages]
    lines += [("quote", entry.item_id, told.text) for entry, told in remembered.shown_quotes]
    lines += [("window", message_uid(chat, str(line.id)), line.text) for line in window[:-1]]
    lines += [
        ("episode", entry.item_id, text)
        for entry, text in zip(around.recalled, around.episodes, strict=False)
    ]
    lines += [("so_far", str(n), text) for n, text in enumerate(around.so_far)]
    lines += [("open", str(n), text) for n, text in enumerate(around.open)]
    return lines


def use_of(
    reply: str, question: str, lines: Sequence[_Line], told: Sequence[Sequence[Any]] | None
) -> Use:
    """Return what an answer used of a prompt's lines; exactly where the model `told` it."""
    beside = {
        kind: count
        for kind in ("window", "so_far", "open")
        if (count := sum(each == kind for each, _, _ in lines))
    }
    if told is None:
        return Use(used_lines(reply, question, lines), is_exact=False, beside=beside)
    of_kind = {kind: [line for line in lines if line[0] == kind] for kind, *_ in told}
    used = tuple(Used(kind, of_kind[kind][number][1]) for kind, number in told)
    return Use(used, is_exact=True, beside=beside)
