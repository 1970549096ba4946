"""`recollect mcp` as a real process, by the official client, over stdio and HTTP."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from scripts.processes import ROOT
from tests.drivers.serving import clean_environment, free_port
from tests.stores import store_environment

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

KEY = "a-key-of-many-characters"
TOOLS = {"search_memory", "list_facts", "contact_context", "remember", "forget"}
COMMAND = [sys.executable, "-m", "ui.cli.main", "mcp"]
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return store_environment(tmp_path_factory.mktemp("mcp"))


def over_stdio(stores: Mapping[str, str], *flags: str) -> Client:
    command, *arguments = [*COMMAND, *flags]
    environment = clean_environment(stores)
    return Client(StdioServerParameters(command=command, args=arguments, env=environment, cwd=ROOT))


@contextmanager
def over_http(stores: Mapping[str, str], *flags: str) -> Iterator[str]:
    """Start a server over HTTP and yield its address."""
    port = free_port()
    process = subprocess.Popen(
        [*COMMAND, "--http", "--port", str(port), *flags], cwd=ROOT, env=clean_environment(stores)
    )
    try:
        url = f"http://127.0.0.1:{port}/mcp"
        for _ in range(1200):
            try:
                status(url, {})
                break
            except httpx.HTTPError:
                assert process.poll() is None
                time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        assert process.wait(30) == 0


@asynccontextmanager
async def with_key(url: str, headers: dict[str, str]) -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


def status(url: str, headers: dict[str, str]) -> int:
    return httpx.post(url, json={}, headers=headers).status_code


async def ask(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def test_over_stdio_each_contact_has_a_server_and_a_memory_of_its_own(
    stores: dict[str, str],
) -> None:
    async with AsyncExitStack() as stack:
        kim = await stack.enter_async_context(over_stdio(stores, "--contact", "kim"))
        bo = await stack.enter_async_context(over_stdio(stores, "--contact", "bo"))
        assert {tool.name for tool in (await kim.list_tools()).tools} == TOOLS
        await asyncio.gather(
            ask(kim, "remember", text="home: Oslo"), ask(bo, "remember", text="home: Bergen")
        )
        await ask(kim, "remember", text="The spare key lies under the blue pot.")
        for client, home, other in ((kim, "Oslo", "Bergen"), (bo, "Bergen", "Oslo")):
            found = await ask(client, "search_memory", query="Where is the spare key, at home?")
            told = json.dumps([found, await ask(client, "list_facts")])
            assert home in told
            assert other not in told
            assert ("blue pot" in told) is (client is kim)
            assert home in (await ask(client, "forget", words="home"))["forgotten"][0]
        refused = await kim.call_tool("forget", {"words": "home"})
        assert refused.is_error
        assert "Traceback" not in str(refused.content)
        assert (await ask(kim, "contact_context"))["contact"]["displayName"] == "kim"


def test_stdout_carries_nothing_but_the_protocol(stores: dict[str, str]) -> None:
    asked: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": HELLO},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "list_facts", "arguments": {}}},
        {"id": 3, "method": "tools/call", "params": {"name": "forget", "arguments": {"x": "SEC"}}},
        {"id": 4, "method": "no/such"},
    ]  # fmt: skip
    process = subprocess.Popen(
        COMMAND,
        cwd=ROOT,
        env=clean_environment(stores) | {"RECOLLECT_CONTACT": "pat"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    answers: dict[int, Any] = {}
    for each in asked:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **each}) + "\n")
        process.stdin.flush()
        if "id" in each:
            answer = json.loads(process.stdout.readline())
            assert answer["jsonrpc"] == "2.0"
            answers[answer["id"]] = answer
    rest, errors = process.communicate(timeout=60)
    assert (rest, process.returncode) == ("", 0)
    assert "Traceback" not in errors
    assert answers[2]["result"]["structuredContent"] == {"facts": []}
    assert answers[3]["result"]["isError"]
    assert "SEC" not in errors + json.dumps(answers)
    assert "error" in answers[4]


def test_ctrl_c_ends_it_while_it_waits_for_its_client(stores: dict[str, str]) -> None:
    process = subprocess.Popen(
        COMMAND,
        cwd=ROOT,
        env=clean_environment(stores),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["id"] == 1
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == -signal.SIGINT
    assert "Traceback" not in process.communicate()[1]


async def test_over_http_two_clients_at_once_and_nobody_from_elsewhere(
    stores: dict[str, str],
) -> None:
    with over_http(stores, "--contact", "lee") as url:
        async with Client(url) as one, Client(url) as two:
            assert {tool.name for tool in (await one.list_tools()).tools} == TOOLS
            await ask(one, "remember", text="pet: Rex")
            found = await asyncio.gather(*[ask(each, "list_facts") for each in (one, two) * 5])
            assert [each["facts"][0]["value"] for each in found] == ["Rex"] * 10
        for headers in (
            {"Host": "evil.example"},
            {"Origin": "https://evil.example"},
            {"X-Forwarded-For": "127.0.0.1"},
        ):
            assert status(url, headers) == 403


async def test_with_a_key_only_its_holder_is_served(stores: dict[str, str]) -> None:
    with over_http(stores | {"RECOLLECT_API_KEY": KEY}, "--owner") as url:
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            assert status(url, headers) == 401
        async with with_key(url, {"Authorization": f"Bearer {KEY}"}) as owner:
            tools = {tool.name for tool in (await owner.list_tools()).tools}
            assert tools == TOOLS | {"list_contacts"}
            await ask(owner, "remember", text="Closed on Mondays.", kind="reflective")


@pytest.mark.parametrize(
    ("flags", "names"),
    [
        (("--http", "--host", "0.0.0.0"), "RECOLLECT_API_KEY"),
        (("--owner", "--contact", "kim"), "--owner"),
        (("--port", "9000"), "--http"),
        (("--contact", " "), "--contact"),
    ],
)
def test_what_does_not_go_together_is_one_line(
    tmp_path: Path, flags: tuple[str, ...], names: str
) -> None:
    environment = clean_environment({"RECOLLECT_DATA_DIR": str(tmp_path)})
    done = subprocess.run(
        [*COMMAND, *flags], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode != 0
    assert names in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
