"""Every setting, read once at an entry point and passed down."""

from __future__ import annotations

import os
import re
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from memory.errors import RecollectError
from memory.policy.rules import MAX_TAKEOVER_S, ReplyPolicy
from memory.text.zones import zone_of
from nodes.limits import DEFAULT_PERSONA, MAX_MEMORY, MAX_WINDOW_H, MIN_MEMORY, Tone

MIN_KEY_CHARS = 16
SETTINGS_FILE = "RECOLLECT_SETTINGS_FILE"

IdList = Annotated[frozenset[str], NoDecode]


class BadSettings(RecollectError):
    """A setting has a value that cannot be used."""


class Settings(BaseSettings):
    """Settings from the environment, `RECOLLECT_*`; unset stores are embedded ones."""

    model_config = SettingsConfigDict(
        env_prefix="RECOLLECT_", frozen=True, extra="ignore", env_ignore_empty=True
    )

    data_dir: Path | None = Field(default=None, description="Folder of the embedded stores.")
    database_url: SecretStr | None = Field(default=None, description="Postgres; unset: embedded.")
    chroma_url: str | None = Field(default=None, description="Chroma server; unset: embedded.")
    neo4j_uri: str | None = Field(
        default=None, description="Neo4j for facts; unset: Postgres tables."
    )
    neo4j_user: str = Field(default="neo4j", description="User of Neo4j.")
    neo4j_password: SecretStr = Field(default=SecretStr(""), description="Password of Neo4j.")

    model: str | None = Field(default=None, description="Chat model; unset: the offline responder.")
    model_timeout_s: float = Field(default=60.0, gt=0, description="Patience with one model call.")
    model_attempts: int = Field(default=3, ge=1, le=10, description="Tries of one model call.")
    embeddings: str | None = Field(
        default=None, description="Embedding model; unset: MiniLM, local."
    )
    capture: Literal["rules", "reader", "llm", "hybrid"] = Field(
        default="reader", description="How facts are read from messages."
    )
    capture_calls: int = Field(
        default=500, ge=1, description="Model calls a day and tenant, for facts and summaries."
    )
    summaries: Literal["extract", "model"] = Field(
        default="extract", description="Who writes summaries: the chat's own words, or a model."
    )
    recall_model: Literal["off", "rewrite", "rerank", "both"] = Field(
        default="off", description="What a chat model adds to a search of memory."
    )
    recall_model_s: float = Field(
        default=2.0, gt=0, le=60, description="What that may take in all; then it is done without."
    )
    store_patience_s: float = Field(
        default=2.0, gt=0, le=60, description="How long a reply waits for Chroma or Neo4j."
    )
    openai_api_key: SecretStr = Field(default=SecretStr(""), validation_alias="OPENAI_API_KEY")
    openai_base_url: str | None = Field(default=None, validation_alias="OPENAI_BASE_URL")

    tenant: str = Field(default="default", min_length=1, description="Whose memory this is.")
    contact: str = Field(
        default="me", min_length=1, description="Who talks in the terminal and the page."
    )
    chat_history: bool = Field(
        default=True, description="Keep what is typed in the terminal, in the data folder."
    )
    timezone: str = Field(
        default="UTC", description="Time zone of people of whom nobody knows theirs."
    )
    persona_file: Path | None = Field(
        default=None, description="Who the agent is; read for every turn."
    )
    persona_dir: Path | None = Field(
        default=None, description="Folder of persona files that a chat's policy may name."
    )
    reply_direct: ReplyPolicy = Field(default="all", description="When to answer in direct chats.")
    reply_group: ReplyPolicy = Field(
        default="mention_only", description="When to answer in groups."
    )
    window: int = Field(default=20, ge=10, le=50, description="Messages in working memory.")
    window_h: int = Field(
        default=0,
        ge=0,
        le=MAX_WINDOW_H,
        description="Hours after which they leave it; 0: they do not.",
    )
    memory_tokens: int = Field(
        default=3_000,
        ge=MIN_MEMORY,
        le=MAX_MEMORY,
        description="Room for memory in a prompt, in tokens.",
    )
    tone: Tone = Field(
        default="on", description="Whether a prompt follows the contact's mood and stage."
    )

    waha_url: str = Field(default="http://127.0.0.1:3000", description="The WAHA gateway.")
    waha_api_key: SecretStr = Field(default=SecretStr(""), description="Its X-Api-Key.")
    waha_hmac_key: SecretStr | None = Field(
        default=None, description="Key of its webhook signatures."
    )
    waha_secret: SecretStr | None = Field(
        default=None, description="Or: a secret in X-Webhook-Secret."
    )
    telegram_tokens: SecretStr | None = Field(
        default=None, description="Telegram bot tokens, separated by commas."
    )
    telegram_secret: SecretStr | None = Field(
        default=None, description="Secret token of Telegram's webhook."
    )
    telegram_api_url: str = Field(
        default="https://api.telegram.org", description="The Bot API, or a local server of it."
    )

    api_key: SecretStr | None = Field(
        default=None, description="Key of the API, the console and the LangGraph server."
    )
    owner_ids: IdList = Field(
        default=frozenset(), description="Ids that may command the agent, separated by commas."
    )
    known_bots: IdList = Field(
        default=frozenset(), description="Ids of other bots, never answered, separated by commas."
    )
    blocked: IdList = Field(
        default=frozenset(), description="Ids that are never answered, separated by commas."
    )
    allowed: IdList = Field(
        default=frozenset(), description="If set: the only ids that are answered."
    )
    tenants: Annotated[dict[str, str], NoDecode] = Field(
        default_factory=dict,
        description="Tenants of accounts, as waha/SESSION=TENANT or telegram/BOT_ID=TENANT.",
    )
    debounce_ms: int = Field(
        default=800, ge=0, le=60_000, description="Quiet time after a message before its turn."
    )
    debounce_max_ms: int = Field(
        default=5_000, ge=0, le=300_000, description="Longest wait after the first message."
    )
    takeover_s: int = Field(
        default=3_600,
        ge=0,
        le=MAX_TAKEOVER_S,
        description="How long the agent keeps out after the owner wrote.",
    )
    delivery: Literal["at_most_once", "at_least_once"] = Field(
        default="at_most_once", description="What to do with a send whose outcome nobody can know."
    )

    send_pace_ms: int = Field(
        default=500, ge=0, le=60_000, description="Shortest time between two sends to a chat."
    )
    reply_max_age_s: int = Field(
        default=86_400, ge=1, description="A reply that could not be sent for so long is dropped."
    )

    @field_validator("capture", "recall_model", "summaries")
    @classmethod
    def _has_model(cls, value: str, given: ValidationInfo) -> str:
        without = {
            "capture": ("rules", "reader"),
            "recall_model": ("off",),
            "summaries": ("extract",),
        }[str(given.field_name)]
        if value not in without and given.data.get("model") is None:
            raise ValueError(
                f"{value} asks a chat model: set RECOLLECT_MODEL, or choose {without[-1]}"
            )
        return value

    @field_validator("owner_ids", "known_bots", "blocked", "allowed", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return frozenset(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("api_key")
    @classmethod
    def _is_key(cls, value: SecretStr | None) -> SecretStr | None:
        # Whatever a header may carry as it is, in every client.
        key = value.get_secret_value() if value else None
        if key is not None and not re.fullmatch(rf"[!-~]{{{MIN_KEY_CHARS},}}", key):
            raise ValueError(
                f"a key has {MIN_KEY_CHARS} or more letters, digits and signs of ASCII, no spaces"
            )
        return value

    @field_validator("timezone")
    @classmethod
    def _is_zone(cls, value: str) -> str:
        if zone_of(value) is None:
            raise ValueError("a time zone looks like Europe/Berlin or UTC+2")
        return value

    @field_validator("telegram_tokens")
    @classmethod
    def _are_tokens(cls, value: SecretStr | None) -> SecretStr | None:
        parts = [part.strip() for part in (value.get_secret_value() if value else "").split(",")]
        if not all(re.fullmatch(r"[0-9]{1,20}:[A-Za-z0-9_-]+", part) for part in parts if part):
            raise ValueError("a token looks like 123456:ABC-def; several have commas between them")
        bots = [part.partition(":")[0] for part in parts if part]
        if len(bots) != len(set(bots)):
            raise ValueError("two tokens are of the same bot; keep the one that is valid")
        return value

    @field_validator("telegram_secret")
    @classmethod
    def _is_secret_token(cls, value: SecretStr | None) -> SecretStr | None:
        # Source: the Bot API, `secret_token` of setWebhook.
        if value and not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", value.get_secret_value()):
            raise ValueError("Telegram takes up to 256 letters, digits, _ and - of ASCII")
        return value

    @field_validator("waha_url", "telegram_api_url", "openai_base_url")
    @classmethod
    def _is_web_address(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"https?://[^\s/?#]+[^\s]*", value):
            raise ValueError("a web address looks like http://127.0.0.1:3000")
        return value

    @field_validator("tenants", mode="before")
    @classmethod
    def _mapped(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = [part.partition("=") for part in value.split(",") if part.strip()]
        if not all(
            re.fullmatch(r"(waha|telegram)/[^/]+", account.strip())
            and re.fullmatch(r"[^/]+", tenant.strip())
            for account, _, tenant in pairs
        ):
            raise ValueError("write it as waha/SESSION=TENANT,telegram/BOT_ID=TENANT")
        return {account.strip(): tenant.strip() for account, _, tenant in pairs}

    def tenant_of(self, channel: str, account: str) -> str:
        """Return whose an account is: as `tenants` says, else the default tenant."""
        return self.tenants.get(f"{channel}/{account}", self.tenant)

    @property
    def telegram_bots(self) -> dict[str, SecretStr]:
        """The bots' tokens by account: the bot's id, which a token starts with."""
        given = self.telegram_tokens.get_secret_value() if self.telegram_tokens else ""
        tokens = [part.strip() for part in given.split(",") if part.strip()]
        return {token.partition(":")[0]: SecretStr(token) for token in tokens}

    @property
    def served_tenants(self) -> tuple[str, ...]:
        """Every tenant that this process serves, each once, sorted."""
        return tuple(sorted({self.tenant, *self.tenants.values()}))

    @property
    def zone(self) -> tzinfo:
        """The time zone of people of whom nobody knows theirs."""
        return zone_of(self.timezone) or UTC

    def persona(self) -> str:
        """Return the persona's text.

        Raises:
            BadSettings: the persona file cannot be read, or is empty.
        """
        if self.persona_file is None:
            return DEFAULT_PERSONA
        try:
            text = self.persona_file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadSettings(
                f"RECOLLECT_PERSONA_FILE: cannot read {self.persona_file}: {error}"
            ) from error
        if not text.strip():
            raise BadSettings(f"RECOLLECT_PERSONA_FILE: {self.persona_file} is empty")
        return text


def settings_file() -> Path | None:
    """Return the file that settings are read from beside the environment; None without one.

    Raises:
        BadSettings: RECOLLECT_SETTINGS_FILE names a file that is not there.
    """
    if named := os.environ.get(SETTINGS_FILE):
        if not Path(named).exists():
            raise BadSettings(f"{SETTINGS_FILE}: there is no {named}")
        return Path(named)
    default = default_settings_file()
    return default if default.exists() else None


def default_settings_file() -> Path:
    """Return where `recollect init` writes where it is not told."""
    import platformdirs

    return Path(platformdirs.user_config_dir("recollect", appauthor=False)) / "settings.env"


def load_settings() -> Settings:
    """Read the settings from the environment and the settings file.

    Raises:
        BadSettings: a value cannot be used; one line that names the setting, not its value.
    """
    return settings_from(settings_file())


def settings_from(file: Path | None) -> Settings:
    """Read the settings from the environment, and from this file what that does not say.

    Raises:
        BadSettings: as `load_settings`, or the file cannot be read.
    """
    try:
        # pydantic-settings takes it beside the fields, which type checkers cannot see.
        return Settings(_env_file=file)  # type: ignore[call-arg]
    except (OSError, UnicodeDecodeError) as error:
        raise BadSettings(f"{file}: cannot be read: {error}") from error
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
        shown = name if name.isupper() else f"RECOLLECT_{name.upper()}"
        # What we say ourselves, pydantic puts words of its own before.
        line = first["msg"].removeprefix("Value error, ")
        raise BadSettings(f"{shown}: {line}") from None
