"""What the images of others do when Compose starts them, done by servers of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlsplit

import psycopg
from psycopg import sql

from memory.embedded import chroma, postgres, process
from memory.embedded.account import postgres_account
from memory.embedded.layout import Layout, prepare
from scripts.processes import ROOT
from tests.drivers.compose import Service
from tests.fakes.waha_gateway import WahaGateway

HOST = "127.0.0.1"


class Container(Protocol):
    """A server in the place of an image: `listens` is its port in its network, `port` here.

    `tools` is the environment in which a health check finds its command and its server.
    """

    listens: int
    tools: Mapping[str, str]

    @property
    def port(self) -> int:
        """Where it listens on this machine."""

    def start(self, service: Service) -> None:
        """Start it as the service's variables say; it may not answer yet."""

    def stop(self) -> None:
        """Stop it; fine when it does not run."""


class Postgres:
    """The image `postgres`: it makes user and database behind a socket, and starts anew over TCP.

    `while_made` is called while only the socket is there.
    Source: `docker_temp_server_start` in the image's entry point.
    """

    listens = 5432

    def __init__(self, folder: Path) -> None:
        self._layout = prepare(folder)
        self._account = postgres_account()
        self._bin = postgres.binaries(self._layout.data_dir, self._account)
        self._child: tuple[process.Spec, subprocess.Popen[bytes]] | None = None
        self.port = chroma.free_port()
        self.tools: Mapping[str, str] = {}
        self.while_made: Callable[[], None] = lambda: None

    def start(self, service: Service) -> None:
        """Make what the variables say, and wait for nobody once that is there."""
        layout, given = self._layout, service.environment
        password = given["POSTGRES_PASSWORD"]
        postgres.create_cluster(self._bin, layout.postgres, self._account, password)
        sockets = postgres.socket_folder(layout.postgres, self._account)
        lock, log = layout.lock("postgres"), layout.log("postgres")
        spec = postgres.socket_spec(self._bin, layout.postgres, sockets, lock, log, self._account)
        self._run(spec)
        process.wait_until(lambda: postgres.is_ready(layout.postgres, self._pid), *self._running)
        self.tools = {
            "PATH": str(self._bin),
            "PGHOST": str(sockets),
            "PGPORT": str(postgres.PORT),
        }
        address = f"{postgres.socket_url(sockets)}&password={quote(password, safe='')}"
        make(address, given["POSTGRES_USER"], password, given["POSTGRES_DB"])
        self.while_made()
        self.stop()
        spec = postgres.tcp_spec(self._bin, layout.postgres, self.port, lock, log, self._account)
        self._run(spec)
        self.tools = {"PATH": str(self._bin), "PGHOST": HOST, "PGPORT": str(self.port)}

    def stop(self) -> None:
        """Stop it; what it was told stays in its folder."""
        if self._child is not None:
            process.stop_children([self._child])
            self._child = None

    @property
    def _running(self) -> tuple[process.Spec, subprocess.Popen[bytes]]:
        assert self._child is not None
        return self._child

    @property
    def _pid(self) -> int:
        return self._running[1].pid

    def _run(self, spec: process.Spec) -> None:
        self._child = spec, process.start(spec, dies_with_us=True)


def make(address: str, user: str, password: str, database: str) -> None:
    """Make a user who may do everything, and a database of that user's, where they are not."""
    with psycopg.connect(address, autocommit=True) as connection:
        owner = sql.Identifier(user)
        statement = sql.SQL("create role {} superuser login password {}")
        connection.execute(statement.format(owner, sql.Literal(password)))
        there = "select 1 from pg_database where datname = %s"
        if connection.execute(there, [database]).fetchone() is None:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(database)))
        statement = sql.SQL("alter database {} owner to {}")
        connection.execute(statement.format(sql.Identifier(database), owner))


class Chroma:
    """The image `chromadb/chroma`."""

    listens = 8000
    tools: Mapping[str, str] = {}

    def __init__(self, folder: Path) -> None:
        self._layout: Layout = prepare(folder)
        self._child: tuple[process.Spec, subprocess.Popen[bytes]] | None = None
        self.port = chroma.free_port()

    def start(self, service: Service) -> None:
        """Start it; nobody waits until it answers."""
        layout = self._layout
        layout.chroma.mkdir(mode=0o700, exist_ok=True)
        spec = chroma.spec(layout.chroma, self.port, layout.lock("chroma"), layout.log("chroma"))
        self._child = spec, process.start(spec, dies_with_us=True)

    def stop(self) -> None:
        """Stop it."""
        if self._child is not None:
            process.stop_children([self._child])


class Neo4j:
    """The image `neo4j`, by a server that runs already and stays.

    That one lets everybody in: user and password are held to `NEO4J_AUTH` by `cypher-shell`, which
    stands in `folder` in the place of Neo4j's own.
    """

    listens = 7687

    def __init__(self, uri: str, folder: Path) -> None:
        self.port = urlsplit(uri).port or self.listens
        self._uri = uri
        self._folder = folder
        self.tools: Mapping[str, str] = {}

    def start(self, service: Service) -> None:
        """Put the command of its health check in its place."""
        shell = self._folder / "cypher-shell"
        shell.write_text(
            f'#!/bin/sh\nexec "{sys.executable}" -m tests.drivers.cypher_shell "$@"\n', "utf-8"
        )
        shell.chmod(0o755)
        self.tools = {
            "PATH": f"{self._folder}{os.pathsep}{os.defpath}",
            "PYTHONPATH": str(ROOT),
            "NEO4J_ADDRESS": self._uri,
            "NEO4J_AUTH": service.environment["NEO4J_AUTH"],
        }

    def stop(self) -> None:
        """Leave the server to whoever started it."""


class Waha:
    """The image `devlikeapro/waha`: the gateway that only pretends, with the key it was given."""

    listens = 3000
    tools: Mapping[str, str] = {}

    def __init__(self) -> None:
        self.gateway = WahaGateway()

    @property
    def port(self) -> int:
        """Where it listens on this machine, once it runs."""
        return urlsplit(self.gateway.url).port or 0

    def start(self, service: Service) -> None:
        """Serve, for who has the key."""
        self.gateway.api_key = service.environment["WAHA_API_KEY"]
        self.gateway.__enter__()

    def stop(self) -> None:
        """Serve no more."""
        self.gateway.__exit__()
