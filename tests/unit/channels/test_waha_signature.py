"""Webhooks are believed only when proven."""

from __future__ import annotations

import pytest

from channels.errors import BadSignature
from channels.waha.signature import SECRET_HEADER, sign, verify

KEY = "my-secret-key"
BODY = b'{"event":"message","session":"default","engine":"WEBJS"}'
DIGEST = (
    "208f8a55dde9e05519e898b10b89bf0d0b3b0fdf11fdbf09b6b90476301b98d8"
    "097c462b2b17a6ce93b6b47a136cf2e78a33a63f6752c2c1631777076153fa89"
)
"""Source: WAHA, events, webhooks, HMAC authentication."""


def test_the_documented_vector() -> None:
    assert sign(BODY, KEY) == DIGEST
    headers = {"x-webhook-hmac": DIGEST.upper(), "X-WEBHOOK-HMAC-ALGORITHM": "sha512"}
    verify(headers, BODY, hmac_key=KEY, shared_secret=None)


def test_a_shared_secret_stands_in_for_an_absent_hmac() -> None:
    verify({SECRET_HEADER: "s3"}, BODY, hmac_key=None, shared_secret="s3")
    verify({SECRET_HEADER.lower(): "s3"}, BODY, hmac_key=KEY, shared_secret="s3")


@pytest.mark.parametrize(
    ("headers", "hmac_key", "secret"),
    [
        ({}, None, None),
        ({"X-Webhook-Hmac": DIGEST}, None, None),
        ({"X-Webhook-Hmac": sign(BODY, "")}, "", ""),
        ({}, KEY, None),
        ({"X-Webhook-Hmac": ""}, KEY, None),
        ({"X-Webhook-Hmac": "00" * 64}, KEY, None),
        ({"X-Webhook-Hmac": DIGEST[:-2]}, KEY, None),
        ({"X-Webhook-Hmac": "é\udc80"}, KEY, None),
        ({"X-Webhook-Hmac": DIGEST, "X-Webhook-Hmac-Algorithm": "sha1"}, KEY, None),
        ({"X-Webhook-Hmac": "00" * 64, SECRET_HEADER: "s3"}, KEY, "s3"),
        ({SECRET_HEADER: "wrong"}, None, "s3"),
        ({}, None, "s3"),
        ({SECRET_HEADER: ""}, None, ""),
    ],
)
def test_refused(headers: dict[str, str], hmac_key: str | None, secret: str | None) -> None:
    with pytest.raises(BadSignature):
        verify(headers, BODY, hmac_key=hmac_key, shared_secret=secret)


def test_one_changed_byte_is_refused() -> None:
    with pytest.raises(BadSignature):
        verify({"X-Webhook-Hmac": DIGEST}, BODY + b" ", hmac_key=KEY, shared_secret=None)
