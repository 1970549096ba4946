"""What is written into the settings file is what the settings read."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graph.settings import BadSettings, load_settings, settings_from
from ui.cli.settings_file import UnwritableSettings, write_settings

SIGNS = st.text("aZ9 $ {}'\"\\#@%&=`:/?!äЖ", min_size=1, max_size=24)


@given(SIGNS)
@example("pass word#1 @'x\"")
@example("${HOME} $HOME \\' \\")
def test_every_sign_of_a_secret_survives(
    tmp_path_factory: pytest.TempPathFactory, secret: str
) -> None:
    path = tmp_path_factory.getbasetemp() / "signs.env"
    write_settings(path, {"RECOLLECT_NEO4J_PASSWORD": secret, "RECOLLECT_CONTACT": "ann"})
    read = settings_from(path)
    assert read.neo4j_password.get_secret_value() == secret
    assert read.contact == "ann"


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "settings.env"
    write_settings(path, {"OPENAI_API_KEY": "k"})
    path.chmod(0o644)
    write_settings(path, {"OPENAI_API_KEY": "l"})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["settings.env"]


def test_a_file_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnwritableSettings, match="cannot be written"):
        write_settings(tmp_path / "file" / "settings.env", {})


def test_the_environment_counts_more_than_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "settings.env"
    write_settings(path, {"RECOLLECT_CONTACT": "ann", "RECOLLECT_TENANT": "home"})
    monkeypatch.setenv("RECOLLECT_SETTINGS_FILE", str(path))
    monkeypatch.setenv("RECOLLECT_CONTACT", "bob")
    settings = load_settings()
    assert (settings.contact, settings.tenant) == ("bob", "home")


def test_a_named_file_that_is_not_there_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_SETTINGS_FILE", "/no/such/file")
    with pytest.raises(BadSettings, match="RECOLLECT_SETTINGS_FILE: there is no /no/such/file"):
        load_settings()
