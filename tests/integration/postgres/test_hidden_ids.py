"""Blocks, allowed senders and rules hold for a person, by whichever of their ids they were set."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.stores import Stores
from memory.domain.chats import Message, Pair
from memory.facts.corrector import Corrector
from memory.facts.keeping import Keeper
from memory.policy.keeping import Rule, kept_out_by
from memory.policy.rules import Layer, Policy
from memory.ports.policies import Policies
from memory.postgres.policies import PostgresPolicies
from memory.transcript.joining import join_contact
from tests.messages import message
from tests.projecting import known

pytestmark = pytest.mark.anyio

LID, PHONE = "770000000001@lid", "4915770001@c.us"
BOTH = pytest.mark.parametrize(
    ("named", "writes"), [(LID, PHONE), (f" waha:{LID}", PHONE), ("+4915770001", LID)]
)


def _said(stores: Stores, sender: str) -> Message:
    return message("My salary is 5000", tenant=stores.settings.tenant, chat=sender, sender=sender)


async def _learnt(stores: Stores) -> Pair:
    pair = Pair(stores.settings.tenant, "waha", "phone", LID, PHONE)
    await stores.memory.identities.learn([pair], "webhook")
    return pair


async def _join(stores: Stores) -> None:
    pair = await _learnt(stores)
    assert await join_contact(stores.memory, pair, stores.saver.adelete_thread)


async def _set(stores: Stores, layer: Layer) -> None:
    edits = {"waha": lambda _: layer, "telegram": lambda _: layer}
    await stores.memory.policies.change(stores.settings.tenant, edits, "me", stores.clock())


async def _layer(stores: Stores, scope: str) -> Layer:
    (version,) = await stores.memory.policies.newest(stores.settings.tenant, [scope])
    return version.layer


@BOTH
async def test_lists_name_a_person_by_any_id(stores: Stores, named: str, writes: str) -> None:
    said, policies = _said(stores, writes), stores.memory.policies
    await _set(stores, Layer(blocked=frozenset({named})))
    assert not (await policies.resolve(said.chat)).blocks(said)
    await _learnt(stores)
    assert (await policies.resolve(said.chat)).blocks(said)
    other = _said(stores, "4915770002@c.us")
    assert not (await policies.resolve(other.chat)).blocks(other)
    await _set(stores, Layer(allowed=frozenset({named})))
    assert (await policies.resolve(said.chat)).admits(said)
    assert not (await policies.resolve(other.chat)).admits(other)


@BOTH
async def test_lists_of_the_settings_do(stores: Stores, named: str, writes: str) -> None:
    said = _said(stores, writes)
    lists = Policy(blocked=frozenset({named}), allowed=frozenset({"x"}))
    policies: Policies = PostgresPolicies(stores.pool, lists)
    await _learnt(stores)
    assert (await policies.resolve(said.chat)).blocks(said)
    policies = PostgresPolicies(stores.pool, Policy(allowed=frozenset({named})))
    assert (await policies.resolve(said.chat)).admits(said)
    stranger = replace(said, chat=replace(said.chat, tenant="someone-else"))
    assert not (await policies.resolve(stranger.chat)).admits(stranger)


@pytest.mark.parametrize(("named", "writes"), [(LID, PHONE), (PHONE, LID)])
async def test_rules_of_what_is_never_kept_do(stores: Stores, named: str, writes: str) -> None:
    said, memory, tenant = _said(stores, writes), stores.memory, stores.settings.tenant
    rule = await memory.rules.add(
        tenant, Rule(0, "words", "salary", f"waha:{named}", stores.clock())
    )
    assert not kept_out_by(said, (await memory.policies.resolve(said.chat)).never)
    await _learnt(stores)
    for found in (
        (await memory.policies.resolve(said.chat)).never,
        await memory.rules.of(tenant),
        (await memory.rules.judging(tenant, [said.uid]))[said.uid],
    ):
        kept_out = kept_out_by(said, found)
        assert kept_out and kept_out.rule_id == rule.rule_id
    await memory.ledger.record([said])
    await memory.rules.note(tenant, {said.uid: [rule.rule_id]})
    (noted,) = (await memory.rules.noted(tenant, [said.uid]))[said.uid]
    assert noted.is_about(f"waha:{writes}")


async def test_what_is_set_goes_along_with_who_it_was_set_for(stores: Stores) -> None:
    memory, tenant = stores.memory, stores.settings.tenant
    lists = Layer(blocked=frozenset({LID, f"waha:{LID}", "x"}), allowed=frozenset())
    await _set(stores, lists)
    rule = await memory.rules.add(tenant, Rule(0, "facts", "health", f"waha:{LID}", stores.clock()))
    for _ in range(2):
        await _join(stores)
        assert await _layer(stores, "telegram") == lists
        assert await _layer(stores, "waha") == Layer(
            blocked=frozenset({PHONE, "x"}), allowed=frozenset()
        )
        renamed = {each.rule_id: each.contact_id for each in await memory.rules.of(tenant)}
        assert renamed[rule.rule_id] == f"waha:{PHONE}"
    await _set(stores, Layer(allowed=frozenset({f"+{LID}", PHONE})))
    await _join(stores)
    assert await _layer(stores, "waha") == Layer(allowed=frozenset({PHONE}))


async def test_a_rule_made_by_the_hidden_id_means_what_is_known_already(stores: Stores) -> None:
    await known(stores, _said(stores, PHONE))
    await _join(stores)
    keeper = Keeper(Corrector(stores.memory, stores.clock, stores.ids, stores.settings.tenant))
    rule = await keeper.add("words", "salary", f"waha:{LID}")
    assert [each.contact_id for each in await keeper.meant(rule)] == [f"waha:{PHONE}"]
