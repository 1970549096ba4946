"""Commands of the owner (N6): carried out without the model, answered where they were typed.

Who: whoever may command (`Message.is_owner`). Where: in the owner's own chat each has a reply. In
a contact's chat and in groups `/pause`, `/resume` and `/reset` take effect silently; anything else
there is ignored, with a line in the audit. Uses the facts, receipts, policies, pauses, personas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory.domain.chats import Actor, Message, StoredMessage
from memory.domain.facts import Fact
from memory.domain.recalls import Receipt, Use
from memory.domain.work import AuditLine
from memory.facts.correcting import Hand, take_back
from memory.facts.ended import ever_known
from memory.facts.named import named_by
from memory.policy.commands import NAMES, SILENT, Command, parse_command
from memory.policy.forgetting import parse_forgetting
from memory.policy.rules import BadPolicy, Pause, is_paused, parse_scope, scopes_of
from memory.recall.explain import explain, parse_chat
from memory.recall.receipts import Reading, beside_line, left_out_line, manner_line, missing_line
from memory.recall.score_words import ORDER, score_words
from nodes.commands.forgetting import forget_as_asked, forgotten_text, learn_first
from nodes.commands.policy import answer_policy
from nodes.context import Context

_NAMES = {"window": "this chat", "so_far": "before", "open": "open"}
"""Of the kinds of line that have no score."""

COMMANDS = tuple(f"/{name}" for name in NAMES)

HELP = """\
/why [CHAT]         what the last reply here, or in another chat, was based on, with scores
/facts              what I know about you
/forget WORDS       forget the facts about you that hold these words; everything: all of them
/pause [CHAT]       keep out of this chat, or of another, until /resume
/resume [CHAT]      answer again; ends a takeover, too
/reset              start with an empty window: what was said before is no context any more
/policy             what holds in this chat; /policy help shows how to change it
/help               this list"""

REFUSAL = "Only the owner of this agent can give it commands."


@dataclass(frozen=True, slots=True)
class Done:
    """What commands came to: the reply (empty: none), and whether the window starts anew."""

    reply: str
    resets: bool = False


async def run_commands(
    said: Sequence[StoredMessage], turn_id: str, context: Context, pauses: Sequence[Pause] = ()
) -> Done:
    """Carry out the commands among what one sender said, in order, and audit them by name.

    A wish to have something forgotten, which anybody may have of themselves, is carried out while
    the agent keeps out of the chat, too, but not answered then.
    """
    replies: list[str] = []
    resets = False
    lines = []
    for place, stored in enumerate(said):
        message = stored.message
        if not message.is_command:
            continue
        if command := parse_command(message.text):
            outcome, reply = await _run(command, message, stored.arrived_at, context)
        elif wish := parse_forgetting(message.text):
            command = Command("forget")
            await learn_first([each.message for each in said[:place]], context)
            outcome, reply = "done", await forget_as_asked(wish, message, context)
            reply = "" if is_paused(pauses, stored.arrived_at) else reply
        else:
            continue
        resets = resets or (outcome == "done" and command.name == "reset")
        if reply and reply not in replies:
            replies.append(reply)
        lines.append(_audit_line(command, message, turn_id, outcome, context))
    await context.memory.audit.write(lines)
    return Done("\n\n".join(replies), resets)


async def _run(
    command: Command, message: Message, given_at: datetime, context: Context
) -> tuple[str, str]:
    """Return the outcome for the audit and the reply."""
    if not message.may_instruct:
        return "refused", "" if message.is_group else REFUSAL
    if is_own_chat(message):
        return "done", await answer_command(command, message, given_at, context)
    if command.name not in SILENT:
        return "ignored", ""
    await answer_command(replace(command, args=""), message, given_at, context)
    return "done", ""


def is_own_chat(message: Message) -> bool:
    """Tell whether the owner is alone with the agent: a direct chat, or the notes to self."""
    if message.is_group:
        return False
    return message.actor is Actor.CONTACT or message.chat.chat_id == message.sender_id


async def answer_command(
    command: Command, message: Message, given_at: datetime, context: Context
) -> str:
    """Carry out a command that came in at `given_at`, and return what it shows."""
    tenant, contact = message.chat.tenant, message.contact_id
    match command.name:
        case "pause" | "resume":
            return await _pause(command, message, given_at, context)
        case "reset":
            return "The window is empty. What I know about you stays; /forget changes that."
        case "forget":
            return await _forget(command.args, message, context)
        case "policy":
            return await answer_policy(command.args, message, context)
        case "facts":
            return facts_text(await context.memory.facts.active(tenant, contact))
        case "why":
            return await _why(command.args, message, context)
        case "help":
            return HELP
    return f"There is no command /{command.word}: /help lists them."


async def _pause(command: Command, message: Message, given_at: datetime, context: Context) -> str:
    """Begin or end a pause as of when that was asked for: the turn may have had to wait.

    Messages that came in meanwhile are judged by what the owner had said before them.
    """
    try:
        scope = parse_scope(command.args) if command.args else scopes_of(message.chat)[-1]
        if "/" not in scope:
            raise BadPolicy("a channel as a whole is switched off by /policy CHANNEL set reply off")
    except BadPolicy as error:
        return f"Not done: {error}."
    tenant = message.chat.tenant
    which = scope if command.args else "this chat"
    if command.name == "pause":
        await context.memory.pauses.begin(tenant, scope, message.uid, "command", given_at, None)
        return f"Paused: I keep out of {which} until /resume."
    ended = await context.memory.pauses.end(tenant, scope, given_at, message.uid)
    return f"I answer again in {which}." if ended else f"I was not paused in {which}."


async def _forget(words: str, message: Message, context: Context) -> str:
    """Forget the facts that hold the words, ended ones as well; say which, and what stays."""
    if not words:
        return "Say what: /forget WORDS, or /forget everything."
    memory, contact = context.memory, message.contact_id
    by = Hand(message, contact, context.clock())
    known = await ever_known(memory, message.chat.tenant, contact)
    named = await named_by(memory.ledger, message.chat.tenant, known, words)
    taken = await take_back(memory, by, named)
    if not taken.facts:
        return f"I know no fact about you with “{_short(words)}”: /facts lists them."
    return forgotten_text(taken)


async def _why(args: str, message: Message, context: Context) -> str:
    """Explain the last reply of this chat or, in the owner's own chat, of another."""
    try:
        chat = parse_chat(args) if args else scopes_of(message.chat)[-1]
    except BadPolicy as error:
        return f"Not done: {error}."
    found = await explain(context.memory, [message.chat.tenant], 1, chat=chat)
    if not found:
        where = f" in {chat}" if args else ""
        return f"There is no reply yet{where} that I could explain."
    receipt = found[0].filed.receipt
    at = f"{receipt.created_at:%Y-%m-%d %H:%M}"
    about = f"{chat}, {at}, about “{_short(receipt.query)}”:\n" if args else ""
    return about + why_text(receipt, found[0].memories)


def facts_text(facts: list[Fact]) -> str:
    """Return a contact's active facts, a line each."""
    if not facts:
        return "I know no facts about you yet."
    return "\n".join(f"- {fact.key}: {fact.value} ({fact.confidence:.2f})" for fact in facts)


def why_text(receipt: Receipt, readings: Sequence[Reading]) -> str:
    """Return what a reply was based on, a line for each memory, with its score parts (X3)."""
    missing = missing_line(receipt.missing)
    without = f" ({missing})" if missing else ""
    manner = f"{told[:1].upper()}{told[1:]}." if (told := manner_line(receipt)) else ""
    if not readings:
        only = f"The last reply was based on no memory{without}, only on the conversation itself."
        return f"{only}\n{manner}".rstrip()
    if receipt.use is None:
        lines = [f"The last reply was based on{without}:", *map(_why_line, readings)]
    else:
        lines = _used_first(receipt.use, readings, without)
    if beside := beside_line(receipt):
        is_own = receipt.use is not None and receipt.use.is_exact
        lines.append(f"{'At hand were' if is_own else 'The model was shown'} {beside}, too.")
    if left_out := left_out_line(receipt):
        lines.append(f"{left_out}.")
    if manner:
        lines.append(manner)
    if meant := score_words(name for read in readings for name in read.parts):
        lines.append(f"{ORDER} {meant}")
    return "\n".join(lines)


def _used_first(use: Use, readings: Sequence[Reading], without: str) -> list[str]:
    used = [_why_line(read) for read in readings if read.used]
    shown = [_why_line(read) for read in readings if not read.used]
    how = "" if use.is_exact else ", as far as its words tell"
    lines = [f"The last reply used{how}{without}:" if used else "The last reply used no memory."]
    lines += used
    where = "At hand" if use.is_exact else "Shown to the model"
    return [*lines, f"{where}, and not used:", *shown] if shown else lines


def _why_line(read: Reading) -> str:
    what = f"{read.label}: {read.text}" if read.kind == "fact" else f"“{_short(read.text)}”"
    name = _NAMES.get(read.kind, read.kind)
    if read.kind in _NAMES:
        return f"- {name} {what if read.text else f'({read.label})'}"
    parts = ", ".join(f"{name} {value:.2f}" for name, value in read.parts.items())
    return f"- {name} {what if read.text else f'({read.label})'} · {read.score:.2f}" + (
        f" ({parts})" if parts else ""
    )


def _short(text: str, limit: int = 120) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _audit_line(
    command: Command, message: Message, turn_id: str, outcome: str, context: Context
) -> AuditLine:
    return AuditLine(
        tenant=message.chat.tenant,
        thread_id=message.chat.thread_id,
        turn_id=turn_id,
        kind="command",
        outcome=outcome,
        detail=command.name or "unknown",
        at=context.clock(),
    )
