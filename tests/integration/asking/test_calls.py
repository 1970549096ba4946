"""A model is asked once about a message, within a budget, whoever reads it and how often."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
import time
from contextlib import AsyncExitStack

import pytest

import nodes.extract as extract
from graph.bootstrap import agent_on
from memory.domain.changes import Change
from memory.facts.learning import RULES_VERSION
from memory.postgres import answers as postgres_answers
from memory.trust.verify import verify
from tests.fakes.openai_server import Failure, Garbage, OpenAIServer, Slow
from tests.integration.asking.told import (
    DOUBTFUL,
    SAID,
    Opened,
    answer,
    fact,
    facts_of,
    read_one,
    reasons,
    said_in,
)
from tests.projecting import known

pytestmark = pytest.mark.anyio


async def test_an_endpoint_that_cannot_be_had_is_left_alone_for_a_while(
    opened: Opened, server: OpenAIServer
) -> None:
    stores = await opened("llm")
    server.script(Failure(503))
    for minutes in range(3):
        await known(stores, said_in(stores, SAID, minutes))
    assert server.calls == 1
    assert await reasons(stores) == ["unavailable"] * 3
    assert await stores.memory.answers.calls_today([stores.settings.tenant]) == {
        stores.settings.tenant: 1
    }


async def test_the_days_calls_are_shared_by_processes_and_said_once(
    opened: Opened, server: OpenAIServer
) -> None:
    stores = await opened("rules")
    server.default = answer(fact(quote="walnuts make me swell"))
    texts = [f"I'm Ana, walnuts make me swell {number}" for number in range(8)]
    said = [said_in(stores, text, sender=f"ana{at}") for at, text in enumerate(texts)]
    await stores.memory.ledger.record(said, history=True)
    env = os.environ | {
        "RECOLLECT_DATABASE_URL": stores.database_url,
        "RECOLLECT_CHROMA_URL": stores.settings.chroma_url or "",
        "RECOLLECT_TENANT": stores.settings.tenant,
        "RECOLLECT_CAPTURE": "llm",
        "RECOLLECT_CAPTURE_CALLS": "3",
        "RECOLLECT_MODEL": "fake",
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "OPENAI_API_KEY": "key",
    }
    running = [
        await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "tests.integration.asking.process"),
            *(each.uid for each in half),
            env=env,
            stderr=asyncio.subprocess.PIPE,
        )
        for half in (said[:4], said[4:])
    ]
    ended = [await process.communicate() for process in running]
    assert [process.returncode for process in running] == [0, 0], ended
    assert server.calls == 3
    tenant = stores.settings.tenant
    assert await stores.memory.answers.calls_today([tenant]) == {tenant: 3}
    # The fourth who asks is told no; each process says so once, at most.
    notes = [log.decode().count("RECOLLECT_CAPTURE_CALLS") for _, log in ended]
    assert max(notes) == 1


async def test_two_who_read_one_message_ask_about_it_once(
    opened: Opened, server: OpenAIServer
) -> None:
    first, second = await opened("llm"), await opened("llm")
    said = said_in(first, "walnuts make me swell")
    await first.memory.ledger.record([said], history=True)
    server.script(Slow(answer(fact(quote=said.text)), 0.5))
    one, other = await asyncio.gather(read_one(first, said), read_one(second, said))
    assert server.calls == 1
    assert one == other
    assert [seen.value for seen in one.observations] == ["walnuts"]


async def test_whoever_cannot_wait_has_the_answer_kept_for_others(
    opened: Opened, server: OpenAIServer
) -> None:
    stores = await opened("llm")
    said = said_in(stores, "walnuts make me swell")
    await stores.memory.ledger.record([said], history=True)
    server.script(Slow(answer(fact(quote=said.text)), 0.6))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await read_one(stores, said)
    reading = await read_one(stores, said)
    assert [seen.value for seen in reading.observations] == ["walnuts"]
    assert server.calls == 1


async def test_a_stop_waits_a_while_for_the_answers_that_are_under_way(
    opened: Opened, server: OpenAIServer
) -> None:
    async with AsyncExitStack() as stack:
        stopping = await Opened(opened.settings, server, stack)("llm")
        said = said_in(stopping, "walnuts make me swell")
        await stopping.memory.ledger.record([said], history=True)
        server.script(Slow(answer(fact(quote=said.text)), 0.6))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await read_one(stopping, said)
    reading = await read_one(await opened("llm"), said)
    assert [seen.value for seen in reading.observations] == ["walnuts"]
    assert server.calls == 1


async def test_hybrid_asks_about_doubts_alone(opened: Opened, server: OpenAIServer) -> None:
    stores = await opened("hybrid", DOUBTFUL)
    said, plain = said_in(stores, SAID), said_in(stores, "I'm Ana and I like tea", 1)
    server.script(answer(fact(), fact("like", "enemies", SAID)))
    await known(stores, said, plain)
    assert server.calls == 1
    assert '"asked": [{"key": "allergy", "value": "walnuts"}]' in str(
        server.requests[0]["messages"][-1]["content"]
    )
    found = await facts_of(stores, said)
    assert found["allergy"] == ("walnuts", 0.8)
    assert found["name"] == ("Ana", 0.8)
    assert await reasons(stores) == ["unasked"]


async def test_making_facts_anew_and_comparing_them_asks_nobody(
    opened: Opened, server: OpenAIServer
) -> None:
    short = await opened("llm", capture_calls=2)
    said = said_in(short, SAID)
    server.script(answer(fact()), Garbage())
    await known(
        short, said, said_in(short, "I'm Ana, honestly", 1), said_in(short, "cheers, walnuts", 2)
    )
    before = await facts_of(short, said)
    assert before == {"allergy": ("walnuts", 0.85), "name": ("Ana", 0.8)}
    stores, tenant = await opened("llm"), short.settings.tenant
    server.default = answer(fact("like", "walnuts", "walnuts"))
    (facts,) = [each for each in stores.projector.projections if each.name == "facts"]
    (report,) = [each async for each in verify(stores.memory, [facts], [tenant], 10)]
    assert not report.counts
    await stores.memory.facts.forget(tenant, said.contact_id)
    await facts.project(tenant, [f"contact:{said.contact_id}"], 1)
    assert await facts_of(stores, said) == before
    assert server.calls == 2


async def test_facts_that_are_asked_for_again_are_asked_for_where_no_answer_came(
    opened: Opened, server: OpenAIServer
) -> None:
    stores = await opened("llm", capture_calls=2)
    said = [said_in(stores, f"I'm Ana, {SAID}", minutes) for minutes in range(3)]
    server.script(answer(fact()), Garbage())
    await known(stores, *said)
    server.script(answer(fact()), Failure(429))
    again = await opened("llm", capture_calls=4, asks_again=True)
    (facts,) = [each for each in again.projector.projections if each.name == "facts"]
    contact = [f"contact:{said[0].contact_id}"]
    await facts.project(stores.settings.tenant, contact, 1)
    # One that failed and one that was beyond the budget share a call.
    assert server.calls == 3
    assert await reasons(stores) == ["garbage"]
    await facts.project(stores.settings.tenant, contact, 1)
    assert server.calls == 3


async def test_a_message_whose_asker_died_is_left_to_rules_and_reader(
    opened: Opened, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = await opened("llm")
    said = said_in(stores, f"I'm Ana, {SAID}")
    await stores.memory.ledger.record([said], history=True)
    digest = hashlib.sha256(said.text.encode()).hexdigest()[:32]
    tenant = stores.settings.tenant
    ours = await stores.memory.answers.begin(tenant, {said.uid: digest}, "llm/1:fake", 500)
    assert ours == frozenset([said.uid])
    monkeypatch.setattr(postgres_answers, "ASK_PATIENCE_S", 0.3)
    reading = await read_one(stores, said)
    assert [seen.key for seen in reading.observations] == ["name"]
    assert server.calls == 0


async def test_an_edit_takes_back_what_a_model_read_and_is_asked_about_anew(
    opened: Opened, server: OpenAIServer
) -> None:
    stores = await opened("llm")
    said = said_in(stores, "walnuts make me swell")
    server.script(answer(fact(quote=said.text)))
    await known(stores, said)
    assert "allergy" in await facts_of(stores, said)
    change = Change(
        chat=said.chat,
        message_id=said.message_id,
        kind="edit",
        action_id="edit-1",
        text="cashews make me swell",
        author_ids=(said.sender_id,),
        from_me=False,
        changed_at=said.sent_at,
    )
    server.script(answer(fact(value="cashews", quote="cashews make me swell")))
    assert await stores.memory.revisions.change(change, said.sent_at) == "applied"
    assert await stores.memory.answers.kept(stores.settings.tenant, [said.uid]) == {}
    await stores.projector.caught_up()
    assert (await facts_of(stores, said))["allergy"][0] == "cashews"
    assert server.calls == 2


async def test_the_version_names_mode_and_model(opened: Opened) -> None:
    stores = await opened("hybrid", DOUBTFUL)
    assert stores.memory.reader.version == f"hybrid/1:fake+{RULES_VERSION}+scripted/1"


async def test_a_turn_waits_for_a_slow_model_no_longer_than_for_its_facts(
    opened: Opened, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extract, "PATIENCE_S", 0.5)
    stores = await opened("llm")
    server.script(Slow(answer(fact()), 2.0))
    said, began = said_in(stores, SAID), time.monotonic()
    async for _ in agent_on(stores).send(said):
        pass
    assert time.monotonic() - began < 1.9
    assert await facts_of(stores, said) == {}
    await stores.projector.caught_up("facts")
    assert (await facts_of(stores, said))["allergy"] == ("walnuts", 0.85)
    assert server.calls == 1
