"""`recollect init` asks, tries, and writes one file that every command reads."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.drivers.terminal import ENTER, Terminal
from tests.e2e.processes import command, environment, recollect
from tests.fakes.openai_server import OpenAIServer

pytestmark = pytest.mark.timeout(300)

KEY = "sk pass'word\"#1 @${HOME}\\"


@pytest.fixture
def endpoint() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


def test_at_a_terminal_it_asks_tries_and_writes_what_every_command_reads(
    new_data_dir: Path, tmp_path: Path, endpoint: OpenAIServer
) -> None:
    file = tmp_path / "settings.env"
    asking = command("init", "--file", str(file))
    with Terminal(asking, environment(new_data_dir)) as terminal:
        terminal.until("Where do people write? [1-3]")
        terminal.type("1" + ENTER)
        terminal.until("Which model answers? [1-5]")
        terminal.type("4" + ENTER)
        terminal.until("Its address")
        terminal.type(f"{endpoint.url}/v1" + ENTER)
        terminal.until("Its key")
        terminal.type(KEY + ENTER)
        terminal.until("Which of its models?")
        terminal.type("1" + ENTER)
        terminal.until("Which stores? [1-2]")
        terminal.type("1" + ENTER)
        terminal.until("Keep facts in Neo4j rather than in Postgres? y or n [n]:")
        terminal.type(ENTER)
        assert terminal.end() == 0, terminal.text
        assert "ok      Chat model:" in terminal.text
        assert "ok      Postgres:" in terminal.text
        assert KEY not in terminal.text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    endpoint.script("From the file.")
    said = recollect(new_data_dir, "chat", said="hello\n", RECOLLECT_SETTINGS_FILE=str(file))
    assert said.stdout == "From the file.\n", said.stderr
    assert endpoint.keys[-1] == KEY


def test_without_a_terminal_flags_say_it_and_nothing_is_replaced(
    new_data_dir: Path, tmp_path: Path
) -> None:
    file = tmp_path / "settings.env"
    flags = ("init", "--file", str(file), "--channel", "web", "--model", "none")
    first = recollect(new_data_dir, *flags)
    assert (first.returncode, first.stderr) == (0, "")
    assert f"Written: {file}" in first.stdout
    before = file.read_bytes()
    again = recollect(new_data_dir, *flags)
    assert again.returncode == 2
    assert "--replace does" in again.stderr
    assert file.read_bytes() == before
    assert recollect(new_data_dir, *flags, "--replace").returncode == 0


def test_with_nobody_to_ask_and_no_option_nothing_is_written(
    new_data_dir: Path, tmp_path: Path
) -> None:
    file = tmp_path / "settings.env"
    done = recollect(new_data_dir, "init", "--file", str(file))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("recollect: nobody can be asked here")
    assert len(done.stderr.splitlines()) == 1
    assert not file.exists()


def test_what_does_not_answer_is_said_and_nothing_is_written(
    new_data_dir: Path, tmp_path: Path
) -> None:
    file = tmp_path / "settings.env"
    flags = ("--channel", "web", "--model", "m", "--endpoint", "http://127.0.0.1:9/v1")
    secrets = ("--key", "s3cret", "--neo4j-uri", "bolt://127.0.0.1:9", "--neo4j-password", "s3cret")
    tried = recollect(new_data_dir, "init", "--file", str(file), *flags, *secrets)
    assert tried.returncode == 1
    assert "FAILED  Chat model: m does not answer" in tried.stdout
    assert "FAILED  Facts: RECOLLECT_NEO4J_URI: cannot reach bolt://127.0.0.1:9" in tried.stdout
    assert "nothing is written" in tried.stderr
    assert "s3cret" not in tried.stdout + tried.stderr
    assert list(tmp_path.iterdir()) == []
