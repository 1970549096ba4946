"""What the playground shows, as HTML. Pure: data in, escaped HTML out, colours from `style.py`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from memory.domain.facts import Fact, is_by_hand
from memory.domain.recalls import Receipt
from memory.facts.predicates import key_in_words
from memory.policy.rules import Pause
from memory.recall.receipts import Reading, left_out_line, manner_line, missing_line
from memory.recall.score_words import MEANINGS
from nodes.commands.policy import pause_text

OFFLINE = "offline responder: answers from memory alone; set RECOLLECT_MODEL for more"
NODES = ("normalize", "policy_gate", "retrieve", "generate", "store", "extract")

_PLAIN = re.compile(r"[^A-Za-z0-9 ]")
_MARKUP = re.compile(r"\*\*(?P<bold>[^*\n]+)\*\*|`(?P<code>[^`\n]+)`")
_KINDS = {"fact": "fact", "message": "message", "quote": "quoted", "window": "this chat"}
_KINDS |= {"episode": "episode", "so_far": "before", "open": "open"}

FACT_CONTROLS = """
const rowOf = button => button.closest('tr');
const told = row => ({ key: row.dataset.key, value: row.dataset.value });
const restored = row => { row.querySelector('.rc-value').textContent = row.dataset.value; };
// A row is reused for another fact when the table is drawn anew: nothing may be left of this one.
const unasked = button => { delete button.dataset.asked; button.textContent = '✕'; };
element.addEventListener('click', event => {
  const button = event.target.closest('button[data-do]');
  if (!button) return;
  const row = rowOf(button);
  if (button.dataset.do === 'history') {
    row.nextElementSibling.hidden = !row.nextElementSibling.hidden;
  } else if (button.dataset.do === 'forget') {
    const isSure = button.dataset.asked === row.dataset.value;
    if (isSure) { unasked(button); return trigger('delete', told(row)); }
    button.dataset.asked = row.dataset.value;
    button.textContent = 'Forget?';
    setTimeout(unasked, 4000, button);
  } else {
    if (row.querySelector('input')) return restored(row);
    const input = document.createElement('input');
    input.value = row.dataset.value;
    input.maxLength = 240;
    input.setAttribute('aria-label', 'What is so; Enter keeps it');
    row.querySelector('.rc-value').replaceChildren(input);
    input.focus();
    input.select();
  }
});
element.addEventListener('keydown', event => {
  if (event.target.tagName !== 'INPUT') return;
  const row = rowOf(event.target);
  if (event.key === 'Escape') restored(row);
  if (event.key !== 'Enter') return;
  const text = event.target.value.trim();
  const before = told(row);
  restored(row);
  if (text && text !== before.value) trigger('edit', { ...before, text });
});
"""
"""What the buttons of `facts_html` do in the browser: `delete` and `edit` events, and no more."""

# A part below this would read 0.00: it said nothing for or against the memory.
_SHOWN = 0.005

# Sizes of the path in SVG units, which are CSS pixels at full width.
_ROW = 34
_BAR_LEFT = 132
_BAR_WIDTH = 116
_WIDTH = 330


@dataclass(frozen=True, slots=True)
class Step:
    """A node that a turn passed; `ms` is None where nobody timed it."""

    node: str
    ms: float | None = None


def text_html(text: str) -> str:
    """Return text as HTML in which nothing is markup, neither HTML nor Markdown nor a link."""
    # Markdown knows no entities as syntax: what is written as one stays a character.
    return _PLAIN.sub(lambda found: _entity(found[0]), text)


def brand_html(model: str | None) -> str:
    """Return the head of the page; without a model it says on hover and tap what that means."""
    named = text_html(model) if model else f"{hint_html('offline responder', OFFLINE)}"
    return (
        "<div class='rc-brand'><h1>Recollect</h1><p><span>An agent that shows what it remembered ·"
        f" </span>{named}</p></div>"
    )


def hint_html(word: str, told: str, *, is_stop: bool = True) -> str:
    """Return a word that is explained where it is pointed at or tapped; a stop of the Tab key, too.

    `is_stop`: whether it is one. Where there are many, they would stand in the keyboard's way.
    """
    return (
        f"<span class='rc-hint' tabindex='{'0' if is_stop else '-1'}'>{escape(word)}"
        f"<span class='rc-told' role='tooltip'>{escape(told)}</span></span>"
    )


def message_html(text: str, *, is_agent: bool = False, is_writing: bool = False) -> str:
    """Return a chat message; the agent's may have **bold** and `code`."""
    body = _marked_up(text) if is_agent else text_html(text)
    caret = '<span class="rc-caret"></span>' if is_writing else ""
    return f'<div class="rc-said" dir="auto">{body}{caret}</div>'


def notice_html(text: str) -> str:
    """Return a line about what went wrong, to stand where a reply would."""
    return f'<div class="rc-notice" role="alert">{text_html(text)}</div>'


def facts_html(facts: Sequence[Fact], contact: str, history: Sequence[Fact] = ()) -> str:
    """Return the facts about a contact as a table, each with its history and its controls.

    `history`: all that was ever said of the contact. `FACT_CONTROLS` makes the buttons work.
    """
    if not facts:
        return _nothing(f"Nothing is known about {contact} yet. Tell the agent something.")
    rows = "".join(
        _fact_html(fact, [row for row in history if row.key == fact.key]) for fact in facts
    )
    return f"<table class='rc-facts'><tbody>{rows}</tbody></table>"


def _fact_html(fact: Fact, history: Sequence[Fact]) -> str:
    name = escape(key_in_words(fact.key))
    named = f"{name}: {escape(fact.value)}"
    return (
        f"<tr data-key='{escape(fact.key)}' data-value='{escape(fact.value)}'>"
        f"<th scope='row'>{name}</th><td class='rc-value' dir='auto'>{escape(fact.value)}</td>"
        f"<td class='rc-num' title='confidence, since {fact.valid_from:%Y-%m-%d %H:%M}'>"
        f"{fact.confidence:.0%}</td><td class='rc-controls'>"
        f"<button data-do='history' aria-label='History of {name}' title='History'>↺</button>"
        f"<button data-do='correct' aria-label='Correct {named}' title='Correct'>✎</button>"
        f"<button data-do='forget' aria-label='Forget {named}' title='Forget'>✕</button>"
        f"</td></tr><tr class='rc-history' hidden><td colspan='4'>"
        f"<ul>{''.join(map(_version_html, history))}</ul></td></tr>"
    )


def _version_html(row: Fact) -> str:
    until = f" to {row.valid_to:%Y-%m-%d}" if row.valid_to else ""
    how = "corrected by hand" if is_by_hand(row.source_uid) else f"{row.confidence:.0%} sure"
    return (
        f"<li class='rc-{row.status}'><b dir='auto'>{escape(row.value)}</b> {row.status},"
        f" {row.valid_from:%Y-%m-%d}{until}, {how}</li>"
    )


def pauses_html(paused: Mapping[str, Sequence[Pause]]) -> str:
    """Return the chats that the agent keeps out of, and until when; nothing when there are none."""
    if not paused:
        return ""
    rows = "".join(
        f"<li><b>{escape(scope)}</b> {escape(pause_text(pauses))}</li>"
        for scope, pauses in paused.items()
    )
    return f'<div class="rc-notice" role="status">The agent keeps out of<ul>{rows}</ul></div>'


def recalled_html(memories: Sequence[Reading], receipt: Receipt | None) -> str:
    """Return what a reply was based on, with scores and their parts; best first as recalled."""
    if receipt is None:
        return _nothing("No reply yet. What an answer is based on will show here.")
    about = (
        f"<p class='rc-query'>For <q dir='auto'>{escape(_short(receipt.query, 160))}</q>"
        f" · {escape(receipt.model)}</p>"
    )
    if missing := missing_line(receipt.missing):
        about += f"<p class='rc-missing'>{escape(missing.capitalize())}</p>"
    if manner := manner_line(receipt):
        about += f"<p class='rc-missing'>{escape(manner[:1].upper() + manner[1:])}.</p>"
    if not memories:
        return about + _nothing("No memory: answered from the conversation itself.")
    items = "".join(map(_memory_html, (m for m in memories if m.used is None)))
    if use := receipt.use:
        how = "Used" if use.is_exact else "Used, as far as its words tell"
        used = "".join(_memory_html(memory) for memory in memories if memory.used)
        items += f"<li class='rc-label'>{how}{':' if used else ': none of it'}</li>{used}"
        shown = "".join(_memory_html(memory) for memory in memories if memory.used == 0)
        where = "At hand" if use.is_exact else "Shown to the model"
        items += f"<li class='rc-label'>{where}:</li>{shown}" if shown else ""
    if left_out := left_out_line(receipt):
        items += f"<li>{escape(left_out)}</li>"
    return f"{about}<ul class='rc-memories'>{items}</ul>"


def path_html(steps: Sequence[Step]) -> str:
    """Return the path of a turn through the graph's six nodes, with times in milliseconds."""
    if not steps:
        return _nothing("No turn yet.")
    times = {step.node: step.ms for step in steps}
    most = max((ms for ms in times.values() if ms), default=1.0)
    rows = "".join(
        _node_svg(row, node, node in times, times.get(node), most) for row, node in enumerate(NODES)
    )
    height = _ROW * len(NODES)
    middle = _ROW / 2
    label = "Path of the turn: " + ", ".join(_timed(node, times) for node in NODES if node in times)
    total = sum(ms for ms in times.values() if ms)
    measured = f"<p class='rc-total'>{total:.0f} ms in all</p>" if total else ""
    return (
        f"<svg class='rc-path' viewBox='0 0 {_WIDTH} {height}' role='img'"
        f" aria-label='{escape(label, quote=True)}'>"
        f"<line class='rc-rail' x1='14' y1='{middle}' x2='14' y2='{height - middle}'/>"
        f"{rows}</svg>{measured}"
    )


def word_html(name: str) -> str:
    """Return the word for a part of a score, explained where it is pointed at or tapped."""
    meaning = MEANINGS.get(name, "")
    return hint_html(name, meaning, is_stop=False) if meaning else escape(name)


def _memory_html(memory: Reading) -> str:
    parts = "".join(
        f"<span class='rc-part'><span>{word_html(name)}</span>"
        f"<i class='rc-bar{' rc-minus' * (value < 0)}'>"
        f"<b style='width:{min(abs(value), 1.0):.0%}'></b></i>"
        f"<span class='rc-num'>{value:.2f}</span></span>"
        for name, value in memory.parts.items()
        if abs(value) >= _SHOWN
    )
    text = escape(_short(memory.text, 280)) if memory.text else f"<em>{escape(memory.label)}</em>"
    return (
        f"<li><div class='rc-head'><span class='rc-kind rc-{memory.kind}'>"
        f"{_KINDS[memory.kind]}</span><span class='rc-label'>{escape(memory.label)}</span>"
        f"<span class='rc-score' title='score'>{memory.score:.2f}</span></div>"
        f"<div class='rc-text' dir='auto'>{text}</div>"
        f"<div class='rc-parts'>{parts}</div></li>"
    )


def _node_svg(row: int, node: str, is_taken: bool, ms: float | None, most: float) -> str:
    y = row * _ROW + _ROW / 2
    kind = "rc-taken" if is_taken else "rc-passed"
    bar = ""
    if ms is not None:
        width = max(2.0, _BAR_WIDTH * ms / most)
        bar = (
            f"<rect class='rc-track' x='{_BAR_LEFT}' y='{y - 4}' width='{_BAR_WIDTH}'"
            f" height='8' rx='4'/><rect class='rc-time' x='{_BAR_LEFT}' y='{y - 4}'"
            f" width='{width:.1f}' height='8' rx='4'/>"
            f"<text class='rc-ms' x='{_WIDTH - 6}' y='{y + 4}' text-anchor='end'>{ms:.0f} ms</text>"
        )
    elif not is_taken:
        bar = f"<text class='rc-ms' x='{_WIDTH - 6}' y='{y + 4}' text-anchor='end'>not taken</text>"
    return (
        f"<g class='{kind}'><circle cx='14' cy='{y}' r='6'/>"
        f"<text class='rc-node' x='32' y='{y + 4}'>{node.replace('_', ' ')}</text>{bar}</g>"
    )


def _timed(node: str, times: dict[str, float | None]) -> str:
    ms = times[node]
    return node.replace("_", " ") + (f" {ms:.0f} ms" if ms is not None else "")


def _marked_up(text: str) -> str:
    done, html = 0, []
    for found in _MARKUP.finditer(text):
        html.append(text_html(text[done : found.start()]))
        tag = "strong" if found["bold"] else "code"
        html.append(f"<{tag}>{text_html(found['bold'] or found['code'])}</{tag}>")
        done = found.end()
    return "".join(html) + text_html(text[done:])


def _entity(character: str) -> str:
    if character == "\n":
        return "<br>"
    if character.isprintable() or character == "\t":
        return f"&#{ord(character)};" if character.isascii() else character
    # Marks that join or turn writing (RTL, emoji sequences) are not "printable", yet meant.
    return character if ord(character) > 0x9F else "\ufffd"


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _nothing(text: str) -> str:
    return f"<p class='rc-nothing'>{escape(text)}</p>"
