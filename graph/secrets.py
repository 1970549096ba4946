"""Keys and passwords of ours, which no reply may hold."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from graph.settings import Settings
from nodes.secrets import Secrets

MIN_SECRET_CHARS = 6
"""Shorter ones would be found in ordinary words; nobody should have such a key."""


def secrets_of(settings: Settings) -> Secrets:
    """Return the secrets that the settings hold."""
    values = [
        value.get_secret_value()
        for name in type(settings).model_fields
        if isinstance(value := getattr(settings, name), SecretStr)
    ]
    # Several secrets can be in one setting, and a database's address holds a password.
    pieces = {piece.strip() for value in values for piece in value.split(",")}
    pieces |= {_password(value) for value in values}
    return Secrets(tuple(sorted(piece for piece in pieces if len(piece) >= MIN_SECRET_CHARS)))


def _password(value: str) -> str:
    try:
        return unquote(urlsplit(value).password or "")
    except ValueError:
        return ""
