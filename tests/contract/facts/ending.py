"""What ends: by itself, by being taken back, by mistake; and what held on a day."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import permutations
from uuid import uuid4

import pytest

from memory.facts.asof import as_of, over_of
from tests.contract.facts.backend import ALEX, T0, Backend, said, tell, values


@pytest.mark.anyio
class Ending:
    """Subclasses give the fixture `backend`."""

    async def test_what_ends_by_itself_is_active_until_then(self, backend: Backend) -> None:
        await tell(backend, said("medical", "antibiotics", days=5))
        [fact] = await backend.store.active(backend.tenant, ALEX)
        end = T0 + timedelta(days=5)
        assert (fact.status, fact.valid_to, fact.expires_at) == ("active", end, end)
        backend.clock.now = end - timedelta(seconds=1)
        assert await values(backend, "medical") == ["antibiotics"]
        backend.clock.now = end
        assert await values(backend, "medical") == []
        assert await backend.store.history(backend.tenant, ALEX) == [fact]
        assert await backend.store.rows(backend.tenant, ALEX) == [fact]

    async def test_what_messages_told_that_is_over_comes_with_what_holds(
        self, backend: Backend
    ) -> None:
        await tell(backend, said("home", "Leeds", source="one"))
        await tell(backend, said("pet", "Rex", source="one"))
        await tell(backend, said("home", "Leeds", 1, source="two"))
        await tell(backend, said("home", "York", 2, source="three"))
        await tell(backend, said("medical", "antibiotics", 3, days=5, source="three"))
        backend.clock.now = T0 + timedelta(days=6)

        async def over(*uids: str) -> list[tuple[str, str]]:
            facts = await backend.store.active(backend.tenant, ALEX, uids)
            return [(f.source_uid, f.value) for f in over_of(facts) if f.status != "active"]

        assert await over() == []
        assert await over("one", "four") == [("one", "Leeds")]
        assert await over("two", "three") == [("three", "antibiotics"), ("two", "Leeds")]
        assert await values(backend, "home") == ["York"]

    async def test_as_of_a_day_a_fact_holds_until_its_end(self, backend: Backend) -> None:
        await tell(backend, said("availability", "away", days=3))
        await tell(backend, said("availability", "travelling", 24 * 60, days=9))
        backend.clock.now = T0 + timedelta(days=90)
        history = await backend.store.history(backend.tenant, ALEX)

        def held(days: float) -> list[str]:
            return [fact.value for fact in as_of(history, T0 + timedelta(days=days))]

        assert [held(days) for days in (0.5, 2, 8.9, 9)] == [
            ["away"],
            ["travelling"],
            ["travelling"],
            [],
        ]

    async def test_what_holds_for_a_while_leaves_alone_what_holds_for_good(
        self, backend: Backend
    ) -> None:
        await tell(backend, said("home", "Leeds"))
        await tell(backend, said("home", "Berlin", 1, days=5))
        assert await values(backend, "home") == ["Berlin", "Leeds"]
        backend.clock.now = T0 + timedelta(days=6)
        assert await values(backend, "home") == ["Leeds"]

    async def test_what_is_said_to_end_ends(self, backend: Backend) -> None:
        await tell(backend, said("employer", "Acme"))
        await tell(backend, said("employer", "Acme", 1, days=5))
        assert await values(backend, "employer") == ["Acme"]
        backend.clock.now = T0 + timedelta(days=6)
        assert await values(backend, "employer") == []

    async def test_what_is_for_good_after_all_does_not_end(self, backend: Backend) -> None:
        await tell(backend, said("home", "Berlin", days=5))
        await tell(backend, said("home", "Berlin", 1))
        backend.clock.now = T0 + timedelta(days=6)
        assert await values(backend, "home") == ["Berlin"]

    async def test_an_end_may_be_put_off_or_taken_back(self, backend: Backend) -> None:
        await tell(backend, said("medical", "cortisone", days=5))
        await tell(backend, said("medical", "cortisone", 1, days=8))
        backend.clock.now = T0 + timedelta(days=6)
        assert await values(backend, "medical") == ["cortisone"]
        await tell(backend, said("medical", "cortisone", 2, retracts=True))
        assert await values(backend, "medical") == []
        assert {f.valid_to for f in await backend.store.history(backend.tenant, ALEX)} == {
            T0 + timedelta(minutes=1),
            T0 + timedelta(minutes=2),
        }

    async def test_ends_come_out_the_same_in_any_order(self, backend: Backend) -> None:
        told = [
            said("home", "Leeds"),
            said("home", "Berlin", 1, days=5),
            said("home", "Berlin", 2, days=9),
            said("home", "York", 8 * 24 * 60, 0.6, days=12),
        ]
        outcomes = set()
        for number, order in enumerate(permutations(told)):
            contact = f"web:{number}"
            for seen in order:
                await tell(backend, replace(seen, source_uid=str(uuid4())), contact=contact)
            history = await backend.store.history(backend.tenant, contact)
            outcomes.add(frozenset((f.value, f.status, f.valid_to) for f in history))
        assert len(outcomes) == 1

    async def test_a_retraction_closes(self, backend: Backend) -> None:
        await tell(backend, said("diet", "vegetarian"), said("diet", "halal"))
        await tell(backend, said("diet", "vegetarian", 1, retracts=True))
        assert await values(backend, "diet") == ["halal"]
        await tell(backend, said("diet", "*", 2, retracts=True))
        assert await values(backend, "diet") == []
        assert len(await backend.store.history(backend.tenant, ALEX)) == 2

    async def test_what_was_a_mistake_never_held(self, backend: Backend) -> None:
        wrong = said("sibling", "Anna", 0, source="told")
        right = said("sibling", "Ana", 5, source="mended")
        mistake = replace(wrong, retracts=True, source_uid="mended", stated_at=right.stated_at)
        mended = [replace(mistake, until=wrong.stated_at), right]
        other = said("sibling", "Clara", 1)
        for messages in permutations(([wrong], mended, [other])):
            alex = str(uuid4())
            for observations in messages:
                await backend.store.apply(
                    backend.tenant, alex, observations, T0 + timedelta(days=1)
                )
            held = await backend.store.active(backend.tenant, alex)
            assert sorted(fact.value for fact in held) == ["Ana", "Clara"]
            history = await backend.store.history(backend.tenant, alex)
            (gone,) = [fact for fact in history if fact.value == "Anna"]
            assert (gone.status, gone.closed_by) == ("closed", "mended")
            assert (gone.valid_from, gone.valid_to) == (T0, T0)
            assert gone not in as_of(history, T0)
