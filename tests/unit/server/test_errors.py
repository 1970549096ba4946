"""Every error of ours is answered with a status that says whether to try again."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import httpx
import pytest
from fastapi import FastAPI

from memory.errors import RecollectError, Transient
from server.http.errors import Refused, add_error_answers

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def _kinds(kind: type[RecollectError] = RecollectError) -> Iterator[type[RecollectError]]:
    yield kind
    for each in kind.__subclasses__():
        yield from _kinds(each)


def _all() -> list[type[RecollectError]]:
    for package in ("channels", "graph", "memory", "nodes", "server"):
        for module in pkgutil.walk_packages(
            importlib.import_module(package).__path__, f"{package}."
        ):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    return sorted(set(_kinds()), key=lambda kind: kind.__qualname__)


def _one(kind: type[RecollectError]) -> RecollectError:
    if kind is Refused:
        return Refused(409, "a line of ours")
    given = list(inspect.signature(kind.__init__).parameters.values())[1:]
    return kind(*("a line of ours" for each in given if each.kind is not each.KEYWORD_ONLY))


@pytest.mark.parametrize("kind", _all(), ids=lambda kind: kind.__name__)
async def test_no_error_of_ours_is_an_internal_one(kind: type[RecollectError]) -> None:
    error, app = _one(kind), FastAPI()
    add_error_answers(app)

    @app.get("/")
    async def fail() -> None:
        raise error

    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://server") as http:
        answer = await http.get("/")
    (line,) = answer.json().values()
    assert line in str(error) or "try again" in line
    assert "\n" not in line
    if issubclass(kind, Transient):
        assert answer.status_code == 503
        assert int(answer.headers["Retry-After"]) > 0
    else:
        assert 400 <= answer.status_code < 500
