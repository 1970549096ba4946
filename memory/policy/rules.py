"""How the agent behaves in a chat: layers of rules, merged into one policy. Pure.

The layers are the defaults (from the settings), the channel (`waha`) and the chat
(`waha/ACCOUNT/CHAT_ID`); the lower one wins field by field. Blocks add up instead: whom an upper
layer blocks no lower layer lets in by mentioning somebody else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Annotated, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from memory.domain.chats import ChatRef, Message
from memory.errors import RecollectError
from memory.policy.ids import plain_id
from memory.policy.keeping import CREDENTIALS, Rule

ReplyPolicy = Literal["all", "mention_only", "off"]
FromOthers = Literal["plain", "refused"]
LearnsFrom = Literal["everyone", "owner"]
PauseKind = Literal["takeover", "command"]

CHANNELS = ("waha", "telegram", "web")
EVERYONE: Literal["everyone"] = "everyone"
ALL_TOOLS: Literal["all"] = "all"
DEFAULT_PERSONA_FILE = "default"

MAX_DEBOUNCE_MS, MAX_DEBOUNCE_MAX_MS = 60_000, 300_000
MAX_TAKEOVER_S = 315_360_000  # ten years


class BadPolicy(RecollectError):
    """A policy, or the name of one, cannot be used."""


def _reply(value: object) -> object:
    # YAML 1.1 reads a bare `off` as false.
    return "off" if value is False else value


def _names(value: object) -> object:
    """Read a list of ids or names; YAML and JSON write ids as numbers, too."""
    if not isinstance(value, list | tuple | set | frozenset):
        raise ValueError("must be a list")
    names = [str(each).strip() for each in value if not isinstance(each, bool | float | dict)]
    if len(names) != len(value) or not all(names):
        raise ValueError("must be a list of texts, none of them empty")
    return frozenset(names)


def _names_or(word: str) -> Callable[[object], object]:
    def read(value: object) -> object:
        if value == word or value is None:
            return value
        if not isinstance(value, list | tuple | set | frozenset):
            raise ValueError(f"must be a list, or {word}")
        return _names(value)

    return read


def _optional_names(value: object) -> object:
    return None if value is None else _names(value)


Reply = Annotated[ReplyPolicy | None, BeforeValidator(_reply)]


class Layer(BaseModel):
    """The rules of one scope; what is left out is as the layer above says."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reply: Reply = Field(default=None, description="When to answer, in any chat of the scope.")
    reply_direct: Reply = Field(default=None, description="When to answer in direct chats.")
    reply_group: Reply = Field(default=None, description="When to answer in groups.")
    blocked: Annotated[frozenset[str] | None, BeforeValidator(_optional_names)] = Field(
        default=None, description="Senders that are never answered nor learned from."
    )
    allowed: Annotated[
        frozenset[str] | Literal["everyone"] | None, BeforeValidator(_names_or(EVERYONE))
    ] = Field(default=None, description="The only senders that are answered; or everyone.")
    tools: Annotated[
        frozenset[str] | Literal["all"] | None, BeforeValidator(_names_or(ALL_TOOLS))
    ] = Field(default=None, description="Names of the tools that may be used; or all.")
    persona_file: str | None = Field(
        default=None,
        min_length=1,
        max_length=200,
        description="File in the persona folder; or default, for the persona of the settings.",
    )
    debounce_ms: int | None = Field(
        default=None, ge=0, le=MAX_DEBOUNCE_MS, description="Quiet time before a turn starts."
    )
    debounce_max_ms: int | None = Field(
        default=None, ge=0, le=MAX_DEBOUNCE_MAX_MS, description="Longest wait for a turn."
    )
    takeover_s: int | None = Field(
        default=None,
        ge=0,
        le=MAX_TAKEOVER_S,
        description="How long the agent keeps out after the owner wrote.",
    )
    from_others: FromOthers | None = Field(
        default=None, description="What a command is that is not the owner's: a text, or refused."
    )
    learns_from: LearnsFrom | None = Field(
        default=None, description="Whose words facts are read from: everyone's, or the owner's."
    )

    @model_validator(mode="after")
    def _one_persona(self) -> Self:
        name = self.persona_file or ""
        if "/" in name or "\\" in name or name.startswith("."):
            raise ValueError("persona_file must be the name of a file, without a folder")
        return self

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing."""
        return self == Layer()


@dataclass(frozen=True, slots=True)
class LayerVersion:
    """A layer as it was stored: the first version of a scope is 1. `by` is who changed it."""

    scope: str
    version: int
    layer: Layer
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Policy:
    """What holds in a chat, complete. `allowed` and `tools` None: everyone, all of them.

    `never`: the rules of what is never kept of what is said there. `same`: all ids of each person
    whom `blocked` or `allowed` names by one of several.
    """

    reply_direct: ReplyPolicy = "all"
    reply_group: ReplyPolicy = "mention_only"
    blocked: frozenset[str] = frozenset()
    allowed: frozenset[str] | None = None
    tools: frozenset[str] | None = None
    persona_file: str = DEFAULT_PERSONA_FILE
    debounce_ms: int = 800
    debounce_max_ms: int = 5_000
    takeover_s: int = 3_600
    from_others: FromOthers = "plain"
    learns_from: LearnsFrom = EVERYONE
    never: tuple[Rule, ...] = (CREDENTIALS,)
    same: tuple[frozenset[str], ...] = ()

    def reply(self, *, is_group: bool) -> ReplyPolicy:
        """Return when to answer in a group, or in a direct chat."""
        return self.reply_group if is_group else self.reply_direct

    def blocks(self, message: Message) -> bool:
        """Whether the sender is never answered; whoever may command cannot be blocked."""
        return not message.is_owner and is_listed(message, self.blocked, self.same)

    def admits(self, message: Message) -> bool:
        """Whether the sender may be answered."""
        if self.blocks(message):
            return False
        return (
            self.allowed is None or message.is_owner or is_listed(message, self.allowed, self.same)
        )


@dataclass(frozen=True, slots=True)
class Pause:
    """A time in which the agent keeps out of a chat; `ends_at` None: until somebody resumes."""

    kind: PauseKind
    began_at: datetime
    ends_at: datetime | None

    def covers(self, at: datetime) -> bool:
        """Whether it is paused then; the beginning belongs to it, the end does not."""
        return self.began_at <= at and (self.ends_at is None or at < self.ends_at)


@dataclass(frozen=True, slots=True)
class Standing:
    """What holds in a chat: its policy, and the pauses that matter now."""

    policy: Policy
    pauses: tuple[Pause, ...] = ()


def is_paused(pauses: Sequence[Pause], at: datetime) -> bool:
    """Tell whether any of the pauses covers a time."""
    return any(pause.covers(at) for pause in pauses)


_REPLACED = ("debounce_ms", "debounce_max_ms", "takeover_s", "from_others", "learns_from")


def merge(defaults: Policy, layers: Sequence[Layer]) -> Policy:
    """Put layers over the defaults, the strongest last. Blocks add up, all else is replaced."""
    policy = defaults
    for layer in layers:
        given = {name: value for name in _REPLACED if (value := getattr(layer, name)) is not None}
        policy = replace(
            policy,
            **given,
            reply_direct=layer.reply_direct or layer.reply or policy.reply_direct,
            reply_group=layer.reply_group or layer.reply or policy.reply_group,
            blocked=policy.blocked | (layer.blocked or frozenset()),
            allowed=_over(policy.allowed, layer.allowed),
            tools=_over(policy.tools, layer.tools),
            persona_file=layer.persona_file or policy.persona_file,
        )
    return replace(policy, debounce_max_ms=max(policy.debounce_ms, policy.debounce_max_ms))


def _over(
    upper: frozenset[str] | None, given: frozenset[str] | str | None
) -> frozenset[str] | None:
    if given is None:
        return upper
    return None if isinstance(given, str) else given


def is_listed(message: Message, ids: Collection[str], same: Iterable[Collection[str]] = ()) -> bool:
    """Tell whether a message's sender is in a list of ids, in any usual spelling.

    `same`: ids of one person each; who is listed by one of them is listed.
    """
    if not ids:
        return False
    plain = partial(plain_id, message.chat.channel)
    senders = {plain(each) for each in (message.sender_id, message.contact_id)} - {""}
    for person in same:
        theirs = {plain(each) for each in person}
        senders |= set() if senders.isdisjoint(theirs) else theirs
    return not senders.isdisjoint(plain(each) for each in ids)


def scopes_of(chat: ChatRef) -> tuple[str, str]:
    """Return the scopes of a chat's layers, the weaker first. Topics of a chat share its rules."""
    return chat.channel, f"{chat.channel}/{chat.account}/{chat.chat_id}"


def parse_scope(text: str) -> str:
    """Return the scope that a person wrote: `CHANNEL` or `CHANNEL/ACCOUNT/CHAT_ID`.

    Raises:
        BadPolicy: it is none; one line that says how to write it.
    """
    parts = text.strip().split("/", 2)
    if parts[0] not in CHANNELS:
        answered = ", ".join(CHANNELS)
        raise BadPolicy(
            f"{parts[0] or 'it'} is no channel that is answered: write one of {answered}"
        )
    if len(parts) == 2 or not all(part.strip() for part in parts):
        raise BadPolicy("write a chat as CHANNEL/ACCOUNT/CHAT_ID, or a channel alone")
    return "/".join(parts)
