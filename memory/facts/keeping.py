"""Rules of what is never kept, as the owner makes them, and what they mean of what is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory.domain.chats import is_uid
from memory.domain.facts import Fact
from memory.facts.corrector import Corrector
from memory.facts.predicates import PREDICATES
from memory.policy.keeping import BadRule, Rule, RuleKind, checked_what, kept_out_by, rule_against


@dataclass(frozen=True, slots=True)
class Meant:
    """Facts of a contact that a rule would have kept out."""

    contact_id: str
    facts: tuple[Fact, ...]


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
        """Return the facts that are there already, and that a rule would have kept out."""
        memory, tenant = self.corrector.memory, self.corrector.tenant
        contacts = [rule.contact_id] if rule.contact_id else await memory.facts.contacts(tenant)
        found = []
        for contact_id in contacts:
            facts = await memory.all_facts.active(tenant, contact_id)
            meant = await self._meant(rule, facts)
            if meant:
                found.append(Meant(contact_id, tuple(meant)))
        return found

    async def forget_meant(self, rule: Rule) -> list[tuple[str, str]]:
        """Forget what a rule would have kept out; return whose it was, with acts to be undone."""
        acts = []
        for each in await self.meant(rule):
            words = f"what a rule keeps out: {rule.rule_id}"
            taken = await self.corrector.forget_these(each.contact_id, each.facts, words)
            acts += [(each.contact_id, act) for act in {fact.source_uid for fact in taken.facts}]
        return acts

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
