"""From a Telegram update to `sendMessage`, by webhook and by long polling, on real stores."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.drivers.serving import Serving
from tests.fakes.telegram_api import Sent, TelegramApi
from tests.stores import store_environment

SECRET = "a-word-for-tests"
SERVE = (sys.executable, "-m", "ui.cli.main", "serve")
ANA = {"id": 555, "is_bot": False, "first_name": "Ana"}
QUIET_S = 1.8


def eventually(condition: Callable[[], bool], patience_s: float = 20.0) -> bool:
    deadline = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def update(api: TelegramApi, text: str, message_id: int, **message: Any) -> dict[str, Any]:
    """Return the update of a private message of Ana's; `message` adds or overrides fields."""
    return {
        "update_id": api.next_update_id(),
        "message": {
            "message_id": message_id,
            "from": ANA,
            "chat": {"id": ANA["id"], "type": "private", "first_name": "Ana"},
            "date": int(time.time()),
            "text": text,
            **message,
        },
    }


def sent_to(api: TelegramApi, chat_id: int) -> list[Sent]:
    return [sent for sent in api.sent if sent.chat_id == chat_id]


@pytest.fixture(scope="module")
def api() -> Iterator[TelegramApi]:
    with TelegramApi() as running:
        yield running


@pytest.fixture(scope="module")
def server(api: TelegramApi, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    settings = {
        "RECOLLECT_TELEGRAM_TOKENS": api.token(),
        "RECOLLECT_TELEGRAM_API_URL": api.url,
        "RECOLLECT_TELEGRAM_SECRET": SECRET,
        "RECOLLECT_DEBOUNCE_MS": "1000",
        "RECOLLECT_SEND_PACE_MS": "0",
    }
    stores = store_environment(tmp_path_factory.mktemp("telegram"))
    with Serving(stores, "http://127.0.0.1:9", settings) as running:
        yield running


def post(server: Serving, event: dict[str, Any], secret: str = SECRET) -> httpx.Response:
    headers = {"X-Telegram-Bot-Api-Secret-Token": secret}
    return httpx.post(f"{server.url}/webhooks/telegram/7001", json=event, headers=headers)


def test_a_private_message_is_answered_once_and_remembered(
    api: TelegramApi, server: Serving
) -> None:
    told = update(api, "My name is Ana and I live in Lisbon.", 1)
    for status in ("new", "known", "known"):
        assert post(server, told).json() == {"status": status}
    assert eventually(lambda: len(sent_to(api, 555)) == 1)
    assert post(server, update(api, "What's my name?", 2)).json() == {"status": "new"}
    assert eventually(lambda: len(sent_to(api, 555)) == 2)
    time.sleep(QUIET_S)
    assert len(sent_to(api, 555)) == 2
    assert "Ana" in sent_to(api, 555)[1].plain
    assert {sent.parse_mode for sent in sent_to(api, 555)} == {"HTML"}


def test_rapid_messages_are_one_turn_and_their_edit_none(api: TelegramApi, server: Serving) -> None:
    chat = {"id": 556, "type": "private", "first_name": "Bo"}
    who = ANA | {"id": 556}
    for number in (10, 11, 12):
        said = update(api, f"line {number}", number, chat=chat, **{"from": who})
        assert post(server, said).json() == {"status": "new"}
    assert eventually(lambda: len(sent_to(api, 556)) == 1)
    edited = update(api, "line ten", 10, chat=chat, edit_date=int(time.time()), **{"from": who})
    edited["edited_message"] = edited.pop("message")
    assert post(server, edited).json() == {"status": "applied"}
    time.sleep(QUIET_S)
    assert len(sent_to(api, 556)) == 1
    rows = server.rows("select content from messages where message_id = '10'")
    assert [row["content"] for row in rows] == ["line ten"]


def test_in_a_group_only_a_mention_is_answered_there_and_in_its_topic(
    api: TelegramApi, server: Serving
) -> None:
    group = {"id": -1009, "type": "supergroup", "title": "Friends", "is_forum": True}
    topic = {"chat": group, "is_topic_message": True, "message_thread_id": 4}
    assert post(server, update(api, "just talking", 20, **topic)).status_code == 200
    text = "👋 @recollect_test_bot hello"
    mention = [{"type": "mention", "offset": 3, "length": 19}]
    assert post(server, update(api, text, 21, entities=mention, **topic)).status_code == 200
    assert eventually(lambda: len(sent_to(api, -1009)) == 1)
    time.sleep(QUIET_S)
    (answer,) = sent_to(api, -1009)
    assert (answer.topic, answer.reply_to) == (4, 21)


def test_who_cannot_prove_to_be_telegram_is_refused(api: TelegramApi, server: Serving) -> None:
    before = server.rows("select count(*) as n from messages")[0]["n"]
    refused = post(server, update(api, "hello", 30), secret="guessed")
    assert refused.status_code == 401
    unknown = httpx.post(f"{server.url}/webhooks/telegram/7999", json={})
    assert (unknown.status_code, "RECOLLECT_TELEGRAM_TOKENS" in unknown.text) == (404, True)
    assert server.rows("select count(*) as n from messages")[0]["n"] == before


def test_what_cannot_be_read_is_kept_and_the_next_update_answered(
    api: TelegramApi, server: Serving
) -> None:
    broken = update(api, "hello", 40)
    del broken["message"]["chat"]
    assert post(server, broken).json() == {"status": "unreadable"}
    who = ANA | {"id": 557}
    chat = {"id": 557, "type": "private", "first_name": "Cy"}
    post(server, update(api, "hello", 41, chat=chat, **{"from": who}))
    assert eventually(lambda: len(sent_to(api, 557)) == 1)
    (kept,) = server.rows("select channel, account, reason from events")
    assert (kept["channel"], kept["account"]) == ("telegram", "7001")
    assert "chat" in kept["reason"]


def test_without_a_public_address_updates_are_fetched(tmp_path: Path) -> None:
    with TelegramApi() as api:
        settings = {
            "RECOLLECT_TELEGRAM_TOKENS": api.token(),
            "RECOLLECT_TELEGRAM_API_URL": api.url,
            "RECOLLECT_DEBOUNCE_MS": "100",
        }
        stores = store_environment(tmp_path)
        command = (*SERVE, "--telegram-polling")
        api.push(update(api, "waited for you", 1))
        with Serving(stores, "http://127.0.0.1:9", settings, command) as server:
            assert eventually(lambda: len(api.sent) == 1)
            api.push({"update_id": api.next_update_id(), "message": {"no": "message"}})
            api.push(update(api, "hello again", 2))
            assert eventually(lambda: len(api.sent) == 2)
            server.kill()
            api.push(update(api, "while you were away", 3))
            server.start()
            assert eventually(lambda: len(api.sent) == 3)
            time.sleep(QUIET_S)
            assert len(api.sent) == 3


def test_polling_without_a_token_is_refused_in_one_line(tmp_path: Path) -> None:

    environment = {k: v for k, v in os.environ.items() if not k.startswith("RECOLLECT_")}
    found = subprocess.run(
        [*SERVE, "--telegram-polling"],
        env=environment | store_environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert found.returncode == 1
    assert found.stderr.startswith("recollect: RECOLLECT_TELEGRAM_TOKENS: ")
