"""What the lab posts, as the product reads it."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from channels.inbound import Edit, Inbound
from channels.telegram import normalize as telegram
from channels.telegram.content import BotIdentity
from channels.waha import normalize as waha
from evals.lab.cast import CHANNELS, PLACES, WHO, Cast, Channel, Place, Who, casts
from evals.lab.reasons import BEFORE_GATE, code_before_gate, why
from evals.lab.scenes import SCENES
from evals.lab.webhooks import Wire
from evals.loops.placeholders import Sent
from memory.domain.chats import Actor, Message
from nodes.reasons import OF_GATE
from nodes.state import Reason

AT = 1_790_000_000.0


def read(cast: Cast, event: dict[str, Any]) -> Inbound:
    known = frozenset({cast.person("bot").id})
    account = cast.account
    if account.bot is None:
        return waha.normalize(
            event,
            tenant="t",
            account=account.session,
            owner_ids=frozenset(),
            known_bots=known,
        )
    return telegram.normalize(
        event,
        tenant="t",
        account=account.name,
        bot=BotIdentity(account.bot.id, account.bot.username),
        owner_ids=frozenset({cast.person("owner").id}),
        known_bots=known,
    )


@pytest.mark.parametrize("channel", get_args(Channel))
@pytest.mark.parametrize("place", get_args(Place))
@pytest.mark.parametrize(
    ("who", "actor"),
    [("ana", Actor.CONTACT), ("owner", Actor.OWNER), ("bot", Actor.AUTOMATION)],
)
def test_the_product_knows_who_speaks_where(
    channel: Channel, place: Place, who: Who, actor: Actor
) -> None:
    cast = Cast(channel, 7)
    said = Wire(cast).said(who, place, "hello", AT, is_meant=True)
    message = read(cast, said.event)
    assert isinstance(message, Message)
    if (channel, who) == ("telegram", "owner"):
        assert message.is_owner
        actor = Actor.CONTACT
    assert message.actor is actor
    assert (message.chat.chat_id, message.message_id) == (said.chat_id, said.message_id)
    assert message.is_group == (place == "group")
    assert message.mentions_agent == (place == "group")
    assert message.text.endswith("hello")


@pytest.mark.parametrize("channel", get_args(Channel))
def test_an_edit_and_an_echo_are_read_as_what_they_are(channel: Channel) -> None:
    cast = Cast(channel, 7)
    wire = Wire(cast)
    said = wire.said("ana", "direct", "hello", AT, is_meant=False)
    edit = read(cast, wire.edited(said, "hallo", AT + 1).event)
    assert isinstance(edit, Edit)
    assert (edit.message_id, edit.text) == (said.message_id, "hallo")
    sent = Sent(cast.account.name, said.chat_id, "900001", f"true_{said.chat_id}_900001", "ok", 1)
    echo = read(cast, wire.echoed(sent))
    assert isinstance(echo, Message)
    assert (echo.from_me, echo.actor, echo.text) == (True, Actor.AUTOMATION, "ok")


def test_no_two_chats_share_anybody_and_no_two_messages_an_id() -> None:
    for channel in CHANNELS:
        people = [each.person(who).id for each in casts(channel) for who in ("ana", "ben", "bot")]
        assert len(set(people)) == len(people)
        wire = Wire(Cast(channel, 1))
        ids = {wire.said("ana", "group", "x", AT, is_meant=False).message_id for _ in range(5)}
        assert len(ids) == 5


def test_every_code_has_a_sentence_and_every_scene_its_words() -> None:
    assert set(OF_GATE) == set(get_args(Reason))
    for status in ("known", "echo", "refused", "ignored", "unreadable"):
        assert code_before_gate(status, "") in BEFORE_GATE
    assert code_before_gate("", "") == "rejected"
    assert [code_before_gate("new", author) for author in ("owner", "contact")] == ["owner", ""]
    assert why("known").sentence.endswith(".")
    assert "does not know" in why("something else").sentence
    assert set(WHO) == set(get_args(Who))
    assert set(PLACES) == set(get_args(Place))
    for scene in SCENES:
        assert set(scene.replies) == set(CHANNELS)
        assert all(cue.text or cue.who not in ("ana", "ben", "owner", "bot") for cue in scene.cues)
