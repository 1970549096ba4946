"""What has ended is in a prompt as ended, with either fact store, and answered so."""

from __future__ import annotations

import pytest

from graph.bootstrap import agent_on
from graph.models.offline.responder import respond
from graph.stores import Stores
from memory.recall.block import EndedLine
from nodes.prompts import read_memory
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message

pytestmark = pytest.mark.anyio

JOB = "I work as a nurse at Rikshospitalet"


async def test_a_sentence_whose_fact_has_ended_does_not_answer_as_if_it_held(
    either_stores: Stores, model: ScriptedChatModel
) -> None:
    agent, tenant = agent_on(either_stores), either_stores.settings.tenant
    told = (JOB, "I quit Rikshospitalet.", "We have a dog named Rex.", "Where do I work?")
    for minutes, text in enumerate(told):
        said = message(text, tenant=tenant, minutes=minutes)
        _ = [event async for event in agent.send(said)]
    prompt = model.prompts[-1]
    (ended,) = read_memory(prompt[0].text).ended
    day = message("", minutes=1).sent_at.date().isoformat()
    assert ended == EndedLine("employer", "Rikshospitalet", day, JOB)
    assert respond(prompt).text.startswith("No longer so, since ")
