"""`recollect facts`: listed, as of a day, corrected and forgotten from the command line."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import uuid4

import pytest
from typer.testing import CliRunner

from graph.settings import Settings
from graph.stores import Stores
from memory.errors import RecollectError
from memory.facts.asof import BadTime
from memory.facts.corrector import BadCorrection, UnknownFact
from memory.facts.renewal import renew_facts
from memory.policy.keeping import BadRule
from memory.trust.rebuild import Pace
from tests.fakes.exports import MadeExport, entry
from tests.integration.importing.counting import take
from ui.cli.main import app

pytestmark = pytest.mark.anyio

CHAT = MadeExport(
    [
        entry("I live in Leeds and I'm vegan", "Max", 1),
        entry("I'm allergic to peanuts", "Max", 2),
        entry("I live in York", "Max", 3),
    ]
)


class Shell:
    """Runs `recollect facts` beside the open stores, with their settings."""

    def __init__(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("graph.settings.load_settings", lambda: settings)

    async def __call__(self, *words: str) -> str:
        result = await asyncio.to_thread(CliRunner().invoke, app, ["facts", *words])
        if isinstance(result.exception, RecollectError):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.stdout

    async def json(self, *words: str) -> Any:
        return json.loads(await self(*words, "--json"))


@pytest.fixture
def facts(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(settings, monkeypatch)


async def test_facts_are_listed_with_who_said_them_when(stores: Stores, facts: Shell) -> None:
    assert await facts("list") == "Nothing is known of web:me.\n"
    await take(stores, CHAT)
    lines = (await facts("list")).splitlines()
    assert lines[0].split() == ["fact", "value", "since", "sure", "said", "by", "on"]
    assert lines[1].split() == ["allergy", "peanuts", "2025-01-01", "0.95", "Max", "2025-01-01"]
    assert [line.split()[:2] for line in lines[2:]] == [["diet", "vegan"], ["home", "York"]]
    every = (await facts("list", "--all")).splitlines()
    assert any(line.split()[:4] == ["home", "Leeds", "2025-01-01", "2025-01-01"] for line in every)
    assert await facts("list", "--contact", "nobody") == "Nothing is known of web:nobody.\n"
    (home,) = [each for each in await facts.json("list") if each["key"] == "home"]
    assert (home["value"], home["how"], home["who"]) == ("York", "said", "Max")


async def test_facts_are_pinned_and_withheld(stores: Stores, facts: Shell) -> None:
    await take(stores, CHAT)
    assert await facts("pin", "home") == "Pinned: home: York is in every prompt.\n"
    assert "allergy: peanuts is kept" in await facts("withhold", "allergy", "peanuts")
    lines = [line.split()[:3] for line in (await facts("list")).splitlines()]
    assert lines == [
        ["fact", "value", "mark"],
        ["allergy", "peanuts", "withheld"],
        ["diet", "vegan", "-"],
        ["home", "York", "pinned"],
    ]
    assert await facts("unpin", "home") == "Unpinned: home: York is shown where it fits.\n"
    assert await facts("show-again", "allergy") == "Shown again: allergy: peanuts.\n"
    with pytest.raises(UnknownFact, match="not pinned"):
        await facts("unpin", "diet")


async def test_facts_of_a_day(stores: Stores, facts: Shell) -> None:
    await take(stores, CHAT)
    held = await facts.json("list", "--at", "2025-01-01T09:02:30+00:00")
    assert [each["value"] for each in held] == ["peanuts", "vegan", "Leeds"]
    assert await facts.json("list", "--at", "2024-12-31") == []
    # Nobody knew on that day: it was imported since.
    assert await facts.json("list", "--at", "2025-02-01", "--known", "2025-02-01") == []
    assert [each["value"] for each in await facts.json("list", "--at", "9999-12-30")][-1] == "York"
    for day in ("yesterday", "2025-02-30", "", "2025-02-01T25:00"):
        with pytest.raises(BadTime, match="a day is written"):
            await facts("list", "--at", day)
    with pytest.raises(BadTime, match="not for both"):
        await facts("list", "--all", "--at", "2025-02-01")


async def test_a_fact_is_corrected_and_its_history_tells_it(stores: Stores, facts: Shell) -> None:
    await take(stores, CHAT)
    shown = (await facts("set", "home", "Hull")).splitlines()
    assert shown[1].split()[:2] == ["home", "Hull"]
    assert "owner, corrected" in shown[1]
    history = await facts.json("history", "home")
    assert [(each["value"], each["status"], each["how"]) for each in history] == [
        ("Leeds", "closed", "said"),
        ("York", "closed", "said"),
        ("Hull", "active", "corrected"),
    ]
    assert "closed, recorded" in await facts("history", "home")
    assert await facts("history", "pet") == "Nothing was ever said of pet.\n"
    await facts("set", "pet", "Rex")
    both = await facts.json("set", "pet", "Mia")
    assert [each["value"] for each in both] == ["Rex", "Mia"]
    both = await facts.json("set", "pet", "Ida", "--instead", "Rex")
    assert sorted(each["value"] for each in both) == ["Ida", "Mia"]
    for words in (("set", "shoe", "42"), ("set", "home", " "), ("history", "shoe")):
        with pytest.raises(BadCorrection):
            await facts(*words)


async def test_facts_are_forgotten(stores: Stores, facts: Shell) -> None:
    await take(stores, CHAT)
    gone = await facts("forget", "peanuts")
    assert gone.startswith("Forgotten: allergy. What told it stays in the transcript;")
    assert "peanuts" not in gone
    found = await facts.json("forget", "diet")
    assert found["forgotten"] == [{"key": "diet", "value": "vegan"}]
    assert (len(found["withheld"]), len(found["shortened"])) == (0, 1)
    with pytest.raises(UnknownFact):
        await facts("forget", "diet")
    assert [each["key"] for each in await facts.json("list")] == ["home"]


async def test_what_would_steer_a_terminal_is_not_shown(stores: Stores, facts: Shell) -> None:
    await take(stores, CHAT)
    await facts("set", "allergy", "peanuts \x1b[31m")
    assert "peanuts [31m" in await facts("list")
    assert "\x1b" not in await facts("forget", "peanuts")


async def test_reading_again_keeps_what_was_corrected(
    stores: Stores, facts: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory.trust.rebuild.Pace", lambda: Pace(look_s=0.02, grace_s=0.2))
    await take(stores, CHAT)
    await facts("set", "home", "Hull")
    await facts("forget", "peanuts")
    tenant = stores.settings.tenant
    await stores.memory.facts.forget(tenant, "web:me")
    # What has failed elsewhere is not of the facts.
    async with stores.pool.connection() as connection:
        await connection.execute(
            "insert into backlog (projection, generation, tenant, item, reason)"
            " values ('vectors', 1, %s, %s, 'it cannot be embedded')",
            [tenant, str(uuid4())],
        )
    assert "Made anew." in await facts("read", "--again")
    listed = await facts.json("list", "--all")
    assert [(each["key"], each["value"]) for each in listed if each["status"] == "active"] == [
        ("diet", "vegan"),
        ("home", "Hull"),
    ]
    assert not await renew_facts(stores.memory, tenant, "web:me")


def test_reading_is_asked_for_again() -> None:
    result = CliRunner().invoke(app, ["facts", "read"])
    assert result.exit_code == 2
    assert "--again" in result.output


async def test_rules_of_what_is_never_kept(stores: Stores, facts: Shell) -> None:
    async def rules(*words: str) -> str:
        done = await asyncio.to_thread(CliRunner().invoke, app, ["memory", "rules", *words])
        if isinstance(done.exception, RecollectError):
            raise done.exception
        return done.output

    await take(stores, CHAT)
    assert await rules("list") == "0  credentials\n"
    told = await rules("add", "--facts", "health")
    number = told.partition(": ")[2].split()[0]
    assert f"{number}  health (allergy, diet, medical)" in told
    assert "would have kept out 2 facts that are known" in told
    assert "Forgotten: 2 facts" in await rules("add", "--facts", "health", "--forget")
    assert [each["key"] for each in await facts.json("list")] == ["home"]
    assert "“red coat”, of telegram:5" in await rules(
        "add", "--words", "Red  coat", "-c", "telegram:5"
    )
    assert [each["covers"] for each in json.loads(await rules("list", "--json"))] == [
        [],
        ["allergy", "diet", "medical"],
        [],
    ]
    assert await rules("remove", number) == (
        f"Kept again from now on: {number}  health (allergy, diet, medical)\n"
    )
    with pytest.raises(BadRule, match="no kind of fact"):
        await rules("add", "--facts", "shoes")
    assert "say one of" in await rules("add")
