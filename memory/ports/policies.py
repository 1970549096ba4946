"""Ports of what rules a chat: policies, pauses, personas, and the audit of what was decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from memory.domain.chats import ChatRef
from memory.domain.work import AuditLine
from memory.policy.rules import Layer, LayerVersion, Pause, PauseKind, Policy, ReplyPolicy, Standing


class Policies(Protocol):
    """Layers of rules by scope, every change a version (N5)."""

    async def resolve(self, chat: ChatRef) -> Policy:
        """Return what holds in a chat now: the defaults, its channel's layer, its own over it."""
        ...

    async def standing(self, chat: ChatRef, after: datetime) -> Standing:
        """Return what holds in a chat now, with the pauses that end after a time, or never."""
        ...

    def based_on(self, *, reply_direct: ReplyPolicy, reply_group: ReplyPolicy) -> Policies:
        """Return the same layers over other defaults for when to answer."""
        ...

    async def newest(self, tenant: str, scopes: Sequence[str] | None = None) -> list[LayerVersion]:
        """Return the newest version of these scopes, or of all; an unknown scope is left out.

        In order of scope, so that a channel comes before its chats.
        """
        ...

    async def history(self, tenant: str, scope: str) -> list[LayerVersion]:
        """Return every version of a scope, oldest first."""
        ...

    async def change(
        self,
        tenant: str,
        edits: Mapping[str, Callable[[Layer], Layer]],
        by: str,
        at: datetime,
        source: str = "",
    ) -> list[LayerVersion]:
        """Edit the layers of scopes, all or none; return the new versions.

        An edit that changes nothing makes no version. `source` names the message that asked for it:
        the same one again changes nothing, and gets the versions that it made.
        """
        ...


class Pauses(Protocol):
    """When the agent keeps out of a chat, by the chat's scope."""

    async def begin(
        self,
        tenant: str,
        scope: str,
        source: str,
        kind: PauseKind,
        began_at: datetime,
        ends_at: datetime | None,
    ) -> None:
        """Pause a chat because of the message `source`, once; None: until `end`."""
        ...

    async def end(self, tenant: str, scope: str, at: datetime, source: str) -> int:
        """End every pause of a chat that lasts longer; return how many did.

        `source` names the message that asked for it: the same one again ends no more, and gets the
        same number.
        """
        ...

    async def lasting(self, tenant: str, scope: str, after: datetime) -> list[Pause]:
        """Return the pauses of a chat that end after a time, or never, in order of beginning."""
        ...


class Audit(Protocol):
    """What checks, the gate and commands decided. Never a text of anybody (N7)."""

    async def write(self, lines: Sequence[AuditLine]) -> None:
        """Keep lines; one that its turn has already is not kept again."""
        ...

    async def listing(self, tenant: str, limit: int) -> list[AuditLine]:
        """Return the latest lines, newest first."""
        ...


class Personas(Protocol):
    """Persona files, by name."""

    async def text(self, name: str) -> str:
        """Return a persona's text as it is now.

        Raises:
            BadPolicy: there is no such file, or it cannot be read; one line that says what to do.
        """
        ...
