"""What `recollect init` wants to know: taken from the command line, or asked for at a terminal."""

from __future__ import annotations

import asyncio
import getpass
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.errors import RecollectError
from ui.cli.import_screen import asked_number
from ui.cli.init_command import Channel

Values = dict[str, str]
"""Settings by variable."""

CHANNELS: tuple[Channel, ...] = ("web", "whatsapp", "telegram")
_CHANNEL_LINES = (
    "here: the terminal and the page in the browser",
    "WhatsApp, through a WAHA gateway",
    "Telegram, by a bot",
)
ENDPOINTS = (
    ("OpenAI", "https://api.openai.com/v1"),
    ("Ollama on this machine", "http://127.0.0.1:11434/v1"),
    ("LM Studio on this machine", "http://127.0.0.1:1234/v1"),
)
LISTED_MODELS = 20
MODELS_WITHIN_S = 10.0
NEO4J, NEO4J_USER = "bolt://127.0.0.1:7687", "neo4j"


@dataclass(frozen=True, slots=True)
class Given:
    """What the command line says. None: not said; a model of "none": the offline responder."""

    channel: Channel | None = None
    model: str | None = None
    endpoint: str | None = None
    key: str | None = None
    database_url: str | None = None
    chroma_url: str | None = None
    telegram_token: str | None = None
    waha_url: str | None = None
    waha_key: str | None = None
    neo4j_uri: str | None = None
    neo4j_user: str | None = None
    neo4j_password: str | None = None


def values_of(given: Given) -> Values:
    """Return the settings that the command line says, with nobody asked."""
    values = {
        "RECOLLECT_MODEL": "" if given.model == "none" else given.model,
        "OPENAI_BASE_URL": given.endpoint,
        "OPENAI_API_KEY": given.key,
        "RECOLLECT_DATABASE_URL": given.database_url,
        "RECOLLECT_CHROMA_URL": given.chroma_url,
        "RECOLLECT_TELEGRAM_TOKENS": given.telegram_token,
        "RECOLLECT_WAHA_URL": given.waha_url,
        "RECOLLECT_WAHA_API_KEY": given.waha_key,
        "RECOLLECT_NEO4J_URI": given.neo4j_uri,
        "RECOLLECT_NEO4J_USER": given.neo4j_user,
        "RECOLLECT_NEO4J_PASSWORD": given.neo4j_password,
    }
    if given.channel == "whatsapp":
        # WAHA is told it in turn, and signs what it sends.
        values["RECOLLECT_WAHA_HMAC_KEY"] = secrets.token_hex(32)
    return {name: value for name, value in values.items() if value}


def asked_for(given: Given) -> Given:
    """Ask at the terminal for what the command line does not say.

    Raises:
        KeyboardInterrupt: the input ends.
    """
    channel = given.channel or CHANNELS[asked_number("Where do people write?", _CHANNEL_LINES)]
    token, waha_url, waha_key = given.telegram_token, given.waha_url, given.waha_key
    if channel == "telegram" and token is None:
        token = _secret("The bot's token, as @BotFather gave it")
    if channel == "whatsapp":
        waha_url = waha_url or _line("Where WAHA is", "http://127.0.0.1:3000")
        waha_key = waha_key if waha_key is not None else _secret("Its API key")
    model, endpoint, key = given.model, given.endpoint, given.key
    if model is None:
        endpoint, key, model = _asked_model(endpoint, key)
    database, chroma = given.database_url, given.chroma_url
    if database is None and chroma is None:
        stores = ["started for me, on this machine", "servers of my own"]
        if asked_number("Which stores?", stores):
            database = _secret("Postgres, as postgresql://USER:PASSWORD@HOST/NAME")
            chroma = _line("Chroma, as http://HOST:8000", "")
    return replace(
        _with_neo4j(given),
        channel=channel,
        model=model,
        endpoint=endpoint,
        key=key,
        database_url=database,
        chroma_url=chroma,
        telegram_token=token,
        waha_url=waha_url,
        waha_key=waha_key,
    )


def confirmed(question: str) -> bool:
    """Ask a question of yes or no; anything but yes is no."""
    return _line(f"{question} y or n", "n").lower() in ("y", "yes")


def _asked_model(endpoint: str | None, key: str | None) -> tuple[str | None, str | None, str]:
    if endpoint is None:
        known = [f"{name}  {url}" for name, url in ENDPOINTS]
        choice = asked_number(
            "Which model answers?",
            [*known, "another OpenAI-compatible endpoint", "none: from memory alone, offline"],
        )
        if choice > len(ENDPOINTS):
            return None, None, "none"
        endpoint = ENDPOINTS[choice][1] if choice < len(ENDPOINTS) else _line("Its address", "")
    if key is None:
        key = _secret("Its key; empty where it needs none")
    try:
        models = models_at(endpoint, key)
    except LookupError as error:
        _say(str(error))
        models = []
    if not models:
        return endpoint, key, _line("Which of its models, by name", "")
    shown = models[:LISTED_MODELS]
    number = asked_number("Which of its models?", [*shown, "another"])
    return endpoint, key, shown[number] if number < len(shown) else _line("Its name", "")


def _with_neo4j(given: Given) -> Given:
    """Return what is given, with a Neo4j that lets one in where facts are to be kept there."""
    uri, user, password = given.neo4j_uri, given.neo4j_user, given.neo4j_password
    if uri is not None:
        if password is None:
            password = _secret("Neo4j's password; empty where it needs none")
        return replace(given, neo4j_password=password)
    while confirmed("Keep facts in Neo4j rather than in Postgres?"):
        uri, user = _line("Its address", uri or NEO4J), _line("Its user", user or NEO4J_USER)
        password = _secret("Its password; empty where it needs none")
        try:
            asyncio.run(greet_neo4j(uri, user, password))
        except RecollectError as error:
            _say(str(error))
        else:
            return replace(given, neo4j_uri=uri, neo4j_user=user, neo4j_password=password)
    return given


async def greet_neo4j(uri: str, user: str, password: str) -> None:
    """Find out whether a Neo4j server lets a user in; nothing is written to it.

    Raises:
        RecollectError: it does not, or there is none; one line, without the password.
    """
    from memory.neo4j.facts import neo4j_store

    store = neo4j_store(uri, user, password)
    try:
        await store.greet()
    finally:
        await store.close()


def models_at(endpoint: str, key: str) -> list[str]:
    """Return the models that an endpoint lists, by name.

    Raises:
        LookupError: it does not; the message says what failed.
    """
    import httpx

    url = f"{endpoint.rstrip('/')}/models"
    try:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        answer = httpx.get(url, headers=headers, timeout=MODELS_WITHIN_S)
        answer.raise_for_status()
        return sorted(str(each["id"]) for each in answer.json()["data"])
    except httpx.HTTPStatusError as error:
        raise LookupError(f"It answers HTTP {error.response.status_code} to {url}.") from error
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        raise LookupError(f"Nothing answers at {url} ({type(error).__name__}).") from error
    except (ValueError, KeyError, TypeError) as error:
        raise LookupError(f"{url} lists no models.") from error


def _line(question: str, default: str) -> str:
    _say(f"{question}{f' [{default}]' if default else ''}: ", end="")
    line = sys.stdin.readline()
    if not line:
        raise KeyboardInterrupt
    return line.strip() or default


def _secret(question: str) -> str:
    try:
        return getpass.getpass(f"{question} (not shown): ").strip()
    except EOFError as error:
        raise KeyboardInterrupt from error


def _say(text: str, end: str = "\n") -> None:
    sys.stderr.write(text + end)
    sys.stderr.flush()


def next_lines(channel: Channel | None) -> Sequence[str]:
    """Return what to type next."""
    if channel == "telegram":
        return ("recollect serve --telegram-polling",)
    if channel == "whatsapp":
        return ("recollect serve    # then tell WAHA: docs/connect-whatsapp.md",)
    return ("recollect chat", "recollect ui")
