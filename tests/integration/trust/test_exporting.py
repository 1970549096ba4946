"""All that is kept of a person is in their export, and nothing that others said."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, get_args
from uuid import uuid4
from zipfile import ZipFile

import pytest

from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Actor, Message, Pair, Quote
from memory.domain.projections import ProjectionName
from memory.domain.recalls import Receipt
from memory.domain.work import AuditLine
from memory.facts.corrector import Corrector
from memory.facts.marker import Marker
from memory.facts.notebook import About, Notebook
from memory.policy.keeping import Rule
from memory.policy.rules import Layer
from memory.postgres.exports import LEFT_OUT, OF_OTHER_STORES, PAGE, WITHOUT
from memory.trust.exporting import DERIVED, FILES, UnknownContact, export
from tests.fakes.exports import MadeExport, entry
from tests.integration.importing.counting import take
from tests.messages import message
from ui.cli.contacts import export_contact
from ui.cli.whole_file import CannotWrite

pytestmark = pytest.mark.anyio

ANA = "waha:ana"
FOREIGN = (
    "bo alone said this",
    "bo asked ana's secret",
    "the answer in the group",
    "bo's own",
    "rhubarb",
)
OF_PROJECTIONS: dict[ProjectionName, str] = {
    "facts": "facts",
    "entities": "entities",
    "open_loops": "open_loops",
    "episodes": "episodes",
    "contact_states": "person.json",
    "uses": "`used` in messages",
    "vectors": "left out: computed from messages, ids and numbers alone",
    "tokens": "left out: computed from messages",
    "fact_vectors": "left out: computed from facts",
    "episode_vectors": "left out: computed from episodes",
}
"""Where each projection is in an export, or why it is not."""
Lines = dict[str, list[dict[str, Any]]]  # Any: JSON objects


async def _exported(stores: Stores, contact_id: str = ANA) -> ZipFile:
    settings = stores.settings
    made = export(stores.memory, settings.tenant, contact_id, stores.clock(), settings.timezone)
    return ZipFile(BytesIO(b"".join([piece async for piece in made])))


def _lines(found: ZipFile) -> Lines:
    return {
        name: [json.loads(line) for line in found.read(f"{name}.jsonl").decode().splitlines()]
        for name in FILES
    }


def _said(tenant: str) -> list[Message]:
    quoted = Quote("b1", "bo alone said this", "bo")
    answer = message("nice to meet you", tenant=tenant, minutes=3, actor=Actor.AGENT)
    in_group = message(
        "the answer in the group",
        tenant=tenant,
        chat="club",
        actor=Actor.AGENT,
        is_group=True,
        minutes=63,
    )
    return [
        message("I live in Leeds, my wife Priya too", tenant=tenant, message_id="a1"),
        message("I am a baker", tenant=tenant, message_id="a2", minutes=1),
        replace(answer, contact_id=ANA, sender_id="agent"),
        message("I agree", tenant=tenant, chat="club", is_group=True, minutes=62, quote=quoted),
        message(
            "bo alone said this",
            tenant=tenant,
            chat="club",
            sender="bo",
            is_group=True,
            minutes=61,
            message_id="b1",
        ),
        replace(in_group, contact_id=ANA, sender_id="agent"),
        message("bo asked ana's secret", tenant=tenant, chat="bo", sender="bo"),
    ]


async def _live(stores: Stores) -> None:
    """Let something of every kind be kept of Ana, and something of Bo beside it."""
    memory, tenant, at = stores.memory, stores.settings.tenant, stores.clock()
    asked = message("Can you send me the lease by tomorrow?", tenant=tenant)
    said = [*_said(tenant), replace(asked, sent_at=at)]
    rule = await memory.rules.add(tenant, Rule(0, "words", "unicorn", ANA))
    await memory.rules.add(tenant, Rule(0, "words", "rhubarb", "waha:bo"))
    await memory.ledger.record(said, history=True)
    await take(stores, MadeExport([entry("Landed!", "Max"), entry("bo's own", "Anna", 1)]))
    edit = Change(said[1].chat, "a2", "edit", "e1", "I am a cook", ("ana",), False, at)
    assert await memory.revisions.change(edit, at) == "applied"
    await memory.revisions.change(replace(edit, message_id="never came"), at)
    await memory.rules.note(tenant, {said[-1].uid: [rule.rule_id]})
    await stores.projector.caught_up()
    corrector = Corrector(memory, stores.clock, stores.ids, tenant)
    await corrector.set(ANA, "employer", "Acme")
    await Marker(corrector).pin(ANA, "home")
    notebook = Notebook(memory, stores.clock, stores.ids, tenant)
    await notebook.add("likes short answers", "semantic", About(ANA))
    await notebook.add("bo's own", "semantic", About("waha:bo"))
    await _answer(stores, said[0], "where do I live?")
    await _answer(stores, next(each for each in said if each.is_group), "and bo's own")
    scopes = ("waha/phone/ana", "waha")
    layers = (Layer(reply="all"), Layer(blocked=frozenset({"ana", "bo"})))
    for scope, layer in zip(scopes, layers, strict=True):
        await memory.policies.change(tenant, {scope: partial(_instead, layer)}, "owner", at)
    await memory.pauses.begin(tenant, scopes[0], "s1", "command", at, None)
    pair = Pair(tenant, "waha", "phone", "777@lid", "ana")
    await memory.identities.learn([pair], "told")
    await stores.projector.caught_up()


def _instead(layer: Layer, _: Layer) -> Layer:
    return layer


async def _answer(stores: Stores, asked: Message, query: str) -> None:
    """Let a turn answer a new message, with a receipt and a delivery."""
    memory, tenant, turn = stores.memory, stores.settings.tenant, str(uuid4())
    new = replace(asked, message_id=turn, text="where do I live?", sent_at=stores.clock())
    await memory.ledger.record([new])
    await memory.ledger.claim(turn, new)
    reply = replace(new, message_id=f"r-{turn}", actor=Actor.AGENT, text="In Leeds.", from_me=True)
    receipt = Receipt(turn, reply.uid, query, (), ("store",), "offline", new.sent_at)
    await memory.ledger.finish(tenant, turn, [reply], receipt, {reply.uid: ["In Leeds."]})
    line = AuditLine(tenant, asked.chat.thread_id, turn, "input", "passed", "", new.sent_at)
    await memory.audit.write([line])


async def test_all_that_is_kept_of_a_person_is_there_and_nobody_elses_words(
    stores: Stores, tmp_path: Path
) -> None:
    await _live(stores)
    found = await _exported(stores)
    lines = _lines(found)
    assert {name for name, told in lines.items() if not told} <= {"imports"}
    texts = [(each["author"], each["text"]) for each in lines["messages"]]
    assert ("contact", "I agree") in texts
    assert ("agent", "nice to meet you") in texts
    everything = b"\n".join(map(found.read, found.namelist())).decode()
    assert not [words for words in FOREIGN if words in everything]
    (edited,) = [each for each in lines["messages"] if each["message_id"] == "a2"]
    assert (edited["text"], edited["before"][0]["text_before"]) == ("I am a cook", "I am a baker")
    turns = {each["chat"]: each for each in lines["turns"]}
    alone, in_group = turns["waha/phone/ana"], turns["waha/phone/club"]
    assert alone["receipt"]["query"] == "where do I live?"
    assert [each["status"] for each in alone["deliveries"]] == ["queued"]
    assert (in_group["receipt"].get("query"), in_group["deliveries"]) == (None, None)
    assert {each["chat"] for each in lines["episodes"]} == {"waha/phone/ana"}
    assert {(fact["key"], fact["value"]) for fact in lines["facts"]} >= {
        ("home", "Leeds"),
        ("occupation", "cook"),
        ("employer", "Acme"),
    }
    assert lines["marks"][0]["value"] == "Leeds"
    assert [each["content"] for each in lines["notes"]] == ["likes short answers"]
    assert [each.get("blocks_them") for each in lines["policies"]] == [True, None]
    person = json.loads(found.read("person.json"))
    assert [each["alias"] for each in person["ids"]] == ["777@lid"]
    assert "messages.jsonl (" in found.read("README.txt").decode()
    # An imported chat is whole to whom it was imported for; of it, only what is theirs.
    mine = _lines(await _exported(stores, "web:me"))
    assert mine["imports"]
    assert [each["text"] for each in mine["messages"]] == ["Landed!"]
    assert mine["episodes"] == []
    await _written(stores, tmp_path)


async def _written(stores: Stores, folder: Path) -> None:
    """See that the command writes a whole file or none."""
    out = folder / "ana.zip"
    assert await export_contact(stores.settings, ANA, out) == out
    assert ZipFile(out).testzip() is None
    with pytest.raises(CannotWrite, match="no-such-folder"):
        await export_contact(stores.settings, ANA, folder / "no-such-folder" / "ana.zip")
    with pytest.raises(UnknownContact, match="nothing is kept of web:nobody"):
        await export_contact(stores.settings, "web:nobody", folder / "nobody.zip")
    assert next(os.walk(folder))[2] == ["ana.zip"]


async def test_who_is_blocked_in_another_spelling_is_told_so(stores: Stores) -> None:
    tenant, phone = stores.settings.tenant, "4915@c.us"
    blocks = Layer(blocked=frozenset({"waha:+4915"}))
    await stores.memory.policies.change(tenant, {"waha": lambda _: blocks}, "o", stores.clock())
    await stores.memory.ledger.record([message("hi", tenant=tenant, chat=phone, sender=phone)])
    lines = _lines(await _exported(stores, f"waha:{phone}"))
    assert [each["blocks_them"] for each in lines["policies"]] == [True]


async def test_every_table_is_exported_or_left_out_for_a_reason(stores: Stores) -> None:
    query = "select table_name as name from information_schema.tables where table_schema = %s"
    async with stores.pool.connection() as connection:
        rows = await (await connection.execute(query, ["recollect"])).fetchall()
    told = [WITHOUT.keys(), LEFT_OUT.keys(), OF_OTHER_STORES]
    assert {row["name"] for row in rows} == set().union(*told)
    assert sum(map(len, told)) == len(rows)
    assert all(LEFT_OUT.values())
    assert OF_PROJECTIONS.keys() == set(get_args(ProjectionName))
    given = {name for name, where in OF_PROJECTIONS.items() if not where.startswith("left out")}
    assert given == set(DERIVED)


async def test_pages_come_whole_and_in_order(stores: Stores) -> None:
    tenant, many = stores.settings.tenant, 2 * PAGE + 1
    said = [message(f"line {n}", tenant=tenant, minutes=n) for n in range(many)]
    others = [
        message("bo's own", tenant=tenant, chat="club", sender="bo", is_group=True, minutes=n)
        for n in range(PAGE + 1)
    ]
    last = message("the last", tenant=tenant, chat="club", is_group=True, minutes=many)
    await stores.memory.ledger.record([*said, *others, last], history=True)
    pages = [
        [row["content"] for row in page]
        async for page in stores.memory.exports.rows(tenant, ANA, "messages")
    ]
    assert sorted(len(page) for page in pages) == [1, 1, PAGE, PAGE]
    texts = [text for page in pages for text in page if text != "the last"]
    assert texts == [f"line {n}" for n in range(many)]
