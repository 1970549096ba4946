"""`recollect receipts`: what replies were based on, wherever they went."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from graph.bootstrap import open_agent
from graph.settings import Settings
from memory.policy.rules import BadPolicy
from memory.recall.explain import Explanation, explain, explanation_to_json, parse_chat
from memory.recall.receipts import beside_line, left_out_line, manner_line, missing_line
from memory.recall.score_words import ORDER, score_words
from ui.cli.terminal import printable

BAD_CHAT = 2


async def list_receipts(settings: Settings, chat: str, limit: int, *, as_json: bool) -> int:
    """Write the newest receipts, newest first, of one chat where it is named.

    As JSON: an object a line, as the API shows it. Returns the exit status.
    """
    try:
        name = parse_chat(chat) if chat else ""
    except BadPolicy as error:
        sys.stderr.write(f"recollect: {error}.\n")
        return BAD_CHAT
    async with open_agent(settings) as agent:
        memory = agent.stores.memory
        found = await explain(memory, settings.served_tenants, limit, chat=name)
    if found and not as_json:
        sys.stdout.write(f"{ORDER} {_words_of(found)}\n\n")
    for each in found:
        line = json.dumps(explanation_to_json(each), ensure_ascii=False)
        sys.stdout.write((line if as_json else receipt_text(each)) + "\n")
    if not found and not as_json:
        sys.stdout.write("No reply has a receipt yet.\n")
    return 0


def _words_of(found: Sequence[Explanation]) -> str:
    return score_words(n for each in found for memory in each.memories for n in memory.parts)


def receipt_text(explanation: Explanation) -> str:
    """Return a receipt for people: where and when, the query, and a line for each memory."""
    filed = explanation.filed
    receipt = filed.receipt
    at = f"{receipt.created_at.astimezone():%Y-%m-%d %H:%M:%S}"
    lines = [
        f"{at}  {filed.chat_name}  {receipt.turn_id}",
        f"  query  {_line(receipt.query)}",
        f"  path   {' > '.join(receipt.nodes)}  ({receipt.model})",
    ]
    if receipt.use:
        how = "used, then shown" if receipt.use.is_exact else "used by its words, then shown"
        lines.append(f"  {how}; beside: {beside_line(receipt) or 'nothing'}")
    for memory in explanation.memories:
        parts = ", ".join(f"{name} {value:.2f}" for name, value in memory.parts.items())
        what = f"{memory.label}: {memory.text}" if memory.text else memory.label
        scores = f"  ({parts})" if parts else ""
        used = "" if memory.used is None else "used   " if memory.used else "shown  "
        lines.append(f"  {used}{memory.kind:<8}{memory.score:.2f}  {_line(what)}{scores}")
        if memory.origin:
            lines.append(f"  {'':<8}      {_line(memory.origin)}")
        lines += [f"  {'':<8}      also said in {_line(uid)}" for uid in memory.instead_of]
    if missing := missing_line(receipt.missing):
        lines.append(f"  {missing}")
    if left_out := left_out_line(receipt):
        lines.append(f"  {left_out}")
    if manner := manner_line(receipt):
        lines.append(f"  {manner}")
    if not explanation.memories:
        lines.append("  nothing was remembered: answered from the conversation alone")
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(printable(text).split())
