"""Memory and disk, on a made-up `/proc` and on this process."""

import os
from pathlib import Path

import pytest

from evals.systems.footprint import folder_size, peak_resident, resident, servers_resident

KB = 1024


def process(
    proc: Path, pid: int, parent: int, program: str, anonymous: int, shared: int, line: str = ""
) -> None:
    folder = proc / str(pid)
    folder.mkdir(parents=True)
    folder.joinpath("status").write_text(
        f"Name:\tx\nState:\tS (sleeping)\nPPid:\t{parent}\nVmRSS:\t{anonymous + shared} kB\n"
        f"RssAnon:\t{anonymous} kB\nRssFile:\t{shared} kB\nRssShmem:\t0 kB\n"
    )
    folder.joinpath("cmdline").write_bytes(line.encode().replace(b" ", b"\0"))
    folder.joinpath("exe").symlink_to(program)


def test_servers_are_descendants_and_whatever_runs_on_the_folder(tmp_path: Path) -> None:
    proc = tmp_path / "proc"
    process(proc, 10, 1, "/bin/python", 1_000, 1_000)  # the owner
    process(proc, 11, 10, "/bin/child", 100, 0)
    process(proc, 20, 1, "/bin/supervisor", 20, 0, "supervisor /data/run/x")
    process(proc, 21, 20, "/bin/server", 3, 0)
    process(proc, 30, 1, "/bin/stranger", 7_000, 0, "server /data/other")
    proc.joinpath("meminfo").write_text("")
    assert servers_resident(10, [Path("/data/run")], proc) == 123 * KB


def test_what_processes_of_one_program_share_counts_once(tmp_path: Path) -> None:
    process(tmp_path, 10, 1, "/bin/python", 1, 1)
    process(tmp_path, 11, 10, "/bin/postgres", 5, 40)
    process(tmp_path, 12, 11, "/bin/postgres", 6, 90)
    process(tmp_path, 13, 10, "/bin/chroma", 7, 10)
    assert servers_resident(10, [], tmp_path) == (5 + 6 + 7 + 90 + 10) * KB


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read on Linux only")
def test_a_process_has_a_size_and_a_peak_at_least_as_large() -> None:
    now, peak = resident(os.getpid()), peak_resident(os.getpid())
    assert now is not None
    assert peak is not None
    assert 1_000_000 < now <= peak


def test_a_process_that_is_gone_has_none(tmp_path: Path) -> None:
    assert resident(2**22 + 1) is None
    assert servers_resident(1, [], tmp_path / "nowhere") == 0


def test_a_folder_takes_what_its_files_do(tmp_path: Path) -> None:
    assert folder_size(tmp_path) == 0
    tmp_path.joinpath("a").write_bytes(b"x" * 100_000)
    (tmp_path / "b").mkdir()
    tmp_path.joinpath("b/c").write_bytes(b"x" * 100_000)
    assert 200_000 <= folder_size(tmp_path) < 250_000
