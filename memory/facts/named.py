"""Which facts a command means: by key or words, else by what was said beside them."""

from __future__ import annotations

from collections.abc import Sequence

from memory.domain.chats import is_uid
from memory.domain.facts import APART, Fact
from memory.facts.correcting import holding
from memory.facts.meant import meant
from memory.ports.ledger import Ledger


async def named_by(ledger: Ledger, tenant: str, facts: Sequence[Fact], words: str) -> list[Fact]:
    """Return the facts that words of a command name; see `holding`.

    Where key and value hold none of them, those beside whose values they were said: the "horse" of
    "a horse called Thunder".
    """
    held = holding(facts, words)
    if held or not words.strip():
        return held
    return meant(facts, words.casefold().split(), await texts_of(ledger, tenant, facts))


async def texts_of(ledger: Ledger, tenant: str, facts: Sequence[Fact]) -> dict[str, str]:
    """Return what the messages say that told facts, by uid; of what was said by hand, nothing."""
    uids = {fact.source_uid for fact in facts if APART not in fact.source_uid}
    stored = await ledger.messages(tenant, sorted(filter(is_uid, uids)))
    return {each.uid: each.message.text for each in stored}
