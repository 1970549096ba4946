"""The `peers` suite from the command line: real systems, each in a process of its own."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

from evals.cli import main
from evals.systems.registry import PEERS

ROOT = Path(__file__).parents[3]
CASES = str(ROOT / "tests" / "data" / "recall_small.jsonl")
DOCUMENT = ROOT / "docs" / "evals" / "adapters.md"
FIGURES = {
    "ingest_per_s",
    "ingest_overhead_ms",
    "search_ms_p50",
    "frac@10",
    "all@10",
    "rss_mb",
    "disk_mb",
}
# Writes down every address beyond this machine that Python is asked to look up or connect to.
WATCH = """
import os, sys
def watch(event, arguments):
    if event in ("socket.getaddrinfo", "socket.connect"):
        host = arguments[0] if event == "socket.getaddrinfo" else arguments[1]
        host = host[0] if isinstance(host, tuple) else host
        if event == "socket.connect" and isinstance(host, (str, bytes)) and "/" in str(host):
            return  # a socket in the file system
        if host not in (None, "localhost", "::1", b"localhost") and "127." not in str(host):
            with open(os.environ["CONNECTIONS"], "a") as file:
                file.write(f"{event} {host}\\n")
sys.addaudithook(watch)
"""
ADAPTERS = """
import asyncio, os, time
from pathlib import Path

class Waits:
    name = "waits"

    def __init__(self, place):
        self._place = place

    async def ingest(self, turns):
        self._turns = turns
        await asyncio.to_thread(self._place.embed, [turn.text for turn in turns])

    async def search(self, query, k):
        return [turn.id for turn in self._turns[:k]]

class Invents:
    name = "invents"
    embeds = False

    def __init__(self, place): ...
    def ingest(self, turns): ...

    def search(self, query, k):
        return ["nothing-like-it"]

class Dies(Invents):
    name = "dies"

    def ingest(self, turns):
        os.write(2, b"out of luck\\n")
        os._exit(3)

class Sleeps(Invents):
    name = "sleeps"

    def ingest(self, turns):
        Path("pid").write_text(str(os.getpid()))
        time.sleep(120)

class Breaks(Invents):
    name = "breaks"
    opened = 0

    def __init__(self, place):
        raise OSError("no room")

class Chrome(Waits):
    name = "chroma"

class Nameless:
    def ingest(self, turns): ...
"""


@pytest.fixture(autouse=True)
def own_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Run from a folder of one's own, with the adapters above in it, and an untouched home."""
    monkeypatch.setattr(tempfile, "tempdir", None)
    folder, home = tmp_path / "work", tmp_path / "home"
    for each in (folder, home):
        each.mkdir()
    folder.joinpath("own_adapters.py").write_text(ADAPTERS)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def run(suite: str, *systems: str) -> tuple[int, dict[str, Any]]:
    status = main([suite, "--cases", CASES, "--json", "out.json", "--system", *systems])
    return status, json.loads(Path("out.json").read_text())


def files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_systems_run_side_by_side(tmp_path: Path) -> None:
    status, result = run("peers", "chroma", "langgraph-store", "recollect")
    assert (status, result["failed"], result["skipped"]) == (0, [], {})
    assert list(result["systems"]) == ["recollect", "langgraph-store", "chroma"]
    assert result["embedder"] == "all-MiniLM-L6-v2/384/l2"
    for system in result["systems"].values():
        assert set(system["metrics"]) == FIGURES
        assert all(isinstance(value, float) for value in system["metrics"].values())
        assert system["ingest"]["messages"] == 30
        assert len(system["items"]) == 6
    product, store = result["systems"]["recollect"], result["systems"]["langgraph-store"]
    assert product["metrics"]["frac@10"] >= 0.8
    assert product["memory_mb"]["servers_peak"] > 20  # Postgres and Chroma count
    assert store["memory_mb"]["servers_peak"] == 0
    assert store["metrics"]["disk_mb"] == 0
    assert result["systems"]["chroma"]["metrics"]["disk_mb"] > 0
    assert store["ingest"]["embedded_texts"] == 30
    # Both are cosine over the same vectors.
    assert result["systems"]["chroma"]["metrics"]["frac@10"] == store["metrics"]["frac@10"]
    assert files_below(tmp_path / "home") == []


def test_an_adapter_is_a_system_of_recall_too() -> None:
    status, result = run("recall", "bm25", "chroma", "own_adapters:Waits")
    assert status == 0
    assert list(result["systems"]) == ["bm25", "chroma", "waits"]
    bm25, chroma, waits = (system["metrics"] for system in result["systems"].values())
    assert set(bm25) == set(chroma) == set(waits)
    assert chroma["frac@10"] > bm25["frac@10"] > waits["frac@10"]
    assert chroma["abstain_auroc"] == 1.0
    assert waits["abstain_auroc"] is None
    assert waits["context_tokens_mean"] > 0


def test_the_documented_adapter_runs(own_folder: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 1
    assert len(blocks[0].splitlines()) <= 30
    own_folder.joinpath("my_memory.py").write_text(blocks[0])
    status, result = run("peers", "my_memory:MyMemory")
    assert status == 0
    metrics = result["systems"]["my-memory"]["metrics"]
    assert metrics["frac@10"] == 1.0
    assert metrics["disk_mb"] > 0


def test_every_adapter_that_exists_is_documented() -> None:
    document = DOCUMENT.read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in document for name in PEERS)


@pytest.mark.parametrize(
    ("system", "reason"),
    [
        ("Invents", "ValueError: search returned 'nothing-like-it', which is no turn's id"),
        ("Dies", "its process ended with 3: out of luck"),
        ("Breaks", "OSError: no room"),
    ],
)
def test_a_system_that_fails_is_listed_and_the_others_go_on(system: str, reason: str) -> None:
    status, result = run("peers", f"own_adapters:{system}", "own_adapters:Waits")
    assert status == 1
    name = system.lower()
    assert result["failed"] == [{"case": "nora-and-ben", "system": name, "reason": reason}]
    assert set(result["systems"][name]["metrics"].values()) == {None}
    assert result["systems"]["waits"]["metrics"]["frac@10"] == 0.5


@pytest.mark.parametrize(
    ("system", "said"),
    [
        ("nowhere:X", "nowhere cannot be imported (No module named 'nowhere')"),
        ("own_adapters:X", "own_adapters has no class X"),
        ("own_adapters:Nameless", "Nameless lacks name, search"),
        ("own_adapters:Chrome", "another system is called 'chroma', too"),
    ],
)
def test_a_class_that_is_no_adapter_ends_with_2(
    system: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["peers", "--cases", CASES, "--system", system]) == 2
    assert said in capsys.readouterr().err


def test_ctrl_c_keeps_what_is_done_and_ends_the_process_under_way(own_folder: Path) -> None:
    code = "import sys; from evals.cli import main; sys.exit(main(sys.argv[1:]))"
    systems = ["own_adapters:Waits", "own_adapters:Sleeps"]
    argv = ["peers", "--cases", CASES, "--json", "out.json", "--system", *systems]
    running = subprocess.Popen(
        [sys.executable, "-c", code, *argv],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    written = own_folder / "pid"
    wait_until(lambda: written.exists() and written.read_text() != "")
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode == 130
    result = json.loads((own_folder / "out.json").read_text())
    assert result["partial"]
    assert result["systems"]["waits"]["metrics"]["frac@10"] == 0.5
    assert result["systems"]["sleeps"]["metrics"]["frac@10"] is None
    with pytest.raises(ProcessLookupError):
        os.kill(int(written.read_text()), 0)


def wait_until(is_so: Any, patience_s: float = 60) -> None:
    deadline = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("mem0", 0.8),
        ("langgraph-store", 0.8),
        ("langgraph-postgres", 0.8),
        ("mempalace", 0.8),
        ("chroma", 0.8),
        ("rank-bm25", 0.6),
    ],
)
def test_a_system_stays_offline_and_in_its_folder_and_repeats_its_figures(
    name: str, least: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On CI an absent peer is a failure, not a reason to pass by.
    if (lack := PEERS[name].lacks()) and os.environ.get("CI") != "true":
        pytest.skip(f"{name}, an optional peer: {lack}")
    tmp_path.joinpath("sitecustomize.py").write_text(WATCH)
    connections = tmp_path / "connections"
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("CONNECTIONS", str(connections))
    (status, first), (_, second) = run("peers", name), run("peers", name)
    assert (status, first["failed"]) == (0, [])
    for system in (first["systems"][name], second["systems"][name]):
        assert set(system["metrics"]) == FIGURES
        assert system["metrics"]["frac@10"] >= least
    once, again = ([item["found"] for item in r["systems"][name]["items"]] for r in (first, second))
    assert once == again
    assert not connections.exists(), connections.read_text()
    assert files_below(tmp_path / "home") == []
    left = {path.name for path in files_below(tmp_path / "work")}
    assert left == {"own_adapters.py", "out.json"}
