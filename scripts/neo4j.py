"""Run Neo4j without Docker, for tests on loopback: `python scripts/neo4j.py start|stop|status`.

Fetches the community server's jars from Maven Central with `mvn` once, then runs them with Java
17 or newer. Authentication is off: it listens on loopback only and is no place for real data.
Standard library only, so that it runs before anything is installed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

VERSION = "5.26.12"
DEFAULT_PORT = 7687
HOST = "127.0.0.1"
START_TIMEOUT_S = 90.0
STOP_TIMEOUT_S = 30.0
POLL_S = 0.1
BOLT_HELLO = b"\x60\x60\xb0\x17" + bytes([0, 4, 4, 5]) + bytes(12)
"""Magic number, then four proposed versions: 5.4 down to 5.0, and three unused.
Source: Bolt protocol manual, "Handshake"."""

POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>recollect</groupId>
  <artifactId>neo4j-server</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.neo4j</groupId>
      <artifactId>neo4j</artifactId>
      <version>{VERSION}</version>
      <scope>runtime</scope>
    </dependency>
  </dependencies>
</project>
"""

JAVA_OPTIONS = (
    "-Xms256m",
    "-Xmx512m",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
)


class Neo4jError(Exception):
    """Neo4j cannot be run; the message is one line."""


def start(folder: Path, port: int) -> str:
    """Start a server in the background and return its bolt address once it answers.

    One that runs in `folder` already is left as it is, and its address returned.

    Raises:
        Neo4jError: Java or Maven is missing, the port is taken, or the server ended.
    """
    if running := status(folder):
        return running
    java = shutil.which("java")
    if java is None:
        raise Neo4jError("java is not on the PATH; install a Java 17 runtime")
    _refuse_taken(port)
    jars = _fetch_jars(folder)
    _write_conf(folder, port)
    log_path = folder / "logs" / "console.log"
    log_path.parent.mkdir(exist_ok=True)
    arguments = (f"--home-dir={folder}", f"--config-dir={folder / 'conf'}")
    entry = ("-cp", f"{jars}/*", "org.neo4j.server.CommunityEntryPoint")
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [java, *JAVA_OPTIONS, *entry, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    _pid_file(folder).write_text(f"{process.pid} {port}\n", "utf-8")
    deadline = time.monotonic() + START_TIMEOUT_S
    while not answers(port):
        if process.poll() is not None or time.monotonic() > deadline:
            stop(folder)
            raise Neo4jError(f"Neo4j did not start; see {log_path} and {folder}/logs/neo4j.log")
        time.sleep(POLL_S)
    # It outlives us on purpose; without this its handle would warn when it is dropped.
    process.returncode = 0
    return _address(port)


def stop(folder: Path) -> bool:
    """Stop the server of `folder` and wait for its end; return whether one ran."""
    found = _read_pid(folder)
    if found is None:
        _pid_file(folder).unlink(missing_ok=True)
        return False
    pid = found[0]
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while _is_ours(pid, folder):
        if time.monotonic() > deadline:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(POLL_S)
    _pid_file(folder).unlink(missing_ok=True)
    return True


def status(folder: Path) -> str:
    """Return the bolt address of the server that runs in `folder`; empty when none answers."""
    found = _read_pid(folder)
    return _address(found[1]) if found and answers(found[1]) else ""


def answers(port: int) -> bool:
    """Tell whether a server on `port` agrees on a version in a bolt handshake."""
    try:
        with socket.create_connection((HOST, port), 1.0) as connection:
            connection.sendall(BOLT_HELLO)
            agreed = connection.recv(4)
    except OSError:
        return False
    return len(agreed) == 4 and agreed[3] == 5


def _refuse_taken(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as exc:
            raise Neo4jError(f"port {port} is taken; choose another with --port") from exc


def _fetch_jars(folder: Path) -> Path:
    jars = folder / f"lib-{VERSION}"
    if jars.is_dir():
        return jars
    maven = shutil.which("mvn")
    if maven is None:
        raise Neo4jError("mvn is not on the PATH; install Maven")
    staging = folder / "lib.new"
    shutil.rmtree(staging, ignore_errors=True)
    pom = folder / "pom.xml"
    pom.write_text(POM, "utf-8")
    options = ("-DincludeScope=runtime", f"-DoutputDirectory={staging}")
    done = subprocess.run(
        [maven, "-q", "-B", "-f", str(pom), "dependency:copy-dependencies", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0 or not staging.is_dir():
        lines = [line for line in done.stdout.splitlines() if line.strip()] or ["no message"]
        raise Neo4jError(f"mvn could not fetch Neo4j {VERSION}: {lines[0]}")
    staging.rename(jars)
    return jars


def _write_conf(folder: Path, port: int) -> None:
    settings = {
        "server.bolt.listen_address": f"{HOST}:{port}",
        "server.http.enabled": "false",
        "dbms.security.auth_enabled": "false",
        "server.memory.heap.max_size": "512m",
        "server.memory.pagecache.size": "64m",
        "dbms.usage_report.enabled": "false",
    }
    conf = folder / "conf"
    conf.mkdir(exist_ok=True)
    text = "".join(f"{name}={value}\n" for name, value in settings.items())
    (conf / "neo4j.conf").write_text(text, "utf-8")


def _address(port: int) -> str:
    return f"bolt://{HOST}:{port}"


def _pid_file(folder: Path) -> Path:
    return folder / "neo4j.pid"


def _read_pid(folder: Path) -> tuple[int, int] | None:
    try:
        pid, port = map(int, _pid_file(folder).read_text("utf-8").split())
    except (FileNotFoundError, ValueError):
        return None
    return (pid, port) if _is_ours(pid, folder) else None


def _is_ours(pid: int, folder: Path) -> bool:
    # A pid alone proves nothing: it may have been given to another process since.
    if sys.platform == "linux":
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False
    else:
        listing = ["ps", "-ww", "-o", "command=", "-p", str(pid)]
        command = subprocess.run(listing, capture_output=True, check=False).stdout
    return os.fsencode(f"--home-dir={folder}") in command


def main(arguments: list[str]) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Run Neo4j without Docker, for tests.")
    parser.add_argument("action", choices=("start", "stop", "status"))
    parser.add_argument("--port", type=int, default=DEFAULT_PORT)
    parser.add_argument("--dir", type=Path, default=Path(".neo4j"))
    options = parser.parse_args(arguments)
    folder: Path = options.dir.resolve()
    try:
        if options.action == "start":
            folder.mkdir(parents=True, exist_ok=True)
            print(start(folder, options.port))
        elif options.action == "stop":
            print("stopped" if stop(folder) else "not running")
        else:
            address = status(folder)
            print(address or "not running")
            return 0 if address else 1
    except (Neo4jError, OSError) as exc:
        print(f"neo4j: {exc}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
