"""Proof that a webhook comes from our gateway. Fails closed."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from channels.errors import BadSignature
from channels.wire import is_same_secret

HMAC_HEADER = "X-Webhook-Hmac"
ALGORITHM_HEADER = "X-Webhook-Hmac-Algorithm"
SECRET_HEADER = "X-Webhook-Secret"
"""Header for a shared secret, set by hand in WAHA's `customHeaders`."""
ALGORITHM = "sha512"
"""Source: WAHA, events, webhooks, HMAC authentication."""


def sign(body: bytes, hmac_key: str) -> str:
    """Return the lower-case hex HMAC-SHA512 of a raw body."""
    return hmac.new(hmac_key.encode(), body, hashlib.sha512).hexdigest()


def verify(
    headers: Mapping[str, str], body: bytes, *, hmac_key: str | None, shared_secret: str | None
) -> None:
    """Check a webhook against the configured key or, if it carries no HMAC, the shared secret.

    A wrong HMAC is never made good by a right secret. The gateway's timestamp header is not part
    of what is signed, so a replay passes here: the ledger's dedupe is what makes it harmless.

    Args:
        headers: The request's headers; names are compared without regard to case.
        body: The raw body, byte for byte as received.
        hmac_key: Key of the HMAC; None or empty when not configured.
        shared_secret: Value of the secret header; None or empty when not configured.

    Raises:
        BadSignature: Nothing is configured, nothing that is configured was sent, or it is wrong.
    """
    given = {name.lower(): value.strip() for name, value in headers.items()}
    signature = given.get(HMAC_HEADER.lower(), "")
    if hmac_key and signature:
        if given.get(ALGORITHM_HEADER.lower(), ALGORITHM).lower() != ALGORITHM:
            raise BadSignature(f"{ALGORITHM_HEADER} is not {ALGORITHM}")
        if not is_same_secret(signature.lower(), sign(body, hmac_key)):
            raise BadSignature
        return
    if shared_secret:
        if not is_same_secret(given.get(SECRET_HEADER.lower(), ""), shared_secret):
            raise BadSignature(f"{SECRET_HEADER} is missing or wrong")
        return
    if hmac_key:
        raise BadSignature(f"{HMAC_HEADER} is missing; set the session's webhook hmac.key in WAHA")
    raise BadSignature("webhooks are refused: configure an HMAC key or a shared secret")
