"""What a Telegram message says, and whom it names. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from channels.telegram.payload import Content, Entity, WireMessage
from channels.text import clean_text

# Looked up in this order: an animation also comes as a document, a venue as a location.
PLACEHOLDERS = {
    "photo": "[Image]",
    "live_photo": "[Image]",
    "voice": "[Voice Message]",
    "audio": "[Audio]",
    "video": "[Video]",
    "video_note": "[Video]",
    "animation": "[Animation]",
    "sticker": "[Sticker]",
    "document": "[Document]",
    "contact": "[Contact Card]",
    "location": "[Location]",
    "venue": "[Location]",
    "poll": "[Poll]",
    "checklist": "[Checklist]",
    "dice": "[Dice]",
    "game": "[Game]",
    "story": "[Story]",
    "invoice": "[Invoice]",
    "paid_media": "[Media]",
    "giveaway": "[Giveaway]",
    "giveaway_winners": "[Giveaway]",
}

SERVICE_FIELDS = (
    "new_chat_members",
    "left_chat_member",
    "chat_owner_left",
    "chat_owner_changed",
    "new_chat_title",
    "new_chat_photo",
    "delete_chat_photo",
    "group_chat_created",
    "supergroup_chat_created",
    "channel_chat_created",
    "message_auto_delete_timer_changed",
    "pinned_message",
    "successful_payment",
    "refunded_payment",
    "users_shared",
    "user_shared",
    "chat_shared",
    "gift",
    "unique_gift",
    "gift_upgrade_sent",
    "connected_website",
    "write_access_allowed",
    "passport_data",
    "proximity_alert_triggered",
    "boost_added",
    "chat_background_set",
    "checklist_tasks_done",
    "checklist_tasks_added",
    "direct_message_price_changed",
    "paid_message_price_changed",
    "forum_topic_created",
    "forum_topic_edited",
    "forum_topic_closed",
    "forum_topic_reopened",
    "general_forum_topic_hidden",
    "general_forum_topic_unhidden",
    "giveaway_created",
    "giveaway_completed",
    "suggested_post_approved",
    "suggested_post_approval_failed",
    "suggested_post_declined",
    "suggested_post_paid",
    "suggested_post_refunded",
    "video_chat_scheduled",
    "video_chat_started",
    "video_chat_ended",
    "video_chat_participants_invited",
    "voice_chat_started",
    "voice_chat_ended",
    "web_app_data",
)
"""Fields that mark a service message. Source: Telegram Bot API, object Message."""

_FORWARDED = (
    "forward_origin",
    "forward_date",
    "forward_from",
    "forward_from_chat",
    "forward_sender_name",
)
"""The first is today's; the others are from before Bot API 7.0 and still sent by old servers."""


@dataclass(frozen=True, slots=True)
class BotIdentity:
    """Who we are on Telegram. `username` is without the @."""

    bot_id: int
    username: str


def text_of(message: Content) -> str:
    """Return what was written, else a placeholder for what came instead, else nothing."""
    written = clean_text(message.text or message.caption or "")
    if written.strip():
        return written
    return next((name for field, name in PLACEHOLDERS.items() if message.has(field)), "")


def service_kind(message: WireMessage) -> str:
    """Return the field that makes it a service message; empty for a message of someone."""
    return next((field for field in SERVICE_FIELDS if message.has(field)), "")


def is_forwarded(message: WireMessage) -> bool:
    """Tell whether the words are someone else's."""
    return message.is_automatic_forward or any(message.has(field) for field in _FORWARDED)


def mentions(message: WireMessage, bot: BotIdentity) -> bool:
    """Tell whether a text or caption names the bot: by username, by link or in a command.

    A command that names another bot, or none, is not addressed to us.
    """
    is_text = bool(message.text)
    written = (message.text if is_text else message.caption) or ""
    # Half a surrogate pair is legal in JSON, so it must not stop the reading.
    units = written.encode("utf-16-le", "surrogatepass")
    entities = message.entities if is_text else message.caption_entities
    return any(_names(entity, units, bot) for entity in entities)


def _names(entity: Entity, units: bytes, bot: BotIdentity) -> bool:
    if entity.type == "text_mention":
        return entity.user is not None and entity.user.id == bot.bot_id
    if entity.type not in ("mention", "bot_command"):
        return False
    end = entity.offset + entity.length
    part = units[2 * entity.offset : 2 * end].decode("utf-16-le", "replace").casefold()
    username = bot.username.casefold()
    if entity.type == "mention":
        return part == f"@{username}"
    return part.startswith("/") and part.partition("@")[2] == username
