"""The systems that adapters exist for. Another one is an entry here, or `--system module:Class`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from evals.errors import BadInputError


@dataclass(frozen=True, slots=True)
class Peer:
    """An adapter: its class as `module:Class`, the packages it is an adapter to.

    `modules` are what has to be importable, `packages` what pip installs them by.
    """

    target: str
    modules: tuple[str, ...]
    packages: tuple[str, ...]

    def lacks(self) -> str | None:
        """Return what is not installed and how to get it; None when everything is there."""
        missing = [
            package
            for module, package in zip(self.modules, self.packages, strict=True)
            if find_spec(module) is None
        ]
        if not missing:
            return None
        verb = "is" if len(missing) == 1 else "are"
        return f"{' and '.join(missing)} {verb} not installed: pip install {' '.join(missing)}"

    def versions(self) -> str:
        """Return the installed packages with their versions."""
        return ", ".join(f"{package} {_version(package)}" for package in self.packages)


PEERS: dict[str, Peer] = {
    # mem0 takes an embedder of one's own by its LangChain hook, which imports langchain.
    "mem0": Peer("evals.systems.mem0:Mem0", ("mem0", "langchain"), ("mem0ai", "langchain")),
    "langgraph-store": Peer(
        "evals.systems.langgraph_store:LangGraphStore", ("langgraph",), ("langgraph",)
    ),
    "langgraph-postgres": Peer(
        "evals.systems.langgraph_postgres:LangGraphPostgres",
        ("langgraph.store.postgres",),
        ("langgraph-checkpoint-postgres",),
    ),
    "mempalace": Peer("evals.systems.mempalace:MemPalace", ("mempalace",), ("mempalace",)),
    "chroma": Peer("evals.systems.chroma:Chroma", ("chromadb",), ("chromadb",)),
    "rank-bm25": Peer("evals.systems.rank_bm25:RankBm25", ("rank_bm25",), ("rank-bm25",)),
}


def is_target(name: str) -> bool:
    """Whether a `--system` names a class, as `module:Class`, rather than a known system."""
    module, colon, attribute = name.partition(":")
    return bool(colon) and _is_path(module) and _is_path(attribute)


def installed(names: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Split known adapters into those that can run and those that cannot, with the reason."""
    absent = {name: reason for name in names if (reason := PEERS[name].lacks())}
    return [name for name in names if name not in absent], absent


def demand(names: Sequence[str]) -> None:
    """Insist that known adapters can run.

    Raises:
        BadInputError: one cannot; it says what to install.
    """
    for name, reason in installed(names)[1].items():
        raise BadInputError(f"--system {name}: {reason}")


def _is_path(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"
