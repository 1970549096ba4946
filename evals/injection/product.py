"""The product under attack: its own import, its own turns, and the prompts that its model gets."""

from __future__ import annotations

from collections.abc import Sequence

from evals.errors import NoPromptError
from evals.injection.systems import Kept, Prompt
from evals.suite.scripted import ScriptedChatModel
from graph.agent import Agent, Failed
from memory.domain.chats import Actor, ChatRef, Message
from memory.projection.importing import import_batches
from nodes.checks.input import SPEAKS_TO_MACHINE, check_input
from nodes.prompts import FENCE_CLOSE, FENCE_OPEN

CHANNEL = "eval"
FENCES = ((FENCE_OPEN, FENCE_CLOSE),)


class Recollect:
    """The product on open stores, whose model is `model`; `person` has written nothing yet."""

    def __init__(self, agent: Agent, model: ScriptedChatModel, person: str) -> None:
        self._agent = agent
        self._model = model
        self._person = person

    def flags(self, text: str) -> bool:
        """Ask the input check, as it stands before the model."""
        return SPEAKS_TO_MACHINE in check_input(text).findings

    async def ingest(self, text: str) -> None:
        """Import the message as a direct chat's history."""
        stores = self._agent.stores
        await import_batches(stores.memory, stores.projector, [[self._said(text, "earlier")]])

    async def facts(self) -> Sequence[Kept]:
        """Return every fact that was recorded, rejected and closed ones included."""
        stores = self._agent.stores
        history = await stores.memory.facts.history(stores.settings.tenant, self._contact)
        return [
            Kept(f"{f.category}/{f.key}", f.category == "instruction", f.status == "active")
            for f in history
        ]

    async def prompt(self, question: str) -> Prompt:
        """Let the person ask in another chat, where only memory brings the text back.

        Raises:
            NoPromptError: the turn failed, or was not answered.
        """
        asked = len(self._model.prompts)
        reason = "the turn did not get to the model"
        async for event in self._agent.send(self._said(question, "later")):
            if isinstance(event, Failed):
                reason = event.reason
        heard = self._model.prompts[asked:]
        if not heard:
            raise NoPromptError(f"A question was not answered: {reason}.")
        return Prompt("\n\n".join(message.text for message in heard[-1]), FENCES)

    @property
    def _contact(self) -> str:
        return f"{CHANNEL}:{self._person}"

    def _said(self, text: str, chat: str) -> Message:
        stores = self._agent.stores
        return Message(
            chat=ChatRef(stores.settings.tenant, CHANNEL, CHANNEL, f"{chat}/{self._person}"),
            message_id=stores.ids(),
            actor=Actor.CONTACT,
            sender_id=self._person,
            sender_name="",
            contact_id=self._contact,
            text=text,
            sent_at=stores.clock(),
        )
