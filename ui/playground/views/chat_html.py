"""The lines of a chat as HTML: what was said, what waits, what failed, and the reply on its way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from typing import Final, Literal
from urllib.parse import urlencode

from graph.models.offline.frames import FRAMES
from memory.domain.open_loops import Loop
from ui.playground.people import LOCAL, channel_of
from ui.playground.render import message_html, notice_html, text_html

EMPTY: Final = "Tell me something about you. I will remember it, and show when I use it."
NO_CHAT: Final = "Nothing was said with this person alone. What they said in groups is in their"
IMPORTED: Final = "Their lines come from an imported chat, and stand in their"
DUE_CHARS: Final = 90
"""Of what is due; the timeline has all of it."""
_SIGNATURES: Final = frozenset(frame.signature for frame in FRAMES.values())
_ACTIONS: Final = {
    "again": "Try again",
    "anew": "Answer again",
    "resend": "Send again",
    "drop": "Discard",
    "stop": "Stop",
}

Action = Literal["again", "anew", "resend", "drop", "stop"]

CONTROLS = """
const lines = () => element.querySelector('.rc-lines');
let isAtEnd = true, shown = '', isAsking = false, pressed = -1000;
element.addEventListener('scroll', event => {
  const box = event.target;
  isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
}, true);
const news = () => trigger('news');
// What is drawn anew takes the keyboard's place in it away.
let held = '';
const hold = event => { held = element.contains(event.target)
  ? event.target.dataset?.do || (event.target === lines() ? held : '') || 'lines' : ''; };
document.addEventListener('focusin', hold);
document.addEventListener('pointerdown', hold);
watch('value', () => {
  const box = lines();
  if (!box) return;
  if (held && document.activeElement === document.body)
    (element.querySelector(`button[data-do='${held}']`) || box).focus({ preventScroll: true });
  const isOther = box.dataset.contact !== shown;
  shown = box.dataset.contact;
  isAtEnd ||= isOther;
  fill();
  pend();
  if (isAtEnd) box.scrollTop = box.scrollHeight;
  if (isOther && box.dataset.busy) setTimeout(news);
});
element.addEventListener('click', event => {
  const button = event.target.closest('button[data-do]');
  if (button) {
    // Where one is pressed the next one comes: "Stop" would be what a double click presses.
    if (event.timeStamp - pressed < 500) return;
    pressed = event.timeStamp;
    const { do: what, of } = button.dataset;
    const { sent } = button.closest('.rc-note').previousElementSibling.dataset;
    if (what === 'drop' && sent) settle(lines().dataset.contact, [sent]);
    return trigger('act', { what, of });
  }
  const line = event.target.closest('[data-uid]');
  if (!line || String(getSelection())) return;
  element.querySelectorAll('[aria-pressed]').forEach(each =>
    each.setAttribute('aria-pressed', String(line.contains(each))));
  trigger('select', { uid: line.dataset.uid });
});
const check = async () => {
  const box = lines();
  if (!box || document.hidden || isAsking || !box.offsetParent) return;
  const { contact, stamp } = box.dataset;
  isAsking = true;
  try {
    const newest = await server.newest({ contact, ids: asked(contact).map(each => each.id) });
    told(contact, newest);
    const now = lines().dataset, isSame = now.contact === contact && now.stamp === stamp;
    if (newest.stamp && newest.stamp !== stamp && isSame) news();
  } catch { /* the server is away: the next look will tell */ } finally { isAsking = false; }
};
setInterval(check, 3000);
document.addEventListener('visibilitychange', check);
"""
"""What the chat does in the browser: it stays at its end and follows; `act` and `select` events."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line. `uid` and `receipt` of a reply that can be explained.

    `note` says what became of it, `actions` what can be done about that, each with what it is
    done to. `before`: the answers that stood there before, oldest first. `is_waiting`: it is not
    sent yet. `sent_as`: the id under which a page sent it.
    """

    text: str
    is_agent: bool = False
    uid: str = ""
    receipt: str = ""
    day: date | None = None
    note: str = ""
    actions: Sequence[tuple[Action, str]] = ()
    before: Sequence[str] = ()
    is_waiting: bool = False
    is_writing: bool = False
    by: str = ""
    sent_as: str = ""


def lines_html(
    lines: Sequence[Line],
    contact_id: str,
    stamp: str,
    *,
    is_busy: bool = False,
    notice: str = "",
    mine: str = "",
    tenant: str = "",
    has_earlier: bool = False,
    due: Sequence[Loop] = (),
) -> str:
    """Return a conversation, oldest line first; `stamp` tells whether there is anything newer.

    `mine` is the contact as whom the owner talks here; empty where nobody is named. `has_earlier`:
    there are lines before these, which the timeline has. `due`: what is due, or overdue. `tenant`:
    whose memory it is; the browser keeps what is typed apart by it.
    """
    body: list[str] = []
    day = None
    if due:
        body.append(_due_html(contact_id, due))
    if has_earlier:
        link = _link(contact_id, "timeline", "Timeline")
        body.append(f"<p class='rc-nothing rc-earlier'>What was said before is in the {link}.</p>")
    for line in lines:
        if line.day and line.day != day:
            day = line.day
            body.append(f"<div class='rc-day'>{day:%A, %-d %B %Y}</div>")
        body.append(_line_html(line))
    if not lines:
        body.append(_empty_html(contact_id, mine))
    if notice:
        body.append(notice_html(notice))
    busy = " data-busy='1'" if is_busy else ""
    skip = "<button class='rc-skip' data-skip='1'>To the message box</button>"
    return (skip if contact_id.startswith(LOCAL) else "") + (
        f"<div class='rc-lines' role='log' aria-label='Conversation' tabindex='0'{busy}"
        f" data-contact='{escape(contact_id)}' data-tenant='{escape(tenant)}'"
        f" data-stamp='{escape(stamp)}'>{''.join(body)}</div>"
    )


def _due_html(contact_id: str, due: Sequence[Loop]) -> str:
    """Tell the owner what is due with a contact: the first of it, and where all of it stands."""
    text = " ".join(due[0].text.split())
    text = text if len(text) <= DUE_CHARS else text[: DUE_CHARS - 1] + "…"
    more = f" and {len(due) - 1} more" if len(due) > 1 else ""
    return (
        f"<p class='rc-due-now' role='note'><b>{len(due)} due</b> “<span dir='auto'>{escape(text)}"
        f"</span>”{more}: {_link(contact_id, 'timeline', 'Timeline')}</p>"
    )


def _empty_html(contact_id: str, mine: str) -> str:
    """Say what to do where there are no lines; of others, where theirs are, and whom to ask."""
    if contact_id.startswith(LOCAL):
        return f"<p class='rc-nothing rc-empty'>{escape(EMPTY)}</p>"
    is_imported = channel_of(contact_id) == "import"
    told = f"{IMPORTED if is_imported else NO_CHAT} {_link(contact_id, 'timeline', 'Timeline')}."
    if is_imported and mine:
        told += (
            f" Ask about them in {_link(mine, 'chat', 'your own chat')}. To talk as them, type"
            " their name into the search at the left, and choose the new person."
        )
    return f"<p class='rc-nothing rc-empty'>{told}</p>"


def _link(contact_id: str, view: str, title: str) -> str:
    address = urlencode({"contact": contact_id, "view": view})
    return f"<a href='?{escape(address)}'>{title}</a>"


def read_only_html(channel: str) -> str:
    """Say why nothing can be written here."""
    why = f"answered on {channel}; what is written here would not reach them"
    if channel == "import":
        why = "known from an imported chat, where nobody is answered"
    return f"<p class='rc-nothing' role='note'>Read only: {escape(why)}.</p>"


def unsigned(text: str) -> str:
    """Return a reply without the offline responder's signature: the page's head says it."""
    kept, _, last = text.rpartition("\n")
    is_signature = last and any(each.startswith(last) for each in _SIGNATURES)
    return kept if kept and is_signature else text


def _line_html(line: Line) -> str:
    kind = "bot" if line.is_agent else "user"
    waits = " rc-waiting" if line.is_waiting else ""
    text = unsigned(line.text) if line.is_agent else line.text
    said = message_html(text, is_agent=line.is_agent, is_writing=line.is_writing)
    by = f"<small class='rc-by'>{escape(line.by)}</small>" if line.by else ""
    chosen = f" data-uid='{escape(line.uid)}'" if line.uid and line.receipt else ""
    sent = f" data-sent='{escape(line.sent_as)}'" if line.sent_as else ""
    return (
        f"<div class='rc-line {kind} message{waits}'{chosen}{sent}>{by}{said}"
        f"{_receipt_html(line)}</div>{_note_html(line, kind)}"
    )


def _receipt_html(line: Line) -> str:
    if not line.receipt:
        return ""
    return (
        "<button class='rc-receipt' aria-pressed='false' title='What this answer is based on'>"
        f"{text_html(line.receipt)}</button>"
    )


def _note_html(line: Line, kind: str) -> str:
    if not (line.note or line.actions or line.before):
        return ""
    buttons = "".join(
        f"<button data-do='{action}' data-of='{escape(of)}'>{_ACTIONS[action]}</button>"
        for action, of in line.actions
    )
    role = " role='status'" if line.note else ""
    told = f"{text_html(line.note)}{buttons}{_before_html(line.before)}"
    return f"<div class='rc-note {kind}'{role}>{told}</div>"


def _before_html(before: Sequence[str]) -> str:
    """Return what an answer said before it was given again, to be unfolded."""
    if not before:
        return ""
    count = "The answer" if len(before) == 1 else f"The {len(before)} answers"
    said = "".join(message_html(unsigned(each), is_agent=True) for each in before)
    return f"<details class='rc-before'><summary>{count} before it</summary>{said}</details>"


CSS = """
#rc-chat { padding: 0 !important; overflow: hidden !important; border-radius: 16px !important;
  border: 1px solid var(--rc-line) !important; background: var(--rc-card) !important; }
#rc-chat .html-container, #rc-chat .prose { padding: 0 !important; height: 100%; }
.rc-lines { height: calc(100dvh - 206px); min-height: 240px; overflow-y: auto; padding: 16px;
  display: flex; flex-direction: column; gap: 4px; overscroll-behavior: contain; }
.rc-skip { position: absolute; top: 8px; left: 8px; z-index: 5; padding: 6px 12px;
  border: 1px solid var(--rc-line); border-radius: 8px; background: var(--rc-card);
  color: var(--rc-ink); }
.rc-skip:not(:focus) { clip-path: inset(50%); pointer-events: none; }
.rc-lines > :first-child { margin-top: auto; }
.rc-line { max-width: min(82%, 640px); padding: 8px 12px; font-size: 15px; border-radius: 16px; }
.rc-line.user { align-self: flex-end; background: var(--rc-user);
  border-bottom-right-radius: 4px; margin-top: 10px; }
.rc-line.user .rc-said, .rc-line.user .rc-by { color: var(--rc-user-ink); }
.rc-line.bot { align-self: flex-start; background: var(--rc-bot); border-bottom-left-radius: 4px; }
.rc-line[data-uid] { cursor: pointer; }
.rc-line:has([aria-pressed='true']) { box-shadow: 0 0 0 1.5px var(--rc-fill); }
.rc-line.rc-waiting { background: transparent; border: 1px dashed var(--rc-soft); }
.rc-line.rc-waiting .rc-said { color: var(--rc-ink); }
.rc-by { display: block; font-size: 11.5px; color: var(--rc-soft); }
button.rc-receipt { display: block; width: 100%; text-align: left; background: none;
  border: 0; border-top: 1px dashed var(--rc-line); box-shadow: none; padding: 6px 0 0;
  border-radius: 0; font-weight: 400; }
.rc-note { display: flex; gap: 8px; align-items: center; flex-wrap: wrap; font-size: 12.5px;
  color: var(--rc-soft); padding: 0 4px 2px; }
.rc-note.user { align-self: flex-end; justify-content: flex-end; }
.rc-note button { border: 1px solid var(--rc-line); border-radius: 8px; padding: 2px 10px;
  background: var(--rc-card); color: var(--rc-ink); box-shadow: none; cursor: pointer;
  font-size: 12.5px; }
.rc-before { flex-basis: 100%; max-width: min(82%, 640px); }
.rc-before summary { cursor: pointer; }
.rc-before .rc-said { padding: 6px 10px; margin-top: 4px; border-left: 2px solid var(--rc-line);
  color: var(--rc-soft); }
.rc-day { align-self: center; font-size: 12px; color: var(--rc-soft); padding: 8px 0 4px; }
.rc-due-now { position: sticky; top: -16px; z-index: 1; padding: 6px 10px !important;
  border-radius: 10px; font-size: 13px; background: var(--rc-warn-soft);
  color: var(--rc-warn) !important; overflow-wrap: anywhere; }
.rc-due-now a { color: inherit !important; text-decoration: underline; padding: 0 !important; }
.rc-lines:has(.rc-pending) .rc-empty { display: none; }
.rc-line.rc-pending .rc-said { white-space: pre-wrap; }
.rc-empty { margin: auto !important; text-align: center; }
.rc-earlier { align-self: center; }
:is(.rc-earlier, .rc-empty) a { color: var(--rc-accent) !important; padding: 0 !important; }
#rc-note .html-container { padding: 4px 2px !important; }
@media (max-width: 760px) {
  .rc-lines { height: calc(100dvh - 242px); padding: 10px; }
  .rc-line { max-width: 90%; }
}
/* A phone held sideways, and a page at twice its size: the box stays in view. */
@media (max-height: 500px) { .rc-lines { min-height: 96px; } }
"""
