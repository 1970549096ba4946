"""Forgetting what people name, and what they are told of it (N6).

Uses the facts, the ledger and the backlog.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from memory.domain.chats import Message
from memory.domain.facts import APART, ContactObservations, Fact
from memory.facts.correcting import Hand, TakenBack, take_back
from memory.facts.learning import read_stored
from memory.facts.meant import meant
from memory.policy.forgetting import Forgetting, Language
from nodes.context import Context


class _Answer(NamedTuple):
    """What a language says: a heading, and what became of the messages that told it."""

    forgotten: str
    withheld: str
    kept: str
    nothing: str


_ANSWERS: Final[dict[Language, _Answer]] = {
    "en": _Answer(
        "Forgotten.",
        "I no longer look at the message that told it; it stays in the transcript.",
        "The message that told it says other things of you, too, and can still be found.",
        "I know nothing of the kind about you, so there is nothing to forget.",
    ),
    "de": _Answer(
        "Vergessen.",
        "Die Nachricht, in der es stand, sehe ich nicht mehr an; sie bleibt im Verlauf.",
        "Die Nachricht, in der es stand, sagt noch anderes über dich und bleibt auffindbar.",
        "Davon weiß ich nichts über dich, also gibt es nichts zu vergessen.",
    ),
    "es": _Answer(
        "Olvidado.",
        "Ya no miro el mensaje en que lo dijiste; sigue en el historial.",
        "El mensaje en que lo dijiste cuenta también otras cosas tuyas y aún se puede encontrar.",
        "No sé nada de eso sobre ti, así que no hay nada que olvidar.",
    ),
    "pt": _Answer(
        "Esquecido.",
        "Já não olho para a mensagem em que disseste isso; ela fica no histórico.",
        "A mensagem em que disseste isso conta também outras coisas e ainda pode ser encontrada.",
        "Não sei nada disso sobre ti, por isso não há nada a esquecer.",
    ),
    "ru": _Answer(
        "Забыто.",
        "Сообщение, в котором это было, я больше не смотрю; в переписке оно остаётся.",
        "В сообщении, где это было, есть о тебе и другое, поэтому его ещё можно найти.",
        "Ничего такого о тебе я не знаю, так что забывать нечего.",
    ),
}


async def forget_as_asked(wish: Forgetting, message: Message, context: Context) -> str:
    """Forget what somebody asked to have forgotten of themselves; return what to tell them.

    In a group only what was said there: nothing else is named in front of others.
    """
    memory, contact = context.memory, message.contact_id
    tenant = message.chat.tenant
    facts = await memory.facts.active(tenant, contact)
    if message.is_group:
        facts = [fact for fact in facts if fact.anchor == message.anchor]
    named = meant(facts, wish.words, await _texts(facts, tenant, context))
    taken = await take_back(memory, Hand(message, contact, context.clock()), named)
    answer = _ANSWERS[wish.language]
    if not taken.facts:
        return answer.nothing
    stays = [answer.withheld] * bool(taken.withheld) + [answer.kept] * bool(taken.kept)
    return _listed(" ".join([answer.forgotten, *stays]), taken)


async def learn_first(said: Sequence[Message], context: Context) -> None:
    """Learn what the sender said just before the wish: the turn would learn it only afterwards."""
    texts = [each for each in said if not each.is_command]
    if not texts:
        return
    memory, tenant = context.memory, texts[0].chat.tenant
    read = await read_stored(memory.reader, memory.ledger, tenant, texts)
    batches = [
        ContactObservations(each.contact_id, reading.observations)
        for each, reading in zip(texts, read, strict=True)
    ]
    await memory.facts.apply_many(tenant, batches, context.clock())


async def _texts(facts: Sequence[Fact], tenant: str, context: Context) -> dict[str, str]:
    uids = {fact.source_uid for fact in facts if APART not in fact.source_uid}
    stored = await context.memory.ledger.messages(tenant, sorted(uids))
    return {each.uid: each.message.text for each in stored}


def forgotten_text(taken: TakenBack) -> str:
    """Return what was forgotten, a line for each fact, and what stays."""
    noun = "1 fact" if len(taken.facts) == 1 else f"{len(taken.facts)} facts"
    stays = _what_stays(len(taken.withheld), len(taken.kept))
    return _listed(" ".join([f"Forgotten, {noun}.", *stays]), taken)


def _listed(heading: str, taken: TakenBack) -> str:
    # The list comes last: in Markdown a line after it would belong to it.
    return "\n".join([heading, *(f"- {each.key}: {each.value}" for each in taken.facts)])


def _what_stays(withheld: int, kept: int) -> list[str]:
    lines = []
    if withheld == 1:
        lines.append("The message that told it is out of prompts and searches, not the transcript.")
    elif withheld:
        lines.append(
            f"The {withheld} messages that told them are out of prompts and searches, not the"
            " transcript."
        )
    if kept == 1:
        lines.append("A message that told it tells other facts, too, and can still be found.")
    elif kept:
        lines.append(
            f"{kept} messages that told them tell other facts, too, and can still be found."
        )
    return lines
