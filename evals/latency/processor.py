"""Processor time: this process's, and the embedded stores', from Linux's `/proc`. Milliseconds."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from evals.systems.footprint import PROC, servers


@dataclass(frozen=True, slots=True)
class Processor:
    """Time that processes have used so far. The stores' is None where they cannot be told."""

    own: float
    postgres: float | None
    chroma: float | None

    def since(self, earlier: Processor, turns: int) -> dict[str, float | None]:
        """Return what each used since then, a turn."""
        return {
            "cpu_ms": (self.own - earlier.own) / turns,
            "postgres_cpu_ms": _each(self.postgres, earlier.postgres, turns),
            "chroma_cpu_ms": _each(self.chroma, earlier.chroma, turns),
        }


def processor_time(folder: Path | None, proc: Path = PROC) -> Processor:
    """Read what this process has used, and the servers whose data lies below `folder`.

    Chroma's includes the process that watches over both servers.
    """
    own = time.process_time() * 1000
    running = servers(os.getpid(), [folder], proc) if folder else []
    used = [_used(proc, process.pid) for process in running]
    if not used:
        return Processor(own, None, None)
    postgres = sum(ms for program, ms in used if program == "postgres")
    return Processor(own, postgres, sum(ms for _, ms in used) - postgres)


def _used(proc: Path, pid: int) -> tuple[str, float]:
    """Return a process's program and what it used, with its children that have ended."""
    try:
        stat = (proc / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "", 0.0  # it ended meanwhile; its parent's figures have it
    # Source: proc(5): pid, (program), then fields 3 on; 14 to 17 are times in ticks.
    head, _, tail = stat.rpartition(")")
    ticks = sum(int(field) for field in tail.split()[11:15])
    return head.partition("(")[2], ticks * 1000 / os.sysconf("SC_CLK_TCK")


def _each(now: float | None, earlier: float | None, turns: int) -> float | None:
    return None if now is None or earlier is None else (now - earlier) / turns
