"""What names and numbers in requests may look like, and how an error says so."""

from __future__ import annotations

from typing import Final

NAME: Final = r"^[^\x00-\x20\x7f]+$"
NAME_IN_PATH: Final = r"^[^\x00-\x20\x7f/]+$"
"""Of what is a part of an address: no server takes a slash in it, however it is written."""
LINE: Final = r"^[^\x00-\x1f\x7f]*$"
ACCOUNT: Final = r"^[A-Za-z0-9@.+_-]+$"
BOT: Final = r"^[0-9]{1,20}$"

MAX_PLACE: Final = 2**63 - 1
"""The last number that a row of the ledger or the outbox can have."""

IN_WORDS: Final = {
    NAME: "may hold no spaces and no control characters",
    NAME_IN_PATH: "may hold no slash, no spaces and no control characters",
    LINE: "may hold no control characters",
    ACCOUNT: "may hold letters, digits and @ . + _ - only",
    BOT: "is a bot's id, of 1 to 20 digits",
}
"""What each pattern asks for."""
