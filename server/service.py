"""What the routes share: the agent, the WAHA gateway's clients, and how a turn is asked for."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from graph.agent import Agent
from graph.retry import reason_of
from graph.settings import Settings
from memory.errors import RecollectError
from memory.transcript.intake import Intake
from server.sending.bots import Bots
from server.sending.gateway import Gateway
from server.work.followup import FollowUp

log = logging.getLogger(__name__)


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

    async def schedule(self, taken: Intake) -> None:
        """Let a worker look at the chat of a message that is in the ledger now; an order at once.

        Never raises: the message is stored, and a worker finds it without a job as well.
        """
        stores = self.agent.stores
        try:
            message, policy = taken.message, taken.policy
            is_order = message.may_instruct and message.is_command
            wait_ms = 0 if is_order else min(policy.debounce_ms, policy.debounce_max_ms)
            await stores.memory.jobs.schedule(message.chat, wait_ms / 1000)
        except RecollectError as error:
            log.warning("a job was not stored: %s", reason_of(error))


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


Serving = Annotated[Service, Depends(_service)]
