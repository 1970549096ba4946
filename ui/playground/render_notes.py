"""The notes that may surface with a person, as their owner wrote them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from memory.domain.notes import MemoryKind, Note
from memory.facts.notebook import MAX_CHARS
from ui.playground.render_memory import day_of

_KINDS: Final[dict[MemoryKind, str]] = {
    "semantic": "about them",
    "procedural": "how to answer them",
    "reflective": "for every chat",
    "episodic": "of a chat",
}
WRITTEN_HERE: Final[tuple[MemoryKind, ...]] = ("semantic", "procedural", "reflective")
_OPTIONS: Final = "".join(
    f"<option value='{kind}'>{_KINDS[kind].capitalize()}</option>" for kind in WRITTEN_HERE
)
_ADD: Final = (
    "<form class='rc-note-form' data-do='note'><label>What the agent shall know"
    f"<textarea name='text' rows='2' required maxlength='{MAX_CHARS}'></textarea></label>"
    f"<label>It is<select name='kind'>{_OPTIONS}</select></label>"
    "<button class='rc-main'>Write down</button></form>"
)


def notes_part(notes: Sequence[Note]) -> str:
    """Return notes, newest first, with a form for another; of how to answer, facts hold them."""
    listed = "".join(map(_note, reversed(notes))) or (
        "<li class='rc-nothing'>No notes yet. A note is shown to the model where it fits a"
        " question. “home: Berlin” becomes a fact, and so does how to answer.</li>"
    )
    return f"{_ADD}<ul class='rc-list'>{listed}</ul>"


def _note(note: Note) -> str:
    text = escape(note.text)
    return (
        f"<li><div class='rc-row'><span class='rc-so' dir='auto'>{text}</span>"
        f"<span class='rc-acts'><button data-do='unnote' data-uid='{note.uid}'"
        f" aria-label='Forget the note: {text}'>Forget</button></span></div>"
        f"<p class='rc-origin'>{_KINDS[note.kind]} · {day_of(note.written_at)}</p></li>"
    )
