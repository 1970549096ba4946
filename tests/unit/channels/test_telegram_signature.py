"""Updates are taken with the right secret only."""

from __future__ import annotations

import pytest

from channels.errors import BadSignature
from channels.telegram.signature import SECRET_HEADER, verify_secret


@pytest.mark.parametrize("name", [SECRET_HEADER, SECRET_HEADER.lower()])
def test_the_secret_opens(name: str) -> None:
    verify_secret({name: "s3cret"}, "s3cret")


@pytest.mark.parametrize(
    ("headers", "secret"),
    [
        ({}, "s3cret"),
        ({SECRET_HEADER: ""}, "s3cret"),
        ({SECRET_HEADER: "s3cre"}, "s3cret"),
        ({SECRET_HEADER: "s3cret "}, "s3cret"),
        ({SECRET_HEADER: "\ud83dß"}, "s3cret"),
        ({SECRET_HEADER: ""}, ""),
        ({SECRET_HEADER: ""}, None),
        ({SECRET_HEADER: "None"}, None),
    ],
)
def test_nothing_else_does(headers: dict[str, str], secret: str | None) -> None:
    with pytest.raises(BadSignature) as caught:
        verify_secret(headers, secret)
    assert "s3cre" not in str(caught.value)
