"""Proof that an update comes from Telegram. Fails closed."""

from __future__ import annotations

from collections.abc import Mapping

from channels.errors import BadSignature
from channels.wire import is_same_secret

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"
"""Source: Telegram Bot API, setWebhook, parameter `secret_token`."""


def verify_secret(headers: Mapping[str, str], secret: str | None) -> None:
    """Check a webhook against the secret it was set with.

    Args:
        headers: The request's headers; names are compared without regard to case.
        secret: What `set_webhook` was called with; None or empty when not configured.

    Raises:
        BadSignature: No secret is configured, none was sent, or it is wrong.
    """
    if not secret:
        raise BadSignature("updates are refused: configure a webhook secret for this bot")
    given = {name.lower(): value for name, value in headers.items()}
    if not is_same_secret(given.get(SECRET_HEADER.lower(), ""), secret):
        raise BadSignature(f"{SECRET_HEADER} is missing or wrong")
