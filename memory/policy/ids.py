"""An id of a person, in its usual spellings. Pure.

`4915...`, `+4915...`, `4915...@c.us`, `4915...@s.whatsapp.net` and `waha:4915...@c.us` are one.
"""

from __future__ import annotations

from typing import Final

_ENDINGS: Final = ("@c.us", "@s.whatsapp.net")


def plain_id(channel: str, written: str) -> str:
    """Return what all usual spellings of an id have in common; empty where nothing is named."""
    plain = written.strip().removeprefix(f"{channel}:").removeprefix("+")
    for ending in _ENDINGS:
        plain = plain.removesuffix(ending)
    return plain


def ids_of(channel: str, written: str) -> frozenset[str]:
    """Return the ids that a channel itself may have for whoever is named so."""
    plain = plain_id(channel, written)
    return frozenset({plain, *(plain + ending for ending in _ENDINGS)}) if plain else frozenset()


def spellings_of(channel: str, written: str) -> frozenset[str]:
    """Return every usual spelling of an id: `plain_id` of each is the same."""
    ways = {before + each for before in ("", "+") for each in ids_of(channel, written)}
    return frozenset(ways | {f"{channel}:{way}" for way in ways if channel})


def parts_of(contact_id: str) -> tuple[str, str]:
    """Return a contact's channel and id there.

    Another system may name its people without a colon: such an id is of no channel of ours.
    """
    channel, colon, name = contact_id.partition(":")
    return (channel, name) if colon else ("", contact_id)
