"""What the routes share: the agent, the worker and the WAHA gateway's clients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from graph.agent import Agent
from graph.settings import Settings
from server.gateway import Gateway
from server.upkeep import Upkeep
from server.worker import Worker


@dataclass(frozen=True, slots=True)
class Service:
    """One running server."""

    agent: Agent
    worker: Worker
    gateway: Gateway
    upkeep: Upkeep

    @property
    def settings(self) -> Settings:
        """The settings it was started with."""
        return self.agent.stores.settings


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


Serving = Annotated[Service, Depends(_service)]
