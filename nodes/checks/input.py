"""What of the window goes into the model (N7). Pure.

Nothing is refused: people quote, joke and ask about machines. What speaks to the machine is fenced
off as a quotation, what is too long is cut, and control characters go.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_core.messages import AnyMessage, HumanMessage

from memory.policy.addressed import is_addressed
from nodes.checks.checked import TAGS, Checked
from nodes.prompts import QUOTE_CLOSE, QUOTE_OPEN
from nodes.window import MAY_INSTRUCT

MAX_LINE_CHARS = 8_000
"""Characters of one message that a prompt shows; the rest stays in the transcript."""
_CONTROLS = re.compile(r"(?![\n\t])[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""Unicode's categories Cc and Cs, but for line feeds and tabs."""
SPEAKS_TO_MACHINE = "speaks to the machine"
"""The finding of a message that gives the machine orders about itself."""


def check_input(text: str, *, may_instruct: bool = False) -> Checked:
    """Return a message's text as the prompt shows it; the owner's orders are orders."""
    findings = set()
    shown = _shortened(text)
    if shown != text:
        findings.add("too long")
    clean = _CONTROLS.sub("", shown)
    if clean != shown.replace("\r\n", "\n"):
        findings.add("control characters")
    if not may_instruct and (TAGS.search(clean) or is_addressed(clean)):
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
