"""What docs/mcp.md has a reader copy: each block is parsed, and run."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from scripts.processes import ROOT
from tests.drivers.serving import clean_environment
from tests.e2e.test_mcp import over_http, with_key
from tests.stores import store_environment

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]

HERE = "/path/to/recollect/.venv/bin/recollect"
INSTALLED = str(Path(sys.executable).with_name("recollect"))
READS = {"search_memory", "list_facts", "contact_context"}


def blocks(language: str) -> list[str]:
    text = (ROOT / "docs/mcp.md").read_text(encoding="utf-8").replace(HERE, INSTALLED)
    fences = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [block for name, block in fences if name == language]


def configured(key: str, kind: str) -> list[dict[str, Any]]:
    """Return what the blocks of a kind of configuration say of the server."""
    found = [json.loads(block) for block in blocks("json")]
    servers = [each[key]["recollect"] for each in found if key in each]
    return [each for each in servers if each.get("type", "stdio") == kind]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return store_environment(tmp_path_factory.mktemp("mcp-docs"))


@pytest.mark.parametrize(
    ("key", "tools"),
    [("mcpServers", READS | {"remember", "forget"}), ("servers", READS)],
)
async def test_a_programs_block_starts_the_server(
    stores: dict[str, str], tmp_path: Path, key: str, tools: set[str]
) -> None:
    (block,) = configured(key, "stdio")
    # As such programs do: another folder, and no more environment than needed.
    server = StdioServerParameters(
        command=block["command"], args=block["args"], env=stores, cwd=tmp_path
    )
    async with Client(server) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == tools


async def test_the_block_for_http_meets_the_server_that_stands_above_it(
    stores: dict[str, str],
) -> None:
    (block,) = configured("servers", "http")
    exported, started = next(each for each in blocks("") if "--http" in each).splitlines()
    name, _, value = exported.removeprefix("export ").partition("=")
    flags = shlex.split(started)[2:]
    at = flags.index("--port")
    assert block["url"] == f"http://127.0.0.1:{flags.pop(at + 1)}/mcp"
    flags.pop(at)
    flags.remove("--http")
    with over_http(stores | {name: value}, *flags) as url:
        async with with_key(url, block["headers"]) as client:
            assert "list_contacts" in {tool.name for tool in (await client.list_tools()).tools}


def test_the_script_prints_what_is_said_of_it(stores: dict[str, str], tmp_path: Path) -> None:
    (script,) = blocks("python")
    # The package hands no more than HOME and PATH to what it starts: the folder of the stores is
    # that of whoever runs the script.
    passed = script.replace('"alex"]', f'"alex"], env={stores!r}')
    done = subprocess.run(
        [sys.executable, "-c", passed],
        cwd=tmp_path,
        env=clean_environment(stores),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.stdout, done.returncode) == ("home: Lisbon\n", 0), done.stderr
