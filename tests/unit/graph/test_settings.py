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
