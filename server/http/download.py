"""All that is kept of a person as an answer over HTTP: for the API and the page."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from starlette.responses import StreamingResponse

from graph.stores import Stores
from memory.trust.exporting import UnknownContact, export, file_name
from server.http.errors import Refused


async def download(stores: Stores, contact_id: str) -> StreamingResponse:
    """Return a contact's export, sent while it is made.

    Whoever reads slowly holds nothing of the stores. One that breaks off half-way is no zip that
    can be opened.

    Raises:
        Refused: nothing is kept of them.
        StoreUnavailable: a store does not answer.
    """
    tenant, now = stores.settings.tenant, stores.clock()
    made = export(stores.memory, tenant, contact_id, now, stores.settings.timezone)
    try:
        first = await anext(made)
    except UnknownContact as error:
        raise Refused(404, f"nothing is kept of {contact_id}") from error

    async def sent() -> AsyncGenerator[bytes]:
        async with aclosing(made):
            yield first
            async for piece in made:
                yield piece

    name = file_name(contact_id, now.date())
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "no-store",
    }
    return StreamingResponse(sent(), media_type="application/zip", headers=headers)
