"""No reply may hold a key of ours, and no chat may name a file outside the persona folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from graph.personas import MAX_PERSONA_CHARS, PersonaFolder
from graph.secrets import secrets_of
from graph.settings import Settings
from memory.policy.rules import BadPolicy

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("the key is sk-abcdef123", True),
        ("call 123:token-a now", True),
        ("456:token-b", True),
        ("postgresql://ann:hush%21hush@db/x", True),
        ("the password is hush!hush", True),
        ("http://127.0.0.1:3000 is no secret", False),
        ("abc", False),
        ("", False),
    ],
)
def test_keys_tokens_and_passwords_are_found(text: str, is_found: bool) -> None:
    settings = Settings.model_validate(
        {
            "OPENAI_API_KEY": "sk-abcdef123",
            "telegram_tokens": "123:token-a, 456:token-b",
            "database_url": "postgresql://ann:hush%21hush@db/x",
            "waha_api_key": "abc",
        }
    )
    assert secrets_of(settings).are_in(text) is is_found


def test_without_secrets_nothing_is_found() -> None:
    assert not secrets_of(Settings()).are_in("anything at all")


async def test_a_persona_is_read_anew_each_time(tmp_path: Path) -> None:
    file = tmp_path / "nell.md"
    folder = PersonaFolder(tmp_path)
    for text in ("You are Nell.", "You are Nell the second."):
        file.write_text(text, encoding="utf-8")
        assert await folder.text("nell.md") == text
    file.write_text("x" * (MAX_PERSONA_CHARS + 1), encoding="utf-8")
    assert len(await folder.text("nell.md")) == MAX_PERSONA_CHARS


@pytest.mark.parametrize("name", ["../out.md", "gone.md", "/etc/passwd", ".", "link.md", "bad.md"])
async def test_nothing_outside_the_folder_is_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "out.md").write_text("secret", encoding="utf-8")
    folder = tmp_path / "personas"
    folder.mkdir()
    (folder / "link.md").symlink_to(tmp_path / "out.md")
    (folder / "bad.md").write_bytes(b"\xff\xfe")
    with pytest.raises(BadPolicy, match="persona file"):
        await PersonaFolder(folder).text(name)


async def test_without_a_folder_there_are_no_files() -> None:
    with pytest.raises(BadPolicy, match="RECOLLECT_PERSONA_DIR"):
        await PersonaFolder(None).text("nell.md")
