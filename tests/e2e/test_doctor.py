"""`recollect doctor` tries everything for real and says what to do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.processes import recollect
from tests.fakes.telegram_api import TelegramApi

pytestmark = pytest.mark.timeout(200)


@pytest.fixture(autouse=True)
def embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the servers under test away: what the doctor says of embedded stores is tested here."""
    for name in os.environ:
        if name.startswith("RECOLLECT_TEST_"):
            monkeypatch.delenv(name)


def test_all_is_well_on_the_embedded_stores(new_data_dir: Path) -> None:
    done = recollect(new_data_dir, "doctor")
    assert done.returncode == 0, done.stdout
    for line in (
        f"RECOLLECT_DATA_DIR={new_data_dir}",
        "ok      Postgres: 18",
        "ok      Facts: in Postgres tables",
        "ok      Embedder: all-MiniLM-L6-v2+recall/1/384/l2",
        "ok      Chroma: answers at http://127.0.0.1:",
        "ok      Chat model: the offline responder",
        "All is well.",
    ):
        assert line in done.stdout
    assert done.stderr == ""


def test_every_failure_is_named_and_the_rest_is_still_tried(new_data_dir: Path) -> None:
    done = recollect(
        new_data_dir,
        "doctor",
        RECOLLECT_DATABASE_URL="postgresql://u:s3cret@127.0.0.1:9/x",
        RECOLLECT_NEO4J_URI="bolt://127.0.0.1:9",
        RECOLLECT_MODEL="m",
        OPENAI_API_KEY="sk-s3cret",
        OPENAI_BASE_URL="http://127.0.0.1:9/v1",
        RECOLLECT_WAHA_URL="http://127.0.0.1:9",
        RECOLLECT_TELEGRAM_TOKENS="7001:s3cret",
        RECOLLECT_TELEGRAM_API_URL="http://127.0.0.1:9",
    )
    assert done.returncode == 1
    for name in ("Postgres", "Facts", "Chat model", "WAHA", "Telegram"):
        assert f"FAILED  {name}: " in done.stdout
    assert "ok      Chroma: " in done.stdout
    assert "s3cret" not in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_bots_are_named(new_data_dir: Path) -> None:
    with TelegramApi() as api:
        done = recollect(
            new_data_dir,
            "doctor",
            RECOLLECT_TELEGRAM_TOKENS=api.token(),
            RECOLLECT_TELEGRAM_API_URL=api.url,
        )
    assert "ok      Telegram: @recollect_test_bot" in done.stdout
    assert "secret-of-the-bot" not in done.stdout + done.stderr


def test_setting_that_cannot_be_read_is_one_line(new_data_dir: Path) -> None:
    done = recollect(new_data_dir, "doctor", RECOLLECT_WINDOW="3")
    assert done.returncode == 1
    assert done.stderr.startswith("recollect: RECOLLECT_WINDOW: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_setting_that_is_none_is_counted(new_data_dir: Path) -> None:
    done = recollect(new_data_dir, "doctor", RECOLLECT_MODLE="m")
    assert done.returncode == 0
    assert "warning RECOLLECT_MODLE is no setting: did you mean RECOLLECT_MODEL?" in done.stdout
    assert done.stdout.endswith("All checks passed, with 1 warning.\n")
