"""What is being said with a contact now: messages that wait, the reply to come, what was not sent.

A room belongs to the contact, not to a page: two pages show the same, a reload loses nothing.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal

from graph.agent import Agent, BegunAgain, Event, Failed, Finished, NodeDone, Stored, Token
from memory.domain.chats import ChatRef, Message
from memory.errors import RecollectError
from ui.answered_again import told_of, told_of_failure
from ui.playground.render import Step
from ui.playground.sentences import sentence_of

STOPPED = "You stopped this reply"
# Frames of a reply that is being written; more would only flicker.
FRAME_S = 0.05
REMEMBERED = 1_000


@dataclass(slots=True)
class Job:
    """A message on its way to the agent, or a failed turn (`turn_id`) that is tried again.

    With neither it is the chat's unfinished turn, which goes on. `reply_uid`: of the answer of that
    turn, which is given again. `reason`: why it was not sent.
    """

    message: Message | None = None
    turn_id: str = ""
    reply_uid: str = ""
    state: Literal["waiting", "running", "unsent"] = "waiting"
    reason: str = ""

    @property
    def uid(self) -> str:
        """The message's stable key; empty for a turn that is tried again."""
        return self.message.uid if self.message else ""


class Room:
    """One contact's messages on their way, sent one after the other, and the reply to the first."""

    def __init__(self, agent: Agent, chat: ChatRef) -> None:
        self._agent = agent
        self._chat = chat
        self._task: asyncio.Task[None] | None = None
        self._turn: asyncio.Task[None] | None = None
        self._news = asyncio.Event()
        self.jobs: list[Job] = []
        self.steps: list[Step] = []
        self.written = ""
        self.is_out = False
        """Whether the outcome of the running turn is stored."""
        self.version = 0
        """Rises with whatever changes here."""
        self.stored = 0
        """Rises with whatever changes in the ledger."""
        self.over: deque[str] = deque(maxlen=REMEMBERED)
        """The uids of what was sent, or discarded, last."""
        self.told = ("", "")
        """The uid of the answer that was asked for again last, and what came of it."""

    @property
    def is_busy(self) -> bool:
        """Whether a turn runs."""
        return any(job.state == "running" for job in self.jobs)

    @property
    def replaced_uid(self) -> str:
        """The uid of the answer that is being given again; empty where none is."""
        return next((job.reply_uid for job in self.jobs if job.state == "running"), "")

    @property
    def has_draft(self) -> bool:
        """Whether a reply is awaited that the ledger does not hold yet."""
        return self.is_busy and not self.is_out

    def post(self, message: Message) -> None:
        """Send a message after those before it; one that is here already is sent once."""
        known = next((job for job in self.jobs if job.uid == message.uid), None)
        if known is None:
            self._add(Job(message))
        elif known.state == "unsent":
            known.state, known.reason = "waiting", ""
            self._go_on()

    def keep_back(self, message: Message, reason: str) -> None:
        """Keep a message as not sent, for somebody to send or discard."""
        if all(job.uid != message.uid for job in self.jobs):
            self.jobs.append(Job(message, state="unsent", reason=reason))
            self._changed()

    def resume(self) -> None:
        """Finish what the chat's last turn left undone."""
        if not self.jobs:
            self._add(Job())

    def retry(self, turn_id: str) -> None:
        """Try a failed turn again, after what waits."""
        if all(job.turn_id != turn_id for job in self.jobs):
            self._add(Job(turn_id=turn_id))

    def answer_again(self, turn_id: str, reply_uid: str) -> None:
        """Give a turn's answer again, after what waits; asked for twice, it is done once."""
        if all(job.turn_id != turn_id for job in self.jobs):
            self._add(Job(turn_id=turn_id, reply_uid=reply_uid))

    def send_again(self) -> None:
        """Send all that was not sent, in the order in which it was said."""
        for job in self.jobs:
            if job.state == "unsent":
                job.state, job.reason = "waiting", ""
        self._go_on()

    def drop(self, uid: str) -> None:
        """Forget a message that was not sent, or waits."""
        self.over.append(uid)
        self.jobs = [job for job in self.jobs if job.uid != uid or job.state == "running"]
        self._changed()

    def stop(self) -> None:
        """Stop the reply that is being written, where none is stored yet."""
        if self._turn and self.has_draft:
            self._turn.cancel()

    async def news(self, version: int) -> None:
        """Wait until something is other than it was at `version`, and long enough to draw it."""
        while self.version == version:
            self._news.clear()
            await self._news.wait()
        await asyncio.sleep(FRAME_S)

    def _add(self, job: Job) -> None:
        self.jobs.append(job)
        self.told = ("", "")
        self._go_on()

    def _go_on(self) -> None:
        self._changed()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work())

    def _changed(self) -> None:
        self.version += 1
        self._news.set()

    async def _work(self) -> None:
        while job := next((job for job in self.jobs if job.state == "waiting"), None):
            job.state = "running"
            self.written, self.is_out = "", False
            self._changed()
            self._turn = asyncio.create_task(self._run(job))
            await asyncio.wait([self._turn])
            if self._turn.cancelled():
                job.reason = await self._stopped()
            self._end(job)

    async def _run(self, job: Job) -> None:
        try:
            await self._follow(job, self._events(job))
        except RecollectError as error:
            job.reason = sentence_of(error)
        # The outer loop of a turn: whatever goes wrong with it, the next one is tried.
        except Exception as error:  # noqa: BLE001
            job.reason = (
                f"Something broke ({type(error).__name__}): `recollect doctor` checks the stores"
            )

    def _events(self, job: Job) -> AsyncIterator[Event]:
        if job.message:
            return self._agent.send(job.message)
        if job.reply_uid:
            return self._agent.answer_again(self._chat, job.turn_id)
        if job.turn_id:
            return self._agent.retry(job.turn_id)
        return self._agent.resume(self._chat)

    async def _follow(self, job: Job, events: AsyncIterator[Event]) -> None:
        async for event in events:
            if isinstance(event, Token):
                self.written += event.text
            elif isinstance(event, BegunAgain):
                self.written = ""
            elif isinstance(event, NodeDone):
                # A chat's unfinished turn comes first, and then the message's own.
                if event.node == "normalize":
                    self.steps, self.is_out = [], False
                self.steps.append(Step(event.node, event.ms))
            elif isinstance(event, Stored):
                self.is_out = True
                self.stored += 1
            elif isinstance(event, Failed):
                # What is filed with its turn can be tried again from there.
                self.written = ""
                job.reason = "" if event.turn_id else sentence_of(event.reason)
            elif isinstance(event, Finished):
                self.written, job.reason = "", ""
                if event.before:
                    model = self._agent.stores.settings.model
                    self.told = (job.reply_uid, told_of(event, model))
            self._changed()

    async def _stopped(self) -> str:
        try:
            is_filed = await self._agent.stop(self._chat, STOPPED)
        except RecollectError as error:
            return sentence_of(error)
        return "" if is_filed else STOPPED

    def _end(self, job: Job) -> None:
        """Keep what was not sent, and with it what waits: it would be out of order."""
        self.stored += 1
        self.written = ""
        if job.reason and job.reply_uid:
            self.told = (job.reply_uid, told_of_failure(job.reason))
        if job.reason and job.message:
            job.state = "unsent"
            for other in self.jobs:
                if other.state == "waiting" and other.message:
                    other.state, other.reason = "unsent", "It waits for the message before it"
        else:
            self.over.append(job.uid)
            self.jobs.remove(job)
        self._changed()
