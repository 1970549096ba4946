"""Play a newcomer's hour: what `newcomer.txt` says is typed, in the page and at a terminal.

    python -m scripts.newcomer [--data FOLDER] [--out hour.md]

It uses the product as a person does: `recollect ui` in Chromium, `recollect chat` on a terminal of
its own, commands; with the offline responder, on a memory that is removed afterwards unless a
folder is given. What came back is written as Markdown, to be judged by hand: docs/newcomer.md.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple, Protocol, cast

from playwright.sync_api import Page, expect, sync_playwright

from graph.bootstrap import open_agent
from graph.settings import Settings
from memory.domain.chats import local_contact
from scripts.screenshots import CHROMIUM, FLAGS, ROOT, playground
from tests.drivers.terminal import CTRL_D, ENTER, Terminal

SCRIPT: Final = ROOT / "scripts/newcomer.txt"
PATIENCE_MS: Final = 60_000
PROMPT: Final = "you ›"
REPLY: Final = "agent ›"

Where = Literal["page", "terminal"]
Verb = Literal["say", "ask", "ask-after", "import", "correct", "forget"]
ACTS: Final = ("say", "ask", "ask-after", "import", "correct", "forget")


@dataclass(slots=True)
class Told:
    """A fact that a message tells: of what, and words one of which the fact must hold."""

    subject: str
    words: tuple[str, ...]


@dataclass(slots=True)
class Step:
    """One thing that the newcomer does, and what came of it.

    `want`, `unwanted`: words one of which an answer must hold, and words that it must not.
    `wait_s` is from the key Enter to the whole reply.
    """

    verb: Verb
    text: str
    told: list[Told] = field(default_factory=list)
    want: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    reply: str = ""
    used: str = ""
    wait_s: float = 0.0

    @property
    def is_said(self) -> bool:
        """Whether it is written in the chat."""
        return self.verb in ("say", "ask", "ask-after") or self.text.startswith("chat ")

    @property
    def is_right(self) -> bool:
        """Whether the words say that the answer is right; who reads it decides."""
        reply = self.reply.casefold()
        is_told = not self.want or any(each.casefold() in reply for each in self.want)
        return is_told and not any(each.casefold() in reply for each in self.unwanted)


@dataclass(slots=True)
class Sitting:
    """The program is started, used, and left."""

    where: Where
    language: str
    steps: list[Step] = field(default_factory=list)


class Known(NamedTuple):
    """A fact, a person or thing, or what is claimed of one."""

    key: str
    value: str

    def __str__(self) -> str:
        """Return it as people read it."""
        return f"{self.key}: {self.value}"


class Reply(NamedTuple):
    """What came back: the words, the line beneath them, and after how long."""

    text: str
    used: str
    wait_s: float


class Hand(Protocol):
    """How the newcomer reaches the product in a sitting."""

    def say(self, text: str) -> Reply:
        """Send a message; return the reply to it."""

    def act(self, step: Step) -> str:
        """Do what is done with the mouse, or as a command; return what came back."""


def main() -> int:
    """Play the hour and write it; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, help="where its memory is kept; default: removed")
    parser.add_argument("--out", type=Path, default=Path("hour.md"))
    given = parser.parse_args()
    sittings = read(SCRIPT.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="recollect-newcomer-") as folder:
        # Postgres does not run as root, and must be able to enter.
        Path(folder).chmod(0o755)
        told = {k: v for k, v in os.environ.items() if not k.startswith(("RECOLLECT_", "OPENAI_"))}
        env = told | {
            "RECOLLECT_DATA_DIR": str(given.data or f"{folder}/data"),
            "PYTHONPATH": str(ROOT),
        }
        known: dict[str, list[Known]] = {}
        for sitting in sittings:
            play(sitting, env, known)
            known["last"] = asyncio.run(known_now(Path(env["RECOLLECT_DATA_DIR"])))
    given.out.write_text(written(sittings, known), encoding="utf-8")
    return 0


def read(script: str) -> list[Sitting]:
    """Return the sittings of a script; `newcomer.txt` says how its lines are meant."""
    sittings: list[Sitting] = []
    for line in script.splitlines():
        word, _, rest = line.strip().partition(" ")
        if not word or word == "#":
            continue
        if word == "sitting":
            where, _, language = rest.partition(" ")
            sittings.append(Sitting(cast("Where", where), language))
        elif word in ACTS:
            sittings[-1].steps.append(Step(cast("Verb", word), rest))
        elif word == "told":
            subject, _, words = rest.partition(": ")
            sittings[-1].steps[-1].told.append(Told(subject, _words(words)))
        elif word == "want":
            sittings[-1].steps[-1].want = _words(rest)
        elif word == "not":
            sittings[-1].steps[-1].unwanted = _words(rest)
        else:
            raise ValueError(f"{word!r} is no word of this script")
    return sittings


def _words(text: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.split(" | "))


def play(sitting: Sitting, env: Mapping[str, str], known: dict[str, list[Known]]) -> None:
    """Do what is done in a sitting, and note in its steps what came back.

    What is known before the first import, which nobody has corrected yet, is noted as "told".
    """
    if "told" not in known and any(step.verb == "import" for step in sitting.steps):
        known["told"] = known["last"]
    with opened(sitting.where, env) as hand:
        for step in sitting.steps:
            if step.is_said:
                step.reply, step.used, step.wait_s = hand.say(step.text.removeprefix("chat "))
            else:
                began = time.monotonic()
                step.reply = hand.act(step)
                step.wait_s = time.monotonic() - began
            sys.stdout.write(f"{step.verb} {step.text}\n    {step.reply}\n")
            sys.stdout.flush()


@contextmanager
def opened(where: Where, env: Mapping[str, str]) -> Iterator[Hand]:
    """Yield a running page or terminal."""
    if where == "terminal":
        chat = [sys.executable, "-m", "ui.cli.main", "chat"]
        with Terminal(chat, env, 160) as terminal:
            terminal.until("/help lists the commands")
            terminal.settle()
            yield AtTerminal(terminal, env)
            terminal.type(CTRL_D)
            terminal.end()
    else:
        with playground(dict(env)) as url, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.set_default_timeout(PATIENCE_MS)
            yield InPage(page, url)
            browser.close()


class AtTerminal:
    """`recollect chat`, and other commands beside it."""

    def __init__(self, terminal: Terminal, env: Mapping[str, str]) -> None:
        self._terminal = terminal
        self._env = env

    def say(self, text: str) -> Reply:
        """Type a message; return the reply and its receipt."""
        terminal = self._terminal
        terminal.type(text)
        terminal.settle(0.3)
        before = len(terminal.text)
        replies = terminal.text.count(REPLY)
        began = time.monotonic()
        terminal.type(ENTER)
        terminal.until(REPLY, times=replies + 1)
        waited = time.monotonic() - began
        came = ""
        # The line that was sent is drawn anew with its prompt: the next prompt is behind a reply.
        while PROMPT not in came:
            terminal.settle(0.5)
            came = terminal.text[before:].partition(REPLY)[2]
        came = came.rpartition(PROMPT)[0]
        lines = [line.strip() for line in came.strip().splitlines() if line.strip()]
        # What a reply was based on comes last, and may take two lines.
        at = next((i for i, each in enumerate(lines) if _is_receipt(each)), len(lines))
        return Reply(" ".join(lines[:at]), " ".join(lines[at:]), waited)

    def act(self, step: Step) -> str:
        """Correct by a command."""
        key, _, value = step.text.removeprefix("command ").partition(" -> ")
        return command(self._env, "facts", "set", key, value).strip()


class InPage:
    """The console in Chromium."""

    def __init__(self, page: Page, url: str) -> None:
        self._page = page
        self._url = url
        self._turn_to("chat")

    def say(self, text: str) -> Reply:
        """Type a message; return the reply and its receipt."""
        page = self._page
        if "view=chat" not in page.url:
            self._turn_to("chat")
        page.locator("#rc-box textarea").fill(text)
        began = time.monotonic()
        page.locator("#rc-box textarea").press("Enter")
        page.wait_for_function(
            """text => {
              const lines = [...document.querySelectorAll('#rc-chat .rc-line')];
              const [asked, reply] = lines.slice(-2);
              return reply?.matches('.bot') && asked.querySelector('.rc-said').innerText === text
                && !document.querySelector('#rc-chat .rc-caret, #rc-chat [data-busy]');
            }""",
            arg=text,
        )
        waited = time.monotonic() - began
        reply = page.locator("#rc-chat .rc-line.bot").last
        used = reply.locator(".rc-receipt")
        said = reply.locator(".rc-said").inner_text()
        return Reply(said, used.inner_text() if used.count() else "", waited)

    def act(self, step: Step) -> str:
        """Import, correct or forget where the page has it; return what it says of that."""
        if step.verb == "import":
            return self._import(*step.text.split(" as "))
        page = self._page
        self._turn_to("memory")
        what, _, value = step.text.removeprefix("page ").partition(" -> ")
        facts = page.locator(".rc-fact", has=page.locator(".rc-so", has_text=what))
        page.locator(".rc-fact").first.wait_for()
        if not facts.count():
            return "there is no such fact in the list"
        fact = facts.first
        if step.verb == "forget":
            fact.get_by_role("button", name="Forget").click()
        else:
            fact.get_by_role("button", name="Edit").click()
            page.keyboard.type(value)
            page.keyboard.press("Enter")
        expect(page.locator(".rc-outcome")).to_be_visible(timeout=PATIENCE_MS)
        return page.locator(".rc-outcome").inner_text()

    def _import(self, file: str, me: str) -> str:
        page = self._page
        self._turn_to("import")
        page.locator("#rc-file input[type=file]").set_input_files(SCRIPT.parent / file)
        page.get_by_label(f"{me} (").check()
        page.get_by_role("button", name="Import", exact=True).click()
        told = page.locator("#rc-import-told")
        expect(told).to_contain_text("new messages", timeout=PATIENCE_MS)
        return told.inner_text()

    def _turn_to(self, view: str) -> None:
        self._page.goto(f"{self._url}/?view={view}")
        expect(self._page.locator("#rc-people a[aria-current]")).to_be_visible(timeout=PATIENCE_MS)


def _is_receipt(line: str) -> bool:
    return line.startswith(("used:", "remembered nothing", "based on", "recalled"))


def command(env: Mapping[str, str], *arguments: str) -> str:
    """Run a command of ours to its end; return what it wrote."""
    done = subprocess.run(
        [sys.executable, "-m", "ui.cli.main", *arguments],
        env=dict(env),
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr


async def known_now(data_dir: Path) -> list[Known]:
    """Return the facts that were ever read of the newcomer, and the people and things they told."""
    settings = Settings(data_dir=data_dir)
    async with open_agent(settings) as agent:
        memory, contact = agent.stores.memory, local_contact(settings.contact)
        facts = await memory.facts.history(settings.tenant, contact)
        found = await memory.entities.of(settings.tenant, contact)
    known = [Known(fact.key, fact.value) for fact in facts]
    known += [Known(each.type, each.label) for each in found]
    known += [Known(f"{e.label}, {claim.key}", claim.value) for e in found for claim in e.claims]
    return list(dict.fromkeys(known))


def written(sittings: list[Sitting], known: Mapping[str, list[Known]]) -> str:
    """Return the hour as Markdown: every exchange, what was kept, what was kept beside it."""
    steps = [step for sitting in sittings for step in sitting.steps]
    lines = ["# What came back", ""]
    for number, sitting in enumerate(sittings, 1):
        lines += [f"## {number}. {sitting.where}, {sitting.language}", ""]
        lines += ["| | said | came back | used |", "|---|---|---|---|"]
        lines += [_row(step) for step in sitting.steps]
        lines.append("")
    lines += _kept(steps, known["told"])
    later = [f"{each}" for each in known["last"] if each not in known["told"]]
    lines += ["", f"Since the import: {'; '.join(later) or 'nothing'}."]
    asked = [step for step in steps if step.verb == "ask"]
    after = [step for step in steps if step.verb == "ask-after"]
    waits = [step.wait_s for step in steps if step.is_said]
    lines += [
        "",
        f"Questions right by their words: {sum(s.is_right for s in asked)} of {len(asked)};"
        f" after a correction or forgetting {sum(s.is_right for s in after)} of {len(after)}.",
        f"Waits: median {statistics.median(waits):.1f} s, longest {max(waits):.1f} s.",
    ]
    return "\n".join(lines) + "\n"


def _row(step: Step) -> str:
    right = "" if step.verb not in ("ask", "ask-after") else " right" if step.is_right else " wrong"
    cells = (f"{step.verb}{right}", step.text, step.reply, f"{step.used} ({step.wait_s:.1f} s)")
    return "| " + " | ".join(" ".join(cell.replace("|", "/").split()) for cell in cells) + " |"


def _kept(steps: list[Step], known: list[Known]) -> list[str]:
    """Return what was told beside what is known of it, and what is known that nobody told."""
    lines = ["## Facts", "", "| told | kept as |", "|---|---|"]
    told = [each for step in steps for each in step.told]
    matched: set[Known] = set()
    kept = 0
    for each in told:
        words = [word.casefold() for word in each.words]
        held = [one for one in known if any(word in f"{one}".casefold() for word in words)]
        matched.update(held)
        kept += bool(held)
        lines.append(f"| {each.subject}: {each.words[0]} | {'; '.join(map(str, held))} |")
    others = "; ".join(str(each) for each in known if each not in matched)
    return [
        *lines,
        "",
        f"Kept {kept} of {len(told)} facts told, by their words. Beside them: {others or 'none'}.",
    ]


if __name__ == "__main__":
    sys.exit(main())
