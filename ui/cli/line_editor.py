"""Where a person types at a terminal: pasted lines, completed commands, what was typed before."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import Output, create_output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style

PROMPT = "    you › "
LOOK_EVERY_S = 0.05
MARKS_PASTES = "\x1b[?2004h"
"""From then on a terminal says where a paste begins and ends."""

_STYLE = Style.from_dict(
    {
        "prompt": "bold",
        "completion-menu": "bg:default default",
        "completion-menu.completion.current": "bg:default default reverse",
        "completion-menu.meta.completion": "bg:default default",
        "completion-menu.meta.completion.current": "bg:default default reverse",
    }
)


class WhenReady(NamedTuple):
    """What is to be called once, above the prompt, as soon as it is ready.

    Where it `takes_long`, it is called in a thread of its own.
    """

    is_ready: Callable[[], bool]
    call: Callable[[], None]
    takes_long: Callable[[], bool]


class LineEditor:
    """Reads messages at a terminal; what is pasted is one, however many lines it has.

    `commands` are completed, each with what it does. Ctrl-C empties the line, and leaves where it
    is empty; Escape, Enter begins a new line within the message.
    """

    def __init__(self, history: History, commands: Mapping[str, str]) -> None:
        self._session: PromptSession[str] = PromptSession(
            [("", "\n"), ("class:prompt", PROMPT)],
            history=history,
            completer=_Commands(commands),
            complete_while_typing=Condition(self._names_a_command),
            key_bindings=_keys(),
            prompt_continuation=lambda width, _number, _wraps: " " * width,
            style=_STYLE,
            output=_output(),
        )

    def read(self, waiting: WhenReady | None = None) -> str | None:
        """Return the next message; None at the end of the input.

        Raises:
            KeyboardInterrupt: the person leaves.
            Exception: what the call raised that was `waiting`.
        """
        app = self._session.app

        def watch() -> None:
            if waiting is not None:
                app.create_background_task(_watch(app, waiting))

        try:
            return self._session.prompt(pre_run=watch)
        except EOFError:
            return None

    def _names_a_command(self) -> bool:
        text = self._session.default_buffer.text
        return text.startswith("/") and " " not in text


@contextmanager
def quiet_keys() -> Iterator[None]:
    """Keep what is typed or pasted meanwhile for the next prompt, and off the screen."""
    try:
        import termios
    except ImportError:  # Windows
        yield
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    quiet = termios.tcgetattr(terminal)
    quiet[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(terminal, termios.TCSANOW, quiet)
    # The prompt has ended that; without it each line of what is pasted now would be a message.
    sys.stdout.write(MARKS_PASTES)
    sys.stdout.flush()
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, before)


class _Commands(Completer):
    """Completes the first word where it begins with a slash."""

    def __init__(self, commands: Mapping[str, str]) -> None:
        self._commands = commands

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        typed = document.text_before_cursor
        if typed.startswith("/"):
            for name, meaning in self._commands.items():
                if name.startswith(typed.lower()):
                    yield Completion(name, start_position=-len(typed), display_meta=meaning)


async def _watch(app: Application[str], waiting: WhenReady) -> None:
    # Another thread ends it, which knows nothing of this loop.
    while not waiting.is_ready():  # noqa: ASYNC110
        await asyncio.sleep(LOOK_EVERY_S)
    try:
        await run_in_terminal(waiting.call, in_executor=waiting.takes_long())
    # The prompt's outer loop: whatever it is, the prompt ends, and its caller gets it.
    except Exception as error:  # noqa: BLE001
        app.exit(exception=error)


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("c-c")
    def _(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt(), style="class:aborting")

    @keys.add("tab")
    def _(event: KeyPressEvent) -> None:
        # The only one that fits stands there before the next key, which may be Enter.
        typing = event.current_buffer
        asked = CompleteEvent(completion_requested=True)
        fitting = list(typing.completer.get_completions(typing.document, asked))
        if len(fitting) == 1:
            typing.apply_completion(fitting[0])
        elif typing.complete_state:
            typing.complete_next()
        elif fitting:
            typing.start_completion(insert_common_part=True)

    @keys.add("escape", "enter")
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys


def _output() -> Output:
    output = create_output(stdout=sys.stdout)
    if isinstance(output, Vt100_Output):
        # Asked for its cursor, a terminal that cannot tell gets a warning across the screen.
        output.enable_cpr = False
    return output
