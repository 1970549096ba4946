"""A chat of the lab as HTML: each event, what was decided and why, and what went out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evals.lab.chat import Invariant, Row

NOTHING_YET = (
    "<p class='rc-nothing'>Nothing was played yet. Choose a scene, or let somebody say a line: the"
    " real server takes it in as its channel would deliver it, on a memory that is thrown away."
    " Each event becomes a row here: what the gate decided, why, and what went out. The answers"
    " are scripted; who gets one is not.</p>"
)
_GATE = {
    "respond": "answered by the model",
    "observe": "read, not answered",
    "command": "carried out",
    "record": "kept, and no more",
}


@dataclass(slots=True)
class Course:
    """A chat as far as it was played. `notice`: what is to be said of it now; empty for nothing."""

    title: str = ""
    rows: list[Row] = field(default_factory=list)
    invariant: Invariant | None = None
    notice: str = ""
    is_busy: bool = False


def course_html(course: Course) -> str:
    """Return a chat: what may never happen, counted, then each event as a row."""
    parts = []
    if course.title:
        parts.append(f"<h2 class='rc-lab-title'>{escape(course.title)}</h2>")
    if course.invariant is not None:
        parts.append(_rule(course.invariant, course.rows))
    if course.rows:
        rows = "".join(_row(number, row) for number, row in enumerate(course.rows, start=1))
        parts.append(f"<ol class='rc-lab-rows'>{rows}</ol>")
    if course.notice:
        role = "status" if course.is_busy else "alert"
        kind = "rc-lab-busy" if course.is_busy else "rc-notice"
        parts.append(f"<p class='{kind}' role='{role}'>{escape(course.notice)}</p>")
    return f"<div class='rc-lab-course'>{''.join(parts) or NOTHING_YET}</div>"


def scenes_html(scenes: Sequence[tuple[str, str, str]]) -> str:
    """Return ready-made scenes as buttons: each by its name, title and what it is about."""
    listed = "".join(
        f"<li><button data-scene='{escape(name)}'>{escape(title)}"
        f"<small>{escape(about)}</small></button></li>"
        for name, title, about in scenes
    )
    return f"<h2 class='rc-lab-heading'>Scenes</h2><ul class='rc-lab-scenes'>{listed}</ul>"


def _rule(invariant: Invariant, rows: Sequence[Row]) -> str:
    total = rows[-1].total if rows else 0
    got = "1 message" if total == 1 else f"{total} messages"
    mark = "" if invariant.holds else " rc-lab-broken"
    return (
        f"<p class='rc-lab-rule{mark}' role='status'><b>{invariant.to_ourselves} answers to"
        f" ourselves, {invariant.twice} twice</b> <span>counted from what the far end got: {got}"
        "</span></p>"
    )


def _row(number: int, row: Row) -> str:
    gate = f"gate: {row.decision}" if row.decision else "the gate was not asked"
    steps = [f"webhook: {row.taken}", gate] if row.taken else []
    told = escape(" · ".join(steps))
    words = f"<span class='rc-lab-words' dir='auto'>{escape(row.text)}</span>" * bool(row.text)
    marks = " rc-lab-wrong" if row.is_wrong else ""
    wrong = " <b class='rc-lab-mark'>This may never be answered.</b>" * row.is_wrong
    return (
        f"<li class='rc-lab-row{marks}'><span class='rc-lab-number'>{number}</span><div>"
        f"<p class='rc-lab-who'><b>{escape(row.who)}</b>{words}</p>"
        f"<p class='rc-lab-why'><span class='rc-lab-verdict'>{_verdict(row)}</span>"
        f" {escape(row.why.sentence)} <code>{escape(row.why.code)}</code>{wrong}</p>"
        f"{_sent(row)}<p class='rc-lab-steps'>{told}</p></div></li>"
    )


def _verdict(row: Row) -> str:
    if row.replies:
        return "Answered"
    if not row.taken:
        return "No webhook"
    return escape(_GATE[row.decision]).capitalize() if row.decision else "Not answered"


def _sent(row: Row) -> str:
    if not row.taken:
        return ""
    got = f"{row.total} in all"
    if not row.replies:
        return f"<p class='rc-lab-sent rc-lab-none'>Nothing went out. <small>{got}</small></p>"
    texts = "".join(f"<q dir='auto'>{escape(text)}</q> " for text in row.replies)
    return f"<p class='rc-lab-sent'>Went out: {texts}<small>{got}</small></p>"
