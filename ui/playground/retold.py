"""What came before a reply, told again from what is kept: its prompt, and what a search weighs.

Neither is kept with the reply: texts and vectors are read as they are now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC

from graph.agent import Agent
from memory.domain.chats import Actor, StoredMessage
from memory.domain.recalls import Receipt, Use
from memory.policy.rules import DEFAULT_PERSONA_FILE
from memory.recall.block import MemoryBlock, block_text, moment_of
from memory.recall.passages import remember
from memory.recall.recall import LookedAt, Scope, recall
from memory.recall.receipts import Reading, read_memories
from memory.recall.underway import chat_state, room_for_memory, with_underway
from memory.text.chunks import estimate_tokens
from memory.text.zones import zone_of
from nodes.context import GivenOptions
from nodes.generate import persona_named
from nodes.prompts import RULES, build_prompt, render_memory
from nodes.retrieve import writer_of

SEARCHED = 20
"""Messages whose features are shown."""


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A part of a prompt and its estimated tokens."""

    name: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search finds today, best first with every feature, and among how many lines."""

    found: tuple[Reading, ...]
    looked_at: LookedAt | None


def asked(receipt: Receipt, history: Sequence[StoredMessage]) -> StoredMessage | None:
    """Return the message that a reply answers: the last one that its turn claimed."""
    claimed = [
        each
        for each in history
        if each.turn_id == receipt.turn_id and each.message.actor is Actor.CONTACT
    ]
    return claimed[-1] if claimed else None


async def searched_again(agent: Agent, receipt: Receipt, question: StoredMessage) -> Searched:
    """Search once more for what a reply's turn looked for, in the same scope.

    Raises:
        StoreUnavailable: Postgres cannot be reached.
    """
    stores = agent.stores
    scope = Scope.of(question.message, stores.settings.zone)
    found = await recall(
        stores.memory,
        scope,
        receipt.query,
        stores.clock(),
        SEARCHED,
        compares_facts=True,
        by_feature=True,
    )
    others = [entry for entry in found.entries if entry.item_id != question.uid]
    read = await read_memories(stores.memory, scope.tenant, scope.contact_id, others)
    return Searched(tuple(read), found.looked_at)


async def prompt_again(
    agent: Agent, receipt: Receipt, question: StoredMessage, history: Sequence[StoredMessage]
) -> list[PromptPart]:
    """Build the prompt of a reply once more, part by part in its order.

    `history`: the chat's lines, oldest first, the question among them.

    Raises:
        RecollectError: a store cannot be reached, or the persona's file is gone.
    """
    context = await agent.stores.wire(GivenOptions())
    memory, options, message = agent.stores.memory, context.options, question.message
    before = [each for each in history if each.seq <= question.seq and not each.withheld]
    window = before[-options.window :]
    uids = [each.uid for each in window]
    use = receipt.use or Use((), is_exact=False)
    persona = await persona_named(use.persona or DEFAULT_PERSONA_FILE, context)
    asker = None
    if not message.is_group:
        kept = await memory.contact_states.of(message.chat.tenant, [message.contact_id])
        asker = kept.get(message.contact_id)
    lives_in = asker.zone if asker else context.timezone
    zone = zone_of(lives_in) or UTC
    scope, budget = Scope.of(message, zone), options.memory_tokens
    room = room_for_memory(budget)
    told = await remember(
        memory, scope, receipt.recalled, room, uids, use.bound, question=receipt.query
    )
    goes_on = await chat_state(memory, message.chat, agent.stores.clock(), receipt.recalled)
    block = replace(
        told.block,
        now=moment_of(receipt.created_at, lives_in),
        writer=writer_of(message, asker),
        certainty=use.certainty,
    )
    block, _ = with_underway(block, goes_on, uids, receipt.recalled, budget, use.bound, zone)
    of_owner, is_kept = message.may_instruct, not message.withheld
    system = build_prompt(persona, block, [], of_owner=of_owner, is_kept=is_kept)[0].text
    fenced = render_memory(block)
    ordered = system.removeprefix(RULES).partition(fenced)[0] if fenced in system else ""
    parts = [("Rules", RULES)]
    parts.append(("Persona and instructions", (ordered or persona).strip()))
    parts.append(("Tone", use.advice))
    parts += _memory_parts(block)
    said = [f"{_speaker(each)}: {each.message.text}" for each in window if each.uid != question.uid]
    parts += [("The chat's last lines", "\n".join(said)), ("The message", message.text)]
    return [PromptPart(name, text, estimate_tokens(text)) for name, text in parts if text]


def _memory_parts(block: MemoryBlock) -> list[tuple[str, str]]:
    asked = MemoryBlock(now=block.now, writer=block.writer, certainty=block.certainty)
    parts = (
        ("Memory: when, who and how sure", asked, block.now),
        ("Memory: facts", MemoryBlock(facts=block.facts, more=block.more), block.facts),
        ("Memory: messages", MemoryBlock(passages=block.passages), block.passages),
        ("Memory: quoted lines", MemoryBlock(quoted=block.quoted), block.quoted),
        ("Memory: episodes", MemoryBlock(episodes=block.episodes), block.episodes),
        ("Memory: what it was about", MemoryBlock(so_far=block.so_far), block.so_far),
        ("Memory: what is open", MemoryBlock(open=block.open), block.open),
    )
    return [(name, block_text(part)) for name, part, lines in parts if lines]


def _speaker(stored: StoredMessage) -> str:
    if stored.message.actor is Actor.CONTACT:
        return stored.message.sender_name or "contact"
    return stored.message.actor.value
