"""Who is speaking: one pure decision for every channel (W4, W7)."""

from __future__ import annotations

from collections.abc import Collection

from memory.domain.chats import Actor

TYPED_BY_HAND = "app"
"""The source a gateway gives to what was typed on the phone.

Source: WAHA, receive messages, field `source` ("app" or "api").
"""


def decide_actor(
    *,
    from_me: bool,
    sender_id: str,
    is_echo_of_outbox: bool,
    source: str | None,
    known_bots: Collection[str],
    own_ids: Collection[str],
) -> Actor:
    """Decide who a message is from. Ids must already be in one spelling.

    What our own account sent is never a contact, whatever else is unknown: an echo of the outbox
    is the agent, what was typed on the phone is the owner, anything else (`api`, a missing or an
    unknown source) is some other tool. `api` alone does not mean this process: another program on
    the same linked device sends with it too. A listed owner who writes from an account of their
    own is a contact like any other, one that may command (`may_command`).

    A channel's `normalize` cannot know the outbox, so it passes `is_echo_of_outbox=False`; the
    policy gate asks the outbox about own-account messages and upgrades a match to the agent.

    Args:
        from_me: Whether the channel marks it as sent by our own account.
        sender_id: Who sent it; empty when no one did (a notice of the channel itself).
        is_echo_of_outbox: Whether the outbox knows it, by id or by fingerprint.
        source: The channel's word for how it was sent.
        known_bots: Accounts known to be machines, our own other accounts on the same server among
            them.
        own_ids: Every id of our own account. Groups can show our own messages as someone else's.
    """
    if from_me or sender_id in own_ids:
        if is_echo_of_outbox:
            return Actor.AGENT
        return Actor.OWNER if source == TYPED_BY_HAND else Actor.AUTOMATION
    if not sender_id:
        return Actor.SYSTEM
    if sender_id in known_bots:
        return Actor.AUTOMATION
    return Actor.CONTACT


def may_command(actor: Actor, sender_id: str, owner_ids: Collection[str]) -> bool:
    """Decide whether a sender may command the agent: the owner's hand, or a listed contact.

    A machine that is listed by mistake as the owner is automation, and commands nothing. Ids must
    already be in one spelling.
    """
    return actor is Actor.OWNER or (actor is Actor.CONTACT and sender_id in owner_ids)
