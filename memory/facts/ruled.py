"""A reader of facts that keeps out what rules say is never kept, whoever reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from typing_extensions import override

from memory.domain.chats import StoredMessage
from memory.domain.readings import Heard, KeptOut, Reading
from memory.facts.hushing import Telling
from memory.facts.unsaying import Stated, left_of
from memory.policy.keeping import Rule, kept_out_by, rule_against
from memory.ports.bundle import Memory
from memory.ports.keeping import KeepingRules
from memory.ports.reading import FactReader

ACT = "rule/"
"""Begins the name of the act by which a rule keeps words out."""


@dataclass(frozen=True, slots=True)
class RuledReader(FactReader):
    """Reads as another reader does, and leaves out what is never kept.

    A message is judged by the rules that held when it came or was edited, however often it is read:
    a new rule takes nothing away that nobody asked to have forgotten, and neither a rebuild nor
    another reader brings back what a rule kept out that is gone. The messages of one reading are
    one tenant's.
    """

    reader: FactReader
    rules: KeepingRules

    @property
    @override
    def version(self) -> str:
        return self.reader.version

    @override
    async def read(self, messages: Sequence[Heard]) -> list[Reading]:
        return await self._judged(messages, await self.reader.read(messages))

    @override
    async def reread(self, messages: Sequence[Heard]) -> list[Reading]:
        return await self._judged(messages, await self.reader.reread(messages))

    async def _judged(self, messages: Sequence[Heard], read: list[Reading]) -> list[Reading]:
        if not any(map(_tells, read)):
            return read
        uids = [heard.message.uid for heard in messages]
        judging = await self.rules.judging(messages[0].message.chat.tenant, uids)
        return [
            _ruled(reading, heard, judging.get(heard.message.uid, ()))
            for heard, reading in zip(messages, read, strict=True)
        ]

    @override
    async def close(self) -> None:
        await self.reader.close()


async def keep_out_told(
    memory: Memory, tenant: str, told: Sequence[tuple[Telling, Reading]]
) -> None:
    """Keep the words that told what is never kept out of prompts and searches, and note the rules.

    The rest of their messages stays. Nothing of what was kept out is written anywhere.
    """
    for telling, reading in told:
        if not reading.kept_out:
            continue
        uid, gone = telling.message.uid, reading.kept_out
        staying = [Stated(o.key, o.value, o.span) for o in telling.observations]
        values = [Stated(each.key, each.value, each.span) for each in gone]
        left = left_of(telling.message.text, telling.shown, values, staying)
        rules = sorted({each.rule_id for each in gone})
        await memory.rules.note(tenant, {uid: rules})
        for rule_id in rules:
            await memory.corrections.unsay(tenant, {uid: left}, (), f"{ACT}{rule_id}")


async def judge_edited(memory: Memory, tenant: str, stored: Sequence[StoredMessage]) -> bool:
    """Withhold what was edited into words that are never kept, and tell whether any was."""
    edited = [e for e in stored if e.edited_at and e.said is None and not e.withheld]
    if not edited:
        return False
    judging = await memory.rules.judging(tenant, [e.uid for e in edited])
    by_rule = {
        e.uid: [rule.rule_id]
        for e in edited
        if (rule := kept_out_by(e.message, judging.get(e.uid, ())))
    }
    if by_rule:
        await memory.ledger.withhold(tenant, sorted(by_rule))
        await memory.rules.note(tenant, by_rule)
    return bool(by_rule)


def _tells(reading: Reading) -> bool:
    return bool(reading.observations or reading.claims or reading.doubts)


def _ruled(reading: Reading, heard: Heard, rules: Sequence[Rule]) -> Reading:
    if not rules or not _tells(reading):
        return reading
    contact_id = heard.message.contact_id

    def against(key: str, value: str) -> Rule | None:
        return rule_against(rules, contact_id, key, value)

    gone = [
        KeptOut(rule.rule_id, seen.key, seen.value, seen.span)
        for seen in reading.observations
        if not seen.retracts and (rule := against(seen.key, seen.value))
    ]
    gone += [
        KeptOut(rule.rule_id, claim.key, claim.value)
        for claim in reading.claims
        if (rule := against(claim.key, claim.value))
    ]
    return replace(
        reading,
        observations=tuple(
            o for o in reading.observations if o.retracts or not against(o.key, o.value)
        ),
        claims=tuple(c for c in reading.claims if not against(c.key, c.value)),
        doubts=tuple(d for d in reading.doubts if not against(d.key, d.value)),
        kept_out=tuple(gone),
    )
