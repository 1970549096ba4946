"""Policies as a file, YAML or JSON: checked against a schema, every error a line of its own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
)
from pydantic_core import ErrorDetails

from memory.policy.rules import BadPolicy, Layer, LayerVersion, parse_scope

Format = Literal["yaml", "json"]

_REMEDIES = {
    "extra_forbidden": "is not known: remove it, or write one of {names}",
    "literal_error": "must be {expected}",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "greater_than_equal": "must be {ge} or more",
    "less_than_equal": "must be {le} or less",
    "string_type": "must be a text: put it in quotes",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "dict_type": "must be a table of keys and values",
    "model_type": "must be a table of keys and values",
    "missing": "is missing: add it",
}


class BadPolicyFile(BadPolicy):
    """A policy file cannot be used; `lines` name every error in it."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__("\n".join(lines))
        self.lines = tuple(lines)


def _channel(scope: str) -> str:
    if "/" in scope:
        raise ValueError("is no channel: a chat's rules belong under chats")
    return _scope(scope)


def _chat(scope: str) -> str:
    if "/" not in scope:
        raise ValueError("is no chat: write CHANNEL/ACCOUNT/CHAT_ID, or move it under channels")
    return _scope(scope)


def _scope(scope: str) -> str:
    try:
        return parse_scope(scope)
    except BadPolicy as error:
        raise ValueError(str(error)) from error


class PolicyFile(BaseModel):
    """The layers of a tenant, by scope."""

    model_config = ConfigDict(frozen=True, extra="forbid", title="Recollect policies")

    version: Literal[1] = Field(description="Version of this format.")
    channels: dict[Annotated[str, AfterValidator(_channel)], Layer] = Field(
        default_factory=dict, description="Rules of channels: waha, telegram, web."
    )
    chats: dict[Annotated[str, AfterValidator(_chat)], Layer] = Field(
        default_factory=dict, description="Rules of chats, by CHANNEL/ACCOUNT/CHAT_ID."
    )

    @field_validator("channels", "chats", mode="before")
    @classmethod
    def _absent(cls, value: object) -> object:
        # A heading with nothing under it reads as null.
        if isinstance(value, Mapping):
            return {key: {} if rules is None else rules for key, rules in value.items()}
        return {} if value is None else value

    @property
    def layers(self) -> dict[str, Layer]:
        """The layer of every scope that the file names."""
        return {**self.channels, **self.chats}


def read_policy_file(text: str, style: Format = "yaml") -> PolicyFile:
    """Read a policy file.

    Raises:
        BadPolicyFile: it cannot be used; a line for each error, with its path in the file.
    """
    try:
        # YAML's own keys may be numbers or dates; the model wants texts.
        data: Any = json.loads(text) if style == "json" else yaml.safe_load(text)
    except json.JSONDecodeError as error:
        raise BadPolicyFile([f"line {error.lineno}: {error.msg}: this is no JSON"]) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise BadPolicyFile([f"{where}{problem}: this is no YAML"]) from error
    if not isinstance(data, dict):
        raise BadPolicyFile(["the file must be a table that begins with version: 1"])
    try:
        return PolicyFile.model_validate(data)
    except ValidationError as error:
        raise BadPolicyFile([_error_line(each, PolicyFile) for each in error.errors()]) from error


def render_policy_file(versions: Sequence[LayerVersion], style: Format = "yaml") -> str:
    """Return layers as a file that `read_policy_file` reads back; empty ones are left out."""
    data: dict[str, Any] = {"version": 1, "channels": {}, "chats": {}}
    for each in sorted(versions, key=lambda version: version.scope):
        rules = each.layer.model_dump(mode="json", exclude_none=True)
        if rules:
            group = "chats" if "/" in each.scope else "channels"
            data[group][each.scope] = {
                name: sorted(value) if isinstance(value, list) else value
                for name, value in rules.items()
            }
    if style == "json":
        return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True)


def edited(layer: Layer, changes: Mapping[str, object]) -> Layer:
    """Return a layer with rules set anew; None takes one back.

    Raises:
        BadPolicy: a value cannot be used; one line that names the rule.
    """
    rules = layer.model_dump(mode="json", exclude_none=True) | dict(changes)
    try:
        return Layer.model_validate({k: v for k, v in rules.items() if v is not None})
    except ValidationError as error:
        raise BadPolicy(_error_line(error.errors()[0], Layer)) from error


def policy_schema() -> str:
    """Return the JSON Schema of policy files."""
    return json.dumps(PolicyFile.model_json_schema(), indent=2) + "\n"


def _error_line(error: ErrorDetails, model: type[BaseModel]) -> str:
    path = [str(part) for part in error["loc"] if part != "[key]"]
    if error["type"] == "value_error":
        message = str(error["msg"]).removeprefix("Value error, ")
    else:
        fields = PolicyFile if len(path) < 2 and model is PolicyFile else Layer
        remedy = _REMEDIES.get(error["type"], error["msg"])
        context = {"names": ", ".join(fields.model_fields), **(error.get("ctx") or {})}
        message = remedy.format_map(context)
    where = ".".join(path)
    return f"{where}: {message}" if where and not message.startswith(where) else message
