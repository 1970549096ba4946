"""What processes use, by kind, as Linux counts it: processor time and resident memory."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from memory.embedded.layout import Layout
from tests.drivers.serving import Serving

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_MIB = 2**20
_STORES = ("postgres", "chroma")


class _Stat(NamedTuple):
    """A process, its parent, and its time; `reaped`: what its ended children took. Seconds."""

    pid: int
    parent: int
    own: float
    reaped: float


class Usage:
    """The processes of a server, those of its embedded stores, and ours ("driver"), from now on."""

    def __init__(self, fleet: Sequence[Serving]) -> None:
        self._pids: defaultdict[str, list[int]] = defaultdict(list)
        for each in fleet:
            if each.process is not None:
                self._pids["server" if each.role == "both" else each.role].append(each.process.pid)
        if folder := fleet[0].stores.get("RECOLLECT_DATA_DIR"):
            layout = Layout(Path(folder).resolve())
            for name in _STORES:
                self._pids[name].append(int(layout.lock(name).read_text()))
        self._before = self._seconds()
        self._began = time.perf_counter()

    def cores(self) -> dict[str, float]:
        """Return how many cores each kind has kept busy since the beginning, on average."""
        lasted = time.perf_counter() - self._began
        now = self._seconds()
        return {kind: round((now[kind] - self._before[kind]) / lasted, 2) for kind in now}

    def resident(self) -> dict[str, int]:
        """Return the resident memory of the largest process of each kind of the server, MiB."""
        return {
            kind: max(_resident_mb(pid) for pid in pids)
            for kind, pids in self._pids.items()
            if kind not in _STORES
        }

    def _seconds(self) -> Mapping[str, float]:
        found = _processes()
        used = {"driver": time.process_time()}
        for kind, pids in self._pids.items():
            stats = [found[pid] for pid in pids if pid in found]
            used[kind] = sum(stat.own for stat in stats)
            # A server process has but the supervisor of the stores for a child.
            if kind in _STORES:
                used[kind] += sum(stat.reaped for stat in stats)
                used[kind] += sum(stat.own for stat in found.values() if stat.parent in pids)
        return used


def _processes() -> dict[int, _Stat]:
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # The name, in brackets, may hold spaces.
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            own, reaped = int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14])
            stat = _Stat(int(entry.name), int(fields[1]), own * _TICK_S, reaped * _TICK_S)
            found[stat.pid] = stat
    return found


def _resident_mb(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // _MIB
