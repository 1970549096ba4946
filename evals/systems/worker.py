"""The process that one system is measured in: `python -m evals.systems.worker`.

It reads a job, a line of JSON, says that it is ready (so that its memory can be looked at before
the system is imported), waits for a line, and runs. What it measures goes to stdout as lines of
JSON, what the system prints to stderr. When stdin ends it stops, as by Ctrl-C.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import signal
import sys
import threading
import time
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from evals.recall.cases import RecallCase
from evals.systems import footprint
from evals.systems.adapters import Opened, adapter_class, open_adapter
from evals.systems.embedding import Embeddings, RecordingEmbedder
from evals.systems.system import Found, System
from memory.errors import RecollectError

PRODUCT_TARGET = "evals.systems.product"


@dataclass(frozen=True, slots=True)
class Job:
    """What to measure: `target` on the cases of a file, `ranked` turns a search.

    `folder` is the system's own.
    """

    target: str
    cases: str
    folder: str
    ranked: int
    embeddings: Embeddings


class Channel:
    """Lines of JSON out, and a line in where the other side is waited for."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._lines: asyncio.Queue[str] = asyncio.Queue()

    def send(self, kind: str, **content: Any) -> None:  # Any: JSON
        """Send a message."""
        print(json.dumps({"type": kind, **content}), file=self._out, flush=True)

    async def ask(self, kind: str, **content: Any) -> None:  # Any: JSON
        """Send a message and wait until the other side has dealt with it."""
        self.send(kind, **content)
        await self._lines.get()

    def listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read stdin from now on; its end stops this process."""
        threading.Thread(target=self._read, args=(loop,), daemon=True).start()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(self._lines.put_nowait, line)
        os.kill(os.getpid(), signal.SIGINT)


def main() -> None:
    """Describe an adapter (`--describe module:Class`), or do a job."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # not inherited from a `nohup`
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a system prints must not get between our lines
    channel = Channel(out)
    if sys.argv[1:2] == ["--describe"]:
        _describe(channel, sys.argv[2])
        return
    given = json.loads(sys.stdin.readline())
    job = Job(**given | {"embeddings": Embeddings(**given["embeddings"])})
    try:
        asyncio.run(_serve(job, channel))
    except KeyboardInterrupt:
        os._exit(130)  # a call that an adapter is in may take long, and its thread would be joined


def _describe(channel: Channel, target: str) -> None:
    try:
        channel.send("adapter", name=adapter_class(target).name)
    except RecollectError as error:
        channel.send("unusable", reason=str(error))


async def _serve(job: Job, channel: Channel) -> None:
    cases = _read(job.cases)
    channel.listen(asyncio.get_running_loop())
    await channel.ask("ready")
    try:
        async with _open(job) as opened:
            await channel.ask("opened", folders=[str(folder) for folder in opened.folders])
            embedded = [await _case(job, channel, opened, n, case) for n, case in enumerate(cases)]
            size = sum(map(footprint.folder_size, opened.folders)) if opened.folders else None
            peak = footprint.peak_resident(os.getpid())
            await channel.ask("measured", disk=size, peak=peak)
            # Last, so that it adds nothing to the peak: a batch takes more memory than a text.
            seconds = [await _alone(opened.embedder, texts) for texts in embedded]
            channel.send(
                "done",
                embedder=opened.embedder.fingerprint if opened.embedder else None,
                embedding_s=sum(seconds),
                embedded=sum(map(len, embedded)),
            )
    except RecollectError as error:
        channel.send("unusable", reason=str(error))


def _read(path: str) -> list[RecallCase]:
    content = Path(path).read_text(encoding="utf-8")
    return [RecallCase.model_validate_json(line) for line in content.split("\n") if line]


def _open(job: Job) -> AbstractAsyncContextManager[Opened]:
    if job.target != PRODUCT_TARGET:
        return open_adapter(job.target, job.embeddings, Path(job.folder))
    # By name, and only here: no other system's memory is charged with the product's imports.
    product: Any = importlib.import_module(PRODUCT_TARGET)
    opened: AbstractAsyncContextManager[Opened] = product.open_product(job.embeddings)
    return opened


async def _case(
    job: Job, channel: Channel, opened: Opened, number: int, case: RecallCase
) -> list[str]:
    """Measure a case; return the texts that were embedded for its ingest."""
    embedder = opened.embedder
    try:
        async with opened.memory(case.case_id, number) as memory:
            if embedder:
                embedder.texts, embedder.recording = [], True
            started = time.perf_counter()
            await memory.ingest(case.turns)
            ingest_s = time.perf_counter() - started
            texts = embedder.texts if embedder else []
            if embedder:
                embedder.texts, embedder.recording = [], False
            channel.send("step")
            answers = await _answers(job, channel, memory, case)
    # The outer loop of one case: what fails is listed with its reason, never scored as zero.
    except Exception as error:  # noqa: BLE001
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        channel.send("failed", case=case.case_id, reason=reason)
        return []
    channel.send("case", case=case.case_id, ingest_s=ingest_s, answers=answers)
    return texts


async def _answers(
    job: Job, channel: Channel, memory: System, case: RecallCase
) -> list[dict[str, Any]]:  # Any: JSON
    known = {turn.id for turn in case.turns}
    answers = []
    for question in case.questions:
        started = time.perf_counter()
        found = await memory.search(question.question, job.ranked)
        search_ms = (time.perf_counter() - started) * 1000
        answers.append(_answer(question.id, found, known, search_ms))
        channel.send("step")
    return answers


def _answer(
    question: str, found: Found, known: set[str], search_ms: float
) -> dict[str, Any]:  # Any: JSON
    strange = [turn for turn in found.ids if turn not in known]
    if strange:
        raise ValueError(f"search returned {strange[0]!r}, which is no turn's id")
    return {
        "question": question,
        "ids": list(dict.fromkeys(found.ids)),
        "confidence": found.confidence,
        "search_ms": search_ms,
        "parts": {turn: dict(parts) for turn, parts in found.parts.items()},
    }


async def _alone(embedder: RecordingEmbedder | None, texts: list[str]) -> float:
    return await embedder.seconds_alone(texts) if embedder and texts else 0.0


if __name__ == "__main__":
    main()
