"""The doctor shows every setting and no secret, also where a check breaks."""

from __future__ import annotations

import re

import pytest
from pydantic import SecretStr

from graph.settings import Settings
from ui.doctor import Checkup, setting_lines


def test_every_setting_has_a_line_and_no_secret_shows() -> None:
    settings = Settings(
        database_url=SecretStr("postgresql://ann:s3cret@db.example:5433/app"),
        neo4j_uri="bolt://neo:s3cret@graph.example:7687",
        neo4j_password=SecretStr("s3cret"),
        waha_api_key=SecretStr("s3cret"),
    )
    lines = setting_lines(settings)
    text = "\n".join(lines)
    assert len(lines) == len(Settings.model_fields)
    assert "s3cret" not in text
    assert "RECOLLECT_DATABASE_URL=db.example:5433/app" in text
    assert "RECOLLECT_NEO4J_URI=bolt://graph.example:7687" in text
    assert "RECOLLECT_NEO4J_PASSWORD=****" in text
    assert "OPENAI_API_KEY=not set (default)" in text
    assert "RECOLLECT_CONTACT=me (default)" in text
    assert "RECOLLECT_CHAT_HISTORY=on (default)" in text
    assert "RECOLLECT_TENANTS=not set (default)" in text
    named = setting_lines(Settings.model_validate({"tenants": "waha/b=x,telegram/7=y"}))
    assert any(line.startswith("RECOLLECT_TENANTS=telegram/7=y,waha/b=x ") for line in named)


@pytest.mark.anyio
async def test_a_check_that_breaks_tells_kind_and_place_and_no_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: Settings) -> str:
        raise ValueError("invalid port: 's3cret@db.example'")

    monkeypatch.setattr(Settings, "persona", broken)
    checkup = Checkup(Settings())
    await checkup.run(["Persona"])
    written = capsys.readouterr().out
    assert re.fullmatch(r"  FAILED  Persona: ValueError at ui\.doctor:\d+\n", written), written
    assert checkup.failures == 1
