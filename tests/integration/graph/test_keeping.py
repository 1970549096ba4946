"""Rules of what is never kept, from capture to a store made anew, in five languages."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from graph.agent import Agent
from graph.bootstrap import agent_on
from graph.models.offline.frames import FRAMES
from graph.models.offline.responder import respond
from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.facts import Fact
from memory.facts.corrector import BadCorrection, Corrector
from memory.facts.keeping import Keeper, counted_of
from memory.facts.notebook import About, BadNote, Notebook
from memory.policy.keeping import CREDENTIALS, BadRule, Rule
from memory.projection.importing import import_batches
from memory.recall.recall import Scope, recall
from memory.trust.verify import verify
from nodes.prompts import NOT_KEPT
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message

pytestmark = pytest.mark.anyio

ANA = "waha:ana"


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


@pytest.fixture
def keeper(stores: Stores) -> Keeper:
    return Keeper(Corrector(stores.memory, stores.clock, stores.ids, stores.settings.tenant))


async def _say(agent: Agent, *texts: str, start: int = 0) -> list[str]:
    said = [
        message(text, tenant=agent.stores.settings.tenant, minutes=start + n)
        for n, text in enumerate(texts)
    ]
    for each in said:
        _ = [event async for event in agent.send(each)]
    await agent.stores.projector.caught_up()
    return [each.uid for each in said]


async def _facts(stores: Stores, contact: str = ANA) -> dict[str, str]:
    facts: list[Fact] = await stores.memory.facts.active(stores.settings.tenant, contact)
    return {fact.key: fact.value for fact in facts}


async def _shown(stores: Stores) -> list[str]:
    """Return what searches and prompts may show of the chat, the agent's lines included."""
    lines = await stores.memory.ledger.page(stores.settings.tenant, ANA, None, 99)
    return [line.message.text for line in lines if not line.withheld and line.message.text]


async def _is_clean(stores: Stores) -> bool:
    tenants = [stores.settings.tenant]
    reports = [r async for r in verify(stores.memory, stores.projector.projections, tenants, 9)]
    return all(each.is_clean for each in reports)


async def test_credentials_are_answered_and_nothing_of_them_is_kept_but_the_line(
    agent: Agent, stores: Stores, model: ScriptedChatModel
) -> None:
    model.script("Noted, hunter2.", "Aha.", "I do not know.")
    (secret,) = await _say(agent, "I live in Leeds and my password is hunter2.")
    assert "hunter2" in model.prompts[0][-1].text
    assert await _facts(stores) == {}
    await _say(agent, "What is my password?", start=1)
    prompt = "\n".join(line.text for line in model.prompts[-1])
    assert "hunter2" not in prompt
    tenant = stores.settings.tenant
    scope = Scope(tenant, ANA, f"contact:{ANA}", is_group=False)
    found = await recall(stores.memory, scope, "password hunter2", stores.clock(), 9)
    assert secret not in {entry.item_id for entry in found.entries}
    assert not any("hunter2" in text for text in await _shown(stores))
    assert await stores.memory.rules.noted(tenant, [secret]) == {secret: [CREDENTIALS]}
    receipts = await stores.memory.turns.receipts(message("", tenant=tenant).chat, 9)
    assert "hunter2" not in json.dumps([str(each) for each in receipts])
    assert await stores.memory.vectors.items(tenant, "message", scope.anchor) != {}
    assert secret not in str(await stores.memory.vectors.items(tenant, "message", scope.anchor))


@pytest.mark.parametrize(
    ("telling", "rest"),
    [
        ("I'm allergic to peanuts.", "I live in Leeds."),
        ("Ich bin allergisch gegen Nüsse.", "Ich wohne in Leipzig."),
        ("Soy alérgico a las nueces.", "Vivo en Sevilla."),
        ("Sou alérgico a amendoim.", "Moro em Lisboa."),
        ("У меня аллергия на орехи.", "Я живу в Москве."),
    ],
)
async def test_a_kind_of_fact_is_kept_out_with_its_sentence_and_the_rest_stays(
    agent: Agent, stores: Stores, keeper: Keeper, telling: str, rest: str
) -> None:
    rule = await keeper.add("facts", "health")
    (uid,) = await _say(agent, f"{telling} {rest}")
    assert set(await _facts(stores)) == {"home"}
    assert [text for text in await _shown(stores) if rest in text] == [rest]
    assert not any(telling in text for text in await _shown(stores))
    assert await stores.memory.rules.noted(stores.settings.tenant, [uid]) == {uid: [rule]}
    assert await _is_clean(stores)
    # Neither is it back when the rule is gone, and all is read anew.
    await keeper.remove(rule.rule_id)
    await stores.memory.facts.forget(stores.settings.tenant, ANA)
    await stores.memory.backlog.owe(stores.settings.tenant, ["facts"], [f"contact:{ANA}"])
    await stores.projector.caught_up()
    assert set(await _facts(stores)) == {"home"}
    await _say(agent, telling, start=5)
    assert set(await _facts(stores)) == {"home", "allergy"}


async def test_a_word_is_kept_out_of_one_contact_also_when_imported_or_edited_in(
    agent: Agent, stores: Stores, keeper: Keeper
) -> None:
    tenant = stores.settings.tenant
    rule = await keeper.add("words", "Wedding", ANA)
    assert await keeper.add("words", " wedding ", ANA) == rule
    told, other = await _say(agent, "The WEDDING is in Rome.", "My bike is blue.")
    assert [text for text in await _shown(stores) if "Rome" in text] == []
    late = message("I live in York since the wedding.", tenant=tenant, minutes=-9)
    ben = message("I go to a wedding in Bath.", tenant=tenant, chat="ben", sender="ben")
    await import_batches(stores.memory, stores.projector, [[late, ben]])
    assert "home" not in await _facts(stores)
    (said,) = await stores.memory.ledger.messages(tenant, [other])
    chat, name, at = said.message.chat, said.message.message_id, stores.clock()
    edit = Change(
        chat,
        name,
        "edit",
        "e1",
        "My bike is for the wedding.",
        ("ana", ANA),
        from_me=False,
        changed_at=at,
    )
    assert (await stores.memory.revisions.change(edit, stores.clock())) is not None
    await stores.projector.caught_up()
    noted = await stores.memory.rules.noted(tenant, [told, late.uid, other, ben.uid])
    assert noted == {told: [rule], late.uid: [rule], other: [rule]}
    assert await _is_clean(stores)


async def test_a_new_rule_tells_what_it_would_have_kept_out_and_forgets_it_on_demand(
    agent: Agent, stores: Stores, keeper: Keeper
) -> None:
    await _say(agent, "I'm allergic to nuts. I live in Leeds.", "My dog Rex loves the beach.")
    rule = await keeper.add("facts", "allergy")
    (meant,) = await keeper.meant(rule)
    assert [fact.value for fact in meant.facts] == ["nuts"]
    assert await _is_clean(stores)
    words = await keeper.add("words", "beach")
    assert [[fact.value for fact in each.facts] for each in await keeper.meant(words)] == [["Rex"]]
    acts = await keeper.forget_meant(rule)
    assert set(await _facts(stores)) == {"home", "pet"}
    assert await keeper.meant(rule) == []
    for contact_id, act in acts:
        await keeper.undo(contact_id, act)
    await stores.projector.caught_up()
    assert (await _facts(stores))["allergy"] == "nuts"
    # Nor does forgetting something else of the same message take anything away by a later rule.
    await keeper.corrector.forget(ANA, "home")
    await stores.projector.caught_up()
    assert (await _facts(stores))["allergy"] == "nuts"


async def test_a_rule_forgets_on_demand_what_has_ended_as_well(
    agent: Agent, stores: Stores, keeper: Keeper
) -> None:
    await _say(agent, "I live in Leeds.", "I moved to York.")
    await stores.projector.caught_up()
    rule = await keeper.add("facts", "home")
    (meant,) = await keeper.meant(rule)
    assert {fact.value for fact in meant.facts} == {"Leeds", "York"}
    await keeper.forget_meant(rule)
    assert await keeper.meant(rule) == []
    assert "home" not in await _facts(stores)
    assert [text for text in await _shown(stores) if "Leeds" in text or "York" in text] == []


async def test_a_new_rule_of_words_counts_messages_and_takes_them_out_on_demand(
    agent: Agent, stores: Stores, keeper: Keeper
) -> None:
    said = ["We had a fight about Quentin yesterday.", "My dog is called Quentin.", "I like tea."]
    await _say(agent, *said)
    await stores.projector.caught_up()
    rule = await keeper.add("words", "Quentin", ANA)
    meant = await keeper.meant(rule)
    assert counted_of(meant) == "1 fact and 2 messages"
    acts = await keeper.forget_meant(rule)
    assert await keeper.meant(rule) == []
    assert "pet" not in await _facts(stores)
    assert [text for text in await _shown(stores) if "Quentin" in text] == []
    for contact_id, act in acts:
        await keeper.undo(contact_id, act)
    await stores.projector.caught_up()
    assert (await _facts(stores))["pet"] == "Quentin"
    assert counted_of(await keeper.meant(rule)) == "1 fact and 2 messages"


async def test_what_a_rule_keeps_out_is_refused_by_hand_and_rules_are_a_tenants(
    stores: Stores, keeper: Keeper
) -> None:
    health = await keeper.add("facts", "health")
    assert await stores.memory.rules.of(stores.settings.tenant) == [CREDENTIALS, health]
    assert await stores.memory.rules.of("another") == [CREDENTIALS]
    with pytest.raises(BadCorrection, match="never kept, by a rule: health"):
        await keeper.corrector.set(ANA, "medical", "diabetes")
    book = Notebook(stores.memory, stores.clock, stores.ids, stores.settings.tenant)
    with pytest.raises(BadNote, match="by a rule: credentials"):
        await book.add("The bank password: swordfish", "semantic", About(ANA))
    assert await keeper.remove(0) == CREDENTIALS
    await book.add("The bank password: swordfish", "semantic", About(ANA))
    with pytest.raises(BadRule, match="no rule 0"):
        await keeper.remove(0)
    back = await keeper.add("credentials", "")
    assert replace(back, rule_id=0, since=CREDENTIALS.since) == Rule(0, "credentials")
    assert await stores.memory.rules.of(stores.settings.tenant) == [health, back]


async def test_a_prompt_says_where_a_rule_keeps_the_message_out(
    agent: Agent, model: ScriptedChatModel
) -> None:
    await _say(agent, "My password is hunter2.", "I like tea.")
    assert [NOT_KEPT in prompt[0].text.splitlines() for prompt in model.prompts] == [True, False]
    assert respond(model.prompts[0]).text.startswith(FRAMES["en"].not_kept)
