"""The webhooks of a chat of the lab, as WAHA's engine NOWEB and Telegram's Bot API write them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

from evals.lab.cast import Cast, Place, Who
from evals.loops import waha_wire
from evals.loops.cases import Me
from evals.loops.placeholders import Sent

ENGINE = "NOWEB"
FIRST_MESSAGE_ID = 101
"""Of what people say on Telegram; what the bot sends counts from far above."""


@dataclass(frozen=True, slots=True)
class Said:
    """Something that was said, and the webhook that tells it.

    `text` is as people read it, with a name for an id; `message_id` is the bare one. `at`: seconds
    since the epoch. `event`: the webhook's JSON.
    """

    who: Who
    chat_id: str
    message_id: str
    text: str
    at: int
    event: dict[str, Any]  # Any: JSON


class Wire:
    """Writes one chat's webhooks; `said` and `edited` count, so that no two have one id."""

    def __init__(self, cast: Cast) -> None:
        self._cast = cast
        self._count = 0

    def said(self, who: Who, place: Place, text: str, at: float, *, is_meant: bool) -> Said:
        """Return what somebody says, to us where `is_meant`."""
        self._count += 1
        chat, seconds = self._cast.chat(who, place), int(at)
        if self._cast.channel == "waha":
            said = self._waha_said(who, chat, text, seconds, is_meant=is_meant)
        else:
            said = self._telegram_said(who, chat, text, seconds, is_meant=is_meant)
        return said

    def edited(self, said: Said, text: str, at: float) -> Said:
        """Return the same message with other words, told by a webhook of its own."""
        self._count += 1
        if self._cast.channel == "telegram":
            message = said.event["message"]
            edited = {**message, "text": text, "edit_date": int(at), "entities": []}
            event = {"update_id": self._update_id(), "edited_message": edited}
            return replace(said, text=text, event=event)
        own = said.event["payload"]
        head, _, rest = str(own["id"]).partition(said.message_id)
        payload = {
            **own,
            "id": f"{head}{self._bare_id()}{rest}",
            "timestamp": int(at),
            "body": text,
            "editedMessageId": said.message_id,
            "_data": {**own["_data"], "message": {"conversation": text}},
        }
        return replace(said, text=text, event=self._envelope("message.edited", int(at), payload))

    def echoed(self, sent: Sent) -> dict[str, Any]:
        """Return the webhook that reports what we sent as something that came in."""
        self._count += 1
        account = self._cast.account
        if account.bot is None:
            return waha_wire.echo(
                sent, sent.account, self._me, ENGINE, event_id=self._event_id(), has_source=True
            )
        sender = {"id": account.bot.id, "is_bot": True, "first_name": account.bot.username}
        message = {
            "message_id": int(sent.message_id),
            "from": sender,
            "chat": self._telegram_chat(sent.chat_id),
            "date": sent.at,
            "text": sent.text,
        }
        return {"update_id": self._update_id(), "message": message}

    @property
    def _me(self) -> Me:
        return self._cast.account.me or Me(id="0@c.us")

    def _waha_said(self, who: Who, chat: str, text: str, at: int, *, is_meant: bool) -> Said:
        person, bare, is_ours = self._cast.person(who), self._bare_id(), who == "owner"
        is_group = chat.endswith("@g.us")
        shown = text
        if is_meant and is_group:
            shown, text = f"@agent {text}", f"@{self._me.id.partition('@')[0]} {text}"
        inner = {"key": {"remoteJid": _inner(chat), "fromMe": is_ours, "id": bare}}
        mentioned = [_inner(self._me.id)] if is_meant and is_group else []
        payload = {
            "id": f"{str(is_ours).lower()}_{chat}_{bare}" + f"_{person.id}" * is_group,
            "timestamp": at,
            "from": chat,
            "fromMe": is_ours,
            "source": "app",
            "to": chat if is_group else None,
            "participant": person.id if is_group else None,
            "body": text,
            "hasMedia": False,
            "media": None,
            "ack": 2,
            "ackName": "DEVICE",
            "location": None,
            "vCards": None,
            "replyTo": None,
            "_data": {
                **inner,
                "messageTimestamp": at,
                "pushName": person.name,
                "message": {
                    "extendedTextMessage": {
                        "text": text,
                        "contextInfo": {"mentionedJid": mentioned},
                    }
                },
            },
        }
        # What our own account sends comes by this event alone.
        event = self._envelope("message.any" if is_ours else "message", at, payload)
        return Said(who, chat, bare, shown, at, event)

    def _telegram_said(self, who: Who, chat: str, text: str, at: int, *, is_meant: bool) -> Said:
        person, account = self._cast.person(who), self._cast.account
        name = f"@{account.bot.username}" if account.bot else ""
        shown, entities = text, []
        if is_meant and chat.startswith("-"):
            shown, text = f"@agent {text}", f"{name} {text}"
            entities = [{"offset": 0, "length": len(name), "type": "mention"}]
        message_id = FIRST_MESSAGE_ID + self._count
        message = {
            "message_id": message_id,
            "from": {"id": int(person.id), "is_bot": who == "bot", "first_name": person.name},
            "chat": self._telegram_chat(chat),
            "date": at,
            "text": text,
            "entities": entities,
        }
        event = {"update_id": self._update_id(), "message": message}
        return Said(who, chat, str(message_id), shown, at, event)

    def _telegram_chat(self, chat: str) -> dict[str, Any]:
        if chat.startswith("-"):
            return {"id": int(chat), "type": "group", "title": "The lab"}
        return {"id": int(chat), "type": "private", "first_name": "Somebody"}

    def _envelope(self, name: str, at: int, payload: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": self._event_id(),
            "timestamp": at * 1000 + 500,
            "event": name,
            "session": self._cast.account.session,
            "metadata": {},
            "me": {"id": self._me.id, "pushName": "The lab"},
            "payload": payload,
            "engine": ENGINE,
            "environment": {"version": "2026.9.1", "engine": ENGINE, "tier": "CORE"},
        }

    def _bare_id(self) -> str:
        told = f"{self._cast.number} {self._count}".encode()
        return f"AC{hashlib.sha256(told).hexdigest()[:30].upper()}"

    def _event_id(self) -> str:
        return f"evt_{self._cast.number:06d}{self._count:020d}"

    def _update_id(self) -> int:
        return 500_000 + self._count


def _inner(jid: str) -> str:
    """Return an id as it is spelt inside `_data`."""
    return jid.replace("@c.us", "@s.whatsapp.net")
