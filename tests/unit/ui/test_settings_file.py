"""What is written into the settings file is what the settings read."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graph.settings import BadSettings, load_settings, settings_from
from ui.cli.settings_file import UnwritableSettings, changed, write_settings, write_text

_SIGNS = "aZ9 $ {}'\"\\#@%&=`:/?!äЖ"
SIGNS = st.text(_SIGNS, min_size=1, max_size=24)
SIGNS_AND_LINES = _SIGNS + "\n"


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


FILED = (
    "# kept by Ana\r\n\r\n  export OPENAI_API_KEY=${VAULT_KEY} # from the vault\r\n"
    "\n# lines of the window\n  RECOLLECT_WINDOW=30 # a month\n"
    "no setting at all\nRECOLLECT_PERSONA='two\nlines'\nRECOLLECT_TONE=off"
)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_only_the_lines_of_what_is_changed_are_other_ones(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "settings.env"
    path.write_bytes((mark + FILED).encode())
    line = "  RECOLLECT_WINDOW=30 # a month\n"
    assert changed(path, "RECOLLECT_WINDOW", "40") == mark + FILED.replace(
        line, "  RECOLLECT_WINDOW='40'\n"
    )
    assert changed(path, "RECOLLECT_WINDOW", "") == mark + FILED.replace(line, "")
    assert changed(path, "RECOLLECT_OTHER", "") == mark + FILED
    assert changed(path, "RECOLLECT_CONTACT", "ann") == (
        f"{mark}{FILED}\r\nRECOLLECT_CONTACT='ann'\r\n"
    )
    write_text(path, changed(path, "OPENAI_API_KEY", "k"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_bytes().decode() == mark + FILED.replace(
        "export OPENAI_API_KEY=${VAULT_KEY} # from the vault", "OPENAI_API_KEY='k'"
    )


def test_of_a_variable_that_is_set_twice_the_line_that_counts_is_changed(tmp_path: Path) -> None:
    path = tmp_path / "settings.env"
    path.write_text("RECOLLECT_WINDOW=30\nrecollect_window=31\nRECOLLECT_TENANT=home\n")
    write_text(path, changed(path, "RECOLLECT_WINDOW", "40"))
    assert settings_from(path).window == 40
    write_text(path, changed(path, "RECOLLECT_WINDOW", ""))
    assert path.read_text() == "RECOLLECT_TENANT=home\n"


@given(st.text(SIGNS_AND_LINES, min_size=1, max_size=24), st.booleans())
@example("two\nlines' \\", True)
@example("${HOME} #x\\", False)
def test_every_sign_of_a_changed_value_survives(
    tmp_path_factory: pytest.TempPathFactory, value: str, is_there: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "changed.env"
    before = "RECOLLECT_NEO4J_PASSWORD=old\n" if is_there else ""
    path.write_text(f"# first\n{before}OPENAI_API_KEY=${{NO_SUCH_VAULT:-k}}\n", encoding="utf-8")
    write_text(path, changed(path, "RECOLLECT_NEO4J_PASSWORD", value))
    read = settings_from(path)
    assert read.neo4j_password.get_secret_value() == value
    assert read.openai_api_key.get_secret_value() == "k"
    assert "OPENAI_API_KEY=${NO_SUCH_VAULT:-k}\n" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("filed", "value"),
    [("OPENAI_API_KEY='hunter2\n", "ann"), ("", "a\rb"), ("\udcff", "ann")],
)
def test_what_would_not_be_read_back_is_refused(tmp_path: Path, filed: str, value: str) -> None:
    path = tmp_path / "settings.env"
    path.write_bytes(filed.encode(errors="surrogateescape"))
    with pytest.raises(UnwritableSettings) as refused:
        changed(path, "RECOLLECT_CONTACT", value)
    assert "hunter2" not in str(refused.value)


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
