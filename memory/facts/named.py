"""Which facts a command means: by key or words, else by what was said beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory.domain.chats import is_uid
from memory.domain.facts import APART, Fact
from memory.facts.ended import EverKnown
from memory.facts.meant import meant
from memory.facts.predicates import key_in_words
from memory.ports.ledger import Ledger
from memory.text.words import has_words

EVERYTHING: Final = "everything"


def holding(known: EverKnown, words: str) -> list[Fact]:
    """Return the facts that words name: `everything`, a key, or words in key and value.

    A word is named by another form of it, but not by a part: "pet" is not in "Petra". Words mean
    what has ended only where nothing that holds has them.
    """
    wanted = words.casefold().split()
    if wanted == [EVERYTHING]:
        return known.all
    of_key = [fact for fact in known.all if fact.key == "_".join(wanted)]
    return of_key or _with_words(known.held, words) or _with_words(known.ended, words)


async def named_by(ledger: Ledger, tenant: str, known: EverKnown, words: str) -> list[Fact]:
    """Return the facts that words of a command name; see `holding`.

    Where key and value hold none of them, those beside whose values they were said: the "horse" of
    "a horse called Thunder".
    """
    held = holding(known, words)
    if held or not words.strip():
        return held
    return await meant_by(ledger, tenant, known, words.casefold().split())


async def meant_by(
    ledger: Ledger, tenant: str, known: EverKnown, words: Sequence[str]
) -> list[Fact]:
    """Return the facts that words of somebody's own mean; none of the words: all of them.

    Words mean what has ended only where they mean nothing that holds.
    """
    if not words:
        return known.all
    held = meant(known.held, words, await _texts_of(ledger, tenant, known.held))
    return held or meant(known.ended, words, await _texts_of(ledger, tenant, known.ended))


def _with_words(facts: Sequence[Fact], words: str) -> list[Fact]:
    return [fact for fact in facts if has_words(f"{key_in_words(fact.key)} {fact.value}", words)]


async def _texts_of(ledger: Ledger, tenant: str, facts: Sequence[Fact]) -> dict[str, str]:
    """Return what the messages say that told facts, by uid; of what was said by hand, nothing."""
    uids = {fact.source_uid for fact in facts if APART not in fact.source_uid}
    stored = await ledger.messages(tenant, sorted(filter(is_uid, uids)))
    return {each.uid: each.message.text for each in stored}
