"""The settings view on real stores: edited, refused at the field, and decided as the gate does."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from graph.agent import Agent
from graph.bootstrap import agent_on
from graph.personas import PersonaFile
from graph.settings import Settings, settings_from
from graph.stores import Stores
from tests.fakes.chat_model import ScriptedChatModel
from tests.messages import message
from ui.playground.serving import import_gradio

import_gradio()

from ui.playground.views.settings import SettingsView  # noqa: E402  # gradio is imported first

pytestmark = pytest.mark.anyio


@pytest.fixture
def agent(stores: Stores) -> Agent:
    return agent_on(stores)


@pytest.fixture
def view(agent: Agent) -> SettingsView:
    return SettingsView(agent)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "settings.env"
    path.write_text("OPENAI_API_KEY='sk-${x'\nRECOLLECT_WINDOW='30'\n", encoding="utf-8")
    monkeypatch.setenv("RECOLLECT_SETTINGS_FILE", str(path))
    return path


COMMENTED = "# the key is in the vault\nOPENAI_API_KEY=${VAULT_KEY}\n\n# what fits\n"


@pytest.fixture
def commented(file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("VAULT_KEY", "sk-of-the-vault")
    file.write_text(f"{COMMENTED}RECOLLECT_WINDOW=30\n# the end\n", encoding="utf-8")
    return file


def text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8")


async def ask(view: SettingsView, **asked: str) -> str:
    told = await view.answer(asked)
    return told.get("said", "") + told.get("error", "") + told.get("html", "")


async def errors(view: SettingsView, **asked: str) -> dict[str, str]:
    told: dict[str, str] = json.loads((await view.answer(asked)).get("errors", "{}"))
    return told


def policy(**rules: str) -> dict[str, str]:
    return {"do": "policy", "scope": "waha", **rules}


async def test_a_policy_is_edited_and_what_is_wrong_is_said_at_its_field(
    view: SettingsView, agent: Agent
) -> None:
    wrong = await errors(view, **policy(debounce_ms="soon", reply_group="all", persona_file="a/b"))
    assert wrong == {
        "debounce_ms": "must be a whole number",
        "persona_file": "must be the name of a file, without a folder",
    }
    html = await ask(view, **policy(reply_group="all", blocked="4915, 4916", takeover_s="60"))
    assert "waha is version 1 now" in html
    assert "<option selected>all</option>" in html
    assert "value='4915, 4916'" in html
    assert "is so already" in await ask(
        view, **policy(reply_group="all", blocked="4916,4915", takeover_s="60")
    )
    held = await agent.stores.memory.policies.resolve(message("x", chat="g").chat)
    assert held.reply_group == "mention_only"
    assert "no channel" in (await errors(view, do="scope", scope="signal"))["scope"]
    assert "inherited: all" in await ask(view, do="scope", scope="waha/shop/g@g.us")
    (version,) = await agent.stores.memory.policies.newest(agent.stores.settings.tenant)
    assert (version.by, version.layer.takeover_s) == ("page", 60)


async def test_a_message_is_decided_as_the_gate_would(view: SettingsView) -> None:
    def sample(text: str, **more: str) -> dict[str, str]:
        return {"do": "preview", "text": text, "sender": "4915", "where": "waha", **more}

    assert "<code>every_message</code>" in await ask(view, **sample("Hi"))
    group = await ask(view, **sample("Hi", place="group"))
    assert "<code>not_addressed</code>" in group
    assert "it answers who mentions it" in group
    assert "<code>addressed</code>" in await ask(view, **sample("Hi", place="group", mentions="1"))
    assert "It would be answered" in await ask(view, **sample("/policy"))
    assert "by a rule: credentials" in await ask(view, **sample("my password is hunter2"))
    await ask(view, **policy(from_others="refused"))
    assert "“Only the owner" in await ask(view, **sample("/policy"))
    await ask(view, **policy(blocked="+4915"))
    assert "The sender is blocked" in await ask(view, **sample("Hi"))
    assert "no channel" in (await errors(view, **sample("Hi", where="pigeon")))["where"]


async def test_a_setting_is_kept_in_the_file_beside_its_secrets(
    view: SettingsView, file: Path
) -> None:
    html = await ask(view, do="setting", name="memory_tokens", value="4000")
    assert "It holds after a restart." in html
    assert "After a restart: 4000" in html
    read = settings_from(file)
    assert (read.memory_tokens, read.window) == (4000, 30)
    assert read.openai_api_key.get_secret_value() == "sk-${x"
    wrong = await errors(view, do="setting", name="window", value="9")
    assert wrong == {"value": "Input should be greater than or equal to 10"}
    assert "init" in (await errors(view, do="setting", name="model", value="x"))["value"]
    await ask(view, do="setting", name="window", value="")
    assert settings_from(file).window == Settings().window


async def test_a_comment_and_a_reference_stay_when_something_else_is_changed(
    view: SettingsView, commented: Path
) -> None:
    await ask(view, do="setting", name="window", value="40")
    await ask(view, do="setting", name="memory_tokens", value="4000")
    own = f"{COMMENTED}RECOLLECT_WINDOW='40'\n# the end\n"
    assert text_of(commented) == own + "RECOLLECT_MEMORY_TOKENS='4000'\n"
    assert settings_from(commented).openai_api_key.get_secret_value() == "sk-of-the-vault"
    await ask(view, do="setting", name="memory_tokens", value="")
    await ask(view, do="persona", persona="I am Otto.")
    assert text_of(commented).startswith(f"{own}RECOLLECT_PERSONA_FILE='")


async def test_secrets_are_told_to_be_set_and_never_what_they_are(
    stores: Stores, file: Path
) -> None:
    given = {"api_key": SecretStr("0123456789abcdef"), "waha_api_key": SecretStr("wahasecret")}
    changed = stores.settings.model_copy(update=given)
    view = SettingsView(agent_on(_with(stores, changed)))
    (html,) = await view.show("web:me")
    assert "<code>RECOLLECT_API_KEY</code> <b>set</b>" in html
    assert "<code>RECOLLECT_TELEGRAM_SECRET</code> <b>not set</b>" in html
    for secret in ("0123456789abcdef", "wahasecret", "sk-$", changed.database_url):
        shown = secret.get_secret_value() if isinstance(secret, SecretStr) else str(secret)
        assert shown not in html


async def test_the_persona_holds_from_the_next_turn_where_its_file_is_known(
    stores: Stores, file: Path, model: ScriptedChatModel
) -> None:
    first = SettingsView(agent_on(stores))
    assert "empty" in (await errors(first, do="persona", persona="  "))["persona"]
    assert "after a restart" in await ask(first, do="persona", persona="I am Otto.")
    assert settings_from(file).persona() == "I am Otto.\n"
    (html,) = await first.show("web:me")
    assert "I am Otto." in html
    named = stores.settings.model_copy(update={"persona_file": file.with_name("persona.txt")})
    agent = agent_on(_with(stores, named))
    assert "next turn" in await ask(SettingsView(agent), do="persona", persona="I am Ida.")
    said = message("Who are you?", tenant=named.tenant)
    _ = [event async for event in agent.send(said)]
    assert "I am Ida." in model.prompts[-1][0].text


def _with(stores: Stores, settings: Settings) -> Stores:
    return replace(stores, settings=settings, persona=PersonaFile(settings))
