"""Port of the rules of what is never kept, and of what they kept out."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Protocol

from memory.policy.keeping import Rule


class KeepingRules(Protocol):
    """Rules of tenants. One that is removed holds no more for what is said from then on."""

    async def of(self, tenant: str) -> list[Rule]:
        """Return the rules that hold, the one of credentials first, the others oldest first."""
        ...

    async def add(self, tenant: str, rule: Rule) -> Rule:
        """Let a rule hold, and return it with its number; where it does already, that one."""
        ...

    async def remove(self, tenant: str, rule_id: int, at: datetime) -> Rule | None:
        """Let a rule hold no more, and return it; None where none of this number does."""
        ...

    async def note(self, tenant: str, kept_out: Mapping[str, Collection[int]]) -> None:
        """Keep by message which rules kept it or facts of it out, in place of what was noted."""
        ...

    async def judging(self, tenant: str, uids: Collection[str]) -> dict[str, list[Rule]]:
        """Return for each message the rules that hold of those made before it came or was edited.

        With those that kept something of it out. Messages without any are left out.
        """
        ...

    async def noted(self, tenant: str, uids: Collection[str]) -> dict[str, list[Rule]]:
        """Return by uid the rules that kept something out, removed ones too.

        Messages of which nothing was kept out are left out.
        """
        ...
