"""Processor time, on a made-up `/proc`."""

import os
from pathlib import Path

from evals.latency.processor import processor_time


def process(proc: Path, pid: int, parent: int, program: str, ticks: int, line: str = "") -> None:
    folder = proc / str(pid)
    folder.mkdir(parents=True, exist_ok=True)
    folder.joinpath("status").write_text(f"PPid:\t{parent}\nRssAnon:\t1 kB\n")
    folder.joinpath("stat").write_text(
        f"{pid} ({program}) S {parent} 1 1 0 -1 0 1 2 3 4 {ticks} 1 1 0 20 0 1 0 99\n"
    )
    folder.joinpath("cmdline").write_bytes(line.encode())


def test_stores_are_told_apart_and_counted_with_their_ended_children(tmp_path: Path) -> None:
    ms = 1000 / os.sysconf("SC_CLK_TCK")
    process(tmp_path, 10, 1, "python (venv)", 0, "supervisor /data/x")
    process(tmp_path, 11, 10, "postgres", 5)
    process(tmp_path, 12, 11, "postgres", 7)
    process(tmp_path, 13, 10, "chroma", 9)
    process(tmp_path, 14, 1, "postgres", 1_000, "postgres -D /other")
    before = processor_time(Path("/data"), tmp_path)
    assert before.postgres == (5 + 2 + 7 + 2) * ms
    process(tmp_path, 12, 11, "postgres", 27)
    process(tmp_path, 13, 10, "chroma", 19)
    spent = processor_time(Path("/data"), tmp_path).since(before, turns=10)
    assert spent["postgres_cpu_ms"] == 2 * ms
    assert spent["chroma_cpu_ms"] == ms
    assert (spent["cpu_ms"] or 0) > 0


def test_stores_elsewhere_are_not_told(tmp_path: Path) -> None:
    process(tmp_path, 14, 1, "postgres", 1_000, "postgres -D /other")
    for folder in (Path("/data"), None):
        spent = processor_time(folder, tmp_path).since(processor_time(folder, tmp_path), 1)
        assert (spent["postgres_cpu_ms"], spent["chroma_cpu_ms"]) == (None, None)
