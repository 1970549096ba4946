"""A contact's facts: now, on a day, with their history; and their correction by people (L3)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Final, Self
from uuid import UUID

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, ConfigDict, model_validator

from memory.domain.chats import is_uid
from memory.domain.facts import Fact, MarkKind
from memory.facts.asof import moment_of
from memory.facts.correcting import taken_back_to_json
from memory.facts.corrector import MAX_VALUE_CHARS, Corrector, UnknownFact, checked_key
from memory.facts.ended import ever_known
from memory.facts.listing import facts_of, listed, listed_to_json
from memory.facts.marker import Marker
from server.http import examples
from server.http.body import described, read_model
from server.http.contacts import ContactId
from server.http.document import WITH_BODY, failing
from server.http.errors import Refused, of_parameter
from server.http.patterns import LINE
from server.service import Service, Serving

router = APIRouter()

Key = Annotated[str, Path(min_length=1, max_length=60, pattern=LINE)]
FactId = Annotated[UUID, Path(description="The id of a fact that holds.")]
Value = Annotated[str, Query(max_length=MAX_VALUE_CHARS, pattern=LINE)]
Day = Annotated[str | None, Query(max_length=40)]


class Stated(BaseModel):
    """What is so from now on, in place of another value where a key has several."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: str
    instead: str = ""


class Corrected(BaseModel):
    """What a fact says from now on, or the mark that it gets; an empty one takes it away."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: str | None = None
    mark: MarkKind | None = None

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if (self.value is None) == (self.mark is None):
            raise ValueError("give a value, or a mark")
        return self


_PUT: Final = described(Stated, {"value": "York", "instead": "Leeds"})
_PATCH: Final = described(Corrected, {"value": "York"})


@router.get("/contacts/{contact_id}/facts", responses=examples.FACTS)
async def facts(
    contact_id: ContactId,
    service: Serving,
    at: Day = None,
    as_of: Day = None,
    known: Day = None,
    every: Annotated[bool, Query(alias="all")] = False,
    withheld: bool = False,
) -> dict[str, Any]:
    """Return a contact's facts, with who said them when; those of a day, or all that ever held.

    `at`, or `as_of`: what held at a day's end (UTC) or a time; `known`: as it was known then.
    `withheld`: with those that are never to be recalled, which nobody but the owner is to see.

    Raises:
        Refused: both `at` and `as_of` are sent.
    """
    if at is not None and as_of is not None:
        raise Refused(422, "at and as_of are one: send either")
    memory, tenant = service.agent.stores.memory, service.settings.tenant
    held = _moment("at", at) or _moment("as_of", as_of)
    days = held, _moment("known", known)
    found = await facts_of(memory, tenant, contact_id, *days, every=every, withheld=withheld)
    shown = [listed_to_json(each) for each in await listed(memory, tenant, found)]
    return {"contact_id": contact_id, "facts": shown}


def _moment(name: str, day: str | None) -> datetime | None:
    if day is None:
        return None
    with of_parameter(name):
        return moment_of(day, UTC)


@router.get("/contacts/{contact_id}/facts/{key}/history", responses=examples.HISTORY)
async def history(contact_id: ContactId, key: Key, service: Serving) -> dict[str, Any]:
    """Return all that was ever said of one kind of fact, in the order of recording.

    Raises:
        BadCorrection: there is no such kind.
    """
    memory, tenant = service.agent.stores.memory, service.settings.tenant
    name = checked_key(key).key
    rows = [row for row in await memory.all_facts.history(tenant, contact_id) if row.key == name]
    shown = [listed_to_json(each) for each in await listed(memory, tenant, rows)]
    return {"contact_id": contact_id, "key": name, "history": shown}


@router.put(
    "/contacts/{contact_id}/facts/{key}",
    openapi_extra=_PUT,
    responses=examples.FACTS | failing(404, *WITH_BODY),
)
async def state(
    contact_id: ContactId, key: Key, request: Request, service: Serving
) -> dict[str, Any]:
    """Let a contact have a value (`Stated`); return what the key holds then.

    Raises:
        BadCorrection: there is no such key, or it cannot have this value.
        Refused: it has no value `instead` of which this one could be (404).
    """
    stated = await read_model(request, Stated)
    try:
        held = await _corrector(service).set(contact_id, key, stated.value, stated.instead)
    except UnknownFact as error:
        raise Refused(404, str(error)) from error
    memory, tenant = service.agent.stores.memory, service.settings.tenant
    shown = [listed_to_json(each) for each in await listed(memory, tenant, held)]
    return {"contact_id": contact_id, "facts": shown}


@router.patch(
    "/contacts/{contact_id}/facts/{key}",
    openapi_extra=_PATCH,
    responses=examples.FACTS | failing(404, *WITH_BODY),
)
async def correct(
    contact_id: ContactId, key: FactId, request: Request, service: Serving
) -> dict[str, Any]:
    """Let a fact have another value or a mark (`Corrected`); return what its key holds then.

    `key` is the id of a fact here. A person's correction outranks whatever was read, and says so:
    `how` is `corrected`. A mark of `pinned` puts it into every prompt, `withheld` into none.

    Raises:
        BadCorrection: the fact cannot have this value, or this mark.
        Refused: no such fact holds (404).
    """
    corrected = await read_model(request, Corrected)
    fact = await _held(service, contact_id, str(key))
    try:
        if corrected.value is not None:
            held = await _corrector(service).set(contact_id, fact.key, corrected.value, fact.value)
        else:
            held = [await _marked(service, contact_id, fact, corrected.mark or "")]
    except UnknownFact as error:
        raise Refused(404, str(error)) from error
    memory, tenant = service.agent.stores.memory, service.settings.tenant
    shown = [listed_to_json(each) for each in await listed(memory, tenant, held)]
    return {"contact_id": contact_id, "facts": shown}


@router.delete("/contacts/{contact_id}/facts/{key}", responses=examples.FORGOTTEN | failing(404))
async def forget(
    contact_id: ContactId, key: Key, service: Serving, value: Value = ""
) -> dict[str, Any]:
    """Forget a value of a key, all it ever had, or the fact of an id; say what is withheld with it.

    `key`: a key, or the id of a fact; it may have ended.

    Raises:
        BadCorrection: there is no such key.
        Refused: nothing of the kind is known (404).
    """
    if is_uid(key):
        memory, tenant = service.agent.stores.memory, service.settings.tenant
        known = (await ever_known(memory, tenant, contact_id)).all
        fact = next((fact for fact in known if fact.fact_id == key), None)
        if fact is None:
            raise Refused(404, "no such fact is known")
        key, value = fact.key, fact.value
    try:
        taken = await _corrector(service).forget_value(contact_id, key, value)
    except UnknownFact as error:
        told = f"nothing of the kind is known: GET /contacts/{contact_id}/facts lists what is"
        raise Refused(404, told) from error
    return {"contact_id": contact_id, **taken_back_to_json(taken)}


async def _marked(service: Service, contact_id: str, fact: Fact, mark: MarkKind) -> Fact:
    marker = Marker(_corrector(service))
    if mark == fact.mark:
        return fact
    if mark == "pinned":
        return await marker.pin(contact_id, fact.key, fact.value)
    if mark == "withheld":
        return await marker.withhold(contact_id, fact.key, fact.value)
    ends = marker.unpin if fact.mark == "pinned" else marker.show_again
    return await ends(contact_id, fact.key, fact.value)


async def _held(service: Service, contact_id: str, fact_id: str) -> Fact:
    memory, tenant = service.agent.stores.memory, service.settings.tenant
    for fact in await memory.all_facts.active(tenant, contact_id):
        if fact.fact_id == fact_id:
            return fact
    raise Refused(404, "no such fact holds")


def _corrector(service: Service) -> Corrector:
    stores = service.agent.stores
    return Corrector(stores.memory, stores.clock, stores.ids, service.settings.tenant)
