"""Reading a request's body up to a limit, and never beyond it."""

from __future__ import annotations

from fastapi import Request
from starlette.requests import ClientDisconnect

from server.http.errors import Refused

MAX_BODY_BYTES = 1024 * 1024


async def read_body(request: Request, limit: int = MAX_BODY_BYTES) -> bytes:
    """Return the raw body.

    Raises:
        Refused: it is larger than `limit` (413, found out before more is read), or it broke off.
    """
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise _too_large(limit)
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > limit:
                raise _too_large(limit)
            parts.append(part)
    except ClientDisconnect:
        raise Refused(400, "the body broke off") from None
    return b"".join(parts)


def _too_large(limit: int) -> Refused:
    return Refused(413, f"the body is larger than {limit} bytes")
