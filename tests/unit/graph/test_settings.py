"""Settings that need each other."""

from __future__ import annotations

import pytest

from graph.settings import BadSettings, load_settings


@pytest.mark.parametrize("mode", ["llm", "hybrid"])
def test_asking_a_model_needs_a_model(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_CAPTURE", mode)
    with pytest.raises(BadSettings, match=r"^RECOLLECT_CAPTURE: .*set RECOLLECT_MODEL"):
        load_settings()
    monkeypatch.setenv("RECOLLECT_MODEL", "some-model")
    assert load_settings().capture == mode


@pytest.mark.parametrize("stages", ["rewrite", "rerank", "both"])
def test_a_search_that_asks_a_model_needs_one(monkeypatch: pytest.MonkeyPatch, stages: str) -> None:
    assert load_settings().recall_model == "off"
    monkeypatch.setenv("RECOLLECT_RECALL_MODEL", stages)
    with pytest.raises(BadSettings, match=r"^RECOLLECT_RECALL_MODEL: .*set RECOLLECT_MODEL"):
        load_settings()
    monkeypatch.setenv("RECOLLECT_MODEL", "some-model")
    assert load_settings().recall_model == stages


@pytest.mark.parametrize("given", ["waha/sales=ac/me", "sales=acme", "waha=acme", "wahaa/s=a"])
def test_tenants_of_accounts_are_written_one_way(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RECOLLECT_TENANTS", "waha/sales=acme, telegram/7=club")
    assert load_settings().tenants == {"waha/sales": "acme", "telegram/7": "club"}
    monkeypatch.setenv("RECOLLECT_TENANTS", given)
    with pytest.raises(BadSettings, match="waha/SESSION=TENANT"):
        load_settings()


def test_a_key_that_is_too_short_is_refused_in_our_own_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RECOLLECT_API_KEY", "short")
    with pytest.raises(BadSettings, match=r"^RECOLLECT_API_KEY: a key has 16 or more"):
        load_settings()


@pytest.mark.parametrize(
    ("name", "good", "bad", "line"),
    [
        ("RECOLLECT_WAHA_URL", "http://waha:3000/", "localhost:3000", "a web address looks like"),
        ("RECOLLECT_TELEGRAM_API_URL", "https://tg.example", "tg", "a web address looks like"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1", "nonsense", "a web address looks like"),
        ("RECOLLECT_TELEGRAM_SECRET", "a-long_Word7", "two words!", "Telegram takes up to 256"),
        ("RECOLLECT_TELEGRAM_TOKENS", "1:A,2:B", "1:A,1:B", "two tokens are of the same bot"),
    ],
)
def test_what_could_never_work_is_refused_at_start(
    name: str, good: str, bad: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, good)
    load_settings()
    monkeypatch.setenv(name, bad)
    with pytest.raises(BadSettings, match=f"^{name}: {line}") as refused:
        load_settings()
    assert bad not in str(refused.value)


def test_a_takeover_of_longer_than_any_clock_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_TAKEOVER_S", "9" * 17)
    with pytest.raises(BadSettings, match=r"^RECOLLECT_TAKEOVER_S: .*less than or equal"):
        load_settings()
