"""The port of everything that is kept of one person, to be given to them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Literal, Protocol

ExportPart = Literal[
    "chats",
    "messages",
    "turns",
    "episodes",
    "open_loops",
    "notes",
    "corrections",
    "marks",
    "rules",
    "policies",
    "pauses",
    "audit",
    "imports",
    "waiting_changes",
    "identities",
    "audiences",
    "contact_states",
]
"""What the ledger's database holds of a person, by what it is about."""

Row = Mapping[str, Any]  # Any: values of JSON


class Exports(Protocol):
    """What is kept beside facts and entities, which have ports of their own.

    Of a direct chat all of it is the person's; of groups, and of imported chats, only what they say
    themselves and what was made of that. Never another person's words.
    """

    async def is_known(self, tenant: str, contact_id: str) -> bool:
        """Tell whether anything is kept of a person."""
        ...

    def rows(self, tenant: str, contact_id: str, part: ExportPart) -> AsyncGenerator[Sequence[Row]]:
        """Yield what is kept of a part, a page at a time, each row a JSON object.

        Between two pages nothing is held of the database, so that whoever reads may be slow; what
        is written meanwhile may be there or not.

        Raises:
            StoreUnavailable: the database cannot be reached.
        """
        ...
