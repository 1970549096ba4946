"""What drivers raise is told from here on by errors of ours, which quote no values."""

from __future__ import annotations

import httpx
import pytest
from chromadb.errors import ChromaAuthError, InternalError, InvalidArgumentError, RateLimitError
from neo4j.exceptions import Neo4jError

from memory.chroma import client as chroma
from memory.errors import StoreRefused, StoreUnavailable
from memory.neo4j import connection as neo4j

pytestmark = pytest.mark.anyio
SECRET = "the secret words"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (InvalidArgumentError(SECRET), StoreRefused),
        (ChromaAuthError(SECRET), StoreRefused),
        (RateLimitError(SECRET), StoreUnavailable),
        (InternalError(SECRET), StoreUnavailable),
        (httpx.ReadTimeout(""), StoreUnavailable),
        (Exception(SECRET), StoreUnavailable),
    ],
)
async def test_chroma_refuses_for_good_or_may_be_had_later(
    error: Exception, kind: type[Exception]
) -> None:
    with pytest.raises(kind, match="RECOLLECT_CHROMA_URL") as caught:
        async with chroma.translated("http://there:8000"):
            raise error
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(("status", "kind"), [(400, StoreRefused), (502, StoreUnavailable)])
async def test_a_status_that_chromas_client_does_not_know_decides(
    status: int, kind: type[Exception]
) -> None:
    answer = httpx.Response(status, request=httpx.Request("POST", "http://there"))
    with pytest.raises(kind, match=f"HTTP {status}"):  # noqa: PT012
        async with chroma.translated("http://there:8000"):
            # As the client does it.
            try:
                answer.raise_for_status()
            except httpx.HTTPStatusError:
                raise Exception(SECRET)  # noqa: B904


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("Neo.ClientError.Statement.SyntaxError", StoreRefused),
        ("Neo.ClientError.Schema.ConstraintValidationFailed", StoreRefused),
        ("Neo.TransientError.Transaction.DeadlockDetected", StoreUnavailable),
    ],
)
async def test_neo4j_refuses_for_good_or_may_be_had_later(code: str, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="RECOLLECT_NEO4J_URI") as caught:
        async with neo4j.translated("bolt://there"):
            raise Neo4jError._hydrate_neo4j(code=code, message=SECRET)
    assert SECRET not in str(caught.value)
    assert code in str(caught.value)
