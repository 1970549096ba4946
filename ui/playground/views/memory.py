"""The memory of a person: what is known, where it was said, and what is to be done about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import gradio as gr
from gradio.components import Component

from graph.agent import Agent
from memory.domain.facts import Fact, Observation
from memory.errors import RecollectError
from memory.facts.corrector import Corrector, UnknownKind
from memory.facts.keeping import Keeper
from memory.facts.marker import Marker
from memory.facts.notebook import About, Notebook
from memory.facts.predicates import key_in_words
from ui.playground.known import read_known
from ui.playground.learned import read_lessons
from ui.playground.memory_page import MEMORY_SCRIPT, shell_html
from ui.playground.render_learned import learned_part
from ui.playground.render_memory import facts_part
from ui.playground.render_notes import WRITTEN_HERE, notes_part
from ui.playground.render_search import search_part
from ui.playground.searching import search_everything
from ui.playground.sentences import sentence_of
from ui.playground.views.erasing import ErasingPart
from ui.playground.views.rules import Answer, Asked, RulesPart

LONGEST_SEQ: Final = 18
"""So many digits no place in the ledger has."""


class MemoryView:
    """What is remembered of the person who is chosen, in parts that each have an address."""

    name = "memory"
    title = "Memory"

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._parts: dict[str, Callable[[Asked], Awaitable[str]]] = {
            "facts": self._facts,
            "search": self._search,
            "learned": self._learned,
            "notes": self._notes,
            "rules": self._rules.shown,
        }
        self._acts: dict[str, Callable[[Asked], Awaitable[Answer]]] = {
            "add": self._add,
            "edit": self._edit,
            "forget": self._forget,
            "undo": self._undo,
            "pin": self._pin,
            "unpin": self._unpin,
            "withhold": self._withhold,
            "show": self._show_again,
            "never": self._never,
            "recall": self._recall,
            "note": self._note,
            "unnote": self._unnote,
            "weigh": self._erasing.weigh,
            "erase": self._erasing.erase,
            "rule": self._rules.add,
            "unrule": self._rules.remove,
            "meant": self._rules.meant,
            "clear": self._rules.clear,
            "unclear": self._rules.undo,
        }

    def draw(self, contact: gr.State) -> list[Component]:
        """Put the view on the page: what is chosen on it is filled in by the script."""

        async def ask(asked: Any) -> Answer:  # Any: what the page's script sends
            # A lone surrogate can be typed, and neither stored nor sent back.
            typed = {str(k): str(v).encode("utf-8", "replace").decode() for k, v in asked.items()}
            return await self.answer(typed)

        return [
            gr.HTML(
                js_on_load=MEMORY_SCRIPT,
                elem_id="rc-memory",
                apply_default_css=False,
                server_functions=[ask],
            )
        ]

    async def show(self, contact_id: str) -> list[Any]:  # Any: a value for each component
        """Return the facts of a contact in the view's frame."""
        return await self.show_at(contact_id, {})

    async def show_at(self, contact_id: str, address: Mapping[str, str]) -> list[Any]:
        """Return the part that the address names, and what it asks for."""
        part, query = address.get("part", "facts"), address.get("q", "")
        asked = {"contact": contact_id, "part": part, "q": query}
        filled, stores = await self._part(asked), self._agent.stores
        is_known = await stores.memory.exports.is_known(stores.settings.tenant, contact_id)
        return [shell_html(contact_id, part, query, filled, is_known=is_known)]

    async def answer(self, asked: Asked) -> Answer:
        """Do what the page asks for: `html` of a part, what was `said` of an act, or an `error`.

        `asked`: `contact`, the `part` to show, and what to `do` before, with its values. `act`
        comes with what can be undone, `gone` with what would go or went with the person.
        """
        try:
            done = self._acts.get(asked.get("do", ""))
            told = await done(asked) if done else {}
            if told.keys() & {"gone", "error"}:
                return told
            return {**told, "html": await self._part(asked)}
        except RecollectError as error:
            return {"error": sentence_of(error)}

    async def _part(self, asked: Asked) -> str:
        return await self._parts.get(asked.get("part", ""), self._facts)(asked)

    async def _facts(self, asked: Asked) -> str:
        memory = self._agent.stores.memory
        known = await read_known(memory, self._agent.stores.settings.tenant, asked["contact"])
        return facts_part(known)

    async def _search(self, asked: Asked) -> str:
        query = asked.get("q", "")
        found = await search_everything(self._agent.stores, asked["contact"], query)
        return search_part(query, found)

    async def _learned(self, asked: Asked) -> str:
        stores, before = self._agent.stores, asked.get("before", "")
        at = int(before) if before.isdecimal() and len(before) < LONGEST_SEQ else 0
        tenant = stores.settings.tenant
        told = await read_lessons(stores.memory, tenant, asked["contact"], at)
        return learned_part(told, is_latest=not at)

    async def _notes(self, asked: Asked) -> str:
        tenant, contact = self._agent.stores.settings.tenant, asked["contact"]
        every = await self._agent.stores.memory.notes.every(tenant)
        theirs = [n for n in every if n.scope == "contact" and n.contact_id == contact]
        return notes_part([*(n for n in every if n.scope == "tenant"), *theirs])

    async def _add(self, asked: Asked) -> Answer:
        key, value = asked["key"], asked["value"]
        try:
            held = await self._corrector.set(asked["contact"], key, value)
        except UnknownKind as error:
            # A note takes what no kind of fact does.
            return {"error": f"{error.told}.", "note": f"{key.strip()}: {value.strip()}"}
        return {"said": f"Kept: {_told(held[-1])}." if held else "Kept."}

    async def _edit(self, asked: Asked) -> Answer:
        key, text, value = asked["key"], asked["text"], asked["value"]
        held = await self._corrector.set(asked["contact"], key, text, value)
        act = max(held, key=lambda fact: fact.recorded_from).source_uid if held else ""
        return {"said": f"{key_in_words(key)}: {value} is {text} now.", "act": act}

    async def _forget(self, asked: Asked) -> Answer:
        key, value = asked["key"], asked["value"]
        taken = await self._corrector.forget_value(asked["contact"], key, value)
        act = taken.facts[0].source_uid
        kept = " What else its message says can still be found." * bool(taken.shortened)
        return {"said": f"Forgotten: {key_in_words(key)} {value}.{kept}", "act": act}

    async def _undo(self, asked: Asked) -> Answer:
        undone = await self._corrector.undo(asked["contact"], asked["act"])
        told = ", ".join(_told(e) for e in undone if e.retracts)
        return {"said": f"Undone. {told} holds again." if told else "Undone."}

    async def _pin(self, asked: Asked) -> Answer:
        fact = await self._marker.pin(asked["contact"], asked["key"], asked["value"])
        return {"said": f"Pinned: {_told(fact)} is in every prompt."}

    async def _unpin(self, asked: Asked) -> Answer:
        fact = await self._marker.unpin(asked["contact"], asked["key"], asked["value"])
        return {"said": f"Unpinned: {_told(fact)} is shown where it fits."}

    async def _withhold(self, asked: Asked) -> Answer:
        fact = await self._marker.withhold(asked["contact"], asked["key"], asked["value"])
        return {"said": f"{_told(fact)} stands below, and is never recalled."}

    async def _show_again(self, asked: Asked) -> Answer:
        fact = await self._marker.show_again(asked["contact"], asked["key"], asked["value"])
        return {"said": f"{_told(fact)} can be recalled again."}

    async def _never(self, asked: Asked) -> Answer:
        await self._corrector.never_recall(asked["contact"], asked["uid"])
        return {"said": "It stays in the transcript, and is never recalled."}

    async def _recall(self, asked: Asked) -> Answer:
        await self._corrector.recall_again(asked["contact"], asked["act"])
        return {"said": "It can be recalled again."}

    async def _note(self, asked: Asked) -> Answer:
        kind = next((each for each in WRITTEN_HERE if each == asked.get("kind")), WRITTEN_HERE[0])
        written = await self._notebook.add(asked["text"], kind, About(asked["contact"]))
        known = ", ".join(f"{_told(fact)}" for fact in written.facts)
        return {"said": f"Known now: {known}." if known else "Written down."}

    async def _unnote(self, asked: Asked) -> Answer:
        about = About(asked["contact"])
        await self._notebook.forget(asked["uid"], ("semantic", "reflective"), about)
        return {"said": "Forgotten."}

    @property
    def _notebook(self) -> Notebook:
        stores = self._agent.stores
        return Notebook(stores.memory, stores.clock, stores.ids, stores.settings.tenant)

    @property
    def _erasing(self) -> ErasingPart:
        return ErasingPart(self._agent.stores)

    @property
    def _rules(self) -> RulesPart:
        return RulesPart(Keeper(self._corrector))

    @property
    def _marker(self) -> Marker:
        return Marker(self._corrector)

    @property
    def _corrector(self) -> Corrector:
        stores = self._agent.stores
        return Corrector(stores.memory, stores.clock, stores.ids, stores.settings.tenant)


def _told(fact: Fact | Observation) -> str:
    return f"{key_in_words(fact.key)} {fact.value}"
