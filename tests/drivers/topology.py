"""The services of `compose.yaml` as plain processes of one machine, in Compose's order.

Ours get the image's entry point, the command and exactly the variables that Compose gives them;
where a name of its network stands in one, the port that the server has on this machine takes its
place.
"""

from __future__ import annotations

import inspect
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import httpx

from scripts.processes import ROOT
from tests.drivers.compose import ComposeError, Image, Service
from tests.drivers.images import HOST, Container
from tests.drivers.serving import free_port
from ui.cli.main import serve

OURS = "recollect"
PATIENCE_S = 120.0
POLL_S = 0.1
NO_HOME = "/dev/null"
"""The image's user has none, and nobody can make one here."""
WORKS = "Recollect works for"
_DEFAULT_PORTS = {"http": 80, "postgresql": 5432, "bolt": 7687}


@dataclass
class Process:
    """One process of a service of ours."""

    service: Service
    port: int
    log: Path
    running: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        """Where it answers, if it is a web."""
        return f"http://{HOST}:{self.port}"

    def works(self) -> bool:
        """Tell whether it takes work in: a web answers, a worker says so."""
        if not self.service.ports:
            return WORKS in self.log.read_text("utf-8")
        try:
            return httpx.get(f"{self.url}/health", timeout=5).is_success
        except httpx.HTTPError:
            return False

    def kill(self) -> None:
        """End it as a power cut would."""
        self.running.send_signal(signal.SIGKILL)
        self.running.wait()


@dataclass
class Topology:
    """All of it. `others` stand for the images of others, by their name without a version.

    `happened` tells in order what was started and what became healthy.
    """

    folder: Path
    services: Mapping[str, Service]
    image: Image
    others: Mapping[str, Container]
    happened: list[str] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)

    def up(self, **scale: int) -> None:
        """Start what does not run yet, one process of each of ours where `scale` says no other.

        Raises:
            ComposeError: a service cannot be started as the file says, or does not get healthy.
        """
        for service in self.services.values():
            for need, condition in service.needs.items():
                self._await(need, condition)
            if service.image == OURS:
                for _ in range(scale.get(service.name, 1) - len(self.of(service.name))):
                    self._start(service)
            elif f"{service.name} started" not in self.happened:
                self.other(service).start(service)
                self.happened.append(f"{service.name} started")
        for each in self.processes:
            self._until(each.works, each)

    def down(self) -> list[int]:
        """Stop everything as a user would; return the exit statuses of ours."""
        ours, self.processes = self.processes, []
        for each in ours:
            each.running.send_signal(signal.SIGTERM)
        statuses = [each.running.wait(PATIENCE_S) for each in ours]
        for other in self.others.values():
            other.stop()
        return statuses

    def of(self, service: str) -> list[Process]:
        """Return the processes of a service that run, oldest first."""
        self.processes = [each for each in self.processes if each.running.poll() is None]
        return [each for each in self.processes if each.service.name == service]

    def other(self, service: Service) -> Container:
        """Return what stands for a service of others.

        Raises:
            ComposeError: nobody knows its image here.
        """
        name = service.image.partition(":")[0]
        if name not in self.others:
            raise ComposeError(f"{service.name}: nothing stands for the image {name}")
        return self.others[name]

    def is_healthy(self, name: str) -> bool:
        """Run the health check of a service where its image would run it.

        Raises:
            ComposeError: it has none, or there is no such command.
        """
        service = self.services[name]
        check, tools = service.healthcheck, self.other(service).tools
        if check is None:
            raise ComposeError(f"{name}: has no health check")
        command, *arguments = check.command
        found = [
            Path(folder, command)
            for folder in tools["PATH"].split(os.pathsep)
            if Path(folder, command).exists()
        ]
        if not found:
            raise ComposeError(f"{name}: there is no command {command}")
        done = subprocess.run(
            [found[0], *arguments], env=tools, capture_output=True, timeout=PATIENCE_S
        )
        return done.returncode == 0

    def led_to(self, url: str, asker: str = "somebody") -> list[str]:
        """Return where an address within the network leads on this machine, best known first.

        Raises:
            ComposeError: there is no such service, or it does not listen there.
        """
        parts = urlsplit(url)
        host = parts.hostname or ""
        if "." in host:
            return [url]
        service = next((each for each in self.services.values() if host in each.names), None)
        if service is None:
            raise ComposeError(f"{asker}: there is no service {host}")
        port = parts.port or _DEFAULT_PORTS[parts.scheme]
        is_ours = service.image == OURS
        listens = port_of(service.command) if is_ours else self.other(service).listens
        if port != listens:
            raise ComposeError(f"{asker}: {host} does not listen on {port}")
        ports = [p.port for p in self.of(service.name)] if is_ours else [self.other(service).port]
        user = f"{parts.username}@" if parts.username else ""
        return [urlunsplit(parts._replace(netloc=f"{user}{HOST}:{port}")) for port in ports]

    def _await(self, name: str, condition: str) -> None:
        if f"{name} started" not in self.happened:
            raise ComposeError(f"{name}: is not started yet")
        if condition == "service_started" or f"{name} healthy" in self.happened:
            return
        if condition != "service_healthy" or not (check := self.services[name].healthcheck):
            raise ComposeError(f"{name}: will never be {condition}")
        deadline = time.monotonic() + check.interval_s * check.retries
        while not self.is_healthy(name):
            if time.monotonic() > deadline:
                raise ComposeError(f"{name}: does not get healthy")
            time.sleep(POLL_S)
        self.happened.append(f"{name} healthy")

    def _start(self, service: Service) -> None:
        port = free_port() if service.ports else 0
        if service.ports and service.ports != (port_of(service.command),):
            raise ComposeError(f"{service.name}: does not listen on the port that is published")
        program, *entry = self.image.entrypoint
        if program != "python":
            raise ComposeError(f"the image starts {program}")
        number = sum(f"{service.name} started" == each for each in self.happened)
        log = self.folder / f"{service.name}-{number}.log"
        # Beside others on one machine, a web needs a port of its own.
        own = ("--port", str(port)) if service.ports else ()
        with log.open("wb") as out:
            running = subprocess.Popen(
                [sys.executable, *entry, *service.command, *own],
                cwd=self._workdir(),
                env=self.environment(service),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )
        self.processes.append(Process(service, port, log, running))
        self.happened.append(f"{service.name} started")

    def environment(self, service: Service) -> dict[str, str]:
        """Return all variables that a process of ours gets: Compose's and the image's."""
        folder = str(self._workdir())
        image = {
            name: value.replace(self.image.workdir, folder)
            for name, value in self.image.environment.items()
        }
        given = {
            name: self.led_to(value, f"{service.name}, {name}")[0] if "://" in value else value
            for name, value in service.environment.items()
        }
        return {"PATH": os.defpath, "HOME": NO_HOME} | image | given

    def _workdir(self) -> Path:
        """Return the image's folder, with what the image holds of ours and nothing else."""
        folder = self.folder / "app"
        if not folder.exists():
            for path in self.image.copied:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).symlink_to(ROOT / path)
        return folder

    def _until(self, works: Callable[[], bool], of: Process) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not works():
            if of.running.poll() is not None or time.monotonic() > deadline:
                said = (of.log.read_text("utf-8").strip().splitlines() or ["nothing"])[-1]
                raise ComposeError(f"{of.service.name}: does not work: {said}")
            time.sleep(POLL_S)


def port_of(command: tuple[str, ...]) -> int:
    """Return the port on which `recollect serve` listens with these arguments."""
    given = dict(itertools.pairwise(command)).get("--port")
    return int(given or inspect.signature(serve).parameters["port"].default)
