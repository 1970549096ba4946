"""Policies, pauses and the audit on a real database."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from graph.stores import Stores, default_policy
from memory.domain.chats import ChatRef
from memory.domain.work import AuditLine
from memory.policy.file import edited
from memory.policy.rules import BadPolicy, Layer, Pause
from memory.postgres.tenants import remove_transcript
from tests.messages import START

pytestmark = pytest.mark.anyio


def _chat(stores: Stores, chat_id: str = "ana") -> ChatRef:
    return ChatRef(stores.settings.tenant, "waha", "shop", chat_id)


async def _set(stores: Stores, scope: str, **rules: object) -> int:
    tenant = stores.settings.tenant
    made = await stores.memory.policies.change(
        tenant, {scope: lambda layer: edited(layer, rules)}, "me", START
    )
    return made[0].version if made else 0


async def test_without_layers_the_settings_hold(stores: Stores) -> None:
    policy = await stores.memory.policies.resolve(_chat(stores))
    assert policy == default_policy(stores.settings)
    assert (policy.takeover_s, policy.allowed) == (stores.settings.takeover_s, None)


async def test_the_chats_layer_goes_over_its_channels(stores: Stores) -> None:
    await _set(stores, "waha", reply="off", blocked=["x"], takeover_s=5)
    await _set(stores, "waha/shop/ana", reply="all", blocked=["y"])
    await _set(stores, "telegram", takeover_s=9)
    mine = await stores.memory.policies.resolve(_chat(stores))
    other = await stores.memory.policies.resolve(_chat(stores, "bo"))
    assert (mine.reply_direct, mine.takeover_s, mine.blocked) == ("all", 5, frozenset("xy"))
    assert (other.reply_direct, other.takeover_s, other.blocked) == ("off", 5, frozenset("x"))
    stranger = await stores.memory.policies.resolve(replace(_chat(stores), tenant="someone-else"))
    assert stranger == default_policy(stores.settings)


async def test_every_change_is_a_version_with_who_and_when(stores: Stores) -> None:
    assert await _set(stores, "waha", takeover_s=1) == 1
    assert await _set(stores, "waha", takeover_s=2) == 2
    assert await _set(stores, "waha", takeover_s=2) == 0
    assert await _set(stores, "waha", takeover_s=None) == 3
    history = await stores.memory.policies.history(stores.settings.tenant, "waha")
    assert [(v.version, v.layer, v.by, v.at) for v in history] == [
        (1, Layer(takeover_s=1), "me", START),
        (2, Layer(takeover_s=2), "me", START),
        (3, Layer(), "me", START),
    ]


async def test_a_change_is_all_or_nothing(stores: Stores) -> None:
    tenant = stores.settings.tenant
    edits = {
        "waha": lambda _: Layer(reply="off"),
        "telegram": lambda layer: edited(layer, {"takeover_s": -1}),
    }
    with pytest.raises(BadPolicy):
        await stores.memory.policies.change(tenant, edits, "me", START)
    assert await stores.memory.policies.newest(tenant) == []


async def test_changes_at_once_lose_nothing(stores: Stores) -> None:
    def block(who: str) -> object:
        def edit(layer: Layer) -> Layer:
            return edited(layer, {"blocked": sorted((layer.blocked or frozenset()) | {who})})

        return stores.memory.policies.change(stores.settings.tenant, {"waha": edit}, "me", START)

    await asyncio.gather(*(block(f"{n}") for n in range(8)))  # type: ignore[call-overload]
    (newest,) = await stores.memory.policies.newest(stores.settings.tenant)
    assert newest.version == 8
    assert newest.layer.blocked == frozenset("01234567")


async def test_a_pause_is_kept_once_for_its_message(stores: Stores) -> None:
    tenant, later = stores.settings.tenant, START + timedelta(seconds=60)
    for began in (START, START + timedelta(seconds=30)):
        await stores.memory.pauses.begin(tenant, "waha/a/b", "uid", "takeover", began, later)
    pauses = await stores.memory.pauses.lasting(tenant, "waha/a/b", START)
    assert pauses == [Pause("takeover", START, later)]
    assert await stores.memory.pauses.lasting(tenant, "waha/a/b", later) == []
    assert await stores.memory.pauses.lasting(tenant, "waha/a/c", START) == []


async def test_resuming_ends_every_pause_once(stores: Stores) -> None:
    tenant, now = stores.settings.tenant, START + timedelta(seconds=10)
    await stores.memory.pauses.begin(
        tenant, "s", "1", "takeover", START, START + timedelta(seconds=60)
    )
    await stores.memory.pauses.begin(tenant, "s", "2", "command", START, None)
    await stores.memory.pauses.begin(
        tenant, "s", "3", "takeover", START, START + timedelta(seconds=5)
    )
    assert await stores.memory.pauses.end(tenant, "s", now, "r1") == 2
    assert await stores.memory.pauses.end(tenant, "s", now, "r2") == 0
    # The same message again tells what it did.
    assert await stores.memory.pauses.end(tenant, "s", now, "r1") == 2
    # The message of a pause that was ended comes again: it stays ended.
    await stores.memory.pauses.begin(tenant, "s", "2", "command", START, None)
    assert await stores.memory.pauses.lasting(tenant, "s", now) == []


def _line(stores: Stores, turn_id: str, outcome: str = "paused") -> AuditLine:
    return AuditLine(stores.settings.tenant, "", turn_id, "gate", outcome, "", START)


async def test_the_audit_keeps_a_turns_line_once_and_the_latest_first(stores: Stores) -> None:
    one, two = _line(stores, "turn-1"), _line(stores, "turn-2")
    await stores.memory.audit.write([one, one, two])
    await stores.memory.audit.write([one])
    free = _line(stores, "", "imported")
    await stores.memory.audit.write([free])
    await stores.memory.audit.write([free])
    tenant = stores.settings.tenant
    assert await stores.memory.audit.listing(tenant, 10) == [free, free, two, one]
    assert await stores.memory.audit.listing(tenant, 1) == [free]
    assert await stores.memory.audit.listing("someone-else", 10) == []


async def test_removing_a_tenant_removes_all_of_it(stores: Stores) -> None:
    tenant = stores.settings.tenant
    await _set(stores, "waha", reply="off")
    await stores.memory.pauses.begin(tenant, "s", "1", "command", START, None)
    await stores.memory.audit.write([_line(stores, "")])
    await remove_transcript(stores.pool, tenant)
    assert await stores.memory.policies.newest(tenant) == []
    assert await stores.memory.pauses.lasting(tenant, "s", START) == []
    assert await stores.memory.audit.listing(tenant, 10) == []
