"""Placeholders and names: what a delivery of one order says."""

import json

import pytest

from evals.loops.aliases import FIRST_BOT_ID, Renamer
from evals.loops.placeholders import Sent, highest, resolve
from tests.unit.evals.loops.sample import ANA, GROUP, ME, case, event

SENT = [
    Sent("a", ANA, "3EB01", f"true_{ANA}_3EB01", "First", 1),
    Sent("a", ANA, "900002", f"true_{ANA}_900002", "Second", 2),
]


def test_placeholders_are_replaced_inside_any_string() -> None:
    asked = {"id": "{{sent_full:1}}", "in": [{"text": "re: {{sent_text:2}} ({{sent:1}})"}], "n": 3}
    assert resolve(asked, SENT, numbers=False) == {
        "id": f"true_{ANA}_3EB01",
        "in": [{"text": "re: Second (3EB01)"}],
        "n": 3,
    }


def test_a_telegram_id_becomes_a_number_only_where_it_stands_alone() -> None:
    assert resolve(["{{sent:2}}", "x{{sent:2}}"], SENT, numbers=True) == [900002, "x900002"]
    assert resolve("{{sent:2}}", SENT, numbers=False) == "900002"


def test_what_was_not_sent_yet_is_an_error_and_can_be_foreseen() -> None:
    assert highest("a {{sent:2}} b {{sent_text:11}} {{sent:x}}") == 11
    assert highest("nothing") == 0
    with pytest.raises(IndexError):
        resolve("{{sent:3}}", SENT, numbers=False)


def test_two_orders_share_no_account_and_no_person() -> None:
    renamer = Renamer(
        case(
            other_accounts=[{"session": "werkstatt", "me": ME}],
            settings={"owner": [ANA]},
            steps=[
                {"deliver": event("AA1")},
                {"deliver": event("AA2", GROUP, "@491555000100 you?") | {"session": "werkstatt"}},
                {"deliver": {}},
            ],
            expect={"answered": [f"werkstatt/{GROUP}/AA2", "AA1"], "replies": {ANA: [1, 1]}},
        )
    )
    first, second = renamer.alias(7, 0), renamer.alias(8, 1)
    assert first.accounts == ("atelier.7", "werkstatt.7")
    assert [one.account for one in second.deliveries] == ["atelier.8", "werkstatt.8", "atelier.8"]
    event_of_second = json.loads(second.deliveries[1].body)
    assert event_of_second["session"] == "werkstatt.8"
    me = second.mine[0].me
    assert me is not None
    assert me.id == "490001000100@c.us"
    assert event_of_second["payload"]["body"] == "@490001000100 you?"
    assert event_of_second["me"]["id"] == me.id
    account, chat, message_id = second.expect.answered[0].split("/")
    assert (account, message_id) == ("werkstatt.8", "AA2")
    assert event_of_second["payload"]["from"] == chat
    assert set(second.expect.replies) == set(second.lists["owner"]) == {"490001000101@c.us"}
    assert set(first.expect.replies).isdisjoint(second.expect.replies)


def test_a_bot_gets_another_id_wherever_it_occurs_and_keeps_its_name() -> None:
    update = {"update_id": 5, "message": {"message_id": 9, "from": {"id": 7005550100}, "text": ""}}
    renamer = Renamer(
        case(
            channel="telegram",
            account={"bot": {"id": 7005550100, "username": "lumen_demo_bot"}},
            steps=[{"deliver": update, "to": 7005550100}],
            expect={"answered": ["7005550100/1/9"]},
        )
    )
    alias = renamer.alias(4, 0)
    bot_id = FIRST_BOT_ID + 40
    assert alias.accounts == (str(bot_id),)
    assert json.loads(alias.deliveries[0].body)["message"]["from"]["id"] == bot_id
    assert alias.expect.answered == (f"{bot_id}/1/9",)
    bot = alias.mine[0].bot
    assert bot is not None
    assert (bot.id, bot.username) == (bot_id, "lumen_demo_bot")
