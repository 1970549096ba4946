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

# Who speaks to the machine instead of the person behind it, in the main languages.
_TO_THE_MACHINE = re.compile(
    r"""
    \b(?:ignore|disregard|forget|override|bypass)\b.{0,40}
      \b(?:previous|prior|above|earlier|all|your|these)\b.{0,30}
      \b(?:instructions?|prompts?|rules?|guidelines?|directives?|orders?|commands?)\b
    | \b(?:ignore|disregard|forget|leave|remove|stop)\b.{0,50}
      \b(?:previous|preceding|prior|earlier)\s+
      (?:tasks?|orders?|assignments?|information|instructions?|context|prompts?|conversations?)\b
    | \b(?:ignore|disregard)\s+(?:everything\s+|all\s+)?(?:of\s+)?(?:the\s+)?above\b
    | \bforget\s+(?:about\s+)?(?:everything|all)\b(?:\s+(?:that|i|you|we))?
      (?:\s+(?:said|told|wrote|was))?\s*(?:before|above|previous|earlier|,|\.|the\s+assign)
    | \b(?:now\s+)?(?:new|further)\s+tasks?\s+(?:now\s+)?(?:are\s+)?follow
    | \bnow\s+you\s+are\s+(?:an?|the)\b
    | \bsystem\s*(?:prompt|message|override|instruction)s?\b
    | \b(?:jailbreak|developer\ mode|dan\ mode)\b
    | \b(?:reveal|show|print|repeat|output)\b.{0,30}\b(?:your|the)\b.{0,20}
      \b(?:instructions|prompt|rules|configuration)\b
    | \bfrom\ now\ on\b.{0,40}\b(?:you|your|always|never|answer|reply|respond|call|end|start|act)\b
    | (?<!\bi\ )(?<!\bwe\ )(?<!\bthey\ )\b(?:always|never)\s
      (?:answer|reply|respond|start|finish|begin)\b
    | (?<!\bi\ )(?<!\bwe\ )(?<!\bthey\ )\b(?:always|never)\s(?:end|sign)\b(?!\ (?:up|in|off)\b)
    | \byou\ are\ (?:now|no\ longer)\ (?:an?|the|bound|allowed|restricted)\b
    | \bnew\ (?:instructions?|rules?)\s*:
    | \b(?:ignorier\w*|vergiss|missachte)\b.{0,40}\b
      \b(?:anweisung\w*|regeln|vorgaben|befehle|aufgaben|informationen)\b
    | \b(?:vergiss|vergesse[nt]?)\b.{0,15}\balles\b.{0,15}\b(?:davor|zuvor|bisher\w*|vorher\w*)\b
    | \bab\ (?:jetzt|sofort)\b.{0,40}\b(?:immer|nie|niemals|antworte\w*|du|bist|sollst)\b
    | \bsystem-?(?:prompt|nachricht|anweisung\w*)\b
    | \b(?:ignor[ae]|olvid[ae])\b.{0,40}
      \b(?:instrucciones|reglas|instruç(?:ões|ão)|regras)\b
    | \b(?:a\ partir\ de\ (?:ahora|agora)|de\ ahora\ en\ adelante|daqui\ em\ diante)\b.{0,40}
      \b(?:siempre|nunca|sempre|respond\w*|contest\w*|eres|você\ é|termin\w*)\b
    | \b(?:esque[cç]a|desconsidere)\b.{0,40}\b(?:instruções|regras)\b
    | \b(?:ignore[rz]?|oublie[rz]?)\b.{0,40}\b(?:instructions|consignes|règles)\b
    | \b(?:désormais|dorénavant|à\ partir\ de\ maintenant)\b.{0,40}
      \b(?:toujours|jamais|répond\w*|tu\ es|vous\ êtes|termine\w*)\b
    | \b(?:ignora|dimentica)\b.{0,40}\b(?:istruzioni|regole)\b
    | \bd['’]ora\ in\ (?:poi|avanti)\b.{0,40}\b(?:sempre|mai|rispond\w*|sei|termina\w*)\b
    | \b(?:игнорируй\w*|забудь\w*)\b.{0,40}\b(?:инструкци\w+|правил\w*|указани\w+)
    | \bс\ этого\ момента\b.{0,40}\b(?:всегда|никогда|отвечай\w*|пиши\w*|говори\w*|ты)\b
    | \bсистемн\w+\ (?:промпт|сообщени)\w*
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_TAGS = re.compile(r"</?\s*(?:memory|quoted)\s*>", re.IGNORECASE)
_MEMORY = re.compile(
    re.escape(FENCE_OPEN) + r".*?(?:" + re.escape(FENCE_CLOSE) + r"|\Z)", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Checked:
    """A text after a check, and what was found: names of rules, in no order."""

    text: str
    findings: frozenset[str] = frozenset()


def speaks_to_machine(text: str) -> bool:
    """Tell whether a text gives the machine orders about itself."""
    return _TO_THE_MACHINE.search(" ".join(text.split())) is not None


def check_input(text: str, *, may_instruct: bool = False) -> Checked:
    """Return a message's text as the prompt shows it; the owner's orders are orders."""
    findings = set()
    clean = "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs"))
    if clean != text.replace("\r\n", "\n"):
        findings.add("control characters")
    if len(clean) > MAX_LINE_CHARS:
        findings.add("too long")
        cut = len(clean) - MAX_LINE_CHARS
        clean = f"{clean[:MAX_LINE_CHARS].rstrip()}… [{cut} more characters]"
    if not may_instruct and (_TAGS.search(clean) or speaks_to_machine(clean)):
        findings.add(SPEAKS_TO_MACHINE)
        clean = f"{QUOTE_OPEN}\n{clean.replace('<', '‹')}\n{QUOTE_CLOSE}"
    return Checked(clean, frozenset(findings))


def checked_window(window: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the window with every line of a person as the prompt shows it."""
    return [_checked_line(message) for message in window]


def _checked_line(message: AnyMessage) -> AnyMessage:
    if not isinstance(message, HumanMessage):
        return message
    may_instruct = bool(message.additional_kwargs.get(MAY_INSTRUCT))
    text = check_input(message.text, may_instruct=may_instruct).text
    return message if text == message.text else message.model_copy(update={"content": text})


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
    if _is_loop(reply, window):
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


def _gives_away(reply: str, persona: str) -> bool:
    said = _words(reply)
    rules = [rule for line in RULES.splitlines() if len(rule := _words(line)) >= _RULE_PIECE_CHARS]
    if any(rule in said for rule in rules):
        return True
    secret = _words(persona)
    if len(secret) <= _PERSONA_PIECE_CHARS:
        return len(secret) >= _RULE_PIECE_CHARS and secret in said
    starts = range(0, len(secret) - _PERSONA_PIECE_CHARS + 1, _PERSONA_STEP)
    return any(secret[at : at + _PERSONA_PIECE_CHARS] in said for at in starts)


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _is_loop(reply: str, window: Sequence[AnyMessage]) -> bool:
    """Tell whether two machines talk: the same reply again, to a text that was there before.

    Four unknown answers to four questions are no loop.
    """
    ours = [m.text for m in window if isinstance(m, AIMessage) and not m.name]
    theirs = [_words(m.text) for m in window if isinstance(m, HumanMessage)]
    last = ours[-LOOP_REPLIES:]
    if len(last) < LOOP_REPLIES or any(text != reply for text in last) or not theirs:
        return False
    return theirs[-1] in theirs[-1 - LOOP_REPLIES : -1]


def _cut(text: str) -> str:
    head = text[:MAX_REPLY_CHARS]
    at = max(head.rfind("\n\n"), head.rfind(". "))
    return (head[: at + 1] if at > MAX_REPLY_CHARS // 2 else head).rstrip() + "…"
