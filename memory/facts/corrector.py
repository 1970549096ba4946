"""Corrections where facts are listed: command line, API and page (L3).

Each is a line of the ledger, the owner's, withheld, in a chat of its own for each contact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memory.domain.chats import Actor, ChatRef, Message, is_uid
from memory.domain.facts import APART, Fact, Observation
from memory.domain.work import AuditLine
from memory.errors import RecollectError
from memory.facts.correcting import (
    Hand,
    TakenBack,
    had_ended,
    keep_out,
    let_in,
    state,
    take_back,
    undo,
    valued,
)
from memory.facts.ended import ever_known
from memory.facts.named import named_by
from memory.facts.predicates import (
    FAVORITE_PREFIX,
    PREDICATES,
    PREFERENCE_PREFIX,
    Predicate,
    key_in_words,
    predicate,
)
from memory.facts.slots import ANY_VALUE
from memory.policy.keeping import rule_against
from memory.ports.bundle import Memory
from memory.ports.runtime import Clock, Ids

MAX_VALUE_CHARS: Final = 240
ACCOUNT: Final = "facts"
"""Of the channel `web`: where the ledger keeps these lines."""

NEVER: Final = "never"
"""Ends the name of an act that keeps a message out of all recall."""
_SHOWN_KEY: Final = 40


class BadCorrection(RecollectError):
    """A fact cannot be corrected so."""


class UnknownFact(BadCorrection):
    """Nothing of the kind is known."""


class UnknownKind(BadCorrection):
    """There is no such kind of fact. `told` says so without listing those that there are."""

    def __init__(self, name: str) -> None:
        self.told = f"there is no kind of fact called “{name}”"
        kinds = ", ".join(map(key_in_words, sorted(PREDICATES)))
        super().__init__(
            f"{self.told}; there are {kinds}, {FAVORITE_PREFIX}NOUN and {PREFERENCE_PREFIX}NOUN"
        )


@dataclass(frozen=True, slots=True)
class Corrector:
    """States and takes back facts of a tenant's contacts by hand."""

    memory: Memory
    clock: Clock
    ids: Ids
    tenant: str

    async def set(self, contact_id: str, key: str, value: str, instead: str = "") -> list[Fact]:
        """Let a contact have a value from now on; return what the key holds then.

        `instead`: the value that it replaces, where a key holds several.

        Raises:
            BadCorrection: there is no such key, it cannot have this value, or a rule keeps it out.
            UnknownFact: `instead` is none of its values.
        """
        known, clean = checked_key(key), checked_value(value)
        active = await self.memory.all_facts.active(self.tenant, contact_id)
        gone = valued(active, known.key, checked_value(instead)) if instead else []
        if instead and not gone:
            raise UnknownFact(f"{known.key} has no such value that could be replaced")
        rules = await self.memory.rules.of(self.tenant)
        if rule := rule_against(rules, contact_id, known.key, clean):
            raise BadCorrection(f"it is never kept, by a rule: {rule.name}")
        by = await self.line(contact_id, f"/facts set {known.key} {clean}")
        return await state(self.memory, by, known, clean, gone)

    async def forget(self, contact_id: str, words: str) -> TakenBack:
        """Forget the facts that words name: a key, words in them or beside them, or `everything`.

        Those that have ended are forgotten as well; words mean one where none that holds has them.

        Raises:
            UnknownFact: there is none.
        """
        known = await ever_known(self.memory, self.tenant, contact_id)
        named = await named_by(self.memory.ledger, self.tenant, known, words)
        return await self._forget(contact_id, named, words)

    async def forget_value(self, contact_id: str, key: str, value: str = "") -> TakenBack:
        """Forget one value of a key, or all that it ever had.

        Raises:
            BadCorrection: there is no such key.
            UnknownFact: it has no such value.
        """
        known = checked_key(key)
        facts = (await ever_known(self.memory, self.tenant, contact_id)).all
        named = f"{known.key} {value}".strip()
        return await self._forget(contact_id, valued(facts, known.key, value), named)

    async def _forget(self, contact_id: str, facts: list[Fact], words: str) -> TakenBack:
        if not facts:
            raise UnknownFact("nothing of the kind is known: `recollect facts list` lists what is")
        return await self.forget_these(contact_id, facts, words)

    async def forget_these(self, contact_id: str, facts: Sequence[Fact], words: str) -> TakenBack:
        """Forget facts that were looked up by words."""
        by = await self.line(contact_id, f"/facts forget {words}")
        return await take_back(self.memory, by, facts)

    async def never_recall(self, contact_id: str, uid: str) -> str:
        """Keep a contact's message, and what it taught, out of all recall; return the act.

        Raises:
            UnknownFact: the contact said no such message.
        """
        stored = await self.memory.ledger.messages(self.tenant, [uid] if is_uid(uid) else [])
        if not [each for each in stored if each.message.contact_id == contact_id]:
            raise UnknownFact("there is no such message of theirs")
        return await self.never_recall_these(contact_id, [uid], uid)

    async def never_recall_these(self, contact_id: str, uids: Sequence[str], words: str) -> str:
        """Keep messages that were looked up by words out of all recall; return the act."""
        by = replace(await self.line(contact_id, f"/memory never {words}"), effect=NEVER)
        await keep_out(self.memory, by, uids)
        await self.audit("never recalled")
        return by.source_uid

    async def recall_again(self, contact_id: str, act: str) -> None:
        """Let a message be recalled again that `never_recall` keeps out."""
        by = await self.line(contact_id, f"/memory recall {act}")
        if not act.endswith(f"{APART}{NEVER}") or not await let_in(self.memory, by, act):
            raise UnknownFact("nothing of that kind is kept out")
        await self.audit("recalled again")

    async def undo(self, contact_id: str, act: str) -> list[Observation]:
        """Undo a correction, named by its source; return what it had stated or taken back.

        What does not come back with its message, because that is withheld for another reason, is
        stated by hand.

        Raises:
            UnknownFact: there is no such correction, or it was undone.
        """
        by = await self.line(contact_id, f"/facts undo {act}")
        undone = await undo(self.memory, by, act)
        if not undone:
            raise UnknownFact("there is nothing left to undo")
        await self.audit("undone")
        active = await self._told_still(contact_id)
        if all(each.retracts for each in undone):
            asked_at = await self._asked_at(act)
            for each in undone:
                if had_ended(each, asked_at) or each.value == ANY_VALUE:
                    continue
                if not valued(active, each.key, each.value):
                    by = await self.line(contact_id, f"/facts set {each.key} {each.value}")
                    await state(self.memory, by, checked_key(each.key), each.value)
        return undone

    async def _asked_at(self, act: str) -> datetime:
        """Return when a correction was asked for, by our clock or the sender's: what is earlier."""
        (stored,) = await self.memory.ledger.messages(self.tenant, [act.partition(APART)[0]])
        return min(stored.message.sent_at, stored.arrived_at)

    async def _told_still(self, contact_id: str) -> list[Fact]:
        """Return the active facts but those whose message is withheld: they will go."""
        active = await self.memory.all_facts.active(self.tenant, contact_id)
        uids = sorted({fact.source_uid for fact in active if is_uid(fact.source_uid)})
        stored = await self.memory.ledger.messages(self.tenant, uids)
        gone = {each.uid for each in stored if each.withheld}
        return [fact for fact in active if fact.source_uid not in gone]

    async def audit(self, outcome: str) -> None:
        """Note in the audit that the owner did something to memory; never what it was about."""
        line = AuditLine(self.tenant, "", "", "memory", outcome, "correction", self.clock())
        await self.memory.audit.write([line])

    async def line(self, contact_id: str, text: str) -> Hand:
        """Record in the ledger what is done."""
        at = self.clock()
        line = Message(
            chat=ChatRef(self.tenant, "web", ACCOUNT, contact_id),
            message_id=self.ids(),
            actor=Actor.OWNER,
            sender_id="owner",
            contact_id=contact_id,
            text=text,
            sent_at=at,
            from_me=True,
            is_owner=True,
            is_command=True,
            withheld=True,
        )
        await self.memory.ledger.record([line], history=True, arrived_at=at)
        return Hand(line, contact_id, at, "correction")


def checked_key(key: str) -> Predicate:
    """Return what a key as a person writes it means: `Favourite color`, `reply language`.

    Raises:
        UnknownKind: the vocabulary has no such key.
    """
    name = " ".join("".join(filter(_is_shown, key.casefold())).split())
    name = name.replace("favourite", "favorite", 1)
    for prefix in (FAVORITE_PREFIX, PREFERENCE_PREFIX):
        # In words, as they are shown, the colon is a blank.
        for written in (prefix, prefix.replace(":", " ")):
            if name.startswith(written):
                name = prefix + name.removeprefix(written).strip()
                break
    known = predicate(name) or predicate(name.replace(" ", "_").replace("-", "_"))
    if known is None:
        shown = name if len(name) <= _SHOWN_KEY else name[: _SHOWN_KEY - 1] + "…"
        raise UnknownKind(shown)
    return known


def checked_value(value: str) -> str:
    """Return a value as it is kept: one line without control characters.

    Raises:
        BadCorrection: it is empty, too long, or the sign for any value.
    """
    clean = "".join(c if _is_shown(c) else " " for c in value)
    clean = " ".join(clean.encode("utf-8", "replace").decode("utf-8").split())
    if not clean:
        raise BadCorrection("the value is empty")
    if len(clean) > MAX_VALUE_CHARS:
        raise BadCorrection(
            f"the value has {len(clean)} characters, more than the {MAX_VALUE_CHARS} of a fact"
        )
    if clean == ANY_VALUE:
        raise BadCorrection(f"the value cannot be {ANY_VALUE}, which stands for any")
    return clean


def _is_shown(character: str) -> bool:
    """Tell a character from one that would steer a terminal; marks that join are shown."""
    return ord(character) >= 32 and not 127 <= ord(character) <= 159
