"""Receipts of replies on WhatsApp, read over the API and by the command line."""

from __future__ import annotations

import json

import pytest

from memory.facts.learning import RULES_VERSION
from tests.integration.server.conftest import Start
from tests.integration.server.running import Running, eventually
from ui.cli.receipts import list_receipts

pytestmark = pytest.mark.anyio
ANA, BEN = "4911@c.us", "4912@c.us"


async def _talk(app: Running) -> None:
    for number, (text, chat) in enumerate(
        (("I am allergic to nuts.", ANA), ("What must I not eat?", ANA), ("Hello!", BEN)), 1
    ):
        assert (await app.say(text, chat)).status_code == 200
        assert await eventually(lambda n=number: len(app.gateway.sent) == n)


async def test_receipts_of_every_chat_are_listed_newest_first(start: Start) -> None:
    async with start() as app:
        await _talk(app)
        found = (await app.http.get("/receipts")).json()["receipts"]
        chats = [f"waha/default/{chat}" for chat in (BEN, ANA, ANA)]
        assert [each["chat"] for each in found] == chats
        told = found[1]
        assert told["query"] == "What must I not eat?"
        assert told["contact_id"] == f"waha:{ANA}"
        assert told["nodes"][0] == "normalize"
        assert told["model"]
        assert ("fact", "allergy", "nuts") in [
            (each["kind"], each["label"], each["text"]) for each in told["memories"]
        ]
        assert told["memories"][0]["score"] > 0
        (allergy,) = [each for each in told["memories"] if each["label"] == "allergy"]
        assert allergy["read_by"].startswith(RULES_VERSION)
        assert allergy["span"] == [17, 21]
        of_ana = (await app.http.get("/receipts", params={"chat": chats[1], "limit": 1})).json()
        assert of_ana["receipts"] == [told]
        assert (await app.http.get(f"/receipts/{told['turn_id']}")).json() == told


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/receipts?limit=0", 422),
        ("/receipts?limit=201", 422),
        ("/receipts?chat=waha", 422),
        ("/receipts?chat=elsewhere/a/b", 422),
        ("/receipts?chat=waha/a/%00", 422),
        ("/receipts/nonsense", 422),
        ("/receipts/00000000-0000-4000-8000-000000000000", 404),
    ],
)
async def test_a_bad_question_gets_one_line(start: Start, path: str, status: int) -> None:
    async with start(with_worker=False) as app:
        answer = await app.http.get(path)
        assert answer.status_code == status
        assert answer.json()["error"]


async def test_no_receipt_of_another_tenant_is_shown(start: Start) -> None:
    async with start(RECOLLECT_TENANTS="waha/sales=another") as app:
        await _talk(app)
        (newest, *_) = (await app.http.get("/receipts")).json()["receipts"]
        await app.rows("update receipts set tenant = 'another' returning turn_id")
        assert (await app.http.get("/receipts")).json() == {"receipts": []}
        assert (await app.http.get(f"/receipts/{newest['turn_id']}")).status_code == 404


async def test_the_command_line_lists_them_as_text_and_as_json(
    start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    async with start() as app:
        await _talk(app)
        settings = app.service.settings
        assert await list_receipts(settings, f"waha/default/{ANA}", 5, as_json=False) == 0
        shown = capsys.readouterr().out
        assert shown.index("What must I not eat?") < shown.index("I am allergic to nuts.")
        assert "allergy: nuts" in shown
        assert f"read by {RULES_VERSION}" in shown
        assert f"waha/default/{ANA}" in shown
        assert BEN not in shown
        assert await list_receipts(settings, "", 5, as_json=True) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert lines == (await app.http.get("/receipts")).json()["receipts"]
        assert await list_receipts(settings, "nowhere/1/2", 5, as_json=False) == 2
        assert "nowhere is no channel" in capsys.readouterr().err
        assert await list_receipts(settings, "waha/default/nobody", 5, as_json=False) == 0
        assert "No reply" in capsys.readouterr().out
