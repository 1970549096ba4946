"""The key as a setting, and where one is needed to listen at all."""

from __future__ import annotations

import pytest

from graph.door import check_address
from graph.settings import BadSettings, Settings, load_settings

KEY = "a-key-of-many-characters"


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.0.2.7", "", "example.org", "::ffff:1.2.3.4"]
)
def test_without_a_key_no_other_machine_is_listened_to(host: str) -> None:
    with pytest.raises(BadSettings, match="RECOLLECT_API_KEY") as caught:
        check_address(Settings(), host)
    assert "\n" not in str(caught.value)
    check_address(Settings.model_validate({"api_key": KEY}), host)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_this_machine_needs_no_key(host: str) -> None:
    check_address(Settings(), host)


@pytest.mark.parametrize(
    "key", ["short", " ", f"{KEY} with spaces", f"{KEY}\n", "schlüssel-über-alles", "x" * 15]
)
def test_a_key_that_no_header_could_carry_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("RECOLLECT_API_KEY", key)
    with pytest.raises(BadSettings, match="RECOLLECT_API_KEY: .*16 or more") as caught:
        load_settings()
    assert key.strip() == "" or key.strip() not in str(caught.value)


def test_an_empty_key_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_API_KEY", "")
    assert load_settings().api_key is None


def test_the_key_is_in_no_form_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_API_KEY", KEY)
    assert KEY not in repr(load_settings())
