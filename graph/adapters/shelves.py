"""What stands behind each namespace of the store: facts, notes, messages of one contact."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from langgraph.store.base import Item

from graph.stores import Stores
from memory.domain.chats import StoredMessage, is_uid
from memory.domain.facts import Fact
from memory.domain.notes import MemoryKind, Note
from memory.errors import RecollectError
from memory.facts.corrector import BadCorrection, Corrector, UnknownFact, checked_key
from memory.facts.listing import how_of
from memory.facts.notebook import About, Notebook, checked_text

Namespace = tuple[str, ...]
Value = Mapping[str, Any]  # Any: JSON, as LangGraph's stores take it

MAX_LISTED: Final = 200
"""Of a contact's messages so many are listed, the newest; a search finds all."""

_KEYED: Final = re.compile(r"store:[^:]*:(.*)", re.DOTALL)


class NotKept(RecollectError):
    """The store cannot keep this; docs/in-your-own-graph.md says what goes where."""


class Shelf(Protocol):
    """The items of one namespace."""

    async def items(self) -> list[Item]:
        """Return all, oldest first; of messages the newest `MAX_LISTED`."""
        ...

    async def get(self, key: str) -> Item | None:
        """Return an item; None where there is none."""
        ...

    async def put(self, key: str, value: Value) -> None:
        """Keep an item in place of any of the same key.

        Raises:
            NotKept, BadNote, BadCorrection: it is none that can be kept.
        """
        ...

    async def delete(self, key: str) -> None:
        """Let an item be no more; nothing where there is none."""
        ...


@dataclass(frozen=True, slots=True)
class FactShelf:
    """A contact's active facts. An item's key is a fact's, `pet=Rex` where a key has several."""

    stores: Stores
    namespace: Namespace
    contact_id: str

    async def items(self) -> list[Item]:
        """Return all, by importance."""
        tenant = self.stores.settings.tenant
        held = await self.stores.memory.facts.active(tenant, self.contact_id)
        return [self.item(fact) for fact in held]

    async def get(self, key: str) -> Item | None:
        """Return an item; None where there is none."""
        return next((item for item in await self.items() if item.key == key), None)

    async def put(self, key: str, value: Value) -> None:
        """State a fact by hand: `{"value": "Berlin"}`."""
        name, several, part = key.partition("=")
        known = checked_key(name)
        given = value.get("value", part if several else None)
        if not isinstance(given, str) or (several and given != part) or set(value) - {"value"}:
            raise NotKept('a fact is written {"value": TEXT}, and nothing else')
        if known.accumulates is not bool(several) or known.key != name:
            wanted = f"{known.key}=VALUE" if known.accumulates else known.key
            raise NotKept(f"the key of this fact is {wanted}")
        await self._corrector.set(self.contact_id, name, given)

    async def delete(self, key: str) -> None:
        """Forget a fact."""
        name, _, part = key.partition("=")
        if await self.get(key) is None:
            return
        try:
            await self._corrector.forget_value(self.contact_id, name, part)
        except (UnknownFact, BadCorrection):
            return

    @property
    def _corrector(self) -> Corrector:
        stores = self.stores
        return Corrector(stores.memory, stores.clock, stores.ids, stores.settings.tenant)

    def item(self, fact: Fact) -> Item:
        """Return a fact as an item."""
        known = checked_key(fact.key)
        return Item(
            value={
                "value": fact.value,
                "category": fact.category,
                "confidence": fact.confidence,
                "importance": fact.importance,
                "since": fact.valid_from.isoformat(),
                "how": how_of(fact),
            },
            key=f"{fact.key}={fact.value}" if known.accumulates else fact.key,
            namespace=self.namespace,
            created_at=fact.recorded_from,
            updated_at=fact.recorded_from,
        )


@dataclass(frozen=True, slots=True)
class NoteShelf:
    """The owner's notes about a contact or, without one, about the house: any small JSON object."""

    stores: Stores
    namespace: Namespace
    contact_id: str

    async def items(self) -> list[Item]:
        """Return all, oldest first."""
        return [item for item, _ in await self.kept()]

    async def kept(self) -> list[tuple[Item, list[str]]]:
        """Return each item with the ids of the notes that were put under its key, newest last."""
        return list((await self._kept()).values())

    async def get(self, key: str) -> Item | None:
        """Return an item; None where there is none."""
        found = (await self._kept()).get(key)
        return found[0] if found else None

    async def put(self, key: str, value: Value) -> None:
        """Write a note: `{"text": ...}`, or another JSON object of at most 600 characters."""
        if not key.isprintable():
            raise NotKept("a key is one line of characters that can be printed")
        replaced = (await self._kept()).get(key)
        ids = self.stores.ids
        stores, tenant = self.stores, self.stores.settings.tenant
        book = Notebook(stores.memory, stores.clock, lambda: f"store:{ids()}:{key}", tenant)
        await book.add(_text_of(value), self._kind, About(self.contact_id))
        if replaced:
            await self._forget(replaced[1])

    async def delete(self, key: str) -> None:
        """Forget a note."""
        found = (await self._kept()).get(key)
        if found:
            await self._forget(found[1])

    @property
    def _kind(self) -> MemoryKind:
        return "semantic" if self.contact_id else "reflective"

    async def _forget(self, uids: Sequence[str]) -> None:
        stores = self.stores
        await stores.memory.notes.forget(stores.settings.tenant, uids, stores.clock())

    async def _kept(self) -> dict[str, tuple[Item, list[str]]]:
        """Return by key the newest note, and the ids of all of that key."""
        memory, tenant = self.stores.memory, self.stores.settings.tenant
        notes = [
            note
            for note in await memory.notes.every(tenant)
            if note.kind == self._kind and note.contact_id == self.contact_id
        ]
        lines = await memory.ledger.messages(tenant, [note.uid for note in notes])
        keys = {line.uid: _key_of(line) for line in lines}
        found: dict[str, tuple[Item, list[str]]] = {}
        for note in notes:
            key = keys.get(note.uid, note.uid)
            before = found.pop(key, None)
            found[key] = self.item(note, key), [*(before[1] if before else ()), note.uid]
        return found

    def item(self, note: Note, key: str) -> Item:
        """Return a note as an item."""
        return Item(
            value=_value_of(note.text),
            key=key,
            namespace=self.namespace,
            created_at=note.written_at,
            updated_at=note.written_at,
        )


@dataclass(frozen=True, slots=True)
class MessageShelf:
    """What was said in a contact's direct chats, by the messages' ids. Only to be read."""

    stores: Stores
    namespace: Namespace
    contact_id: str

    async def items(self) -> list[Item]:
        """Return the newest `MAX_LISTED`, oldest first."""
        tenant = self.stores.settings.tenant
        ledger = self.stores.memory.ledger
        found = await ledger.page(tenant, self.contact_id, None, MAX_LISTED)
        return [self.item(each) for each in found if not each.withheld and each.message.text]

    async def get(self, key: str) -> Item | None:
        """Return a message; None where there is none that may be shown."""
        if not is_uid(key):
            return None
        tenant = self.stores.settings.tenant
        for each in await self.stores.memory.ledger.messages(tenant, [key]):
            said = each.message
            if said.anchor == f"contact:{self.contact_id}" and said.text and not each.withheld:
                return self.item(each)
        return None

    async def put(self, key: str, value: Value) -> None:
        """Refuse: what was said is what was said."""
        raise NotKept("messages are only read: they come in by a chat, or by our node store")

    async def delete(self, key: str) -> None:
        """Refuse, as `put` does."""
        await self.put(key, {})

    def item(self, stored: StoredMessage) -> Item:
        """Return a message as an item."""
        said = stored.message
        return Item(
            value={
                "text": said.text,
                "author": said.actor.value,
                "speaker": said.sender_name or said.sender_id,
                "sent_at": said.sent_at.isoformat(),
            },
            key=stored.uid,
            namespace=self.namespace,
            created_at=stored.arrived_at,
            updated_at=stored.edited_at or stored.arrived_at,
        )


def _key_of(line: StoredMessage) -> str:
    """Return the key under which a note was put; its id where it was written elsewhere."""
    found = _KEYED.fullmatch(line.message.message_id)
    return found[1] if found else line.uid


def _text_of(value: Value) -> str:
    """Return a value as a note's text, of which `_value_of` makes the same value again.

    Raises:
        NotKept: it is no JSON object.
        BadNote: it is too long.
    """
    text = value.get("text")
    # "home: Rome" would become a fact, and a brace would be read as JSON.
    is_plain = isinstance(text, str) and len(value) == 1 and not re.search(r": |^\{", text)
    if is_plain and str(text).strip() and checked_text(str(text)) == text:
        return str(text)
    try:
        # A note is one line with single spaces between words; of JSON escapes keep the others.
        dumped = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
        if not dumped.isprintable() or "  " in dumped:
            dumped = re.sub(r" (?= )", r"\\u0020", json.dumps(dict(value)))
        checked = checked_text(dumped)
    except (TypeError, ValueError) as error:
        raise NotKept("a note is a JSON object: texts, finite numbers, lists, objects") from error
    if json.loads(checked) != dict(value):
        raise NotKept("a note is a JSON object whose keys are texts")
    return checked


def _value_of(text: str) -> dict[str, Any]:  # Any: JSON
    if text.startswith("{"):
        try:
            found = json.loads(text)
        except ValueError:
            return {"text": text}
        if isinstance(found, dict):
            return found
    return {"text": text}
