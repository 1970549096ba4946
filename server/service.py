"""What the routes share: the agent, the clients of gateways, and what follows from news."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from graph.agent import Agent
from graph.settings import Settings
from server.sending.bots import Bots
from server.sending.gateway import Gateway
from server.work.followup import FollowUp


@dataclass(frozen=True, slots=True)
class Service:
    """One running server."""

    agent: Agent
    gateway: Gateway
    bots: Bots
    follow_up: FollowUp

    @property
    def settings(self) -> Settings:
        """The settings it was started with."""
        return self.agent.stores.settings


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


Serving = Annotated[Service, Depends(_service)]
