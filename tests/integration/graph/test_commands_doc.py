"""The transcripts in `docs/commands.md` are what really happens, on both channels."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from graph.agent import Agent, Finished
from graph.bootstrap import Overrides, agent_on, open_stores
from graph.settings import Settings
from memory.domain.chats import Actor, ChatRef, Message
from memory.ports.runtime import Clock
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import START

pytestmark = pytest.mark.anyio

DOC = Path(__file__).resolve().parents[3] / "docs/commands.md"
_SCORE = re.compile(r"\d+\.\d+|\d{4}-\d\d-\d\d \d\d:\d\d")
# It follows what is kept of a contact, which is made behind the turn: sooner or later.
_MANNER = re.compile(r"\n +Told to speak so: [^\n]*")


class Side(NamedTuple):
    """Who is who on a channel."""

    channel: str
    account: str
    owner: str
    ana: str
    group: str


SIDES = (
    Side("waha", "shop", "491555000190@c.us", "491555000101@c.us", "120363000000001001@g.us"),
    Side("telegram", "7000001", "5001", "5002", "-1001234567890"),
)


def _script(side: Side) -> list[tuple[str, str, str]]:
    """Return (chat, speaker, text); the chats are `own`, `ana` and `group`."""
    ana_chat = f"{side.channel}/{side.account}/{side.ana}"
    lines = [
        ("own", "owner", "I am allergic to nuts."),
        ("own", "owner", "What must I not eat?"),
        ("own", "owner", "/why"),
        ("own", "owner", "/forget nuts"),
        ("own", "owner", "/reset"),
        ("own", "owner", "/policy"),
        ("own", "owner", f"/policy {ana_chat} set takeover_s 600"),
        ("own", "owner", "/policy set reply never"),
        ("own", "owner", f"/pause {ana_chat}"),
        ("ana", "ana", "Anyone there?"),
        ("own", "owner", f"/resume {ana_chat}"),
        ("ana", "ana", "Hello again!"),
        ("ana", "ana", "/policy set reply off"),
        ("ana", "ana", "/forget everything"),
        ("ana", "ana", f"/why {ana_chat}"),
        ("own", "owner", f"/why {ana_chat}"),
        ("group", "owner", "/pause"),
        ("group", "ana", "@agent, are you there?"),
        ("group", "owner", "/resume"),
        ("group", "ana", "@agent, and now?"),
        ("own", "owner", "/policy set from_others refused"),
        ("own", "owner", f"/policy {ana_chat} set from_others refused"),
        ("ana", "ana", "/pause"),
    ]
    if side.channel == "waha":
        lines += [
            ("ana", "phone", "/pause"),
            ("ana", "ana", "Are you open?"),
            ("ana", "phone", "/resume"),
            ("ana", "phone", "Mara here, I will call you."),
            ("ana", "ana", "Thank you!"),
        ]
    return lines


def _message(side: Side, tenant: str, number: int, line: tuple[str, str, str]) -> Message:
    where, who, text = line
    chat = {"own": side.owner, "ana": side.ana, "group": side.group}[where]
    sender = {"owner": side.owner, "ana": side.ana, "phone": "491555000100@c.us"}[who]
    said = Message(
        chat=ChatRef(tenant, side.channel, side.account, chat),
        message_id=f"m{number}",
        actor=Actor.OWNER if who == "phone" else Actor.CONTACT,
        sender_id=sender,
        sender_name=who,
        contact_id=f"{side.channel}:{side.ana if who == 'phone' else sender}",
        text=text,
        sent_at=START,
        is_group=where == "group",
        mentions_agent="@agent" in text,
        is_owner=who != "ana",
    )
    return replace(said, from_me=who == "phone")


async def transcript(agent: Agent, side: Side) -> str:
    """Play a script; return what was said, a block for each stretch of one chat."""
    out: list[str] = []
    before = ""
    names = {"own": "owner's own chat", "ana": "Ana's chat", "group": "a group"}
    for number, line in enumerate(_script(side)):
        where, who, text = line
        if where != before:
            out.append(f"--- {names[where]}")
            before = where
        said = _message(side, agent.stores.settings.tenant, number, line)
        done = [event async for event in agent.send(said)][-1]
        assert isinstance(done, Finished), done
        out.append(f"{who}: {text}")
        reply = "\n       ".join(done.reply.splitlines())
        out.append(f"agent: {reply}" if reply else f"       ({_why_not(who, text, done)})")
    return "\n".join(out)


def _why_not(who: str, text: str, done: Finished) -> str:
    if done.decision == "command":
        return "done, without a reply"
    return "the agent keeps out for a while" if who == "phone" else "no reply"


def ticking() -> Clock:
    """Return a clock that goes on by a millisecond at each look."""
    ticks = count()

    def now() -> datetime:
        return START + timedelta(milliseconds=next(ticks))

    return now


@pytest.fixture
async def agent(settings: Settings, model: ScriptedChatModel) -> AsyncIterator[Agent]:
    async with open_stores(settings, Overrides(model=model, clock=ticking())) as stores:
        yield agent_on(stores)


@pytest.mark.parametrize("side", SIDES, ids=lambda side: side.channel)
async def test_the_transcript_in_the_docs_is_true(
    agent: Agent, model: ScriptedChatModel, side: Side
) -> None:
    model.script(
        "Noted.", "Nuts.", "Hello Ana!", "I cannot do that.", "I cannot do that.", "No.", "Yes."
    )
    played = _SCORE.sub("0.00", await transcript(agent, side))
    assert _MANNER.sub("", played) in _MANNER.sub("", _SCORE.sub("0.00", DOC.read_text("utf-8")))
