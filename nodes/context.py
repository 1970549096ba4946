"""What a node is given: options that a caller may set, and the ports that bootstrap wired."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, get_args

from annotated_types import Interval
from langchain_core.language_models import BaseChatModel

from memory.errors import RecollectError
from memory.policy.rules import ReplyPolicy
from memory.ports.bundle import Memory
from memory.ports.runtime import Clock, Ids
from memory.projection.projector import Projector
from nodes.limits import (
    DEFAULT_PERSONA,
    MAX_MEMORY,
    MAX_RECALL,
    MAX_WINDOW,
    MAX_WINDOW_H,
    MIN_MEMORY,
    MIN_WINDOW,
    Tone,
)
from nodes.secrets import Secrets


class BadOptions(RecollectError):
    """A run's context has a value that cannot be used."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a run behaves, complete: what nodes read.

    `window` is a number of lines; `window_h`: how many hours before what is answered they were said
    at most, 0 for however many.
    """

    contact: str = "me"
    tenant: str = ""
    persona: str = DEFAULT_PERSONA
    reply_direct: ReplyPolicy = "all"
    reply_group: ReplyPolicy = "mention_only"
    window: int = 20
    recall_limit: int = 10
    memory_tokens: int = 3_000
    tone: Tone = "on"
    window_h: int = 0


@dataclass(frozen=True, slots=True)
class GivenOptions:
    """What Studio and API callers may set for a run; what is left out is as the server is set."""

    contact: str | None = field(
        default=None, metadata={"description": "Who is talking, where no channel says it."}
    )
    tenant: str | None = field(default=None, metadata={"description": "Whose memory this is."})
    persona: str | None = field(
        default=None, metadata={"description": "Who the agent is and how it talks."}
    )
    reply_direct: ReplyPolicy | None = field(
        default=None, metadata={"description": "When to answer in direct chats."}
    )
    reply_group: ReplyPolicy | None = field(
        default=None, metadata={"description": "When to answer in groups."}
    )
    window: Annotated[int, Interval(ge=MIN_WINDOW, le=MAX_WINDOW)] | None = field(
        default=None,
        metadata={"description": f"Messages in working memory ({MIN_WINDOW} to {MAX_WINDOW})."},
    )
    recall_limit: Annotated[int, Interval(ge=0, le=MAX_RECALL)] | None = field(
        default=None,
        metadata={
            "description": f"Recalled messages per prompt (0 to {MAX_RECALL}):"
            " more for a list, fewer to look one thing up."
        },
    )
    memory_tokens: Annotated[int, Interval(ge=MIN_MEMORY, le=MAX_MEMORY)] | None = field(
        default=None,
        metadata={
            "description": f"Room for memory in a prompt, in tokens ({MIN_MEMORY} to {MAX_MEMORY})."
        },
    )
    tone: Tone | None = field(
        default=None,
        metadata={"description": "Whether a prompt follows the contact's mood and stage."},
    )
    window_h: Annotated[int, Interval(ge=0, le=MAX_WINDOW_H)] | None = field(
        default=None,
        metadata={"description": "Hours after which messages leave working memory; 0: never."},
    )

    @classmethod
    def check_names(cls, given: Iterable[str]) -> None:
        """Refuse fields that there are none of: whose memory is meant must not be left to a slip.

        Raises:
            BadOptions: it names the field, and those that there are.
        """
        known = [each.name for each in fields(cls)]
        for name in given:
            if name not in known:
                raise BadOptions(
                    f"context.{name[:40]} is no field of a run's context: {', '.join(known)} are."
                )

    def over(self, options: Options) -> Options:
        """Return `options` with what is given here put over them; a blank text is not given.

        Raises:
            BadOptions: a value is of another type or out of bounds; it names the value's field.
        """
        given = {
            each.name: value
            for each in fields(self)
            if (value := getattr(self, each.name)) is not None
            and not (isinstance(value, str) and not value.strip())
        }
        for name, value in given.items():
            if wanted := _WANTED[name](value):
                raise BadOptions(f"context.{name} must be {wanted}.")
        return replace(options, **given)


def _text(value: object) -> str:
    return "" if isinstance(value, str) else "a text"


def _policy(value: object) -> str:
    return "" if value in get_args(ReplyPolicy) else f"one of {', '.join(get_args(ReplyPolicy))}"


def _whole(low: int, high: int) -> Callable[[object], str]:
    def wanted(value: object) -> str:
        fits = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
        return "" if fits else f"a whole number from {low} to {high}"

    return wanted


# What a field's value must be, where a value is not that: contexts arrive as unchecked JSON.
_WANTED: dict[str, Callable[[object], str]] = {
    "contact": _text,
    "tenant": _text,
    "persona": _text,
    "reply_direct": _policy,
    "reply_group": _policy,
    "window": _whole(MIN_WINDOW, MAX_WINDOW),
    "recall_limit": _whole(0, MAX_RECALL),
    "window_h": _whole(0, MAX_WINDOW_H),
    "memory_tokens": _whole(MIN_MEMORY, MAX_MEMORY),
    "tone": lambda value: "" if value in get_args(Tone) else f"one of {', '.join(get_args(Tone))}",
}


@dataclass(frozen=True, slots=True)
class Context:
    """Everything a node may touch. Clock, ids and model come in, so that nodes stay testable.

    `guides_model`: the model cannot tell by itself which line answers. Those of the window are
    recalled as well for it, and it is told how likely each line answers. `timezone`: that of people
    of whom nobody knows theirs.
    """

    options: Options
    memory: Memory
    projector: Projector
    model: BaseChatModel
    clock: Clock
    ids: Ids
    secrets: Secrets
    guides_model: bool = False
    timezone: str = "UTC"
