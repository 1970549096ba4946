"""What is stated: kept, superseded, beside others, apart from others."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest

from memory.domain.facts import Stated
from tests.contract.facts.backend import ALEX, T0, Backend, said, tell, values


@pytest.mark.anyio
class Stating:
    """Subclasses give the fixture `backend`."""

    async def test_a_fact_comes_back_as_it_was_stated(self, backend: Backend) -> None:
        seen = said("home", "São Paulo 🇧🇷")
        assert await tell(backend, seen) == ["São Paulo 🇧🇷"]
        [fact] = await backend.store.active(backend.tenant, ALEX)
        assert (fact.category, fact.key, fact.value) == ("identity", "home", "São Paulo 🇧🇷")
        assert (fact.confidence, fact.importance) == (seen.confidence, seen.importance)
        assert (fact.source_uid, fact.anchor) == (seen.source_uid, seen.anchor)
        assert (fact.valid_from, fact.valid_to) == (seen.stated_at, None)
        assert (fact.recorded_from, fact.recorded_to) == (T0 + timedelta(days=1), None)
        assert fact.valid_from.utcoffset() == timedelta(0)

    async def test_an_explicit_statement_supersedes_and_the_old_one_stays(
        self, backend: Backend
    ) -> None:
        await tell(backend, said("home", "Leeds"))
        await tell(backend, said("home", "Bristol", 5))
        old, new = await backend.store.history(backend.tenant, ALEX)
        assert (old.value, old.status, old.valid_to) == (
            "Leeds",
            "closed",
            T0 + timedelta(minutes=5),
        )
        assert old.recorded_to == T0 + timedelta(days=1)
        assert (new.value, new.status) == ("Bristol", "active")
        assert await backend.count_stored(backend.tenant, ALEX) == 2

    async def test_a_history_may_be_of_some_keys_alone(self, backend: Backend) -> None:
        for at, (key, value) in enumerate((("home", "Leeds"), ("like", "tea"), ("home", "York"))):
            await tell(backend, said(key, value, at))
        whole = await backend.store.history(backend.tenant, ALEX)
        homes = [fact for fact in whole if fact.key == "home"]
        assert await backend.store.history(backend.tenant, ALEX, {"home", "pet"}) == homes
        assert await backend.store.history(backend.tenant, ALEX, ()) == []

    async def test_it_is_known_whose_a_fact_is(self, backend: Backend) -> None:
        await tell(backend, said("home", "Leeds"))
        await tell(backend, said("home", "York", 5), contact="web:bo")
        rows = {
            whose: (await backend.store.active(backend.tenant, whose))[0].fact_id
            for whose in (ALEX, "web:bo")
        }
        ids = [*rows.values(), str(uuid4())]
        assert await backend.store.holders(backend.tenant, ids) == {
            fact_id: whose for whose, fact_id in rows.items()
        }
        assert await backend.store.holders("elsewhere", ids) == {}
        assert await backend.store.holders(backend.tenant, []) == {}

    async def test_what_was_stated_is_told_once_whatever_became_of_it(
        self, backend: Backend
    ) -> None:
        for at, (key, value) in enumerate(
            (("home", "Leeds"), ("home", "York"), ("home", "Leeds"), ("like", "tea"))
        ):
            await tell(backend, said(key, value, at))
        told = await backend.store.stated(backend.tenant, ALEX, {"home", "pet"})
        whole = await backend.store.history(backend.tenant, ALEX, {"home", "pet"})
        assert told == sorted({Stated(fact.key, fact.value, fact.anchor) for fact in whole})
        assert [each.value for each in told] == ["Leeds", "York"]
        assert await backend.store.stated(backend.tenant, ALEX, ()) == []

    @pytest.mark.parametrize(
        ("key", "values_told"),
        [
            ("occupation", ["graphic designer", "Designer (graphic)", "a Graphic Designer"]),
            ("like", ["oat milk", "Milk (oat)", "the oat milks"]),
            ("medical", ["mild asthma", "asthma (mild)", "Mild  Asthma"]),
        ],
    )
    async def test_values_that_say_the_same_are_one_fact(
        self, backend: Backend, key: str, values_told: list[str]
    ) -> None:
        for at, value in enumerate(values_told):
            await tell(backend, said(key, value, at))
        assert len(await values(backend, key)) == 1
        history = await backend.store.history(backend.tenant, ALEX)
        assert sorted(fact.status for fact in history) == ["active", "repeated", "repeated"]

    async def test_values_that_only_share_words_stay_apart(self, backend: Backend) -> None:
        for at, value in enumerate(["milk", "oat milk", "milk chocolate", "chocolate (dark)"]):
            await tell(backend, said("like", value, at))
        assert len(await values(backend, "like")) == 4

    async def test_a_weaker_statement_is_kept_as_rejected(self, backend: Backend) -> None:
        await tell(backend, said("name", "Alexander", confidence=1.0))
        assert await tell(backend, said("name", "Al", 1, 0.6)) == []
        assert await values(backend, "name") == ["Alexander"]
        history = await backend.store.history(backend.tenant, ALEX)
        assert [fact.status for fact in history] == ["active", "rejected"]
        await tell(backend, said("name", "Alexander Beaumont", 2, 0.95))
        assert await values(backend, "name") == ["Alexander Beaumont"]

    async def test_values_accumulate_where_the_key_holds_several(self, backend: Backend) -> None:
        await tell(backend, said("allergy", "nuts"), said("allergy", "kiwi"))
        await tell(backend, said("allergy", "Nuts", 1))
        assert await values(backend, "allergy") == ["kiwi", "nuts"]
        assert await backend.count_stored(backend.tenant, ALEX) == 3

    async def test_a_late_import_goes_to_history(self, backend: Backend) -> None:
        await tell(backend, said("home", "Bristol", 10))
        assert await tell(backend, said("home", "Leeds", 2)) == []
        [_, late] = await backend.store.history(backend.tenant, ALEX)
        assert (late.status, late.valid_to) == ("closed", T0 + timedelta(minutes=10))

    async def test_active_comes_by_importance_then_age(self, backend: Backend) -> None:
        await tell(backend, said("like", "tea", 1), said("name", "Alex", 3))
        await tell(backend, said("like", "jazz", 2), said("allergy", "nuts", 9))
        facts = await backend.store.active(backend.tenant, ALEX)
        assert [fact.value for fact in facts] == ["nuts", "Alex", "tea", "jazz"]

    async def test_tenants_and_contacts_are_apart(self, backend: Backend) -> None:
        await tell(backend, said("name", "Alex"))
        other = replace(backend, tenant=f"{backend.tenant}-other")
        await tell(other, said("name", "Olga"))
        assert await values(backend, "name") == ["Alex"]
        assert await values(other, "name") == ["Olga"]
        assert await values(backend, "name", "web:bo") == []
        assert await backend.store.forget(backend.tenant, ALEX) == 1
        assert await values(other, "name") == ["Olga"]

    async def test_forgetting_leaves_nothing(self, backend: Backend) -> None:
        await tell(backend, said("home", "Leeds"))
        await tell(backend, said("home", "Bristol", 1))
        assert await backend.store.forget(backend.tenant, ALEX) == 2
        assert await backend.store.history(backend.tenant, ALEX) == []
        assert await backend.count_stored(backend.tenant, ALEX) == 0
        assert await backend.store.forget(backend.tenant, ALEX) == 0

    async def test_what_is_said_otherwise_is_another_row(self, backend: Backend) -> None:
        store, tenant, at = backend.store, backend.tenant, T0 + timedelta(days=2)
        await tell(backend, said("home", "leeds", confidence=0.6, source="m"))
        surer = said("home", "Leeds", confidence=0.95, source="m")
        for _ in range(2):
            await store.correct(tenant, ALEX, "m", [surer], at)
            first, now = await store.history(tenant, ALEX)
            assert (first.value, first.status, first.recorded_to) == ("leeds", "withdrawn", at)
            assert (now.value, now.status, now.confidence) == ("Leeds", "active", 0.95)

    async def test_one_thing_under_several_names_is_one_fact(self, backend: Backend) -> None:
        store, tenant = backend.store, backend.tenant
        for at, (key, value) in enumerate(
            [
                ("home", "New York City"),
                ("home", "NYC"),
                ("friend", "Priya"),
                ("friend", "Ann"),
                ("friend", "Priya Nair"),
                ("friend", "Anna"),
                ("allergy", "nuts"),
                ("allergy", "nut"),
                ("allergy", "nutmeg"),
            ]
        ):
            await tell(backend, said(key, value, at, 0.9 + at / 100, source=f"m{at}"))
        held = {fact.value: fact for fact in await store.active(tenant, ALEX)}
        assert set(held) == {"New York City", "Priya Nair", "Ann", "Anna", "nuts", "nutmeg"}
        assert (held["nuts"].confidence, held["nuts"].stated_confidence) == (0.97, 0.96)
        status = {f.value: (f.status, f.closed_by) for f in await store.history(tenant, ALEX)}
        assert status["NYC"] == ("repeated", "m0")
        assert status["nut"] == ("repeated", "m6")
        assert status["Priya"] == ("closed", "m4")
        await tell(backend, said("friend", "Priya", 20, retracts=True))
        await tell(backend, said("allergy", "nut", 20, retracts=True))
        assert await values(backend, "friend") == ["Ann", "Anna"]
        assert await values(backend, "allergy") == ["nutmeg"]

    async def test_who_read_a_fact_and_where_is_kept_with_it(self, backend: Backend) -> None:
        store, tenant, at = backend.store, backend.tenant, T0 + timedelta(days=2)
        seen = said("home", "Leeds", source="m")
        by_reader = replace(seen, read_by="rules/1+reader/1", span=(10, 15))
        await tell(backend, by_reader, replace(said("pet", "Rex"), read_by="rules/1"))
        [home, pet] = await store.active(tenant, ALEX)
        assert (home.read_by, home.span) == ("rules/1+reader/1", (10, 15))
        assert (pet.read_by, pet.span) == ("rules/1", None)
        # Read otherwise it is the same statement: no other row, and what is newer is kept.
        await tell(backend, replace(seen, read_by="reader/2", span=(3, 8)))
        assert await store.rows(tenant, ALEX) == [home, pet]
        moved = replace(seen, read_by="reader/2", span=(3, 8))
        for _ in range(2):
            assert (await store.correct(tenant, ALEX, "m", [moved], at)).closed == ()
            rows = await store.rows(tenant, ALEX)
            assert rows == [replace(home, read_by="reader/2", span=(3, 8)), pet]
        assert await store.replace(tenant, ALEX, rows, [home])
        assert await store.rows(tenant, ALEX) == [home]
