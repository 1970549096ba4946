"""What the routes share: the agent, the WAHA gateway's clients, and how a turn is asked for."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Annotated

import psycopg
from fastapi import Depends, Request

from graph.agent import Agent
from graph.retry import reason_of
from graph.settings import Settings
from memory.domain.chats import ChatRef
from server.sending.bots import Bots
from server.sending.gateway import Gateway
from server.work.debounce import debounce_for
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

    async def schedule(self, chat: ChatRef, *, at_once: bool = False) -> None:
        """Let a worker look at a chat whose message is in the ledger now.

        Never raises: the message is stored, and a worker finds it without a job as well.
        """
        stores = self.agent.stores
        try:
            debounce = await debounce_for(stores, chat)
            wait_ms = 0 if at_once else min(debounce.quiet_ms, debounce.longest_ms)
            await stores.memory.jobs.schedule(chat, wait_ms / 1000)
        except psycopg.Error as error:
            log.warning("a job was not stored: %s", reason_of(error))


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


Serving = Annotated[Service, Depends(_service)]
