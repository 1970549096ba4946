"""What the next message puts right, on real stores: told live, edited, and read again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from graph.stores import Stores
from memory.domain.changes import Change
from memory.domain.chats import Message
from memory.facts.asof import as_of
from memory.facts.renewal import renew_facts
from memory.projection.importing import import_batches
from tests.messages import START, message
from tests.projecting import known

pytestmark = pytest.mark.anyio


@pytest.fixture
def say(stores: Stores) -> Callable[..., Message]:
    return lambda text, minutes=0.0, chat="ana": message(
        text, tenant=stores.settings.tenant, minutes=minutes, chat=chat
    )


async def _held(stores: Stores, said: Message) -> list[str]:
    await stores.projector.caught_up()
    facts = await stores.memory.facts.active(said.chat.tenant, said.contact_id)
    return sorted(fact.value for fact in facts)


async def test_a_correction_takes_the_place_of_what_was_said_just_before(
    stores: Stores, say: Callable[..., Message]
) -> None:
    lines = [
        say("My sister's name is Anna. I live in Berlin."),
        say("My sister's name is Clara.", 1),
        say("Sorry, Bern, not Berlin.", 2),
        say("No wait, Basel.", 3),
        say("And Ana, not Anna.", 4),
    ]
    await known(stores, *lines)
    assert await _held(stores, lines[0]) == ["Ana", "Basel", "Clara"]
    tenant, contact = lines[0].chat.tenant, lines[0].contact_id
    history = await stores.memory.facts.history(tenant, contact)
    assert {f.value for f in as_of(history, START)} == set()
    assert not await renew_facts(stores.memory, tenant, contact)
    assert await stores.memory.facts.history(tenant, contact) == history


async def test_lines_that_are_imported_together_are_corrected(
    stores: Stores, say: Callable[..., Message]
) -> None:
    lines = [say("My dog is called Rex."), say("Actually his name is Max, not Rex.", 1)]
    await import_batches(stores.memory, stores.projector, [lines])
    assert await _held(stores, lines[0]) == ["Max"]


async def test_what_was_said_elsewhere_or_by_others_is_not_corrected(
    stores: Stores, say: Callable[..., Message]
) -> None:
    said = say("I live in Berlin.")
    await known(stores, said, say("Sorry, Bern, not Berlin.", 1, chat="other"))
    assert await _held(stores, said) == ["Berlin"]


async def test_only_what_its_sender_said_of_late_is_corrected(stores: Stores) -> None:
    tenant = stores.settings.tenant
    said = message("I live in Berlin.", tenant=tenant, chat="group", is_group=True)
    other, late = (
        message(
            "Sorry, Bern, not Berlin.",
            tenant=tenant,
            chat="group",
            sender=sender,
            minutes=minutes,
            is_group=True,
        )
        for sender, minutes in (("bo", 1), ("ana", 13 * 60))
    )
    await known(stores, said, other, late)
    assert await _held(stores, said) == ["Berlin"]
    assert await _held(stores, other) == []
    soon = message("Bern, not Berlin.", tenant=tenant, chat="group", minutes=2, is_group=True)
    await known(stores, soon)
    lines = await stores.memory.ledger.own_lines(tenant, [soon.uid])
    assert [line.uid for line in lines[soon.uid]] == [said.uid]
    after = await stores.memory.ledger.own_lines(tenant, [said.uid], after=True)
    assert [line.uid for line in after[said.uid]] == [soon.uid]
    assert await _held(stores, said) == ["Bern"]


async def test_a_correction_follows_an_edit_of_what_it_corrects(
    stores: Stores, say: Callable[..., Message]
) -> None:
    said = say("I live in Berlin.")
    await known(stores, said, say("Sorry, Bern, not Berlin.", 1))
    assert await _held(stores, said) == ["Bern"]
    change = Change(
        chat=said.chat,
        message_id=said.message_id,
        kind="edit",
        action_id="edit",
        text="I live in Ghent.",
        author_ids=(said.sender_id,),
        from_me=False,
        changed_at=START,
    )
    assert await stores.memory.revisions.change(change, START) == "applied"
    assert await _held(stores, said) == ["Ghent"]
    assert not await renew_facts(stores.memory, said.chat.tenant, said.contact_id)
