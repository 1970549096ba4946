"""`compose.yaml`, the image and the guide, read as Docker Compose reads them."""

from __future__ import annotations

import graphlib
import json
import re
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import yaml
from dotenv import dotenv_values

from scripts.processes import ROOT

COMPOSE = ROOT / "compose.yaml"
DOCKERFILE = ROOT / "Dockerfile"
GUIDE = ROOT / "docs/connect-whatsapp.md"

_VARIABLE = re.compile(r"\$\{(\w+)(?:(:[-?])([^}]*))?\}")
_DURATION = re.compile(r"(\d+)(ms|s|m)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0}


class ComposeError(Exception):
    """The file asks for what there is not; the message is one line."""


@dataclass(frozen=True, slots=True)
class Healthcheck:
    """A command that tells by its exit status whether a service is healthy."""

    command: tuple[str, ...]
    interval_s: float
    retries: int


@dataclass(frozen=True, slots=True)
class Service:
    """One service: `names` lead to it within the network, `needs` is a condition by service.

    `ports` are those within its container that the machine reaches.
    """

    name: str
    image: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    needs: Mapping[str, str]
    names: tuple[str, ...]
    ports: tuple[int, ...]
    healthcheck: Healthcheck | None


@dataclass(frozen=True, slots=True)
class Image:
    """What the Dockerfile says of our own image; `copied` are paths of this repository."""

    workdir: str
    entrypoint: tuple[str, ...]
    environment: Mapping[str, str]
    port: int
    copied: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Reading:
    service: str
    variables: Mapping[str, str | None]

    def filled(self, value: Any) -> Any:
        """Return a value with its variables filled in, however deep they stand in it."""
        if isinstance(value, dict):
            return {key: self.filled(each) for key, each in value.items()}
        if isinstance(value, list):
            return [self.filled(each) for each in value]
        return _VARIABLE.sub(self._one, value) if isinstance(value, str) else value

    def _one(self, found: re.Match[str]) -> str:
        name, sign, rest = found.groups()
        if given := self.variables.get(name):
            return given
        if sign == ":-":
            return str(rest)
        if name not in self.variables or sign == ":?":
            raise ComposeError(f"{self.service}: nobody sets {name}")
        return ""


def read_services(text: str, variables: Mapping[str, str | None]) -> dict[str, Service]:
    """Return the services of a compose file by name, in the order in which they start.

    Raises:
        ComposeError: a variable is set by nobody, or a service depends on one that is not there.
    """
    given: dict[str, dict[str, Any]] = yaml.safe_load(text)["services"]
    services = {
        name: _service(name, _Reading(name, variables).filled(raw)) for name, raw in given.items()
    }
    needs = {name: each.needs for name, each in services.items()}
    if unknown := {need for each in needs.values() for need in each} - services.keys():
        raise ComposeError(f"{min(unknown)}: something depends on it, and there is no such service")
    return {name: services[name] for name in graphlib.TopologicalSorter(needs).static_order()}


def read_image(text: str) -> Image:
    """Return what a Dockerfile says; of those with several stages, nothing is known here."""
    lines = [line.partition(" ") for line in text.splitlines()]
    said = {word: rest for word, _, rest in lines}
    copied = [shlex.split(rest) for word, _, rest in lines if word == "COPY"]
    pairs = (pair.partition("=") for pair in shlex.split(said["ENV"]))
    return Image(
        workdir=said["WORKDIR"],
        entrypoint=tuple(json.loads(said["ENTRYPOINT"])),
        environment={name: value for name, _, value in pairs},
        port=int(said["EXPOSE"]),
        copied=tuple(path for *paths, _ in copied for path in paths),
    )


def guide_blocks() -> list[str]:
    """Return what the guide for WhatsApp has one type or write, block by block."""
    return re.findall(r"^ *```\n(.*?)^ *```", GUIDE.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def guide_secrets() -> dict[str, str | None]:
    """Return what the guide's first commands write into an `.env` that others cannot read."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["bash", "-ec", guide_blocks()[0]], cwd=folder, check=True)
        written = Path(folder, ".env")
        assert written.stat().st_mode & 0o077 == 0
        return _variables(written.read_text("utf-8"))


def guide_environment() -> dict[str, str | None]:
    """Return the variables of a whole `.env` of the guide's: secrets, model and owner."""
    return guide_secrets() | _variables(guide_blocks()[1])


def guide_session(variables: Mapping[str, str | None]) -> dict[str, Any]:
    """Return the session of WAHA that the guide has one start, with these variables in `.env`."""
    (block,) = [each for each in guide_blocks() if "/api/sessions" in each]
    with tempfile.TemporaryDirectory() as folder:
        lines = (f"{name}={shlex.quote(value or '')}" for name, value in variables.items())
        Path(folder, ".env").write_text("\n".join(lines), "utf-8")
        script = f'curl() {{ printf "%s" "${{@: -1}}"; }}\n{block}'
        done = subprocess.run(["bash", "-ec", script], cwd=folder, check=True, capture_output=True)
    session: dict[str, Any] = json.loads(done.stdout)
    return session


def _variables(text: str) -> dict[str, str | None]:
    return dict(dotenv_values(stream=StringIO(text), interpolate=False))


def _service(name: str, raw: Mapping[str, Any]) -> Service:
    networks = raw.get("networks", {})
    aliases = [alias for each in networks.values() for alias in (each or {}).get("aliases", [])]
    needs = raw.get("depends_on", {})
    return Service(
        name=name,
        image=raw["image"],
        command=tuple(raw.get("command", ())),
        environment={key: str(value) for key, value in raw.get("environment", {}).items()},
        needs={each: needs[each]["condition"] for each in needs},
        names=(name, *aliases),
        ports=tuple(int(each.rpartition(":")[2]) for each in raw.get("ports", ())),
        healthcheck=_healthcheck(raw["healthcheck"]) if "healthcheck" in raw else None,
    )


def _healthcheck(raw: Mapping[str, Any]) -> Healthcheck:
    kind, *command = raw["test"]
    if kind != "CMD":
        raise ComposeError(f"a health check of kind {kind}: only commands are known here")
    return Healthcheck(tuple(command), _seconds(raw["interval"]), raw["retries"])


def _seconds(duration: str) -> float:
    return sum(int(number) * _SECONDS[unit] for number, unit in _DURATION.findall(duration))
