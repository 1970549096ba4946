"""What is told again, in any order, by several at once, or undone."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from itertools import permutations

import pytest

from memory.domain.facts import Applied, ContactObservations
from tests.contract.facts.backend import ALEX, T0, Backend, said, tell, values


@pytest.mark.anyio
class Replaying:
    """Subclasses give the fixture `backend`."""

    async def test_applying_again_changes_nothing(self, backend: Backend) -> None:
        messages = [
            (said("home", "Leeds", 0), said("pet", "Rex", 0)),
            (said("home", "York", 1, 0.6),),
            (said("home", "Bristol", 2),),
            (said("pet", "Rex", 3, retracts=True),),
        ]
        for message in messages:
            await tell(backend, *message)
        before = await backend.store.history(backend.tenant, ALEX)
        stored = await backend.count_stored(backend.tenant, ALEX)
        for message in messages:
            await tell(backend, *message)
        assert await backend.store.history(backend.tenant, ALEX) == before
        assert await backend.count_stored(backend.tenant, ALEX) == stored

    async def test_concurrent_messages_leave_one_active_value(self, backend: Backend) -> None:
        await asyncio.gather(*(tell(backend, said("home", f"Town {n}", 1)) for n in range(12)))
        assert len(await values(backend, "home")) == 1
        assert await backend.count_stored(backend.tenant, ALEX) == 12

    async def test_a_batch_does_what_its_messages_do_one_by_one(self, backend: Backend) -> None:
        sayings = [(said("home", town, n), said("like", town, n)) for n, town in enumerate("ABCAB")]
        batches = [ContactObservations(f"c{n % 2}", seen) for n, seen in enumerate(sayings)]
        came_of = await backend.store.apply_many(backend.tenant, batches, T0)
        one_by_one = replace(backend, tenant=f"{backend.tenant}-single")
        for batch in batches:
            await backend.store.apply(one_by_one.tenant, batch.contact_id, batch.observations, T0)
        for contact in ("c0", "c1"):
            pairs = []
            for each in (backend, one_by_one):
                history = await each.store.history(each.tenant, contact)
                pairs.append([(f.key, f.value, f.status, f.valid_to) for f in history])
            assert pairs[0] == pairs[1] != []
        assert {fact.value for fact in came_of.activated} == {"A", "B", "C"}
        again = await backend.store.apply_many(backend.tenant, batches, T0)
        assert set(again.activated) == set(came_of.activated)
        assert await backend.store.apply_many(backend.tenant, [], T0) == Applied()

    async def test_any_order_of_arrival_leaves_the_same_facts(self, backend: Backend) -> None:
        messages = [
            said("home", "Leeds", 0, source="m0"),
            said("home", "York", 1, source="m1"),
            said("home", "York", 2, retracts=True, source="m2"),
            said("home", "Leeds", 3, source="m3"),
            said("home", "*", 4, retracts=True, source="m4"),
        ]
        for order in permutations(messages[:4]):
            for seen in order:
                await tell(backend, seen)
            (held,) = await backend.store.active(backend.tenant, ALEX)
            assert (held.value, held.source_uid) == ("Leeds", "m3")
            await backend.store.forget(backend.tenant, ALEX)
        for seen in reversed(messages):
            await tell(backend, seen)
        assert await values(backend, "home") == []
        history = await backend.store.history(backend.tenant, ALEX)
        assert [(f.value, f.status, f.closed_by) for f in history] == [
            ("Leeds", "closed", "m4"),
            ("York", "closed", "m2"),
            ("Leeds", "closed", "m1"),
        ]
        assert await backend.count_stored(backend.tenant, ALEX) == 5

    async def test_it_is_told_which_facts_hold_and_which_no_longer_do(
        self, backend: Backend
    ) -> None:
        await tell(backend, said("home", "Leeds"), said("pet", "Rex"))
        news = (
            said("home", "York", 1, source="m"),
            said("pet", "Rex", 1, retracts=True, source="m"),
        )
        for _ in range(2):
            came_of = await backend.store.apply(backend.tenant, ALEX, news, T0)
            assert {fact.value for fact in came_of.activated} == {"York"}
            assert {fact.value for fact in came_of.closed} == {"Leeds", "Rex"}

    async def test_what_a_message_no_longer_says_is_undone(self, backend: Backend) -> None:
        store, tenant, at = backend.store, backend.tenant, T0 + timedelta(days=2)
        await tell(backend, said("home", "Leeds"), said("pet", "Rex"))
        mia = said("pet", "Mia", 1, source="m")
        await tell(
            backend,
            said("home", "York", 1, source="m"),
            said("pet", "Rex", 1, retracts=True, source="m"),
            mia,
        )
        assert await store.correct(tenant, "web:bo", "m", [], at) == Applied()
        assert await store.correct("other", ALEX, "m", [], at) == Applied()
        for _ in range(2):
            came_of = await store.correct(tenant, ALEX, "m", [mia], at)
            assert {fact.value for fact in came_of.activated} == {"Leeds", "Rex", "Mia"}
            history = await store.history(tenant, ALEX)
            assert [(f.value, f.status) for f in history] == [
                ("Leeds", "closed"),
                ("Rex", "closed"),
                ("York", "withdrawn"),
                ("Mia", "active"),
                *[(f.value, "active") for f in history[4:]],
            ]
            assert {fact.fact_id for fact in came_of.closed} == {f.fact_id for f in history[:3]}
            assert sorted(f.value for f in history[4:]) == ["Leeds", "Rex"]
            assert {f.recorded_from for f in history[4:]} == {at}
        assert {f.value for f in (await store.correct(tenant, ALEX, "m", [], at)).closed} == {
            "Leeds",
            "Rex",
            "York",
            "Mia",
        }
        await store.correct(tenant, ALEX, "m", [said("home", "York", 1, source="m")], at)
        assert (await values(backend, "home"), await values(backend, "pet")) == (["York"], ["Rex"])

    async def test_what_a_person_corrected_is_overturned_by_no_guess_and_no_edit(
        self, backend: Backend
    ) -> None:
        store, tenant, at = backend.store, backend.tenant, T0 + timedelta(days=2)
        mine = (
            said("home", "York", 5, 1.0, source="c/correction"),
            said("pet", "Rex", 5, 1.0, source="c/correction", retracts=True),
        )
        told = (said("home", "Leeds", 1, source="m"), said("pet", "Rex", 1, source="m"))
        for order in ((told, mine), (mine, told)):
            for each in order:
                await tell(backend, *each)
            await tell(backend, said("home", "Bath", 9, 0.89), said("pet", "Rex", 9, 0.6))
            for home in ("Oxford", "Hull"):
                again = (said("home", home, 1, source="m"), said("pet", "Rex", 1, source="m"))
                await store.correct(tenant, ALEX, "m", again, at)
            (held,) = await store.active(tenant, ALEX)
            assert (held.value, held.confidence) == ("York", 1.0)
            await tell(backend, said("home", "Berlin", 12, 0.9))
            assert await values(backend, "home") == ["Berlin"]
            await store.forget(tenant, ALEX)

    async def test_ids_follow_from_what_was_said(self, backend: Backend) -> None:
        store, tenant = backend.store, backend.tenant
        seen = (
            said("home", "Leeds", source="m"),
            said("pet", "Rex", source="m"),
            said("pet", "Rex", 1, retracts=True, source="n"),
        )
        ids = []
        for _ in range(2):
            for each in seen:
                await tell(backend, each)
            ids.append({(f.key, f.status): f.fact_id for f in await store.rows(tenant, ALEX)})
            await store.forget(tenant, ALEX)
        assert ids[0] == ids[1]
        assert len(set(ids[0].values())) == 3
        await store.apply("other", ALEX, seen, T0)
        assert {f.fact_id for f in await store.rows("other", ALEX)}.isdisjoint(ids[0].values())
        await store.forget("other", ALEX)

    async def test_rows_are_all_that_is_stored(self, backend: Backend) -> None:
        store, tenant = backend.store, backend.tenant
        assert await store.contacts(tenant) == []
        await tell(backend, said("home", "Leeds"), contact="web:bo")
        await tell(backend, said("home", "Leeds"))
        await tell(backend, said("home", "*", 1, retracts=True))
        rows = await store.rows(tenant, ALEX)
        assert [row.status for row in rows] == ["closed", "retraction"]
        assert len(rows) == await backend.count_stored(tenant, ALEX)
        assert await store.contacts(tenant) == [ALEX, "web:bo"]
        await store.forget(tenant, ALEX)
        assert await store.contacts(tenant) == ["web:bo"]

    async def test_rows_are_replaced_only_where_they_are_as_they_were(
        self, backend: Backend
    ) -> None:
        store, tenant = backend.store, backend.tenant
        await tell(backend, said("home", "Leeds"), said("pet", "Rex"))
        before = await store.rows(tenant, ALEX)
        await tell(backend, said("pet", "Mia", 1))
        assert not await store.replace(tenant, ALEX, before, [])
        rows = await store.rows(tenant, ALEX)
        assert [row.value for row in rows] == ["Leeds", "Rex", "Mia"]
        after = [rows[2], replace(rows[0], value="York")]
        assert await store.replace(tenant, ALEX, rows, after)
        assert await store.rows(tenant, ALEX) == after
        await tell(backend, said("pet", "Ida", 2))
        assert [f.value for f in await store.history(tenant, ALEX)] == ["Mia", "York", "Ida"]
        assert await store.replace(tenant, ALEX, await store.rows(tenant, ALEX), [])
        assert await store.contacts(tenant) == []
        assert not await store.replace(tenant, ALEX, after, after)
        assert await store.replace(tenant, ALEX, [], after)
        assert await store.rows(tenant, ALEX) == after

    async def test_a_row_of_another_id_of_the_same_person_is_taken_over(
        self, backend: Backend
    ) -> None:
        store, tenant = backend.store, backend.tenant
        seen = said("home", "Leeds", source="m")
        await tell(backend, seen, contact="web:hidden")
        await tell(backend, seen)
        assert await store.contacts(tenant) == [ALEX]
        assert await values(backend, "home") == ["Leeds"]
        assert await backend.count_stored(tenant, ALEX) == 1
        assert await backend.count_stored(tenant, "web:hidden") == 0

    async def test_writers_beside_each_other_lose_and_double_nothing(
        self, backend: Backend
    ) -> None:
        messages = [
            ContactObservations(contact, (seen, said("like", "tea", n, source=f"{contact}{n}")))
            for contact in (ALEX, "web:bo")
            for n, seen in enumerate(
                [
                    said("home", "Leeds", 0, source=f"{contact}0"),
                    said("home", "York", 1, source=f"{contact}1"),
                    said("friend", "Priya", 2, source=f"{contact}2"),
                    said("friend", "Priya Nair", 3, source=f"{contact}3"),
                    said("home", "*", 4, retracts=True, source=f"{contact}4"),
                    said("home", "NYC", 5, source=f"{contact}5"),
                ]
            )
        ]
        pet = [said("pet", "Rex", 9, source=f"{ALEX}9")]

        async def write(number: int) -> None:
            """Tell everything, in an order and by a way of its own; edit one message."""
            store = backend.beside if number % 2 else backend.store
            order = messages[number:] + messages[:number]
            if number % 4 < 2:
                await store.apply_many(backend.tenant, order, T0)
            else:
                for each in reversed(order):
                    await store.apply(backend.tenant, each.contact_id, each.observations, T0)
            await store.apply(backend.tenant, ALEX, pet, T0)
            await store.correct(backend.tenant, ALEX, f"{ALEX}9", pet, T0)
            rows = await store.rows(backend.tenant, ALEX)
            await store.replace(backend.tenant, ALEX, rows, rows)

        async with asyncio.timeout(60):
            await asyncio.gather(*(write(number) for number in range(8)))
        alone = replace(backend, tenant=f"{backend.tenant}-alone")
        await alone.store.apply_many(alone.tenant, messages, T0)
        await alone.store.apply(alone.tenant, ALEX, pet, T0)
        for contact in (ALEX, "web:bo"):
            told = [
                sorted(
                    (f.key, f.value, f.source_uid, f.status, f.confidence, f.closed_by or "")
                    for f in await each.store.rows(each.tenant, contact)
                )
                for each in (backend, alone)
            ]
            assert told[0] == told[1]
            assert len(told[0]) == await backend.count_stored(backend.tenant, contact)
        await alone.store.forget(alone.tenant, ALEX)
        await alone.store.forget(alone.tenant, "web:bo")

    async def test_two_ids_of_one_person_may_be_written_at_once(self, backend: Backend) -> None:
        seen = [said("like", f"thing {n}", n, source=f"m{n}") for n in range(40)]
        mine = [ContactObservations(ALEX, (each,)) for each in seen]
        hidden = [ContactObservations("web:hidden", (each,)) for each in reversed(seen)]
        async with asyncio.timeout(60):
            for _ in range(3):
                await asyncio.gather(
                    backend.store.apply_many(backend.tenant, mine, T0),
                    backend.beside.apply_many(backend.tenant, hidden, T0),
                )
                counts = [
                    await backend.count_stored(backend.tenant, contact)
                    for contact in (ALEX, "web:hidden")
                ]
                assert sum(counts) == len(seen)
                await backend.store.forget(backend.tenant, ALEX)
                await backend.store.forget(backend.tenant, "web:hidden")
