"""Forgetting what people name, and what they are told of it (N6).

Uses the facts, the ledger and the backlog.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from memory.domain.chats import Message
from memory.domain.facts import ContactObservations
from memory.facts.correcting import Hand, TakenBack, take_back
from memory.facts.ended import ever_known
from memory.facts.kind_names import kinds_named
from memory.facts.learning import read_stored
from memory.facts.named import meant_by
from memory.policy.forgetting import Forgetting, Language
from nodes.context import Context


class _Answer(NamedTuple):
    """What a language says: what was forgotten, what became of the words, and what can be done."""

    forgotten: str
    unsaid: str
    nothing: str
    commands: str


_ANSWERS: Final[dict[Language, _Answer]] = {
    "en": _Answer(
        "Forgotten: {}.",
        "What told it stays in the transcript; I no longer look at it.",
        "I know no fact of the kind about you, so there is none to forget. Messages that tell of it"
        " can still be found.",
        "/facts lists what I know, /forget WORDS forgets what holds these words.",
    ),
    "de": _Answer(
        "Vergessen: {}.",
        "Was davon erzählt hat, bleibt im Verlauf; ich sehe es nicht mehr an.",
        "Davon kenne ich keine Tatsache über dich, also gibt es keine zu vergessen. Nachrichten,"
        " die davon erzählen, werden weiter gefunden.",
        "/facts zeigt, was ich weiß, /forget WÖRTER vergisst, worin diese Wörter stehen.",
    ),
    "es": _Answer(
        "Olvidado: {}.",
        "Lo que lo contaba sigue en el historial; ya no lo miro.",
        "No conozco ningún dato de eso sobre ti, así que no hay ninguno que olvidar. Los mensajes"
        " que lo cuentan se siguen encontrando.",
        "/facts muestra lo que sé, /forget PALABRAS olvida lo que tiene esas palabras.",
    ),
    "pt": _Answer(
        "Esquecido: {}.",
        "O que contava isso fica no histórico; já não olho para lá.",
        "Não conheço nenhum facto disso sobre ti, por isso não há nenhum a esquecer. As mensagens"
        " que o contam continuam a ser encontradas.",
        "/facts mostra o que sei, /forget PALAVRAS esquece o que tem essas palavras.",
    ),
    "ru": _Answer(
        "Забыто: {}.",
        "То, где это было, остаётся в переписке; я туда больше не смотрю.",
        "Такого факта о тебе я не знаю, так что забывать нечего. Сообщения, где об этом сказано,"
        " по-прежнему находятся.",
        "/facts покажет, что я знаю, /forget СЛОВА забудет то, где есть эти слова.",
    ),
}


async def forget_as_asked(wish: Forgetting, message: Message, context: Context) -> str:
    """Forget what somebody asked to have forgotten of themselves; return what to tell them.

    In a group only what was said there: nothing else is named in front of others.
    """
    memory, contact = context.memory, message.contact_id
    tenant = message.chat.tenant
    known = await ever_known(memory, tenant, contact)
    if message.is_group:
        known = known.said_in(message.anchor)
    named = await meant_by(memory.ledger, tenant, known, wish.words)
    taken = await take_back(memory, Hand(message, contact, context.clock()), named)
    if taken.facts:
        return forgotten_text(taken, wish.language)
    answer = _ANSWERS[wish.language]
    return f"{answer.nothing} {answer.commands}" if message.may_instruct else answer.nothing


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


def forgotten_text(taken: TakenBack, language: Language = "en") -> str:
    """Return what kinds of facts were forgotten, never what they said, and what stays."""
    answer = _ANSWERS[language]
    told = answer.forgotten.format(kinds_named((each.key for each in taken.facts), language))
    return f"{told} {answer.unsaid}" if taken.withheld or taken.shortened else told
