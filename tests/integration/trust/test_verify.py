"""Projections broken by hand: each is found, by id and by kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from graph.settings import Settings
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Actor, Message
from memory.domain.drift import DriftKind
from memory.domain.readings import Kinds
from memory.domain.recalls import TokenMatrix, VectorItem
from memory.facts.renewal import renew_facts
from memory.trust.verify import Report, verify
from tests.messages import START, message
from ui.cli.main import app
from ui.cli.verify import run_verify

pytestmark = pytest.mark.anyio


@pytest.fixture
def say(stores: Stores) -> Callable[..., Message]:
    """Make messages of the tenant's chats, `minutes` after the start."""

    def made(text: str, minutes: float = 0, sender: str = "ana") -> Message:
        tenant = stores.settings.tenant
        return message(text, tenant=tenant, minutes=minutes, chat=sender, sender=sender)

    return made


async def _said(stores: Stores, *said: Message) -> None:
    await stores.memory.ledger.record(said, history=True)
    await stores.projector.caught_up()


async def _verified(stores: Stores, most: int = 10) -> dict[str, Report]:
    tenants = [stores.settings.tenant]
    checked = verify(stores.memory, stores.projector.projections, tenants, most)
    return {report.projection: report async for report in checked}


def _drift(reports: dict[str, Report]) -> dict[str, dict[DriftKind, int]]:
    return {name: dict(each.counts) for name, each in reports.items() if not each.is_clean}


@pytest.fixture
async def said(stores: Stores, say: Callable[..., Message]) -> Sequence[Message]:
    """Two contacts' messages, one of them long, taken in by every projection."""
    texts = ["I live in Leeds. I'm allergic to nuts.", "I live in York.", "word " * 400]
    every = [say(text, n) for n, text in enumerate(texts)]
    every += [say("My name is Bo.", 3, "bo"), say("ping", 4, "bo")]
    await _said(stores, *every)
    return every


async def test_what_was_taken_in_is_clean(stores: Stores, said: Sequence[Message]) -> None:
    reports = await _verified(stores)
    assert _drift(reports) == {}
    figures = {name: (each.expected, each.present) for name, each in reports.items()}
    assert figures == {
        "vectors": (6, 6),
        "tokens": (5, 5),
        "facts": (4, 4),
        "fact_vectors": (3, 3),
        "entities": (2, 2),
        "open_loops": (0, 0),
        "episodes": (2, 2),
        "episode_vectors": (2, 2),
        "contact_states": (7, 7),
        "uses": (0, 0),
    }
    assert not any(each.waiting for each in reports.values())


async def test_vectors_that_are_gone_or_too_many_are_found(
    stores: Stores, said: Sequence[Message]
) -> None:
    index, tenant = stores.memory.vectors, stores.settings.tenant
    await index.delete_items(tenant, "message", said[2].anchor, [said[2].uid])
    (vector,) = await stores.memory.embedder.embed(["whatever"])
    ghosts = [
        VectorItem("nobody#0", "contact:waha:nobody", vector, {}),
        VectorItem(f"{said[0].uid}#1", said[0].anchor, vector, {}),
        VectorItem(f"{said[1].uid}#0", said[1].anchor, vector, {"version": 7}),
        VectorItem(f"{said[3].uid}#0", "contact:waha:ana", vector, {}),
    ]
    await index.upsert(tenant, "message", ghosts)
    report = (await _verified(stores, most=2))["vectors"]
    assert report.counts == {"missing": 2, "extra": 3, "stale": 1}
    assert report.listed["missing"] == [f"{said[2].uid}#0", f"{said[2].uid}#1"]
    assert report.listed["stale"] == [f"{said[1].uid}#0"]
    assert len(report.listed["extra"]) == 2
    assert _drift(await _verified(stores)).keys() == {"vectors"}


async def test_token_vectors_that_are_gone_stale_or_too_many_are_found(
    stores: Stores, said: Sequence[Message], say: Callable[..., Message]
) -> None:
    tokens, tenant = stores.memory.tokens, stores.settings.tenant
    space = stores.memory.embedder.token_space
    hidden = replace(say("psst", 9), withheld=True)
    agents = replace(say("I am here.", 10), actor=Actor.AGENT)
    await _said(stores, hidden, agents)
    reports = await _verified(stores)
    assert (_drift(reports), reports["tokens"].expected) == ({}, 5)
    some = TokenMatrix(bytes(64), 64)
    await tokens.delete(tenant, [said[0].uid, said[2].uid])
    await tokens.put(tenant, "another space", [(said[1].uid, 0, some)])
    await tokens.put(tenant, space, [(said[3].uid, 7, some)])
    await tokens.put(tenant, space, [(hidden.uid, 0, some), (agents.uid, 0, some)])
    reports = await _verified(stores)
    report = reports["tokens"]
    assert (report.expected, report.present) == (5, 5)
    assert report.listed == {
        "missing": sorted([said[0].uid, said[2].uid]),
        "stale": sorted([said[1].uid, said[3].uid]),
        "extra": sorted([hidden.uid, agents.uid]),
    }
    assert report.counts == {"missing": 2, "stale": 2, "extra": 2}
    assert _drift(reports).keys() == {"tokens"}


async def test_facts_that_are_gone_changed_or_too_many_are_found(
    stores: Stores, said: Sequence[Message]
) -> None:
    facts, tenant = stores.memory.facts, stores.settings.tenant
    rows = await facts.rows(tenant, "waha:ana")
    leeds, nuts, york = rows
    ghost = replace(york, fact_id="00000000-0000-0000-0000-000000000001", source_uid="nobody")
    broken = [leeds, replace(york, value="Paris"), ghost]
    assert await facts.replace(tenant, "waha:ana", rows, broken)
    reports = await _verified(stores)
    report = reports["facts"]
    assert report.counts == {"missing": 1, "stale": 1, "extra": 1}
    assert report.listed == {
        "missing": [nuts.fact_id],
        "stale": [york.fact_id],
        "extra": [ghost.fact_id],
    }
    assert reports["fact_vectors"].counts == {"missing": 1, "extra": 1}
    assert reports["vectors"].is_clean
    assert await facts.forget(tenant, "waha:bo") == 1
    assert (await _verified(stores))["facts"].counts["missing"] == 2


async def test_kinds_that_are_gone_changed_or_too_many_are_found(
    stores: Stores, said: Sequence[Message]
) -> None:
    wrong: dict[str, Kinds] = {
        said[0].uid: {},
        said[1].uid: {"pet": 0.5},
        said[2].uid: {"home": 0.5},
    }
    await stores.memory.claims.keep(stores.settings.tenant, {}, wrong)
    reports = await _verified(stores)
    assert reports["facts"].listed == {
        "missing": [said[0].uid],
        "stale": [said[1].uid],
        "extra": [said[2].uid],
    }
    assert _drift(reports).keys() == {"facts"}


async def test_what_is_on_its_way_or_withheld_is_no_drift(
    stores: Stores, said: Sequence[Message], say: Callable[..., Message]
) -> None:
    tenant, memory = stores.settings.tenant, stores.memory
    change = Change(
        chat=said[0].chat,
        message_id=said[0].message_id,
        kind="edit",
        action_id="e",
        text="I live in Bath.",
        author_ids=("ana",),
        from_me=False,
        changed_at=START + timedelta(hours=1),
    )
    news = [say("I live in Rome.", 9, "carl"), replace(say("psst", 9), withheld=True)]
    await memory.ledger.record(news, history=True)
    await memory.ledger.record([say("I am waiting.", 10, "dora")])
    await memory.revisions.change(change, START + timedelta(hours=1))
    reports = await _verified(stores)
    assert _drift(reports) == {}
    assert [reports[name].waiting for name in ("vectors", "tokens", "facts")] == [2, 2, 2]
    await stores.projector.caught_up()
    reports = await _verified(stores)
    assert _drift(reports) == {}
    assert (reports["vectors"].expected, reports["vectors"].waiting) == (7, 0)
    assert (reports["tokens"].expected, reports["tokens"].waiting) == (6, 0)
    assert [fact.value for fact in await memory.facts.active(tenant, "waha:ana")] == ["York"]


async def test_what_was_set_aside_is_named_with_its_reason(
    stores: Stores, said: Sequence[Message], say: Callable[..., Message]
) -> None:
    tenant, backlog = stores.settings.tenant, stores.memory.backlog
    await stores.memory.vectors.delete_items(tenant, "message", said[0].anchor, [said[0].uid])
    await backlog.owe(tenant, ["vectors"], [said[0].uid])
    (owed,) = await backlog.take("vectors", 1, [tenant], "me", 1)
    await backlog.set_aside("vectors", 1, owed, "it cannot be embedded")
    report = (await _verified(stores))["vectors"]
    assert (report.set_aside, dict(report.counts), report.is_clean) == (1, {}, False)
    assert [(each.item, each.reason) for each in report.failed] == [
        (said[0].uid, "it cannot be embedded")
    ]


async def test_the_command_tells_drift_by_its_exit_status_and_ids_alone(
    stores: Stores, said: Sequence[Message], settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await run_verify(settings, 10, as_json=False) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Clean."
    tenant = settings.tenant
    await stores.memory.vectors.delete_items(tenant, "message", said[0].anchor, [said[0].uid])
    assert await run_verify(settings, 10, as_json=False) == 1
    shown = capsys.readouterr().out
    assert f"missing in vectors of {tenant}: {said[0].uid}#0\n" in shown
    assert "Drift in vectors: `recollect rebuild`" in shown
    assert await run_verify(settings, 0, as_json=True) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["clean"] is False
    assert [each["projection"] for each in found["projections"] if each["clean"]] == [
        "tokens",
        "facts",
        "fact_vectors",
        "entities",
        "open_loops",
        "episodes",
        "episode_vectors",
        "contact_states",
        "uses",
    ]
    assert found["projections"][0]["missing"] == {"count": 1, "ids": []}
    assert "Leeds" not in shown


@pytest.mark.parametrize("given", [["--list", "-1"], ["--list", "few"], ["vectors"]])
def test_bad_input_is_refused(given: list[str]) -> None:
    from typer.testing import CliRunner

    assert CliRunner().invoke(app, ["verify", *given]).exit_code == 2


async def test_what_an_older_reader_read_alike_is_no_drift(
    stores: Stores, said: Sequence[Message]
) -> None:
    facts, tenant = stores.memory.facts, stores.settings.tenant
    rows = await facts.rows(tenant, "waha:ana")
    assert all(row.read_by and row.span for row in rows)
    older = [replace(row, read_by="", span=None) for row in rows]
    assert await facts.replace(tenant, "waha:ana", rows, older)
    assert _drift(await _verified(stores)) == {}
    assert await renew_facts(stores.memory, tenant, "waha:ana")
    assert await facts.rows(tenant, "waha:ana") == rows
    moved = [replace(rows[0], span=(0, 1)), *rows[1:]]
    assert await facts.replace(tenant, "waha:ana", rows, moved)
    assert (await _verified(stores))["facts"].counts["stale"] == 1
