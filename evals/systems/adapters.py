"""How a worker opens the system that it measures: the product, or an adapter's class."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from evals.errors import BadInputError
from evals.recall.cases import CaseTurn
from evals.systems.embedding import Embeddings, RecordingEmbedder
from evals.systems.system import Found, Place, System


@dataclass(frozen=True, slots=True)
class Opened:
    """A system, ready: `memory` makes the memory of a case, named and numbered.

    `folders` hold all of its data; empty where that is on servers of the user's. `embedder` is
    None where the system needs none.
    """

    memory: Callable[[str, int], AbstractAsyncContextManager[System]]
    folders: tuple[Path, ...]
    embedder: RecordingEmbedder | None


def adapter_class(target: str) -> type[Any]:  # Any: whatever the user's module holds
    """Import an adapter's class from `module:Class`.

    Raises:
        BadInputError: there is no such class, or it lacks what an adapter has.
    """
    module, _, path = target.partition(":")
    # Last, so that nothing in the user's folder hides what a system imports.
    sys.path.append(str(Path.cwd()))
    try:
        found: Any = import_module(module)
    except ImportError as error:
        raise BadInputError(f"--system {target}: {module} cannot be imported ({error})") from error
    for part in path.split("."):
        found = getattr(found, part, None)
    kind: type[Any] = found
    if not inspect.isclass(found):
        raise BadInputError(f"--system {target}: {module} has no class {path}")
    lacking = [name for name in ("name", "ingest", "search") if not hasattr(found, name)]
    if lacking or not isinstance(kind.name, str):
        raise BadInputError(
            f"--system {target}: an adapter has a str `name`, and `ingest` and `search`;"
            f" {path} lacks {', '.join(lacking) or 'a name that is a str'}"
        )
    return kind


@asynccontextmanager
async def open_adapter(target: str, embeddings: Embeddings, folder: Path) -> AsyncIterator[Opened]:
    """Open an adapter's class; its conversations live in folders below `folder`."""
    kind = adapter_class(target)
    embedder = await RecordingEmbedder.load(embeddings) if getattr(kind, "embeds", True) else None

    def memory(case_id: str, number: int) -> AbstractAsyncContextManager[System]:
        own = folder / f"case-{number}"
        own.mkdir()
        place = Place(
            case_id,
            own,
            embedder.dimension if embedder else 0,
            embedder.embed_now if embedder else _no_vectors,
        )
        return _adapted(kind, place)

    yield Opened(memory, (folder,), embedder)


@asynccontextmanager
async def _adapted(kind: type[Any], place: Place) -> AsyncIterator[System]:
    # One thread from the first to the last: databases may be bound to the thread that opened them.
    executor = ThreadPoolExecutor(1, thread_name_prefix="adapter")
    try:
        memory = _Adapted(await _in(executor, kind, place), executor)
        try:
            yield memory
        finally:
            await memory.close()
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


class _Adapted:
    def __init__(self, adapter: Any, executor: ThreadPoolExecutor) -> None:  # Any: as above
        self._adapter = adapter
        self._executor = executor

    async def ingest(self, turns: Sequence[CaseTurn]) -> None:
        await self._call(self._adapter.ingest, turns)

    async def search(self, query: str, k: int) -> Found:
        answer = await self._call(self._adapter.search, query, k)
        return answer if isinstance(answer, Found) else Found(tuple(answer), None)

    async def close(self) -> None:
        if hasattr(self._adapter, "close"):
            await self._call(self._adapter.close)

    async def _call(self, method: Callable[..., Any], *given: object) -> Any:
        if inspect.iscoroutinefunction(method):
            return await method(*given)
        return await _in(self._executor, method, *given)


async def _in(executor: ThreadPoolExecutor, call: Callable[..., Any], *given: object) -> Any:
    return await asyncio.get_running_loop().run_in_executor(executor, call, *given)


def _no_vectors(texts: Sequence[str]) -> list[list[float]]:
    raise BadInputError(f"an adapter with `embeds = False` asked for {len(texts)} vectors")
