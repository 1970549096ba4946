"""The part of the memory view in which the owner says what is never kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from memory.facts.keeping import Keeper, counted_of
from memory.policy.keeping import BadRule, Rule, RuleKind
from ui.playground.render_rules import rules_part

Asked = Mapping[str, str]
Answer = dict[str, str]


@dataclass(frozen=True, slots=True)
class RulesPart:
    """Lists and makes rules, and forgets what they mean of what is known."""

    keeper: Keeper

    async def shown(self, asked: Asked) -> str:
        """Return the rules that hold for a contact."""
        rules = await self.keeper.corrector.memory.rules.of(self.keeper.corrector.tenant)
        contact_id = asked["contact"]
        return rules_part([each for each in rules if each.is_about(contact_id)], contact_id)

    async def add(self, asked: Asked) -> Answer:
        """Make a rule, and tell what is known of it already."""
        kind = asked.get("kind", "")
        if kind not in ("facts", "words", "credentials"):
            raise BadRule("choose what is never kept")
        rule = await self.keeper.add(cast("RuleKind", kind), asked["what"], asked["whom"])
        told = await self._told(rule)
        return {**told, "said": f"Never kept from now on: {rule.name}. {told['said']}"}

    async def meant(self, asked: Asked) -> Answer:
        """Tell what is known of a rule, with an offer to forget it."""
        return await self._told(await self.keeper.rule(_number(asked)))

    async def clear(self, asked: Asked) -> Answer:
        """Forget what a rule means of what is known; `act` undoes all of it."""
        acts = await self.keeper.forget_meant(await self.keeper.rule(_number(asked)))
        return {"said": "Forgotten.", "act": json.dumps(acts) if acts else ""}

    async def undo(self, asked: Asked) -> Answer:
        """Undo what `clear` forgot."""
        for contact_id, act in json.loads(asked["act"]):
            await self.keeper.undo(contact_id, act)
        return {"said": "Undone: what was forgotten holds again."}

    async def remove(self, asked: Asked) -> Answer:
        """Let a rule hold no more."""
        rule = await self.keeper.remove(_number(asked))
        return {"said": f"Kept again from now on: {rule.name}."}

    async def _told(self, rule: Rule) -> Answer:
        meant = await self.keeper.meant(rule)
        count = sum(len(each.facts) + len(each.messages) for each in meant)
        if not count:
            return {"said": "Nothing is known that it would have kept out."}
        known = f"{counted_of(meant)} {'is' if count == 1 else 'are'}"
        of = meant[0].contact_id if len(meant) == 1 else f"{len(meant)} people"
        offer = "Forget it" if count == 1 else f"Forget these {count}"
        said = f"{known} known, of {of}, that it would have kept out."
        return {"said": said, "offer": offer, "rule": str(rule.rule_id)}


def _number(asked: Asked) -> int:
    text = asked.get("rule", "")
    return int(text) if text.isdecimal() and len(text) < 18 else -1
