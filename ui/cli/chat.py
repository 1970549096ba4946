"""A conversation with the agent, and `recollect chat` line by line through a pipe."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace

from graph.agent import Agent, BegunAgain, Event, Failed, Finished, Token
from graph.bootstrap import open_agent
from graph.settings import Settings
from memory.domain.chats import StoredMessage
from memory.errors import RecollectError
from nodes.commands.run import COMMANDS
from nodes.commands.run import HELP as COMMAND_HELP
from ui.answered_again import told_of, told_of_failure
from ui.cli.chat_commands import HELP, LEAVING, episodes_text, search_text
from ui.cli.signature import NOTICE, Unsigned, unsigned
from ui.cli.terminal import PipeScreen, Screen
from ui.failures import failed_turns
from ui.receipt import latest_receipts

HISTORY_LINES = 6

_COMMAND = re.compile(r"/[a-z]+", re.IGNORECASE)


def run_piped_chat(settings: Settings, contact: str | None) -> int:
    """Answer line after line until the input ends; return 1 when one was not answered, else 0.

    Raises:
        RecollectError: a store cannot be opened.
    """
    screen = PipeScreen()
    # The loop runs only during turns, so that Ctrl-C between them meets nothing half done.
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        try:
            agent = runner.run(stack.enter_async_context(open_agent(settings)))
            chat = Conversation(agent, contact or settings.contact, screen)
            for notice in chat.notices:
                screen.problem(notice)
            while (line := screen.read()) is not None:
                if line.strip().lower() in LEAVING:
                    break
                runner.run(chat.hear(line))
        finally:
            runner.run(stack.aclose())
    return 1 if chat.has_failed else 0


class Conversation:
    """One contact's conversation with the agent, shown on a screen."""

    def __init__(self, agent: Agent, contact: str, screen: Screen) -> None:
        self.has_failed = False
        self._agent = agent
        self._contact = contact
        self._chat = agent.local_chat(contact)
        self._screen = screen
        self._unsigned = Unsigned()

    @property
    def notices(self) -> list[str]:
        """What is to be said once, at the start."""
        return [] if self._agent.stores.settings.model else [NOTICE]

    async def history(self) -> list[StoredMessage]:
        """Return the last lines of the conversation, oldest first."""
        said = await self._agent.stores.memory.ledger.since(self._chat, 0, HISTORY_LINES)
        texts = [unsigned(stored.message.text) for stored in said]
        return [
            replace(stored, message=replace(stored.message, text=text))
            for stored, text in zip(said, texts, strict=True)
        ]

    async def is_unfinished(self) -> bool:
        """Tell whether an earlier run left a turn that is to be finished."""
        return await self._agent.stores.saver.is_unfinished(self._chat.thread_id)

    async def resume(self) -> None:
        """Finish what an earlier run left unfinished."""
        await self._guarded(self._agent.resume(self._chat))

    async def hear(self, line: str) -> None:
        """Answer one message of the person."""
        text = line.strip()
        word, _, rest = text.partition(" ")
        word = word.lower()
        if not text:
            return
        if word == "/search":
            self._screen.note(await search_text(self._agent.stores, self._contact, rest.strip()))
        elif text.lower() == "/episodes":
            self._screen.note(await episodes_text(self._agent.stores, self._contact))
        elif text.lower() == "/help":
            self._screen.note(f"{COMMAND_HELP}\n{HELP}")
        elif text.lower() == "/retry":
            await self._retry()
        elif text.lower() == "/again":
            await self._guarded(self._agent.answer_again(self._chat))
        elif _COMMAND.fullmatch(text) and text.lower() not in COMMANDS:
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
        self._unsigned = Unsigned()
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
            if shown := self._unsigned.feed(event.text):
                self._screen.token(shown)
        elif isinstance(event, BegunAgain):
            self._unsigned = Unsigned()
            self._screen.begin_again()
        elif isinstance(event, Failed) and event.answer_stays:
            self._problem(told_of_failure(event.reason))
        elif isinstance(event, Failed):
            self._problem(
                f"No answer this time: {event.reason.rstrip('.')}."
                " Your message is kept; /retry asks again."
            )
        elif isinstance(event, Finished):
            await self._end(event)

    async def _end(self, event: Finished) -> None:
        if event.reply:
            self._unsigned = Unsigned()
            self._screen.reply(unsigned(event.reply))
            if event.decision == "respond":
                await self._show_receipt(event.turn_id)
        if event.before and (told := told_of(event, self._agent.stores.settings.model)):
            self._screen.note(told)

    async def _show_receipt(self, turn_id: str) -> None:
        explained = await latest_receipts(self._agent, self._chat, 1)
        for entry in explained.values():
            if entry.receipt.turn_id == turn_id:
                self._screen.receipt(entry.line)

    def _problem(self, text: str) -> None:
        self.has_failed = True
        self._screen.problem(text)
