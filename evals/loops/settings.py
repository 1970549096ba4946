"""The settings of a world: the product's own defaults, but for what is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import SecretStr

from evals.loops.posting import Keys
from graph.settings import Settings

# What is not asked for is as the product has it, whatever the user's own settings say.
_RESET = (
    "allowed",
    "debounce_max_ms",
    "debounce_ms",
    "delivery",
    "embeddings",
    "model",
    "persona_file",
    "reply_direct",
    "reply_group",
    "takeover_s",
    "tenants",
    "window",
)


def settings_of_world(
    own: Settings,
    asked: Mapping[str, Any],  # Any: a value of a setting
    keys: Keys,
    gateways_url: str,
    bots: Sequence[str] = (),
) -> Settings:
    """Return the settings of a world with both gateways at one address.

    `own` names its stores. `bots` are the ids of its Telegram bots; without any it serves no
    Telegram.
    """
    tokens = ",".join(f"{bot}:{keys.telegram}" for bot in bots)
    return own.model_copy(
        update={
            name: Settings.model_fields[name].get_default(call_default_factory=True)
            for name in _RESET
        }
        | dict(asked)
        | {
            "waha_url": gateways_url,
            "waha_api_key": SecretStr(keys.api),
            "waha_hmac_key": SecretStr(keys.hmac),
            "waha_secret": None,
            "telegram_api_url": gateways_url,
            "telegram_tokens": SecretStr(tokens) if bots else None,
            "telegram_secret": SecretStr(keys.telegram) if bots else None,
        }
    )
