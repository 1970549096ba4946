"""Run separate Postgres, Chroma and Neo4j servers for the tests of the server adapters.

`eval "$(python scripts/servers.py start DIR)"` starts all three on free loopback ports and sets
RECOLLECT_DATABASE_URL, RECOLLECT_CHROMA_URL and RECOLLECT_NEO4J_URI;
`python scripts/servers.py stop DIR` stops them. The data stays in DIR.
"""

from __future__ import annotations

import argparse
import secrets
import shlex
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memory.embedded import chroma, locks, postgres, process
from memory.embedded.account import postgres_account
from memory.embedded.layout import Layout, prepare
from memory.errors import RecollectError
from scripts import neo4j


def start(data_dir: Path, neo4j_dir: Path | None) -> dict[str, str]:
    """Start the servers and return the settings that lead to them, by environment variable.

    Args:
        data_dir: folder of their data.
        neo4j_dir: folder of Neo4j's jars and data; None leaves Neo4j out.

    Raises:
        RecollectError: Postgres or Chroma cannot be started, or one runs already.
        Neo4jError: Neo4j cannot be started.
    """
    locks.require_posix()
    layout = prepare(data_dir)
    try:
        settings = {
            "RECOLLECT_DATABASE_URL": _start_postgres(layout),
            "RECOLLECT_CHROMA_URL": _start_chroma(layout),
        }
        if neo4j_dir is not None:
            neo4j_dir.mkdir(parents=True, exist_ok=True)
            settings["RECOLLECT_NEO4J_URI"] = neo4j.start(neo4j_dir, chroma.free_port())
    except BaseException:
        stop(data_dir, neo4j_dir)
        raise
    return settings


def stop(data_dir: Path, neo4j_dir: Path | None) -> None:
    """Stop what `start` started with the same folders; fine when nothing runs.

    Raises:
        RecollectError: a server does not stop.
    """
    layout = prepare(data_dir)
    process.stop_orphan(_postgres_spec(layout, port=0))
    process.stop_orphan(_chroma_spec(layout, port=0))
    if neo4j_dir is not None:
        neo4j.stop(neo4j_dir)


def _start_postgres(layout: Layout) -> str:
    port = chroma.free_port()
    spec = _postgres_spec(layout, port)
    process.stop_orphan(spec)
    password_file = layout.run / "password"
    if not layout.postgres.exists():
        password_file.touch(mode=0o600)
        password_file.write_text(secrets.token_urlsafe(24), "utf-8")
    password = password_file.read_text("utf-8")
    bin_dir = Path(spec.argv[0]).parent
    postgres.create_cluster(bin_dir, layout.postgres, spec.account, password)
    postgres.remove_stale_pid(layout.postgres)
    child = process.start(spec, dies_with_us=False)
    process.wait_until(lambda: postgres.is_ready(layout.postgres, child.pid), spec, child)
    return postgres.tcp_url(port, password)


def _start_chroma(layout: Layout) -> str:
    port = chroma.free_port()
    spec = _chroma_spec(layout, port)
    process.stop_orphan(spec)
    layout.chroma.mkdir(mode=0o700, exist_ok=True)
    child = process.start(spec, dies_with_us=False)
    process.wait_until(lambda: chroma.answers(port), spec, child)
    return chroma.url(port)


def _postgres_spec(layout: Layout, port: int) -> process.Spec:
    account = postgres_account()
    bin_dir = postgres.binaries(layout.data_dir, account)
    lock, log = layout.lock("postgres"), layout.log("postgres")
    return postgres.tcp_spec(bin_dir, layout.postgres, port, lock, log, account)


def _chroma_spec(layout: Layout, port: int) -> process.Spec:
    return chroma.spec(layout.chroma, port, layout.lock("chroma"), layout.log("chroma"))


def main(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Run servers for tests.")
    parser.add_argument("action", choices=("start", "stop"))
    parser.add_argument("dir", type=Path)
    parser.add_argument("--neo4j-dir", type=Path, default=Path(".neo4j"))
    parser.add_argument("--no-neo4j", action="store_true", help="leave Neo4j out")
    options = parser.parse_args(arguments)
    neo4j_dir: Path | None = None if options.no_neo4j else options.neo4j_dir.resolve()
    try:
        if options.action == "stop":
            stop(options.dir, neo4j_dir)
            return 0
        for name, value in start(options.dir, neo4j_dir).items():
            print(f"export {name}={shlex.quote(value)}")
    except (RecollectError, neo4j.Neo4jError, OSError) as exc:
        print(f"servers: {exc}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
