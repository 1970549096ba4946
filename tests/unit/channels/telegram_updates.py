"""Updates in the shapes Telegram sends them, and builders for variants."""

from __future__ import annotations

from typing import Any

from channels.telegram.content import BotIdentity

AT = 1790000000
BOT = BotIdentity(7001, "our_test_bot")
GROUP_ID, CHANNEL_ID, USER_ID = -1005001, -1009001, 5001

ANA = {"id": USER_ID, "is_bot": False, "first_name": "Ana", "last_name": "K", "username": "ana_k"}
BEN = {"id": 5002, "is_bot": False, "first_name": "Ben"}
US = {"id": BOT.bot_id, "is_bot": True, "first_name": "Ours", "username": BOT.username}
QUIZ = {"id": 7777, "is_bot": True, "first_name": "Quiz", "username": "quiz_bot"}
ANONYMOUS = {"id": 1087968824, "is_bot": True, "first_name": "Group"}
STAND_IN = {"id": 777000, "is_bot": False, "first_name": "Telegram"}
PRIVATE = {"id": USER_ID, "type": "private", "first_name": "Ana"}
GROUP = {"id": GROUP_ID, "type": "supergroup", "title": "Friends"}
FORUM = GROUP | {"is_forum": True}
CHANNEL = {"id": CHANNEL_ID, "type": "channel", "title": "News"}


def update(kind: str, event: object, update_id: int = 90) -> dict[str, Any]:
    """Build an update around an event."""
    return {"update_id": update_id, kind: event}


def message(**fields: Any) -> dict[str, Any]:
    """Build a private message; a field given as None is left out."""
    base = {"message_id": 7, "from": ANA, "chat": PRIVATE, "date": AT, "text": "hello"}
    given = {key: value for key, value in (base | fields).items() if value is not None}
    return update("message", given)


def in_group(**fields: Any) -> dict[str, Any]:
    """Build a group message."""
    return message(**({"chat": GROUP} | fields))


def edited(sent: dict[str, Any]) -> dict[str, Any]:
    """Build the edit of a message that has the fields of another update."""
    return update("edited_message", sent["message"])


def entity(kind: str, offset: int, length: int, **fields: Any) -> dict[str, Any]:
    """Build an entity; places are in UTF-16 code units."""
    return {"type": kind, "offset": offset, "length": length, **fields}


def replied(sender: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """Build the message that a reply carries along."""
    base = {"message_id": 6, "from": sender or BEN, "chat": GROUP, "date": AT - 9, "text": "before"}
    return base | fields


CHANNEL_POST = update(
    "channel_post",
    {"message_id": 3, "sender_chat": CHANNEL, "chat": CHANNEL, "date": AT, "text": "news"},
)
REACTION = update(
    "message_reaction",
    {
        "chat": GROUP,
        "message_id": 7,
        "user": ANA,
        "date": AT,
        "old_reaction": [],
        "new_reaction": [{"type": "emoji", "emoji": "👍"}],
    },
)
MEMBERSHIP = update(
    "my_chat_member",
    {
        "chat": GROUP,
        "from": ANA,
        "date": AT,
        "old_chat_member": {"user": US, "status": "member"},
        "new_chat_member": {"user": US, "status": "kicked", "until_date": 0},
    },
)
CALLBACK = update("callback_query", {"id": "1", "from": ANA, "chat_instance": "2", "data": "x"})

EVERY_KIND = [
    message(),
    edited(message(edit_date=AT + 5)),
    message(text=None, caption="a caption", photo=[{"file_id": "A", "width": 1, "height": 1}]),
    in_group(
        text="👋 @our_test_bot",
        entities=[entity("mention", 3, 13)],
        reply_to_message=replied(US),
        quote={"text": "bef", "position": 0},
    ),
    in_group(**{"from": QUIZ}),
    in_group(**{"from": US}),
    in_group(**{"from": ANONYMOUS}, sender_chat=GROUP, author_signature="admin"),
    in_group(
        **{"from": STAND_IN},
        sender_chat=CHANNEL,
        is_automatic_forward=True,
        forward_origin={"type": "channel", "chat": CHANNEL, "message_id": 3, "date": AT},
    ),
    in_group(
        chat=FORUM,
        message_thread_id=4,
        is_topic_message=True,
        reply_to_message=replied(US, message_id=4, text=None, forum_topic_created={"name": "x"}),
    ),
    in_group(text=None, new_chat_members=[US]),
    in_group(text=None, migrate_to_chat_id=-1005002),
    CHANNEL_POST,
    REACTION,
    MEMBERSHIP,
    CALLBACK,
]
