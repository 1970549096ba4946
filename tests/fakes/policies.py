"""Policies and pauses in dictionaries; what decides is the product's own pure code."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory.domain.chats import ChatRef
from memory.policy.rules import (
    BadPolicy,
    Layer,
    LayerVersion,
    Pause,
    PauseKind,
    Policy,
    ReplyPolicy,
    Standing,
    merge,
    scopes_of,
)
from memory.ports.chat_states import ChatState


@dataclass(frozen=True)
class MemoryPolicies:
    """Layers by scope, every change a version."""

    defaults: Policy = field(default_factory=Policy)
    versions: list[tuple[LayerVersion, str]] = field(default_factory=list)
    pauses: MemoryPauses = field(default_factory=lambda: MemoryPauses())  # noqa: PLW0108 defined below

    async def resolve(self, chat: ChatRef) -> Policy:
        newest = await self.newest(chat.tenant, scopes_of(chat))
        return merge(self.defaults, [version.layer for version in newest])

    async def standing(self, chat: ChatRef, after: datetime) -> Standing:
        pauses = await self.pauses.lasting(chat.tenant, scopes_of(chat)[-1], after)
        return Standing(await self.resolve(chat), tuple(pauses))

    def based_on(self, *, reply_direct: ReplyPolicy, reply_group: ReplyPolicy) -> MemoryPolicies:
        given = replace(self.defaults, reply_direct=reply_direct, reply_group=reply_group)
        return replace(self, defaults=given)

    async def newest(self, tenant: str, scopes: Sequence[str] | None = None) -> list[LayerVersion]:
        by_scope = {version.scope: version for version, _ in self.versions}
        return [by_scope[s] for s in sorted(by_scope) if scopes is None or s in scopes]

    async def change(
        self,
        tenant: str,
        edits: Mapping[str, Callable[[Layer], Layer]],
        by: str,
        at: datetime,
        source: str = "",
    ) -> list[LayerVersion]:
        made = [version for version, of in self.versions if source and of == source]
        if made:
            return made
        for scope, edit in edits.items():
            (before,) = await self.newest(tenant, [scope]) or [
                LayerVersion(scope, 0, Layer(), "", at)
            ]
            layer = edit(before.layer)
            if layer != before.layer:
                made.append(LayerVersion(scope, before.version + 1, layer, by, at))
        self.versions.extend((version, source) for version in made)
        return made


class MemoryPauses:
    """Pauses by the message that began them."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[str, Pause, str]] = {}

    async def begin(
        self,
        tenant: str,
        scope: str,
        source: str,
        kind: PauseKind,
        began_at: datetime,
        ends_at: datetime | None,
    ) -> None:
        self.rows.setdefault(source, (scope, Pause(kind, began_at, ends_at), ""))

    async def end(self, tenant: str, scope: str, at: datetime, source: str) -> int:
        done = [key for key, (of, _, by) in self.rows.items() if of == scope and by == source]
        if done:
            return len(done)
        for key, (of, pause, _) in self.rows.items():
            if of == scope and (pause.ends_at is None or pause.ends_at > at):
                self.rows[key] = (of, replace(pause, ends_at=max(pause.began_at, at)), source)
                done.append(key)
        return len(done)

    async def lasting(self, tenant: str, scope: str, after: datetime) -> list[Pause]:
        return [
            pause
            for of, pause, _ in self.rows.values()
            if of == scope and (pause.ends_at is None or pause.ends_at > after)
        ]


class PausesAlone:
    """Chats of which nothing is kept behind their turns, and that may be paused."""

    def __init__(self, pauses: MemoryPauses) -> None:
        self._pauses = pauses

    async def of(
        self, chat: ChatRef, now: datetime, episodes: int, loops: int, over: Collection[str] = ()
    ) -> ChatState:
        lasting = await self._pauses.lasting(chat.tenant, scopes_of(chat)[-1], now)
        return ChatState(pauses=lasting)


class NoPersonas:
    """A folder without files."""

    async def text(self, name: str) -> str:
        raise BadPolicy(f"there is no persona file {name} in the persona folder")
