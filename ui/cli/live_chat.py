"""`recollect chat` for a person at a terminal: the prompt first, the memory opened behind it."""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, NamedTuple

from prompt_toolkit.history import History, InMemoryHistory

from ui.cli.behind import Begun, Behind
from ui.cli.chat_commands import COMPLETED, LEAVING
from ui.cli.chat_screen import TerminalScreen
from ui.cli.history import FILE_NAME, KeptHistory
from ui.cli.line_editor import LineEditor, WhenReady, quiet_keys

if TYPE_CHECKING:
    from graph.settings import Settings
    from memory.domain.chats import StoredMessage
    from ui.cli.chat import Conversation


def run_live_chat(settings: Settings, contact: str | None, screen: TerminalScreen) -> int:
    """Hold a conversation at a terminal until the person leaves; return the exit status.

    Raises:
        RecollectError: a store cannot be opened.
        KeyboardInterrupt: the person left by Ctrl-C.
    """
    with Behind() as behind:
        chat = LiveChat(settings, contact or settings.contact, screen, behind)
        try:
            chat.hold()
        finally:
            chat.close()
    return 0


class Opened(NamedTuple):
    """A conversation on open stores, with its last lines, the oldest first."""

    chat: Conversation
    history: list[StoredMessage]
    is_unfinished: bool


class LiveChat:
    """A conversation whose memory opens while the person may type already."""

    def __init__(
        self, settings: Settings, contact: str, screen: TerminalScreen, behind: Behind
    ) -> None:
        self._settings = settings
        self._contact = contact
        self._screen = screen
        self._behind = behind
        self._stack = AsyncExitStack()
        self._warnings = HeldWarnings()
        self._has_begun = False
        self._opening: Begun[Opened] = behind.start(self._open())

    def hold(self) -> None:
        """Answer message after message until the person leaves.

        Raises:
            RecollectError: a store cannot be opened.
            KeyboardInterrupt: the person left by Ctrl-C.
        """
        editor = LineEditor(_history(self._settings), COMPLETED)
        while (line := editor.read(self._to_begin())) is not None:
            if line.strip().lower() in LEAVING:
                return
            if not line.strip():
                continue
            with quiet_keys():
                if not self._opening.is_done():
                    self._screen.note("One moment: the memory is still being opened.")
                self._begin()
                self._behind.start(self._opening.result().chat.hear(line)).result()
                self._show_warnings()

    def close(self) -> None:
        """Let go of the memory; a reply that is being written stops, and is finished next time."""
        self._screen.end_line()
        self._opening.stop()
        self._behind.start(self._stack.aclose()).result()

    async def _open(self) -> Opened:
        from graph.addresses import starting

        with starting(self._settings):
            from graph.bootstrap import open_agent
            from ui.cli.chat import Conversation

            agent = await self._stack.enter_async_context(open_agent(self._settings))
        chat = Conversation(agent, self._contact, self._screen)
        return Opened(chat, await chat.history(), await chat.is_unfinished())

    def _to_begin(self) -> WhenReady | None:
        if self._has_begun:
            return None
        return WhenReady(self._opening.is_done, self._begin, self._has_to_resume)

    def _has_to_resume(self) -> bool:
        return not self._opening.has_failed() and self._opening.result().is_unfinished

    def _begin(self) -> None:
        if self._has_begun:
            return
        opened = self._opening.result()
        self._has_begun = True
        model = self._settings.model or "no model"
        self._screen.welcome(self._contact, model, opened.history, opened.chat.notices)
        if opened.is_unfinished:
            self._behind.start(opened.chat.resume()).result()
        self._show_warnings()

    def _show_warnings(self) -> None:
        for line in self._warnings.taken():
            self._screen.note(line)


class HeldWarnings(logging.Handler):
    """Holds what is logged, to the end of the process, until it can be shown beside the prompt."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._held: list[str] = []
        logging.getLogger().addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Hold a warning."""
        self._held.append(record.getMessage())

    def taken(self) -> list[str]:
        """Return what was held, once."""
        held, self._held = self._held, []
        return held


def _history(settings: Settings) -> History:
    if not settings.chat_history:
        return InMemoryHistory()
    from memory.embedded import EmbeddedStoreError, data_folder

    try:
        return KeptHistory(data_folder(settings.data_dir) / FILE_NAME)
    except EmbeddedStoreError:
        return InMemoryHistory()
