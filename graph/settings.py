"""Every setting, read once at an entry point and passed down."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from memory.errors import RecollectError
from nodes.context import DEFAULT_PERSONA, ReplyPolicy


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
    openai_api_key: SecretStr = Field(default=SecretStr(""), validation_alias="OPENAI_API_KEY")
    openai_base_url: str | None = Field(default=None, validation_alias="OPENAI_BASE_URL")

    tenant: str = Field(default="default", min_length=1, description="Whose memory this is.")
    contact: str = Field(
        default="me", min_length=1, description="Who talks in the terminal and the page."
    )
    persona_file: Path | None = Field(
        default=None, description="Who the agent is; read for every turn."
    )
    reply_direct: ReplyPolicy = Field(default="all", description="When to answer in direct chats.")
    reply_group: ReplyPolicy = Field(
        default="mention_only", description="When to answer in groups."
    )
    window: int = Field(default=20, ge=10, le=50, description="Messages in working memory.")

    waha_url: str = Field(default="http://127.0.0.1:3000", description="The WAHA gateway.")
    waha_api_key: SecretStr = Field(default=SecretStr(""), description="Its X-Api-Key.")
    waha_hmac_key: SecretStr | None = Field(
        default=None, description="Key of its webhook signatures."
    )
    waha_secret: SecretStr | None = Field(
        default=None, description="Or: a secret in X-Webhook-Secret."
    )
    waha_owner_ids: Annotated[frozenset[str], NoDecode] = Field(
        default=frozenset(), description="The owner's own ids, separated by commas."
    )
    waha_known_bots: Annotated[frozenset[str], NoDecode] = Field(
        default=frozenset(), description="Ids of other bots, separated by commas."
    )
    delivery: Literal["at_most_once", "at_least_once"] = Field(
        default="at_most_once", description="What to do with a send whose outcome nobody can know."
    )

    @field_validator("waha_owner_ids", "waha_known_bots", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return frozenset(part.strip() for part in value.split(",") if part.strip())
        return value

    def persona(self) -> str:
        """Return the persona's text.

        Raises:
            BadSettings: the persona file cannot be read.
        """
        if self.persona_file is None:
            return DEFAULT_PERSONA
        try:
            return self.persona_file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadSettings(
                f"RECOLLECT_PERSONA_FILE: cannot read {self.persona_file}: {error}"
            ) from error


def load_settings() -> Settings:
    """Read the settings from the environment.

    Raises:
        BadSettings: a value cannot be used; one line that names the setting, not its value.
    """
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "settings"
        shown = name if name.isupper() else f"RECOLLECT_{name.upper()}"
        raise BadSettings(f"{shown}: {first['msg']}") from None
