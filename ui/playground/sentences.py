"""What went wrong, in words for whoever looks at the page; settings are for logs and doctor."""

from __future__ import annotations

import re
from typing import Final

from memory.errors import RecollectError

_STORES: Final = {
    "RECOLLECT_DATABASE_URL": "the database",
    "RECOLLECT_CHROMA_URL": "the search by meaning",
    "RECOLLECT_NEO4J_URI": "the store of facts",
}
_AWAY: Final = re.compile(rf"({'|'.join(_STORES)}): cannot reach .*", re.DOTALL)


def sentence_of(error: RecollectError | str) -> str:
    """Return an error, or the reason that was kept of one, as a sentence without settings' names.

    Of a store that cannot be reached it says which, what that means, and what to do.
    """
    told = str(error)
    away = _AWAY.fullmatch(told)
    if away is None:
        return told
    store = _STORES[away[1]]
    return (
        f"{store.capitalize()} does not answer now. What is stored is safe: try again in a moment,"
        " or see what `recollect doctor` says."
    )
