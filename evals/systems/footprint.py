"""Memory of processes, from Linux's `/proc`, and sizes of folders. Bytes throughout."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
MB = 1_000_000
_KIB = 1024
_BLOCK = 512  # Source: stat(2), `st_blocks`


@dataclass(frozen=True, slots=True)
class Process:
    """A running process. Sizes in bytes: of its own, and what it may share."""

    pid: int
    parent: int
    program: str
    anonymous: int
    shared: int


def resident(pid: int) -> int | None:
    """Return a process's resident set now; None where it cannot be told."""
    return _status(PROC, pid).get("VmRSS")


def peak_resident(pid: int) -> int | None:
    """Return the largest resident set that a process has had; None where it cannot be told."""
    return _status(PROC, pid).get("VmHWM")


def servers(owner: int, folders: Iterable[Path], proc: Path = PROC) -> list[Process]:
    """Return the servers of a process, without itself.

    They are its descendants, and what runs on `folders` by its command line, with descendants.
    """
    processes = {each.pid: each for each in _processes(proc)}
    children: defaultdict[int, list[int]] = defaultdict(list)
    for each in processes.values():
        children[each.parent].append(each.pid)
    names = [os.fsencode(folder) for folder in folders]
    waiting = [owner, *(pid for pid in processes if _names_one(proc, pid, names))]
    found: set[int] = set()
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting += children[pid]
    return [processes[pid] for pid in found - {owner, os.getpid()} if pid in processes]


def servers_resident(owner: int, folders: Iterable[Path], proc: Path = PROC) -> int:
    """Return what the servers of a process have resident.

    What processes of one program share (its code, Postgres's buffers) counts once, with what the
    process that shares most has of it.
    """
    running = servers(owner, folders, proc)
    shared: defaultdict[str, int] = defaultdict(int)
    for each in running:
        shared[each.program] = max(shared[each.program], each.shared)
    return sum(each.anonymous for each in running) + sum(shared.values())


def folder_size(folder: Path) -> int:
    """Return what the files below a folder take on disk."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                held = os.lstat(os.path.join(root, name))  # noqa: PTH118 a path object a file is slow
            except FileNotFoundError:
                continue  # a server removed it meanwhile
            blocks = getattr(held, "st_blocks", None)
            total += held.st_size if blocks is None else blocks * _BLOCK
    return total


def _processes(proc: Path) -> Iterable[Process]:
    for entry in proc.iterdir() if proc.is_dir() else ():
        if not entry.name.isdecimal():
            continue
        pid = int(entry.name)
        held = _status(proc, pid)
        if "RssAnon" not in held:
            continue  # ended meanwhile, or a thread of the kernel
        yield Process(
            pid,
            held.get("PPid", 0),
            _program(proc, pid),
            held["RssAnon"],
            held.get("RssFile", 0) + held.get("RssShmem", 0),
        )


def _status(proc: Path, pid: int) -> dict[str, int]:
    """Return the numbers of a process's status; sizes in bytes, empty when there is none."""
    try:
        lines = (proc / str(pid) / "status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    found = {}
    for line in lines.splitlines():
        name, _, value = line.partition(":")
        parts = value.split()
        if parts and parts[0].isdecimal():
            found[name] = int(parts[0]) * (_KIB if parts[1:] == ["kB"] else 1)
    return found


def _program(proc: Path, pid: int) -> str:
    try:
        return str((proc / str(pid) / "exe").readlink())
    except OSError:
        return str(pid)


def _names_one(proc: Path, pid: int, folders: list[bytes]) -> bool:
    try:
        line = (proc / str(pid) / "cmdline").read_bytes()
    except OSError:
        return False
    return any(folder in line for folder in folders)
