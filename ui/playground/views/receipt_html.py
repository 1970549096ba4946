"""How an answer came about, as HTML: what was found, what was cut and why, what was shown."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from memory.domain.recalls import Receipt
from memory.recall.receipts import Reading
from memory.recall.score_words import ORDER
from ui.playground.render import word_html
from ui.playground.retold import PromptPart, Searched

# A feature below this said next to nothing for or against a line.
_SHOWN: Final = 0.005

RECALLED: Final = frozenset({"fact", "message", "quote", "episode"})
"""What of the used lines was recalled; others stand in the window, and beside it."""

CONTROLS: Final = """
element.addEventListener('click', event => {
  const button = event.target.closest('button[data-dig]');
  if (button) trigger('dig', { what: button.dataset.dig, of: button.dataset.of });
});
"""
"""What the buttons of `more_html` do in the browser: a `dig` event."""


def flow_html(receipt: Receipt | None) -> str:
    """Return in one row what was recalled, what was cut and why, what was shown, and used."""
    if receipt is None or not receipt.recalled:
        return ""
    shown = sum(entry.is_shown for entry in receipt.recalled)
    cut = [
        f"{number} {why}"
        for number, why in (
            (receipt.left_out, "had no room"),
            (len(receipt.repeats), "said the same"),
        )
        if number
    ]
    steps = [("Recalled", str(len(receipt.recalled)), "")]
    steps.append(("Cut", str(len(receipt.recalled) - shown), ", ".join(cut)))
    steps.append(("Shown", str(shown), ""))
    if use := receipt.use:
        used = sum(each.kind in RECALLED for each in use.lines)
        steps.append(("Used", str(used), "" if use.is_exact else "an estimate"))
    items = "".join(
        f"<li><b>{number}</b> {escape(name)}{f'<small>{escape(why)}</small>' * bool(why)}</li>"
        for name, number, why in steps
    )
    return f"<ol class='rc-flow' aria-label='From what was recalled to what was used'>{items}</ol>"


def more_html(reply_uid: str, inner: str = "") -> str:
    """Return the buttons that tell more of a reply, and beneath them what one of them told."""
    if not reply_uid:
        return "<p class='rc-nothing'>No reply yet.</p>"
    buttons = "".join(
        f"<button data-dig='{what}' data-of='{escape(reply_uid)}'>{title}</button>"
        for what, title in (("features", "Every feature"), ("prompt", "The whole prompt"))
    )
    return f"<div class='rc-dig'>{buttons}</div>{inner}"


def features_html(searched: Searched) -> str:
    """Return what a search finds today, each line with all that made its place."""
    seen = searched.looked_at
    about = "Searched again, as memory is now. "
    if seen:
        about += (
            f"Looked at {seen.lines} lines: {seen.by_words} found by words,"
            f" {seen.by_meaning} by meaning, the others beside them. "
        )
    items = "".join(map(_line_html, searched.found))
    found = f"<ol class='rc-features'>{items}</ol>" if items else ""
    return f"<p class='rc-missing'>{escape(about + ORDER)}</p>{found}"


def prompt_html(parts: Sequence[PromptPart]) -> str:
    """Return a prompt part by part, each with its tokens and its share of all of them."""
    total = sum(part.tokens for part in parts) or 1
    rows = "".join(
        f"<li><details><summary><span>{escape(part.name)}</span>"
        f"<i class='rc-bar'><b style='width:{part.tokens / total:.0%}'></b></i>"
        f"<span class='rc-num'>{part.tokens:,}</span></summary>"
        f"<pre dir='auto' tabindex='0'>{escape(part.text)}</pre></details></li>"
        for part in parts
    )
    return (
        "<p class='rc-missing'>No prompt is kept. This one is built again from the receipt, with"
        f" texts as they are now: about {total:,} tokens.</p><ul class='rc-prompt'>{rows}</ul>"
    )


def _line_html(reading: Reading) -> str:
    parts = sorted(reading.parts.items(), key=lambda part: -abs(part[1]))
    told = ", ".join(
        f"{word_html(name)} {value:+.2f}" for name, value in parts if abs(value) >= _SHOWN
    )
    text = reading.text if len(reading.text) <= 160 else reading.text[:159] + "…"
    return (
        f"<li><b class='rc-num'>{reading.score:.2f}</b> <span dir='auto'>{escape(reading.label)}:"
        f" {escape(text)}</span><small>{told}</small></li>"
    )


CSS: Final = """
ol.rc-flow { display: flex; gap: 6px; list-style: none; margin: 0 0 10px; padding: 0; }
.rc-flow li { flex: 1; margin: 0; padding: 6px 8px; border-radius: 10px; font-size: 12.5px;
  background: var(--rc-bot); color: var(--rc-ink); }
.rc-flow li b { font-size: 15px; font-variant-numeric: tabular-nums; }
.rc-flow small { display: block; color: var(--rc-soft); }
.rc-dig { display: flex; gap: 8px; align-items: center; flex-wrap: wrap; }
.rc-dig button { border: 1px solid var(--rc-line); border-radius: 8px; padding: 4px 10px;
  background: var(--rc-page); color: var(--rc-ink); box-shadow: none; cursor: pointer;
  font-size: 13px; margin: 0; font-weight: 500; }
.rc-dig + .rc-missing { margin-top: 10px; }
ol.rc-features, ul.rc-prompt { list-style: none; margin: 0; padding: 0; }
.rc-features li { margin: 0; padding: 7px 0; border-top: 1px solid var(--rc-line);
  font-size: 13.5px; overflow-wrap: anywhere; }
.rc-features small { display: block; color: var(--rc-soft); line-height: 1.7; }
.rc-prompt li { margin: 0; border-top: 1px solid var(--rc-line); font-size: 13.5px; }
.rc-prompt summary { display: grid; grid-template-columns: 1fr 70px 52px; gap: 8px;
  align-items: center; padding: 6px 0; cursor: pointer; }
.rc-prompt pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 12px; margin: 0 0 8px;
  padding: 8px; border-radius: 8px; background: var(--rc-page); max-height: 320px;
  overflow-y: auto; color: var(--rc-ink); }
"""
