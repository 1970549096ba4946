"""Our memory as a store of LangGraph's: `BaseStore`, for a graph's `store=`.

Namespaces are `(tenant, contact, kind)` with kind `facts`, `notes` or `messages`, and
`(tenant, "house", "notes")`. Labels may hold no period, which ids of contacts do: `label` writes
them. What is searched, filtered, listed and cut to a page is so as in LangGraph's `InMemoryStore`,
which does it here, over what was found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final
from urllib.parse import unquote

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    validate_op_namespace,
)
from langgraph.store.memory import InMemoryStore
from typing_extensions import override

from graph.adapters.shelves import FactShelf, MessageShelf, Namespace, NoteShelf, NotKept, Shelf
from graph.adapters.threads import from_another_thread, loop_here
from graph.stores import Stores
from memory.recall.searching import search

HOUSE: Final = "house"
_SHELVES: Final[dict[str, Callable[[Stores, Namespace, str], Shelf]]] = {
    "facts": FactShelf,
    "notes": NoteShelf,
    "messages": MessageShelf,
}
_MAX_FILTERED: Final = 200


class MemoryStore(BaseStore):
    """Facts, notes and messages of a tenant's contacts, as items.

    `loop` is the one that the stores live on, by default the one that runs: another thread may call
    the methods that are not awaited.

    Raises:
        WrongThread: no loop runs here, and none is given.
    """

    def __init__(self, stores: Stores, loop: asyncio.AbstractEventLoop | None = None) -> None:
        self._stores = stores
        self._loop = loop or loop_here()

    def namespace(self, contact_id: str, kind: str) -> Namespace:
        """Return the namespace of a contact's facts, notes or messages; of nobody, the house's."""
        owner = label(contact_id) if contact_id else HOUSE
        return label(self._stores.settings.tenant), owner, kind

    @override
    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return from_another_thread(self._loop, self.abatch(ops))

    @override
    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        results: list[Result] = []
        puts: dict[tuple[Namespace, str], PutOp] = {}
        for op in ops:
            validate_op_namespace(op)
            results.append(await self._read(op))
            if isinstance(op, PutOp):
                # As LangGraph's own: a batch reads what was before it, its last write counts.
                puts[op.namespace, op.key] = op
        for op in puts.values():
            await self._write(op)
        return results

    async def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                shelf = self._shelf(op.namespace)
                return await shelf.get(op.key) if shelf else None
            case SearchOp():
                asks = (op.query or "").strip()
                found = await (self._found(op) if asks else self._listed(op.namespace_prefix))
                return _page(op, found)
            case ListNamespacesOp():
                scratch = InMemoryStore()
                for namespace in await self._namespaces():
                    scratch.put(namespace, "any", {})
                return scratch.batch([op])[0]
            case _:
                return None

    async def _write(self, op: PutOp) -> None:
        shelf = self._shelf(op.namespace)
        if shelf is None:
            raise NotKept(
                "a namespace is (TENANT, CONTACT, facts or notes), or (TENANT, house, notes)"
            )
        await (shelf.delete(op.key) if op.value is None else shelf.put(op.key, op.value))

    def _shelf(self, namespace: Namespace) -> Shelf | None:
        if len(namespace) != 3 or unquote(namespace[0]) != self._stores.settings.tenant:
            return None
        _, owner, kind = namespace
        if owner == HOUSE:
            return NoteShelf(self._stores, namespace, "") if kind == "notes" else None
        made = _SHELVES.get(kind)
        return made(self._stores, namespace, unquote(owner)) if made else None

    async def _namespaces(self) -> list[Namespace]:
        memory, tenant = self._stores.memory, self._stores.settings.tenant
        notes = [
            n for n in await memory.notes.every(tenant) if n.kind in ("semantic", "reflective")
        ]
        found = {
            *(self.namespace(each, "facts") for each in await memory.facts.contacts(tenant)),
            *(self.namespace(each.contact_id, "notes") for each in notes),
            *(self.namespace(each, "messages") for each in await memory.contents.contacts(tenant)),
        }
        return sorted(found)

    async def _listed(self, prefix: Namespace) -> list[SearchItem]:
        found: list[SearchItem] = []
        # Of whom it is named is known at once; who there is, is asked for where nobody is.
        named = [(*prefix[:2], kind) for kind in sorted(_SHELVES)] if len(prefix) > 1 else None
        for namespace in await self._namespaces() if named is None else named:
            shelf = self._shelf(namespace) if namespace[: len(prefix)] == prefix else None
            found += [_scored(item, None) for item in await shelf.items()] if shelf else []
        return found

    async def _found(self, op: SearchOp) -> list[SearchItem]:
        """Return what a contact's direct chat would recall: what fits, of each kind best first.

        Raises:
            NotKept: no contact is named, and what each may hear differs.
        """
        if len(op.namespace_prefix) < 2:
            raise NotKept("a search by words names whose memory it is: (TENANT, CONTACT)")
        tenant = self._stores.settings.tenant
        if unquote(op.namespace_prefix[0]) != tenant:
            return []
        owner = op.namespace_prefix[1]
        contact_id = "" if owner == HOUSE else unquote(owner)
        stores, wanted = self._stores, _MAX_FILTERED if op.filter else op.offset + op.limit
        query, now = str(op.query), stores.clock()
        found = await search(stores.memory, tenant, contact_id, query, now, wanted)
        facts = FactShelf(stores, self.namespace(contact_id, "facts"), contact_id)
        # A claim is of somebody else: no namespace of this contact's facts holds it.
        items = [
            _scored(facts.item(hit.fact), hit.score)
            for hit in found.facts
            if not (hit.note or hit.is_claim)
        ]
        noted = {hit.fact.fact_id: hit.score for hit in found.facts if hit.note}
        items += await self._noted(contact_id, noted)
        messages = MessageShelf(stores, self.namespace(contact_id, "messages"), contact_id)
        items += [_scored(messages.item(hit.stored), hit.score) for hit in found.messages]
        return items

    async def _noted(self, contact_id: str, scores: dict[str, float]) -> list[SearchItem]:
        shelf = NoteShelf(self._stores, self.namespace(contact_id, "notes"), contact_id)
        found = [
            (item, score)
            for item, uids in await shelf.kept()
            if (score := scores.get(uids[-1])) is not None
        ]
        return [_scored(item, score) for item, score in sorted(found, key=lambda pair: -pair[1])]


def label(text: str) -> str:
    """Return a tenant or a contact's id as a namespace's label: without periods, `%2E` instead.

    A contact whose id is that of the house is told from it by `%68ouse`.
    """
    if text == HOUSE:
        return f"%{ord(HOUSE[0]):X}{HOUSE[1:]}"
    return text.replace("%", "%25").replace(".", "%2E")


def _scored(item: Item, score: float | None) -> SearchItem:
    return SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score)


def _page(op: SearchOp, found: Sequence[SearchItem]) -> list[SearchItem]:
    """Return those of a prefix that pass the filter, from `offset` on, in their order."""
    scratch, by_place = InMemoryStore(), {(each.namespace, each.key): each for each in found}
    for each in by_place.values():
        scratch.put(each.namespace, each.key, each.value)
    page: Any = scratch.batch([op._replace(query=None)])[0]
    return [by_place[each.namespace, each.key] for each in page]
