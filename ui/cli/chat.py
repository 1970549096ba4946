"""`recollect chat`: a conversation in the terminal, or line by line through a pipe."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

from graph.agent import Agent, Event, Failed, Finished, Token
from graph.bootstrap import open_agent
from graph.settings import Settings
from memory.errors import RecollectError
from nodes.commands.run import COMMANDS
from ui.cli.terminal import HELP, PipeScreen, Screen, TerminalScreen
from ui.failures import failed_turns
from ui.receipt import latest_receipts

HISTORY_LINES = 6

_COMMAND = re.compile(r"/[a-z]+", re.IGNORECASE)


def run_chat(settings: Settings, contact: str | None) -> int:
    """Hold a conversation until the input ends; return the exit status.

    A pipe's status is 1 when a message was not answered.

    Raises:
        RecollectError: a store cannot be opened.
    """
    is_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    screen: Screen = TerminalScreen() if is_terminal else PipeScreen()
    # The loop runs only during turns, so that Ctrl-C at the prompt meets nothing half done.
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        try:
            agent = runner.run(stack.enter_async_context(open_agent(settings)))
            chat = Conversation(agent, contact or settings.contact, screen)
            if is_terminal:
                runner.run(chat.begin())
            while (line := screen.read()) is not None:
                if line.strip().lower() in ("/quit", "/exit"):
                    break
                runner.run(chat.hear(line))
        finally:
            runner.run(stack.aclose())
    return 1 if chat.has_failed and not is_terminal else 0


class Conversation:
    """One contact's conversation with the agent, shown on a screen."""

    def __init__(self, agent: Agent, contact: str, screen: Screen) -> None:
        self.has_failed = False
        self._agent = agent
        self._contact = contact
        self._chat = agent.local_chat(contact)
        self._screen = screen

    async def begin(self) -> None:
        """Show the last lines, and finish what an earlier run left unfinished."""
        stores = self._agent.stores
        history = await stores.memory.ledger.since(self._chat, 0, HISTORY_LINES)
        model = stores.settings.model or "offline responder"
        self._screen.welcome(self._contact, model, history)
        await self._guarded(self._agent.resume(self._chat))

    async def hear(self, line: str) -> None:
        """Answer one line of the person."""
        word = line.strip().lower()
        if not word:
            return
        if word == "/help":
            self._screen.note(HELP)
        elif word == "/retry":
            await self._retry()
        elif _COMMAND.fullmatch(word) and word not in COMMANDS:
            self._screen.note(f"There is no command {word}: /help lists them.")
        else:
            await self._guarded(self._agent.send(self._agent.local_message(line, self._contact)))

    async def _retry(self) -> None:
        failed = await failed_turns(self._agent, self._chat)
        if not failed:
            self._screen.note("Nothing failed: there is nothing to try again.")
        for turn in failed:
            await self._guarded(self._agent.retry(turn.turn_id))

    async def _guarded(self, events: AsyncIterator[Event]) -> None:
        try:
            async for event in events:
                await self._show(event)
        except RecollectError as error:
            self._problem(str(error))
        # The outer loop over messages: whatever goes wrong with one, the next may be answered.
        except Exception as error:  # noqa: BLE001
            self._problem(
                f"Something broke ({type(error).__name__}). What you sent is kept if it arrived;"
                " `recollect doctor` checks the stores."
            )

    async def _show(self, event: Event) -> None:
        if isinstance(event, Token):
            self._screen.token(event.text)
        elif isinstance(event, Failed):
            self._problem(
                f"No answer this time: {event.reason.rstrip('.')}."
                " Your message is kept; /retry asks again."
            )
        elif isinstance(event, Finished) and event.reply:
            self._screen.reply(event.reply)
            if event.decision == "respond":
                await self._show_receipt(event.turn_id)

    async def _show_receipt(self, turn_id: str) -> None:
        explained = await latest_receipts(self._agent, self._chat, 1)
        for entry in explained.values():
            if entry.receipt.turn_id == turn_id:
                self._screen.receipt(entry.line)

    def _problem(self, text: str) -> None:
        self.has_failed = True
        self._screen.problem(text)
