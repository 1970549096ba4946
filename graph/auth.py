"""The LangGraph server's `auth`: whoever the gate lets in is the owner.

It stands before the routes that the server protects; the gate in `graph.studio` before all.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from langgraph_sdk import Auth
from pydantic import SecretStr

from graph.door import refusal
from graph.settings import load_settings
from nodes.context import BadOptions, GivenOptions
from nodes.normalize import OWNER

STUDIO = "https://smith.langchain.com"
LOCAL_PAGE = r"http://(localhost|127\.0\.0\.1)(:[0-9]+)?"

auth = Auth()


@cache
def api_key() -> SecretStr | None:
    """Return the key of the settings, which nothing hands to the server's `auth`."""
    return load_settings().api_key


def is_studio(origin: str) -> bool:
    """Tell whether a page may call the server: Studio, or one of this machine."""
    return origin == STUDIO or re.fullmatch(LOCAL_PAGE, origin) is not None


@auth.authenticate
async def authenticate(scope: dict[str, Any]) -> dict[str, str]:  # Any: an ASGI scope
    """Return the caller's identity.

    Raises:
        HTTPException: the caller is not let in.
    """
    refused = refusal(scope, api_key(), is_studio)
    if refused:
        raise Auth.exceptions.HTTPException(status_code=refused.status, detail=refused.line)
    return {"identity": OWNER}


@auth.on.threads.create_run
async def refuse_unknown_context(
    ctx: Auth.types.AuthContext,
    value: Auth.types.RunsCreate,
) -> None:
    """Refuse a run whose context has a field that there is none of; the server would drop it.

    A run whose `Contact` is dropped would be the owner's.

    Raises:
        HTTPException: 422, with the field.
    """
    del ctx
    run = value["kwargs"]
    # Where a run has no context, the server puts what is configurable in its place.
    if run["config"]["configurable"].get("__context_provided__"):
        try:
            GivenOptions.check_names(run["context"])
        except BadOptions as error:
            raise Auth.exceptions.HTTPException(status_code=422, detail=str(error)) from error
