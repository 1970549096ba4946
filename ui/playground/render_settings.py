"""The settings view: persona, policy, a decision and all settings. Pure: data in, escaped HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from memory.policy.rules import ALL_TOOLS, CHANNELS, EVERYONE, Layer, Policy
from nodes.reasons import OF_GATE
from ui.playground.deciding import Previewed
from ui.settings_editor import Row

REPLIES: Final = ("all", "mention_only", "off")
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "reply_direct": REPLIES,
    "reply_group": REPLIES,
    "from_others": ("plain", "refused"),
    "learns_from": ("everyone", "owner"),
    "tone": ("on", "off"),
}
FIELDS: Final = (
    "reply_direct",
    "reply_group",
    "blocked",
    "allowed",
    "takeover_s",
    "debounce_ms",
    "debounce_max_ms",
    "from_others",
    "learns_from",
    "persona_file",
    "tools",
)
"""The rules of a layer, as the page shows them."""

_DECISIONS: Final = {
    "respond": "It would be answered",
    "observe": "It would not be answered",
    "command": "It would be carried out",
    "record": "It would only be stored",
}


def page_html(persona: str, policy: str, settings: str) -> str:
    """Return the whole view of its parts, each in a section of its own."""
    return (
        "<div class='rc-conf'><div class='rc-conf-told' role='status' aria-live='polite'></div>"
        f"<section><h2>Persona</h2><div data-part='persona'>{persona}</div></section>"
        f"<section><h2>Policy</h2><div data-part='policy'>{policy}</div></section>"
        "<section><h2>How would this message be decided?</h2>"
        f"<div data-part='preview'>{preview_html()}</div></section>"
        "<section><h2>Settings of the file, for every chat</h2>"
        f"<div data-part='settings'>{settings}</div></section></div>"
    )


def persona_html(text: str, most: int) -> str:
    """Return the form for who the agent is."""
    return (
        "<form data-do='persona'><label>Who the agent is, and how it speaks"
        f"<textarea name='persona' rows='7' maxlength='{most}' dir='auto'>{escape(text)}</textarea>"
        f"</label>{_error('persona')}<button class='rc-conf-main'>Keep</button></form>"
    )


def policy_html(scope: str, layer: Layer, holds: Policy, scopes: Sequence[str]) -> str:
    """Return the form for the rules of a channel or a chat. `holds`: what all layers come to."""
    known = "".join(
        f"<option value='{escape(each)}'>" for each in dict.fromkeys([*CHANNELS, *scopes])
    )
    rows = "".join(_rule(name, layer, holds) for name in FIELDS)
    return (
        "<form data-do='scope'><label>Of a channel (waha, telegram, web) or a chat"
        f" (CHANNEL/ACCOUNT/CHAT_ID)<input name='scope' list='rc-conf-scopes' required"
        f" autocomplete='off' value='{escape(scope)}'></label>"
        f"<datalist id='rc-conf-scopes'>{known}</datalist>{_error('scope')}"
        "<button>Show</button></form>"
        f"<form data-do='policy'><input type='hidden' name='scope' value='{escape(scope)}'>"
        f"<div class='rc-conf-grid'>{rows}</div><button class='rc-conf-main'>Keep</button></form>"
    )


def _rule(name: str, layer: Layer, holds: Policy) -> str:
    given = _plain(getattr(layer, name))
    meaning = Layer.model_fields[name].description or ""
    above = _plain(getattr(holds, name)) or _none_of(name)
    return (
        f"<label>{_title(name)}{_input(name, given, f'inherited: {above}')}"
        f"<small>{escape(meaning)}</small>{_error(name)}</label>"
    )


def _none_of(name: str) -> str:
    return {"allowed": EVERYONE, "tools": ALL_TOOLS}.get(name, "none")


def _plain(value: object) -> str:
    if value is None:
        return ""
    return ", ".join(sorted(value)) if isinstance(value, frozenset) else str(value)


def _input(name: str, value: str, otherwise: str, of: str = "") -> str:
    choices = CHOICES.get(of or name)
    if not choices:
        return (
            f"<input name='{name}' value='{escape(value)}' autocomplete='off'"
            f" placeholder='{escape(otherwise)}'>"
        )
    options = "".join(
        f"<option{' selected' if each == value else ''}>{each}</option>" for each in choices
    )
    return f"<select name='{name}'><option value=''>{escape(otherwise)}</option>{options}</select>"


def preview_html(previewed: Previewed | None = None, asked: Mapping[str, str] | None = None) -> str:
    """Return the form for a message that nobody sent, with what would become of it."""
    given = asked or {}
    group = " selected" if given.get("place") == "group" else ""
    mentions = " checked" if given.get("mentions") else ""
    return (
        "<form data-do='preview'>"
        "<label>What it says<textarea name='text' rows='2' dir='auto' maxlength='4000'>"
        f"{escape(given.get('text', ''))}</textarea></label><div class='rc-conf-grid'>"
        "<label>Who writes, by id<input name='sender' autocomplete='off'"
        f" placeholder='4915112345678' value='{escape(given.get('sender', ''))}'></label>"
        "<label>Channel, or a chat<input name='where' list='rc-conf-scopes' autocomplete='off'"
        f" value='{escape(given.get('where', 'waha'))}'>{_error('where')}</label>"
        "<label>Where<select name='place'><option value='direct'>in a direct chat</option>"
        f"<option value='group'{group}>in a group</option></select></label>"
        "<label class='rc-conf-check'><input type='checkbox' name='mentions' value='yes'"
        f"{mentions}>It mentions the agent</label></div>"
        f"<button class='rc-conf-main'>Decide</button></form>{_outcome(previewed)}"
    )


def _outcome(previewed: Previewed | None) -> str:
    if previewed is None:
        return ""
    decision, reason = previewed.outcome
    notes = "".join(f"<p>{escape(note)}</p>" for note in previewed.notes)
    return (
        f"<div class='rc-conf-outcome' role='status'><b>{_DECISIONS[decision]}</b>"
        f" <code>{reason}</code><p>{escape(OF_GATE[reason])}</p>{notes}</div>"
    )


def settings_html(rows: Sequence[Row]) -> str:
    """Return all settings: those that can be changed here first."""
    editable = "".join(_editable(row) for row in rows if row.is_editable)
    others = "".join(_fixed(row) for row in rows if not row.is_editable)
    return (
        f"<div class='rc-conf-grid'>{editable}</div><details><summary>All others: by"
        " <code>recollect init</code>, the settings file or the environment</summary>"
        f"<ul>{others}</ul></details>"
    )


def _editable(row: Row) -> str:
    given = row.next or row.value
    value = "" if given == "not set" or (row.source == "default" and not row.next) else given
    later = f"<small class='rc-conf-later'>After a restart: {escape(row.next)}</small>"
    return (
        f"<form data-do='setting'><input type='hidden' name='name' value='{row.name}'>"
        f"<label>{_title(row.name)}{_input('value', value, f'default: {row.value}', row.name)}"
        f"<small>{escape(row.meaning)}</small></label>{later if row.next else ''}"
        f"{_error('value')}<button aria-label='Keep {_title(row.name)}'>Keep</button></form>"
    )


def _fixed(row: Row) -> str:
    return (
        f"<li><code>{row.variable}</code> <b>{escape(row.value)}</b>"
        f" <span>{escape(row.meaning)} · {row.source}</span></li>"
    )


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _error(name: str) -> str:
    return f"<span class='rc-conf-error' data-for='{name}' role='alert'></span>"
