"""Entities on real stores: they follow the messages that tell of them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graph.bootstrap import Overrides, open_stores
from graph.settings import Settings
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Message, Pair
from memory.domain.facts import Fact, Observation
from memory.domain.projections import CONTACT
from memory.domain.readings import ThirdPartyClaim
from memory.facts.corrector import Corrector
from memory.facts.entities.answering import answers
from memory.facts.entities.linking import ENTITY_KEYS, entities_of
from memory.recall.claimed import claimed_of
from memory.transcript.joining import join_contact
from memory.trust.verify import Report, verify
from tests.fakes.chat_model import ScriptedChatModel
from tests.fakes.reader import ScriptedReader
from tests.integration.conftest import on_neo4j
from tests.messages import START, message
from tests.projecting import known

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SCRIPT = {
    "My wife is called Priya.": ["spouse=Priya"],
    "Priya started at Acme.": ["Priya.employer=Acme"],
    "Priya is at Initech now.": ["Priya.employer=Initech"],
    "My dog Bruno is ill.": ["pet=Bruno"],
    "My wife works at Hooli.": ["wife.employer=Hooli"],
    "I live in Leeds.": ["home=Leeds"],
    "I live in York.": ["home=York"],
    "My dog Bruno loves it here in Leeds.": ["pet=Bruno", "home=Leeds"],
}
NAMED, STARTED, MOVED, DOG, WORKS, HOME, HOME_BEFORE, BOTH = SCRIPT


@pytest.fixture(params=["postgres", "neo4j"])
async def stores(
    settings: Settings, model: ScriptedChatModel, request: pytest.FixtureRequest
) -> AsyncIterator[Stores]:
    """Every store, open, with a scripted reader and either fact store."""
    settings = on_neo4j(settings) if request.param == "neo4j" else settings
    given = Overrides(model=model, reader=ScriptedReader(SCRIPT))
    async with open_stores(settings, given) as opened:
        yield opened
        for contact in await opened.memory.facts.contacts(settings.tenant):
            await opened.memory.facts.forget(settings.tenant, contact)
            await opened.memory.entities.replace(settings.tenant, contact, [])


@pytest.fixture
def say(stores: Stores) -> Callable[..., Message]:
    """Make messages of a contact of the tenant, `minutes` after the start."""

    def made(text: str, minutes: float = 0, sender: str = "ana") -> Message:
        tenant = stores.settings.tenant
        return message(text, tenant=tenant, minutes=minutes, chat=sender, sender=sender)

    return made


async def _claims(stores: Stores, contact: str = "waha:ana") -> dict[str, list[str]]:
    """Return what is claimed of each entity and holds; every projection must be in line."""
    await stores.projector.caught_up()
    assert {name: dict(each.counts) for name, each in (await _verified(stores)).items()} == {
        name: {}
        for name in (
            "vectors",
            "tokens",
            "facts",
            "fact_vectors",
            "entities",
            "open_loops",
            "episodes",
            "episode_vectors",
            "contact_states",
            "uses",
        )
    }
    found = await stores.memory.entities.of(stores.settings.tenant, contact)
    return {
        entity.label: [c.value for c in entity.claims if c.status == "active"] for entity in found
    }


async def _verified(stores: Stores) -> dict[str, Report]:
    tenants = [stores.settings.tenant]
    checked = verify(stores.memory, stores.projector.projections, tenants, 10)
    return {report.projection: report async for report in checked}


async def _changed(stores: Stores, said: Message, text: str = "") -> None:
    kind = "edit" if text else "revoke"
    change = Change(
        chat=said.chat,
        message_id=said.message_id,
        kind=kind,  # type: ignore[arg-type]
        action_id=f"{kind}-{text}",
        text=text,
        author_ids=(said.sender_id,),
        from_me=False,
        changed_at=START + timedelta(hours=1),
    )
    assert await stores.memory.revisions.change(change, NOW) == "applied"


async def test_what_two_messages_say_of_one_is_one_entity(
    stores: Stores, say: Callable[..., Message]
) -> None:
    await known(stores, say(NAMED), say(STARTED, 1), say(DOG, 2))
    assert await _claims(stores) == {"Priya (wife)": ["Acme"], "Acme": [], "Bruno (dog)": []}
    await known(stores, say(MOVED, 3))
    assert (await _claims(stores))["Priya (wife)"] == ["Initech"]
    report = (await _verified(stores))["entities"]
    assert (report.expected, report.present) == (4, 4)


async def test_a_question_reads_claims_of_those_alone_whom_it_may_name(
    stores: Stores, say: Callable[..., Message], monkeypatch: pytest.MonkeyPatch
) -> None:
    await known(stores, *(say(text, at) for at, text in enumerate(SCRIPT)))
    memory, tenant = stores.memory, stores.settings.tenant
    of, history, read = memory.claims.of, type(memory.facts).history, list[int]()
    histories = 0
    facts, told = await memory.facts.history(tenant, "waha:ana"), await of(tenant, "waha:ana")
    assert {fact.key for fact in facts} <= ENTITY_KEYS
    of_dog = sum(claim.holder == "dog" for claim in told)
    assert await of(tenant, "waha:ana", None, {"wife"}) == [c for c in told if c.holder == "wife"]

    async def noted(*given: Any) -> list[ThirdPartyClaim]:
        read.append(len(found := await of(*given)))
        return found

    async def counted(*given: Any) -> list[Fact]:
        nonlocal histories
        histories += 1
        return await history(*given)

    monkeypatch.setattr(memory.claims, "of", noted)
    monkeypatch.setattr(type(memory.facts), "history", counted)
    for question, rows in {
        "What should I cook tonight?": [],
        "How old is Bruno?": [of_dog],
        "Where does Priya work?": [len(told) - of_dog],
        "Who works at Hooli?": [len(told) - of_dog],
    }.items():
        read.clear()
        histories = 0
        found = await claimed_of(memory, tenant, "waha:ana", question)
        whole = answers(question, entities_of(tenant, facts, told))
        assert [fact.fact_id for fact in found] == [each.claim.claim_id for each in whole]
        assert (read, histories) == (rows, len(rows)), question


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", {"Priya (wife)": []}),
        ("Good morning!", {"Priya (wife)": []}),
        (MOVED, {"Priya (wife)": ["Initech"], "Initech": []}),
    ],
)
async def test_claims_follow_an_edit_and_go_with_what_is_revoked(
    stores: Stores, say: Callable[..., Message], text: str, left: dict[str, list[str]]
) -> None:
    started = say(STARTED, 1)
    await known(stores, say(NAMED), started)
    assert "Acme" in await _claims(stores)
    await _changed(stores, started, text)
    assert await _claims(stores) == left


async def test_two_ids_of_one_contact_have_their_claims_together(
    stores: Stores, say: Callable[..., Message]
) -> None:
    await known(stores, say(NAMED), say(WORKS, 1, "hidden"))
    assert await _claims(stores, "waha:hidden") == {"wife": ["Hooli"], "Hooli": []}

    async def drop(thread_id: str) -> None:
        del thread_id

    pair = Pair(stores.settings.tenant, "waha", "phone", "hidden", "ana")
    assert await join_contact(stores.memory, pair, drop)
    assert await _claims(stores) == {"Priya (wife)": ["Hooli"], "Hooli": []}
    assert await _claims(stores, "waha:hidden") == {}


async def test_what_was_lost_is_found_and_made_again(
    stores: Stores, say: Callable[..., Message]
) -> None:
    tenant, memory = stores.settings.tenant, stores.memory
    started = say(STARTED, 1)
    await known(stores, say(NAMED), started)
    before = await memory.entities.of(tenant, "waha:ana")
    async with stores.pool.connection() as connection:
        await connection.execute("delete from third_party_claims where uid = %s", [started.uid])
    await memory.entities.replace(tenant, "waha:ana", before[:0])
    reports = await _verified(stores)
    assert reports["facts"].counts == {"missing": 1}
    assert reports["entities"].counts == {"missing": 1}
    await memory.backlog.owe(tenant, ["facts"], [CONTACT + "waha:ana"])
    assert await _claims(stores) == {"Priya (wife)": ["Acme"], "Acme": []}
    assert await memory.entities.of(tenant, "waha:ana") == before


async def test_claims_are_erased_with_their_messages(
    stores: Stores, say: Callable[..., Message]
) -> None:
    started = say(STARTED, 1)
    await known(stores, say(NAMED), started)
    async with stores.pool.connection() as connection:
        await connection.execute("delete from messages where uid = %s", [started.uid])
    (left,) = await stores.memory.claims.of(stores.settings.tenant, "waha:ana")
    assert (left.holder, left.value) == ("wife", "Priya")
    assert await _claims(stores) == {"Priya (wife)": []}


async def test_what_is_said_again_or_late_is_a_mention_too(
    stores: Stores, say: Callable[..., Message]
) -> None:
    await known(stores, say(HOME, 2), say(HOME, 3), say(HOME_BEFORE, 1))
    assert await _claims(stores) == {"York": [], "Leeds": []}
    york, leeds = await stores.memory.entities.of(stores.settings.tenant, "waha:ana")
    assert (len(york.mentions), len(leeds.mentions)) == (1, 2)
    assert york.ties[0].until == leeds.ties[0].since


async def test_reading_a_message_twice_changes_nothing(
    stores: Stores, say: Callable[..., Message]
) -> None:
    tenant, started = stores.settings.tenant, say(STARTED, 1)
    await known(stores, say(NAMED), started)
    before = await stores.memory.entities.of(tenant, "waha:ana")
    await stores.memory.backlog.owe(tenant, ["facts"], [started.uid])
    await stores.projector.caught_up()
    assert await stores.memory.entities.of(tenant, "waha:ana") == before


async def test_what_somebody_had_forgotten_is_no_entity_until_it_is_told_anew(
    stores: Stores, say: Callable[..., Message]
) -> None:
    memory, tenant = stores.memory, stores.settings.tenant
    await known(stores, say(BOTH), say(BOTH, 1))
    assert await _claims(stores) == {"Bruno (dog)": [], "Leeds": []}
    corrector = Corrector(memory, lambda: START + timedelta(hours=1), stores.ids, tenant)
    taken = await corrector.forget_value("waha:ana", "pet", "Bruno")
    assert await _claims(stores) == {"Leeds": []}
    await corrector.set("waha:ana", "home", "York")
    assert await _claims(stores) == {"Leeds": [], "York": []}
    leeds, _ = await memory.entities.of(tenant, "waha:ana")
    assert leeds.ties[0].until is not None
    await corrector.undo("waha:ana", taken_by(await memory.corrections.of(tenant, "waha:ana")))
    assert {"Bruno", "Leeds", "York"} == (await _claims(stores)).keys()
    assert taken.facts[0].value == "Bruno"


def taken_by(corrected: Sequence[Observation]) -> str:
    """Return the act that took something back."""
    return next(each.source_uid for each in corrected if each.retracts)
