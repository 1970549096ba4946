"""A person's life with the agent, for tests of what is left of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from langchain_core.messages import HumanMessage

from graph.agent import Agent, Finished
from graph.build import build_graph
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Message, Pair, Quote
from memory.domain.erasures import Erasure
from memory.domain.imports import ImportPlan
from memory.facts.corrector import Corrector
from memory.facts.marker import Marker
from memory.facts.notebook import About, Notebook
from memory.policy.keeping import Rule
from memory.policy.rules import Layer
from memory.trust.erasure import erase
from nodes.context import GivenOptions
from tests.messages import message

BARE, OTHER = "491512345678@c.us", "447700900123@c.us"
LID = "998877665544@lid"
HER, HIM = f"waha:{BARE}", f"waha:{OTHER}"
GROUP = "12036302@g.us"
SECRET = "I keep the blue canoe behind the old boathouse in Whitby."
HERE = "web:mira"
AT_HOME = "My brother Anselm repairs clocks in Robin Hood's Bay."
IN_GROUP = "My sister Matilda paints lighthouses near Whitby every autumn."
HIS = "I live in Leeds and my dog is called Bruno."


def hers(stores: Stores, text: str, **rest: object) -> Message:
    """Return a message of hers, in the chat with her unless another is named."""
    given = {"chat": BARE, "sender": BARE, **rest}
    return message(text, tenant=stores.settings.tenant, **given)  # type: ignore[arg-type]


def his(stores: Stores, text: str, **rest: object) -> Message:
    """Return a message of his."""
    return hers(stores, text, **{"chat": OTHER, "sender": OTHER, **rest})


async def answered(agent: Agent, said: Message) -> Finished:
    """Say something and have its turn run."""
    events = [event async for event in agent.send(said)]
    last = events[-1]
    assert isinstance(last, Finished), last
    return last


async def live(agent: Agent) -> None:
    """Have her, and him beside her, live through everything there is."""
    stores = agent.stores
    tenant, memory, now = stores.settings.tenant, stores.memory, stores.clock()
    group: dict[str, object] = {"chat": GROUP, "is_group": True, "mentions_agent": True}
    await memory.identities.learn([Pair(tenant, "waha", "phone", LID, BARE)], "test")
    for n, text in enumerate(
        [SECRET, "I'm allergic to nuts and my cat is called Minka.", "Thanks!"]
    ):
        await answered(agent, hers(stores, text, minutes=n))
    for n, text in enumerate([HIS, "I work as a carpenter."]):
        await answered(agent, his(stores, text, minutes=n))
    told = hers(stores, IN_GROUP, minutes=10, message_id="G1", **group)
    await answered(agent, told)
    quote = Quote("G1", IN_GROUP, BARE)
    await answered(agent, replace(his(stores, "Where is that?", minutes=11, **group), quote=quote))
    await answered(agent, his(stores, "I saw a whale from the pier.", minutes=12, **group))
    edited = hers(stores, "I was born in Hull.", minutes=3, message_id="E1")
    await answered(agent, edited)
    change = Change(edited.chat, "E1", "edit", "E2", "I was born in Selby.", (BARE,), False, now)
    await memory.revisions.change(change, now)
    await memory.revisions.change(replace(change, message_id="never came", action_id="E3"), now)
    corrector = Corrector(memory, stores.clock, stores.ids, tenant)
    await stores.projector.caught_up()
    await corrector.set(HER, "home", "Scarborough")
    await Marker(corrector).pin(HER, "home")
    notebook = Notebook(memory, stores.clock, stores.ids, tenant)
    await notebook.add("She prefers to be written to in the evening.", "procedural", About(HER))
    await memory.rules.add(tenant, Rule(0, "words", "salary", HER, now))
    scope = f"waha/phone/{BARE}"
    listed = Layer(blocked=frozenset({BARE.removesuffix("@c.us"), "4900"}))
    edits = {scope: lambda _: Layer(reply_direct="all"), "waha": lambda _: listed}
    await memory.policies.change(tenant, edits, "owner", now)
    await memory.events.keep(tenant, "waha", "phone", "odd", f'{{"from":"{BARE}"}}'.encode())
    await memory.events.keep(tenant, "waha", "phone", "odd", b'{"from":"4915123456789@c.us"}')
    await _imported(stores)
    await on_a_server(stores, thread_of(stores))
    await stores.projector.caught_up()


def thread_of(stores: Stores) -> str:
    """Return a server's thread of this test: checkpoints name no tenant."""
    return str(uuid5(NAMESPACE_OID, stores.settings.tenant))


async def on_a_server(
    stores: Stores, thread: str, text: str | None = AT_HOME, **options: Any
) -> None:
    """Have somebody at this machine say something in a thread of a LangGraph server, as in Studio.

    Without a text a run that was interrupted goes on. `options`: those of a run.
    """
    graph = build_graph(stores.wire).compile(checkpointer=stores.saver)
    said: Any = {"messages": [HumanMessage(text)]} if text else None
    await graph.ainvoke(
        said,
        {"configurable": {"thread_id": thread}},
        context=GivenOptions(contact=HERE.removeprefix("web:"), tenant=stores.settings.tenant),
        durability="sync",
        **options,
    )


async def kept_of(stores: Stores, thread: str) -> str:
    """Return all that LangGraph keeps of a thread, as text; empty where it keeps nothing."""
    query = """
        select coalesce(string_agg(text, ' '), '') as text from (
          select checkpoint::text as text from checkpoints where thread_id = %(thread)s
          union all select encode(blob, 'escape') from checkpoint_blobs
          where thread_id = %(thread)s
          union all select encode(blob, 'escape') from checkpoint_writes
          where thread_id = %(thread)s) kept"""
    async with stores.pool.connection() as connection:
        cursor = await connection.execute(query.encode(), {"thread": thread})
        row = await cursor.fetchone()
    return str(row["text"]) if row else ""


async def _imported(stores: Stores) -> None:
    """Have a chat imported as hers, and one as his in which she speaks."""
    for whose, name in ((HER, "hers"), (HIM, "his")):
        given: dict[str, object] = {"chat": f"import-{name}", "is_group": True}
        said = [
            hers(stores, "We sailed to Runswick Bay together once.", minutes=-1000, **given),
            his(stores, f"That was a long day ({name}).", minutes=-999, **given),
        ]
        await stores.memory.imports.begin(plan(stores, whose, name))
        await stores.memory.ledger.record(said, history=True)


def plan(stores: Stores, whose: str, name: str) -> ImportPlan:
    """Return the plan of an import as somebody's."""
    chat = hers(stores, "", chat=f"import-{name}").chat
    chats = ((chat, chat.group_anchor),)
    tenant = stores.settings.tenant
    return ImportPlan(tenant, f"digest-{name}", "jsonl", "chat.jsonl", "", whose, "", chats, 2)


async def erased(stores: Stores, contact: str = HER) -> Erasure:
    """Erase a person and return the receipt."""
    return await erase(stores.memory, stores.projector, stores.settings.tenant, contact, "cli")


async def transcript(stores: Stores, group: str = GROUP) -> Sequence[str]:
    """Return what a group's transcript says, oldest first."""
    chat = hers(stores, "", chat=group).chat
    return [each.message.text for each in await stores.memory.ledger.since(chat, 0, 100)]
