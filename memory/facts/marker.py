"""The owner's marks on facts: pinned, never to be recalled, and neither again.

What is never to be recalled is kept, and the owner sees it. It enters no prompt, search, receipt or
answer, nor do the sentences that tell it, nor the replies that had it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory.domain.facts import Fact, Mark, MarkKind
from memory.facts.correcting import Hand, let_in, owe_rest, unsay_told, valued
from memory.facts.corrector import BadCorrection, Corrector, UnknownFact, checked_key
from memory.facts.marked import is_marked

MAX_PINNED: Final = 12
"""So many facts of a contact can be pinned: each takes room in every prompt."""


@dataclass(frozen=True, slots=True)
class Marker:
    """Marks facts of a tenant's contacts by hand."""

    corrector: Corrector

    async def pin(self, contact_id: str, key: str, value: str = "") -> Fact:
        """Let a fact be in every prompt of its contact's turns, until its value changes.

        `value`: which of the key's values; it may be left out where there is one.

        Raises:
            UnknownFact: there is no such fact.
            BadCorrection: it is never to be recalled, or too many are pinned already.
        """
        fact, held = await self._named(contact_id, key, value)
        if fact.mark == "pinned":
            return fact
        if fact.mark == "withheld":
            raise BadCorrection("it is never recalled: let it be shown again first")
        if sum(each.mark == "pinned" for each in held) >= MAX_PINNED:
            raise BadCorrection(f"{MAX_PINNED} facts are pinned, the most there can be: unpin one")
        by = await self._hand(contact_id, "pin", fact)
        await self._put(by, "pinned", fact)
        await self.corrector.audit("pinned")
        return replace(fact, mark="pinned")

    async def unpin(self, contact_id: str, key: str, value: str = "") -> Fact:
        """Let a fact be shown only where it fits again.

        Raises:
            UnknownFact: there is no such fact, or it is not pinned.
        """
        return await self._end(contact_id, key, value, "pinned")

    async def withhold(self, contact_id: str, key: str, value: str = "") -> Fact:
        """Keep a fact from being recalled, whoever tells it again, until `show_again`.

        Raises:
            UnknownFact: there is no such fact.
        """
        fact, _ = await self._named(contact_id, key, value)
        if fact.mark == "withheld":
            return fact
        by = await self._hand(contact_id, "withhold", fact)
        await self._put(by, "withheld", fact)
        await self._end_marks(contact_id, fact, "pinned")
        await unsay_told(self.corrector.memory, by, [fact], still_teaches=True)
        await owe_rest(self.corrector.memory, by)
        await self.corrector.audit("never recalled")
        return replace(fact, mark="withheld")

    async def show_again(self, contact_id: str, key: str, value: str = "") -> Fact:
        """Let a fact be recalled again, with the sentences that tell it.

        Raises:
            UnknownFact: there is no such fact, or it is recalled anyway.
        """
        return await self._end(contact_id, key, value, "withheld")

    async def _end(self, contact_id: str, key: str, value: str, kind: MarkKind) -> Fact:
        fact, _ = await self._named(contact_id, key, value, kind)
        by = await self._hand(contact_id, "unpin" if kind == "pinned" else "show-again", fact)
        for act in await self._end_marks(contact_id, fact, kind):
            if kind == "withheld":
                await let_in(self.corrector.memory, by, act)
        await self.corrector.audit("unpinned" if kind == "pinned" else "recalled again")
        return replace(fact, mark="")

    async def _named(
        self, contact_id: str, key: str, value: str, kind: MarkKind = ""
    ) -> tuple[Fact, Sequence[Fact]]:
        """Return the fact that is meant, and all that hold; of a `kind`, only one so marked."""
        known = checked_key(key)
        held = await self.corrector.memory.all_facts.active(self.corrector.tenant, contact_id)
        named = valued(held, known.key, value)
        if not named:
            raise UnknownFact("nothing of the kind is known: `recollect facts list` lists what is")
        of_kind = [each for each in named if each.mark == kind] if kind else named
        if not of_kind:
            raise UnknownFact("it is not pinned" if kind == "pinned" else "it is recalled anyway")
        exact = [each for each in of_kind if each.value == value] or of_kind
        if len(exact) > 1:
            raise BadCorrection(f"there are {len(exact)} of {known.key}: say which value is meant")
        return exact[0], held

    async def _hand(self, contact_id: str, what: str, fact: Fact) -> Hand:
        by = await self.corrector.line(contact_id, f"/facts {what} {fact.key} {fact.value}")
        return replace(by, effect="mark")

    async def _put(self, by: Hand, kind: MarkKind, fact: Fact) -> None:
        # What a clock ahead of ours told holds from a time to come on.
        since = max(by.at, fact.valid_from)
        mark = Mark(kind, fact.key, fact.value, since, by.source_uid)
        await self.corrector.memory.marks.put(by.tenant, mark)

    async def _end_marks(self, contact_id: str, fact: Fact, kind: MarkKind) -> list[str]:
        memory, tenant = self.corrector.memory, self.corrector.tenant
        of = (await memory.marks.of(tenant, [contact_id])).get(contact_id, [])
        acts = [mark.act for mark in of if mark.kind == kind and is_marked(fact, mark)]
        if acts:
            await memory.marks.end(tenant, acts, self.corrector.clock())
        return acts
