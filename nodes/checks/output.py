"""What of a reply may leave (N7). Pure.

A reply that gives away what is ours is replaced, other trouble is cut out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from nodes.checks.checked import TAGS, Checked
from nodes.prompts import FENCE_CLOSE, FENCE_OPEN, RULES

MAX_REPLY_CHARS = 12_000
LOOP_REPLIES = 3
"""So often in a row the same reply was given to a text that was there before."""

# Persona files hold facts to be told, too: only a long piece of one counts as a leak.
_PERSONA_PIECE_CHARS, _PERSONA_STEP = 160, 40
_RULE_PIECE_CHARS = 50

POLITE_LINE = "Sorry, I cannot answer that. Could you ask in another way?"
LOOP_LINE = "I seem to be repeating myself. Could you say what you need in other words?"

_MEMORY = re.compile(
    re.escape(FENCE_OPEN) + r".*?(?:" + re.escape(FENCE_CLOSE) + r"|\Z)", re.DOTALL
)


def check_output(
    reply: str,
    persona: str,
    window: Sequence[AnyMessage],
    is_secret_in: Callable[[str], bool],
) -> Checked:
    """Return a reply as it may leave.

    Args:
        reply: What the model said.
        persona: The persona's text, which the prompt held.
        window: The lines before the reply, the current message last.
        is_secret_in: Tells whether a text holds a key or password of ours.
    """
    if is_secret_in(reply):
        return Checked(POLITE_LINE, frozenset({"secret"}))
    if _gives_away(reply, persona):
        return Checked(POLITE_LINE, frozenset({"prompt"}))
    if reply and reply == looping_reply(window):
        return Checked(LOOP_LINE, frozenset({"loop"}))
    findings = set()
    text = TAGS.sub("", _MEMORY.sub("", reply)).strip()
    if text != reply.strip():
        findings.add("fence")
    if len(text) > MAX_REPLY_CHARS:
        findings.add("too long")
        text = _cut(text)
    if not text:
        return Checked(POLITE_LINE, frozenset(findings | {"empty"}))
    return Checked(text if findings else reply, frozenset(findings))


def forbidden_pieces(persona: str) -> frozenset[str]:
    """Return what a reply gives the prompt away by: pieces of rules and persona, as bare words."""
    rules = {rule for line in RULES.splitlines() if len(rule := _words(line)) >= _RULE_PIECE_CHARS}
    secret = _words(persona)
    if len(secret) <= _PERSONA_PIECE_CHARS:
        return frozenset(rules | ({secret} if len(secret) >= _RULE_PIECE_CHARS else set()))
    starts = range(0, len(secret) - _PERSONA_PIECE_CHARS + 1, _PERSONA_STEP)
    return frozenset(rules | {secret[at : at + _PERSONA_PIECE_CHARS] for at in starts})


def _gives_away(reply: str, persona: str) -> bool:
    said = _words(reply)
    return any(piece in said for piece in forbidden_pieces(persona))


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def looping_reply(window: Sequence[AnyMessage]) -> str:
    """Return the reply that would mean that two machines talk; empty when there is none.

    It is the same reply again, to a text that was there before. Four unknown answers to four
    questions are no loop.
    """
    ours = [m.text for m in window if isinstance(m, AIMessage) and not m.name]
    theirs = [_words(m.text) for m in window if isinstance(m, HumanMessage)]
    last = ours[-LOOP_REPLIES:]
    if len(last) < LOOP_REPLIES or len(set(last)) > 1 or not theirs:
        return ""
    return last[-1] if theirs[-1] in theirs[-1 - LOOP_REPLIES : -1] else ""


def _cut(text: str) -> str:
    head = text[:MAX_REPLY_CHARS]
    at = max(head.rfind("\n\n"), head.rfind(". "))
    return (head[: at + 1] if at > MAX_REPLY_CHARS // 2 else head).rstrip() + "…"
