"""Rules of what is never kept, as the owner makes them, and what they mean of what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory.domain.chats import is_uid
from memory.domain.facts import APART, Fact
from memory.facts.corrector import NEVER, Corrector
from memory.facts.ended import ever_known
from memory.facts.predicates import PREDICATES
from memory.policy.keeping import BadRule, Rule, RuleKind, checked_what, kept_out_by, rule_against


@dataclass(frozen=True, slots=True)
class Meant:
    """Facts of a contact, and uids of messages, that a rule would have kept out."""

    contact_id: str
    facts: tuple[Fact, ...]
    messages: tuple[str, ...] = ()


def counted_of(meant: Sequence[Meant]) -> str:
    """Return in words how much is meant: `1 fact and 2 messages`."""
    facts = sum(len(each.facts) for each in meant)
    messages = sum(len(each.messages) for each in meant)
    named = [(facts, "fact"), (messages, "message")]
    return " and ".join(f"{n} {what}{'s' * (n != 1)}" for n, what in named if n)


@dataclass(frozen=True, slots=True)
class Keeper:
    """Makes a tenant's rules, and forgets what they mean."""

    corrector: Corrector

    async def add(self, kind: RuleKind, what: str, contact_id: str = "") -> Rule:
        """Let something be kept no more, of everybody or of one contact; what is known stays.

        Raises:
            BadRule: there is no such kind of fact, or no word.
        """
        clean = checked_what(kind, what, sorted(PREDICATES))
        rule = Rule(0, kind, clean, contact_id.strip(), self.corrector.clock())
        made = await self.corrector.memory.rules.add(self.corrector.tenant, rule)
        await self.corrector.audit("rule added")
        return made

    async def remove(self, rule_id: int) -> Rule:
        """Let a rule hold no more; what it kept out stays out.

        Raises:
            BadRule: there is none of this number.
        """
        memory, tenant = self.corrector.memory, self.corrector.tenant
        gone = await memory.rules.remove(tenant, rule_id, self.corrector.clock())
        if gone is None:
            raise BadRule(f"there is no rule {rule_id}: `recollect memory rules list` lists them")
        await self.corrector.audit("rule removed")
        return gone

    async def rule(self, rule_id: int) -> Rule:
        """Return a rule that holds.

        Raises:
            BadRule: there is none of this number.
        """
        rules = await self.corrector.memory.rules.of(self.corrector.tenant)
        for each in rules:
            if each.rule_id == rule_id:
                return each
        raise BadRule(f"there is no rule {rule_id}: `recollect memory rules list` lists them")

    async def meant(self, rule: Rule) -> list[Meant]:
        """Return what is there already and a rule would have kept out, by contact.

        What has ended as well. Every message is looked at where it goes by what is said.
        """
        found = []
        for contact_id in await self._contacts(rule):
            tenant, memory = self.corrector.tenant, self.corrector.memory
            facts = await self._meant(rule, (await ever_known(memory, tenant, contact_id)).all)
            messages = [] if rule.keys else await self._said(rule, contact_id)
            if facts or messages:
                found.append(Meant(contact_id, tuple(facts), tuple(messages)))
        return found

    async def forget_meant(self, rule: Rule) -> list[tuple[str, str]]:
        """Forget what a rule would have kept out; return whose it was, with acts for `undo`.

        Messages are kept out of all recall whole, with what they taught.
        """
        acts = []
        words = f"what a rule keeps out: {rule.rule_id}"
        for each in await self.meant(rule):
            of, facts = each.contact_id, list(each.facts)
            if each.messages:
                acts.append((of, await self.corrector.never_recall_these(of, each.messages, words)))
                memory, tenant = self.corrector.memory, self.corrector.tenant
                facts = await self._meant(rule, (await ever_known(memory, tenant, of)).all)
            if facts:
                taken = await self.corrector.forget_these(of, facts, words)
                acts += [(of, act) for act in {fact.source_uid for fact in taken.facts}]
        return acts

    async def undo(self, contact_id: str, act: str) -> None:
        """Undo an act of `forget_meant`.

        Raises:
            UnknownFact: there is none, or it was undone.
        """
        if act.endswith(f"{APART}{NEVER}"):
            await self.corrector.recall_again(contact_id, act)
        else:
            await self.corrector.undo(contact_id, act)

    async def _contacts(self, rule: Rule) -> list[str]:
        if rule.contact_id:
            return [rule.contact_id, *sorted(rule.also)]
        memory, tenant = self.corrector.memory, self.corrector.tenant
        known = await memory.facts.contacts(tenant)
        return known if rule.keys else sorted({*known, *await memory.contents.contacts(tenant)})

    async def _said(self, rule: Rule, contact_id: str) -> list[str]:
        memory, tenant = self.corrector.memory, self.corrector.tenant
        return [
            stored.uid
            async for page in memory.contents.said_by(tenant, contact_id)
            for stored in page
            if kept_out_by(stored.message, [rule])
        ]

    async def _meant(self, rule: Rule, facts: Sequence[Fact]) -> list[Fact]:
        uids = {fact.source_uid for fact in facts if is_uid(fact.source_uid)}
        if rule.keys:
            uids = set()
        stored = await self.corrector.memory.ledger.messages(self.corrector.tenant, sorted(uids))
        out = {each.uid for each in stored if kept_out_by(each.in_full, [rule])}
        return [
            fact
            for fact in facts
            if fact.source_uid in out or rule_against([rule], fact.contact_id, fact.key, fact.value)
        ]
