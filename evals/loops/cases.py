"""Case files of the `loops` suite: webhook sequences and what must come of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator

from evals.suite.case_files import CaseFile, read_files
from evals.suite.case_types import Name, shape_error

EchoMode = Literal["none", "after", "before_response", "twice", "other_id", "lid", "no_source"]
Author = Literal["contact", "agent", "owner", "automation", "system"]
ReplyPolicy = Literal["all", "mention_only", "off"]

_Count = Annotated[int, Field(ge=0)]
_Range = Annotated[tuple[_Count, _Count], Field(strict=False)]
_ACTIONS = ("deliver", "wait_ms", "restart", "fail_send", "timeout_send")
_Senders = Annotated[
    tuple[str, ...],
    Field(strict=False),
    WithJsonSchema({"type": "array", "items": {"type": ["string", "integer"]}, "default": []}),
]
"""Sender ids; Telegram's may be numbers."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class _Exact(BaseModel):
    # A field that this player does not know would change what the case means.
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Me(_Part):
    """The account's own ids on WhatsApp; `lid` is its hidden one."""

    id: Name
    lid: str = ""


class Bot(_Part):
    """A Telegram bot."""

    id: Annotated[int, Field(gt=0)]
    username: Name


class Account(_Part):
    """An account of a channel: WAHA's session with its own ids, or a Telegram bot."""

    session: str = ""
    me: Me | None = None
    bot: Bot | None = None

    @property
    def name(self) -> str:
        """The session's name, or the bot's id."""
        return str(self.bot.id) if self.bot else self.session


class CaseSettings(_Exact):
    """Settings of the product for a whole case; None: the product's default."""

    owner: _Senders = ()
    known_bots: _Senders = ()
    blocked: _Senders = ()
    reply_direct: ReplyPolicy | None = None
    reply_group: ReplyPolicy | None = None
    debounce_ms: _Count | None = None
    takeover_s: _Count | None = None

    @model_validator(mode="before")
    @classmethod
    def _ids_as_text(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        lists = {k: data[k] for k in ("owner", "known_bots", "blocked") if k in data}
        texts = {
            k: [str(one) if type(one) is int else one for one in ids]
            for k, ids in lists.items()
            if isinstance(ids, list)
        }
        return data | texts


def _one_action(schema: dict[str, Any]) -> None:
    """Say in JSON Schema what `Step._does_one_thing` checks."""
    schema["oneOf"] = [{"required": [name]} for name in _ACTIONS]
    schema["dependentRequired"] = {"to": ["deliver"]}
    for name, field in schema["properties"].items():
        if name in _ACTIONS and "anyOf" in field:
            kept = next(one for one in field.pop("anyOf") if one != {"type": "null"})
            field.pop("default")
            field |= kept


class Step(_Exact):
    """One step: exactly one of its actions; `to` goes with `deliver` and names a bot."""

    model_config = ConfigDict(json_schema_extra=_one_action)

    deliver: Any = None  # Any: whatever a gateway might post, broken or not
    to: int | str | None = None
    wait_ms: _Count | None = None
    restart: Literal[True] | None = None
    fail_send: Annotated[int, Field(ge=1)] | None = None
    timeout_send: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _does_one_thing(self) -> Self:
        given = [name for name in _ACTIONS if name in self.model_fields_set]
        if len(given) != 1:
            raise shape_error(f"expected exactly one of {', '.join(_ACTIONS)}")
        if given != ["deliver"] and getattr(self, given[0]) is None:
            raise shape_error(f"{given[0]} has no value")
        if "to" in self.model_fields_set and given != ["deliver"]:
            raise shape_error("'to' goes with deliver")
        return self

    @property
    def is_delivery(self) -> bool:
        """Whether a webhook is posted."""
        return "deliver" in self.model_fields_set


class Expect(_Exact):
    """What must come of a case; see the format's description in `datasets/loops/README.md`."""

    answered: tuple[Name, ...] = Field(strict=False)
    unanswered: tuple[Name, ...] = Field(default=(), strict=False)
    replies: dict[str, _Range] = Field(default_factory=dict)
    rows: dict[Author, _Count] = Field(default_factory=dict)
    model_calls: _Range | None = None

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        ranges = {**self.replies, "model_calls": self.model_calls or (0, 0)}
        for name, (least, most) in ranges.items():
            if least > most:
                raise ValueError(f"{name}: the minimum {least} is above the maximum {most}")
        both = sorted(set(self.answered) & set(self.unanswered))
        if both:
            raise ValueError(f"{both[0]!r} is both answered and unanswered")
        return self


class LoopCase(_Part):
    """One case: an account, settings, steps in order, and what must come of them."""

    case_id: Name
    tags: tuple[Name, ...] = Field(default=(), strict=False)
    channel: Literal["waha", "telegram"]
    about: str = ""
    account: Account
    other_accounts: tuple[Account, ...] = Field(default=(), strict=False)
    settings: CaseSettings = CaseSettings()
    echo: EchoMode = "none"
    shuffle: Literal["none", "any"] = "none"
    steps: tuple[Step, ...] = Field(min_length=1, strict=False)
    expect: Expect

    @property
    def accounts(self) -> tuple[Account, ...]:
        """All accounts, the main one first."""
        return (self.account, *self.other_accounts)

    @property
    def deliveries(self) -> tuple[Step, ...]:
        """The deliver steps, in order."""
        return tuple(step for step in self.steps if step.is_delivery)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        names = [account.name for account in self.accounts]
        for account in self.accounts:
            is_whole = account.bot if self.channel == "telegram" else account.me
            if not is_whole or not account.name:
                wanted = "bot" if self.channel == "telegram" else "session and me"
                raise ValueError(f"an account of {self.channel} needs {wanted}")
        if len(set(names)) < len(names):
            raise ValueError("two accounts have the same name")
        for step in self.steps:
            if step.to is not None and str(step.to) not in names:
                raise ValueError(f"to: {step.to} is none of the accounts")
        if not self.deliveries:
            raise ValueError("no step delivers anything")
        self._check_ids()
        return self

    def _check_ids(self) -> None:
        said = "\n".join(json.dumps(step.deliver, ensure_ascii=False) for step in self.deliveries)
        for one in (*self.expect.answered, *self.expect.unanswered):
            if "{{" not in one and one.rpartition("/")[2] not in said:
                raise ValueError(f"expect names {one!r}, which no step delivers")


def load_loop_cases(paths: Sequence[Path], limit: int | None = None) -> list[CaseFile[LoopCase]]:
    """Read and check case files; keep the first `limit` cases of each.

    Raises:
        BadInputError: a file cannot be read or a line is no case; file, line and what is wrong.
    """
    return read_files(
        paths, limit, LoopCase, lambda case: case.case_id, lambda case: len(case.deliveries)
    )
