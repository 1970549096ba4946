"""Runs one system in a process of its own, and gathers what it measures.

The process has a home and settings folders below the run's own, telemetry switched off, and no
way to the network that a proxy in the environment would open for an address on this machine.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evals.errors import BadInputError
from evals.recall.cases import RecallCase
from evals.recall.scores import Answered, answered_by
from evals.suite.progress import Progress
from evals.suite.requirements import PRODUCT
from evals.suite.run import Failure
from evals.systems import footprint
from evals.systems.embedding import Embeddings
from evals.systems.registry import PEERS
from evals.systems.system import Found, shown_tokens
from evals.systems.worker import PRODUCT_TARGET, Job
from graph.settings import Settings

_LOOK_EVERY_S = 0.2
_STOPS_WITHIN_S = 20.0
_WORKER = "evals.systems.worker"
_LINE_BYTES = 1 << 28  # a message with the answers of a case
_SOURCE = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A system to run: its name in the report and the class, or the product."""

    name: str
    target: str


@dataclass(slots=True)
class Played:
    """What a system did so far. Memory and disk in bytes; None where they cannot be told.

    `baseline`: the process before the system was imported. `peak`: the process at its largest.
    `servers`: the servers that it started, at their largest. `embedding_s`: how long embedding
    alone took for the `embedded` texts that the ingest had embedded.
    """

    cases: list[str] = field(default_factory=list)
    answered: list[Answered] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    ingested: int = 0
    ingest_s: float = 0.0
    embedded: int = 0
    embedding_s: float | None = None
    embedder: str | None = None
    baseline: int | None = None
    peak: int | None = None
    servers: int = 0
    disk: int | None = None

    @property
    def resident(self) -> int | None:
        """Memory that the system takes beyond the baseline, its servers included."""
        if self.peak is None or self.baseline is None:
            return None
        return self.peak - self.baseline + self.servers


@dataclass(frozen=True, slots=True)
class Run:
    """What is the same for every system of a run."""

    cases: Sequence[RecallCase]
    ranked: int
    settings: Settings
    folder: Path
    progress: Progress
    suite: str


async def candidates(names: Sequence[str], folder: Path) -> list[Candidate]:
    """Return what systems' names stand for: the product, known adapters, `module:Class`.

    A class is imported in a process of its own, whose home is below `folder`.

    Raises:
        BadInputError: a class cannot be used, or calls itself like another system.
    """
    found = [await _candidate(name, folder / "home") for name in dict.fromkeys(names)]
    taken = {PRODUCT: PRODUCT_TARGET} | {name: peer.target for name, peer in PEERS.items()}
    for each in found:
        if taken.setdefault(each.name, each.target) != each.target:
            raise BadInputError(
                f"--system {each.target}: another system is called {each.name!r}, too: rename it"
            )
    return found


async def _candidate(name: str, home: Path) -> Candidate:
    if name == PRODUCT:
        return Candidate(name, PRODUCT_TARGET)
    if name in PEERS:
        return Candidate(name, PEERS[name].target)
    process = await asyncio.create_subprocess_exec(
        *_command(_WORKER, "--describe", name),
        env=_environment(home),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    if not out:
        raise BadInputError(f"--system {name}: importing it fails: {last_line(err)}")
    answer = json.loads(out)
    if answer["type"] == "unusable":
        raise BadInputError(answer["reason"])
    return Candidate(answer["name"], name)


async def play(system: Candidate, run: Run, played: Played) -> None:
    """Run every case through a system; fill `played` as it goes.

    A case that fails is listed and skipped, the others go on.
    """
    folder = run.folder / f"{len(list(run.folder.iterdir()))}"
    folder.mkdir()
    cases = folder / "cases.jsonl"
    cases.write_text("".join(f"{case.model_dump_json()}\n" for case in run.cases), "utf-8")
    own = folder / "own"
    own.mkdir()
    job = Job(system.target, str(cases), str(own), run.ranked, embeddings_of(run.settings))
    errors = folder / "stderr"
    async with worker(_WORKER, folder / "home", errors) as process:
        await _Conversation(system, run, played, process).hold(job)
    missing = _unplayed(run.cases, played)
    if missing:
        reason = f"its process ended with {process.returncode}: {last_line(errors.read_bytes())}"
        played.failed += [Failure(case, system.name, reason) for case in missing]


class _Conversation:
    def __init__(
        self, system: Candidate, run: Run, played: Played, process: asyncio.subprocess.Process
    ) -> None:
        self._system = system
        self._run = run
        self._played = played
        self._process = process
        self._folders: list[Path] = []

    async def hold(self, job: Job) -> None:
        self._say(json.dumps(asdict(job)))
        looking = asyncio.create_task(self._look())
        try:
            assert self._process.stdout is not None  # noqa: S101 for the type: it is a pipe
            async for line in self._process.stdout:
                await self._hear(json.loads(line))
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)

    async def _hear(self, message: Mapping[str, Any]) -> None:  # Any: JSON
        played = self._played
        match message["type"]:
            case "ready":
                played.baseline = footprint.resident(self._process.pid)
                self._say("go")
            case "opened":
                self._folders = [Path(folder) for folder in message["folders"]]
                self._say("seen")
            case "step":
                self._run.progress.step(f"{self._run.suite}: {self._system.name}")
            case "case":
                self._score(message)
            case "failed":
                reason = message["reason"]
                played.failed.append(Failure(message["case"], self._system.name, reason))
            case "measured":
                played.disk, played.peak = message["disk"], message["peak"]
                await self._weigh()
                self._say("seen")
            case "done":
                played.embedder = message["embedder"]
                played.embedding_s, played.embedded = message["embedding_s"], message["embedded"]
            case "unusable":
                for case in _unplayed(self._run.cases, played):
                    played.failed.append(Failure(case, self._system.name, message["reason"]))

    def _score(self, message: Mapping[str, Any]) -> None:  # Any: JSON
        case = next(case for case in self._run.cases if case.case_id == message["case"])
        self._played.cases.append(case.case_id)
        self._played.ingested += len(case.turns)
        self._played.ingest_s += message["ingest_s"]
        self._played.answered += answers_of(case, message["answers"])

    async def _look(self) -> None:
        while True:
            await self._weigh()
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _weigh(self) -> None:
        if self._folders:
            size = await asyncio.to_thread(
                footprint.servers_resident, self._process.pid, self._folders
            )
            self._played.servers = max(self._played.servers, size)

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None  # noqa: S101 for the type: it is a pipe
        self._process.stdin.write(line.encode() + b"\n")


def answers_of(
    case: RecallCase,
    answers: Sequence[Mapping[str, Any]],  # Any: JSON
) -> list[Answered]:
    """Return a worker's answers to a case's questions, ready to be scored."""
    questions = {question.id: question for question in case.questions}
    answered = []
    for answer in answers:
        found = Found(tuple(answer["ids"]), answer["confidence"], answer["parts"])
        tokens, took = shown_tokens(case.turns, found), answer["search_ms"]
        answered.append(answered_by(case, questions[answer["question"]], found, took, tokens))
    return answered


@asynccontextmanager
async def worker(
    module: str, home: Path, errors: Path
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a module in a process with pipes, a home of its own and its stderr in a file.

    At the end, or when we are stopped, its stdin ends, and it gets the time to clean up.
    """
    with errors.open("wb") as stderr:
        process = await asyncio.create_subprocess_exec(
            *_command(module),
            env=_environment(home),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=stderr,
            limit=_LINE_BYTES,
            start_new_session=True,  # Ctrl-C on a terminal is ours to pass on
        )
    try:
        yield process
    finally:
        assert process.stdin is not None  # noqa: S101 for the type: it is a pipe
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), _STOPS_WITHIN_S)
        except TimeoutError:
            process.kill()
            await process.wait()


def _command(module: str, *arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", module, *arguments]


def _environment(home: Path) -> dict[str, str]:
    """Return our environment with a home of the run's, telemetry off and no downloads."""
    home.mkdir(exist_ok=True)
    # Installed, the suite is found anyway; from source, it is perhaps not.
    ours = [] if _SOURCE.name == "site-packages" else [str(_SOURCE)]
    path = [*ours, *filter(None, [os.environ.get("PYTHONPATH")])]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    return kept | {
        "PYTHONPATH": os.pathsep.join(path),
        "HOME": str(home),
        "USERPROFILE": str(home),
        "MEM0_DIR": str(home / "mem0"),
        "MEM0_TELEMETRY": "False",
        "ANONYMIZED_TELEMETRY": "False",
        "DO_NOT_TRACK": "1",
        "HF_HUB_OFFLINE": "1",
        # Source: onnxruntime's Privacy.md; its wheels report to Microsoft otherwise.
        "ORT_DISABLE_TELEMETRY": "1",
        "LANGSMITH_TRACING": "false",
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
    }


def embeddings_of(settings: Settings) -> Embeddings:
    """Return the embedder that the settings name, as another process can load it."""
    return Embeddings(
        settings.embeddings,
        settings.openai_api_key.get_secret_value(),
        settings.openai_base_url or "",
    )


def _unplayed(cases: Sequence[RecallCase], played: Played) -> list[str]:
    done = {*played.cases, *(each.case for each in played.failed)}
    return [case.case_id for case in cases if case.case_id not in done]


def last_line(text: bytes) -> str:
    """Return the last line of what a process wrote to stderr."""
    lines = text.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
