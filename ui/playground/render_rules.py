"""Rules of what is never kept, as the memory view lists them. Pure: data in, escaped HTML out."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from memory.facts.predicates import PREDICATES, key_in_words
from memory.policy.keeping import MAX_WORDS_CHARS, TOPICS, Rule, RuleKind
from ui.playground.render_memory import day_of

_KINDS: Final[dict[RuleKind, str]] = {
    "facts": "A kind of fact",
    "words": "A word or phrase",
    "credentials": "Credentials",
}
_MEANS: Final[dict[RuleKind, str]] = {
    "facts": "Such facts are not known, and the sentences that tell them are not searched",
    "words": "A message with these words is answered, and stays in the transcript alone",
    "credentials": "Passwords, codes, keys, numbers of cards: a message with one is answered, and"
    " stays in the transcript alone",
}
_OPTIONS: Final = "".join(f"<option value='{k}'>{title}</option>" for k, title in _KINDS.items())
_KEYS: Final = "".join(
    f"<option value='{escape(key_in_words(key))}'>" for key in (*TOPICS, *sorted(PREDICATES))
)


def rules_part(rules: Sequence[Rule], contact_id: str) -> str:
    """Return the rules that hold for a contact or for everybody, with a form for another."""
    listed = "".join(map(_rule, rules)) or (
        "<li class='rc-nothing'>Everything is kept: there are no rules.</li>"
    )
    whom = escape(contact_id)
    return (
        "<form class='rc-rule-form' data-do='rule'>"
        f"<label>Never keep<select name='kind'>{_OPTIONS}</select></label>"
        f"<label>Which<input name='what' list='rc-rule-kinds' maxlength='{MAX_WORDS_CHARS}'"
        " autocomplete='off' placeholder='health, employer, a word'></label>"
        f"<datalist id='rc-rule-kinds'>{_KEYS}</datalist>"
        "<label>Of<select name='whom'><option value=''>Everybody</option>"
        f"<option value='{whom}'>{whom} alone</option></select></label>"
        "<button class='rc-main'>Keep out</button></form>"
        f"<ul class='rc-list'>{listed}</ul>"
        "<p class='rc-origin'>A rule holds for what is said from now on. What it kept out stays"
        " out when it is removed.</p>"
    )


def _rule(rule: Rule) -> str:
    name = escape(rule.name)
    covers = f": {', '.join(map(key_in_words, rule.keys))}" if rule.what in TOPICS else ""
    whose = f"{rule.contact_id} alone" if rule.contact_id else "everybody"
    since = f" · since {day_of(rule.since)}" if rule.rule_id else " · from the start"
    return (
        f"<li><div class='rc-row'><span class='rc-key'>{_KINDS[rule.kind]}</span>"
        f"<b class='rc-so' dir='auto'>{name}{escape(covers)}</b><span class='rc-acts'>"
        f"<button data-do='meant' data-rule='{rule.rule_id}'"
        f" aria-label='What is known of it: {name}'>What is known</button>"
        f"<button data-do='unrule' data-rule='{rule.rule_id}'"
        f" aria-label='Remove the rule: {name}'>Remove</button></span></div>"
        f"<p class='rc-origin'>{_MEANS[rule.kind]} · {escape(whose)}{since}</p></li>"
    )
