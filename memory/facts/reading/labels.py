"""What the reader may call a word: a closed list, shared by training and reading."""

from __future__ import annotations

from typing import Final

from memory.domain.readings import Status

STATUSES: Final[tuple[Status, ...]] = ("stated", "ended", "nobody", "other")

FAVORITE_NOUN: Final = "favorite.noun"
PREFERENCE_NOUN: Final = "preference.noun"
NOUN_OF: Final = {"favorite": FAVORITE_NOUN, "preference": PREFERENCE_NOUN}
"""Keys whose name ends in a noun of the message: `favorite:color`."""

KEYS: Final[tuple[str, ...]] = tuple(
    (
        "name preferred_name pronouns age birthday home origin nationality occupation employer"
        " school marital_status language timezone email phone spouse partner child parent sibling"
        " friend pet possession like dislike favorite favorite.noun preference preference.noun"
        " reply_language reply_style allergy diet medical budget availability avoid standing"
    ).split()
)

OUTSIDE: Final = 0
"""The tag of a word that belongs to no span."""

TAG_COUNT: Final = 1 + 2 * len(KEYS)


def opens(key: str) -> int:
    """Return the tag of a span's first word."""
    return 1 + 2 * KEYS.index(key)


def goes_on(key: str) -> int:
    """Return the tag of a span's further words."""
    return 2 + 2 * KEYS.index(key)
