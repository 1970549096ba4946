"""Checks of what goes into the model and of what comes out of it (N7). Pure.

Nothing is refused on the way in: people quote, joke and ask about machines. What speaks to the
machine is fenced off as a quotation, what is too long is cut, and control characters go. On the
way out a reply that gives away what is ours is replaced, other trouble is cut out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage

from memory.policy.addressed import is_addressed
from nodes.prompts import FENCE_CLOSE, FENCE_OPEN, QUOTE_CLOSE, QUOTE_OPEN, RULES
from nodes.window import MAY_INSTRUCT

MAX_LINE_CHARS = 8_000
"""Characters of one message that a prompt shows; the rest stays in the transcript."""
MAX_REPLY_CHARS = 12_000
SPEAKS_TO_MACHINE = "speaks to the machine"
"""The finding of a message that gives the machine orders about itself."""
LOOP_REPLIES = 3
"""So often in a row the same reply was given to a text that was there before."""

# Persona files hold facts to be told, too: only a long piece of one counts as a leak.
_PERSONA_PIECE_CHARS, _PERSONA_STEP = 160, 40
_RULE_PIECE_CHARS = 50

POLITE_LINE = "Sorry, I cannot answer that. Could you ask in another way?"
LOOP_LINE = "I seem to be repeating myself. Could you say what you need in other words?"

_TAGS = re.compile(r"</?\s*(?:memory|quoted)\s*>", re.IGNORECASE)
_MEMORY = re.compile(
    re.escape(FENCE_OPEN) + r".*?(?:" + re.escape(FENCE_CLOSE) + r"|\Z)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Checked:
    """A text after a check, and what was found: names of rules, in no order."""

    text: str
    findings: frozenset[str] = frozenset()


def check_input(text: str, *, may_instruct: bool = False) -> Checked:
    """Return a message's text as the prompt shows it; the owner's orders are orders."""
    findings = set()
    shown = _shortened(text)
    if shown != text:
        findings.add("too long")
    clean = "".join(c for c in shown if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs"))
    if clean != shown.replace("\r\n", "\n"):
        findings.add("control characters")
    if not may_instruct and (_TAGS.search(clean) or is_addressed(clean)):
        findings.add(SPEAKS_TO_MACHINE)
        clean = f"{QUOTE_OPEN}\n{clean.replace('<', '‹')}\n{QUOTE_CLOSE}"
    return Checked(clean, frozenset(findings))


def checked_window(window: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the window with every line as the prompt shows it."""
    return [_checked_line(message) for message in window]


def _checked_line(message: AnyMessage) -> AnyMessage:
    if isinstance(message, HumanMessage):
        may_instruct = bool(message.additional_kwargs.get(MAY_INSTRUCT))
        text = check_input(message.text, may_instruct=may_instruct).text
    elif message.name:  # The owner, or another machine: a reply of ours has no name.
        text = _shortened(message.text)
    else:
        return message
    return message if text == message.text else message.model_copy(update={"content": text})


def _shortened(text: str) -> str:
    more = len(text) - MAX_LINE_CHARS
    return f"{text[:MAX_LINE_CHARS].rstrip()}… [{more} more characters]" if more > 0 else text


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
    text = _TAGS.sub("", _MEMORY.sub("", reply)).strip()
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
