"""The settings: who the agent is, whom it answers, how a message would be decided."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import gradio as gr
from gradio.components import Component

from graph.agent import Agent
from graph.personas import MAX_PERSONA_CHARS
from memory.domain.chats import ChatRef
from memory.errors import RecollectError
from memory.policy.file import edited
from memory.policy.rules import DEFAULT_PERSONA_FILE, BadPolicy, Layer, parse_scope
from ui.playground.deciding import ACCOUNT, Sample, previewed
from ui.playground.render_settings import (
    FIELDS,
    page_html,
    persona_html,
    policy_html,
    preview_html,
    settings_html,
)
from ui.playground.sentences import sentence_of
from ui.playground.settings_page import SETTINGS_SCRIPT
from ui.settings_editor import keep_persona, persona_now, rows, set_value

BY: Final = "page"
"""Who changed a policy, as its versions tell."""

Asked = Mapping[str, str]
Answer = dict[str, str]


class SettingsView:
    """What holds for everybody, whoever is chosen at the left."""

    name = "settings"
    title = "Settings"

    def __init__(self, agent: Agent) -> None:
        self._stores = agent.stores
        self._acts: dict[str, Callable[[Asked], Awaitable[Answer]]] = {
            "persona": self._persona,
            "scope": self._scope,
            "policy": self._policy,
            "preview": self._preview,
            "setting": self._setting,
        }

    def draw(self, contact: gr.State) -> list[Component]:
        """Put the view on the page: its forms are answered by the script."""

        async def ask(asked: Any) -> Answer:  # Any: what the page's script sends
            typed = {str(k): str(v).encode("utf-8", "replace").decode() for k, v in asked.items()}
            return await self.answer(typed)

        return [
            gr.HTML(
                js_on_load=SETTINGS_SCRIPT,
                elem_id="rc-settings",
                apply_default_css=False,
                server_functions=[ask],
            )
        ]

    async def show(self, contact_id: str) -> list[Any]:  # Any: a value for each component
        """Return persona, policy and settings as they are."""
        persona = await asyncio.to_thread(persona_now, self._stores.settings)
        listed = await asyncio.to_thread(rows, self._stores.settings)
        return [
            page_html(
                persona_html(persona, MAX_PERSONA_CHARS),
                await self._policy_of("waha"),
                settings_html(listed),
            )
        ]

    async def answer(self, asked: Asked) -> Answer:
        """Do what a form asks for: the `html` of its part, what was `said`, or what is wrong.

        `errors`: by field, as JSON; `error`: what is about none.
        """
        act = self._acts.get(asked.get("do", ""))
        try:
            return await act(asked) if act else {}
        except RecollectError as error:
            return {"error": sentence_of(error)}

    async def _persona(self, asked: Asked) -> Answer:
        settings = self._stores.settings
        try:
            is_now = await asyncio.to_thread(keep_persona, settings, asked["persona"])
        except RecollectError as error:
            return _wrong("persona", error)
        when = "from the next turn on" if is_now else "after a restart"
        return {"said": f"Kept. The persona holds {when}."}

    async def _scope(self, asked: Asked) -> Answer:
        try:
            return {"html": await self._policy_of(parse_scope(asked["scope"]))}
        except BadPolicy as error:
            return _wrong("scope", error)

    async def _policy(self, asked: Asked) -> Answer:
        scope = parse_scope(asked["scope"])
        given = {name: _value(name, asked.get(name, "")) for name in FIELDS}
        errors = {}
        for name, value in given.items():
            try:
                edited(Layer(), {name: value})
                if name == "persona_file" and value not in (None, DEFAULT_PERSONA_FILE):
                    await self._stores.memory.personas.text(str(value))
            except BadPolicy as error:
                errors[name] = str(error).removeprefix(f"{name}: ").removeprefix(f"{name} ")
        if errors:
            return {"errors": json.dumps(errors)}
        made = await self._stores.memory.policies.change(
            self._stores.settings.tenant,
            {scope: lambda layer: edited(layer, given)},
            BY,
            self._stores.clock(),
        )
        html = await self._policy_of(scope)
        if not made:
            return {"said": f"{scope} is so already.", "html": html}
        said = f"Kept: {scope} is version {made[0].version} now, from the next turn on."
        return {"said": said, "html": html}

    async def _preview(self, asked: Asked) -> Answer:
        sample = Sample(
            asked["text"],
            asked["sender"],
            asked["where"].strip() or "web",
            is_group=asked.get("place") == "group",
            mentions_agent=bool(asked.get("mentions")),
        )
        try:
            return {"html": preview_html(await previewed(self._stores, sample), asked)}
        except BadPolicy as error:
            return _wrong("where", error)

    async def _setting(self, asked: Asked) -> Answer:
        try:
            await asyncio.to_thread(set_value, asked["name"], asked["value"])
        except RecollectError as error:
            return _wrong("value", error)
        listed = await asyncio.to_thread(rows, self._stores.settings)
        said = "Kept in the settings file. It holds after a restart."
        return {"said": said, "html": settings_html(listed)}

    async def _policy_of(self, scope: str) -> str:
        policies, tenant = self._stores.memory.policies, self._stores.settings.tenant
        every = await policies.newest(tenant)
        layer = next((each.layer for each in every if each.scope == scope), Layer())
        channel, _, rest = scope.partition("/")
        account, _, chat_id = rest.partition("/")
        holds = await policies.resolve(ChatRef(tenant, channel, account or ACCOUNT, chat_id))
        return policy_html(scope, layer, holds, [each.scope for each in every])


def _wrong(field: str, error: RecollectError) -> Answer:
    return {"errors": json.dumps({field: str(error)})}


def _value(name: str, text: str) -> object:
    """Return what was typed as a layer takes it; None where nothing was."""
    clean = text.strip()
    if not clean:
        return None
    if name == "blocked" or (name in ("allowed", "tools") and clean not in ("everyone", "all")):
        return [part.strip() for part in clean.split(",") if part.strip()]
    return clean
