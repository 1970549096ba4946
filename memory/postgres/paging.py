"""Many rows of one query, a page at a time, in one snapshot."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any, Final

from psycopg.rows import DictRow

from memory.postgres.pool import Pool

PAGE: Final = 500
"""So many rows are held at a time."""


async def pages(
    pool: Pool,
    query: str,
    parameters: Any = None,  # Any: as psycopg takes them
) -> AsyncGenerator[Sequence[DictRow]]:
    """Yield the rows of a query, some at a time; whoever stops before the end closes it.

    The cursor is declared in SQL and ends with its transaction: psycopg's own has to be closed,
    which fails where the connection was lost or the task cancelled.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    async with pool.connection() as connection, connection.transaction():
        declared = f"declare pages no scroll cursor for {query}".encode()
        await connection.execute(declared, parameters, prepare=False)
        fetch = f"fetch {PAGE} from pages".encode()
        while rows := await (await connection.execute(fetch)).fetchall():
            yield rows
