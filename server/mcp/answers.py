"""What the tools take and give. Their JSON schemas are what a model sees of them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from memory.domain.recalls import Part

MAX_WORDS = 4_096
MAX_HITS = 20

Words = Annotated[str, Field(min_length=1, max_length=MAX_WORDS)]
Who = Annotated[
    str,
    Field(
        max_length=300,
        description="Id of the contact that it is about, as list_contacts gives it: telegram:12345",
    ),
]


class Taken(BaseModel):
    """Arguments of a tool: what it does not know it refuses."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Asked(Taken):
    """Arguments of the tool that searches."""

    query: Words = Field(description="A question or a few words: what is to be found out.")
    limit: int = Field(
        default=5,
        ge=1,
        le=MAX_HITS,
        description="How many facts, notes and messages each, at most.",
    )


class Listing(Taken):
    """Arguments of the tool that lists facts."""

    as_of: str = Field(
        default="",
        max_length=40,
        description="A day such as 2026-03-31, for what was so then. Without it: what is so now.",
    )


class Told(Taken):
    """Arguments of the tool that remembers."""

    text: str = Field(
        min_length=1,
        max_length=MAX_WORDS,
        description="One thing in one sentence, or a fact as KEY: VALUE, such as home: Berlin.",
    )


class Forgetting(Taken):
    """Arguments of the tool that forgets."""

    words: str = Field(
        min_length=1,
        max_length=300,
        description="A fact's key (home), words that all stand in it, or an id from search_memory.",
    )


class Wanted(Taken):
    """Arguments of the tool that tells who a contact is."""

    query: str = Field(
        default="", max_length=MAX_WORDS, description="What the conversation is about now."
    )


class Looked(Taken):
    """Arguments of the tool that lists contacts."""

    search: str = Field(default="", max_length=100, description="Part of a name or of an id.")
    after: str = Field(
        default="", max_length=300, description="The last contact of the page before this one."
    )


class Hit(BaseModel):
    """Something that was found; `day` is the day it was said or began, in UTC."""

    kind: Literal["fact", "note", "message", "episode"]
    text: str
    day: str
    who: str
    score: float
    id: str


class Found(BaseModel):
    """What a search found: facts and notes, messages, then episodes, each the best first.

    `missing` are parts of memory that could not be asked.
    """

    results: list[Hit]
    missing: list[Part]


class KnownFact(BaseModel):
    """A fact; `until` is the day on which it ended or will end, null where it has no end."""

    key: str
    value: str
    since: str
    until: str | None
    said_by: str
    how: Literal["corrected", "said", "guessed"]


class Known(BaseModel):
    """Facts, the most important first."""

    facts: list[KnownFact]


class Kept(BaseModel):
    """What became of a text: a note with its id, or a fact. `now` is what the fact's key holds."""

    kept_as: Literal["note", "fact"]
    id: str = ""
    now: list[str] = Field(default_factory=list)


class Gone(BaseModel):
    """What holds no more, and how many messages no search finds any longer."""

    forgotten: list[str]
    messages_withheld: int


class Person(BaseModel):
    """A contact of the tenant; `last_seen` is the day on which they wrote last, in UTC."""

    contact: str
    name: str
    channel: str
    last_seen: str


class People(BaseModel):
    """A page of contacts, by id; `next_after` leads to the next one, empty at the end."""

    contacts: list[Person]
    next_after: str
