"""Commands that the person at the keyboard may give; they are answered without the model."""

from __future__ import annotations

from memory.domain import Fact, Message, Receipt, StoredMessage
from nodes.context import Context

COMMANDS = ("/why", "/facts")


def is_command(message: Message) -> bool:
    """Tell whether this is a command: on the web channel only, where the person is the owner."""
    return (
        message.chat.channel == "web"
        and not message.is_group
        and message.text.strip().lower() in COMMANDS
    )


async def answer_command(message: Message, context: Context) -> str:
    """Return what a command shows."""
    tenant, contact = message.chat.tenant, message.contact_id
    if message.text.strip().lower() == "/facts":
        return facts_text(await context.facts.active(tenant, contact))
    receipts = await context.turns.receipts(message.chat, 1)
    if not receipts:
        return "There is no reply yet that I could explain."
    facts = await context.facts.history(tenant, contact)
    uids = [entry.item_id for entry in receipts[0].recalled if entry.kind != "fact"]
    return why_text(receipts[0], facts, await context.ledger.messages(tenant, uids))


def facts_text(facts: list[Fact]) -> str:
    """Return a contact's active facts, a line each."""
    if not facts:
        return "I know no facts about you yet."
    return "\n".join(f"- {fact.key}: {fact.value} ({fact.confidence:.2f})" for fact in facts)


def why_text(receipt: Receipt, facts: list[Fact], messages: list[StoredMessage]) -> str:
    """Return what a reply was based on, a line for each memory, with its score parts (X3)."""
    if not receipt.recalled:
        return "The last reply was based on no memory, only on the conversation itself."
    known = {fact.fact_id: f"{fact.key}: {fact.value}" for fact in facts}
    said = {m.uid: f"“{_short(m.message.text)}”" for m in messages}
    lines = ["The last reply was based on:"]
    for entry in receipt.recalled:
        what = (known if entry.kind == "fact" else said).get(entry.item_id, "(erased since)")
        parts = ", ".join(f"{name} {value:.2f}" for name, value in entry.parts.items())
        lines.append(
            f"- {entry.kind} {what} · {entry.score:.2f}" + (f" ({parts})" if parts else "")
        )
    return "\n".join(lines)


def _short(text: str, limit: int = 120) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
