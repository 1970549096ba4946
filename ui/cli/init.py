"""`recollect init`: what to set, asked, tried, and written into one file."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from graph.settings import settings_from
from ui.cli.init_answers import Given, asked_for, confirmed, next_lines, values_of
from ui.cli.init_command import Channel
from ui.cli.settings_file import write_settings
from ui.doctor import Checkup

REFUSED = 2

_ALWAYS = ("Data folder", "Store servers", "Postgres", "Facts", "Embedder", "Chroma", "Chat model")
_BY_CHANNEL: dict[Channel, str] = {
    "web": "Playground",
    "whatsapp": "WAHA",
    "telegram": "Telegram",
}


def run_init(given: Given, path: Path, *, replace: bool, anyway: bool) -> int:
    """Ask what is not given, try it, and write the file; return the exit status.

    0; 1 when something that was tried failed, and nothing was written; 2 when the file is there
    and may not be replaced, or nobody says what to set.

    Raises:
        RecollectError: a value cannot be used, or the file not be written.
        KeyboardInterrupt: the person left; nothing was written.
    """
    asks = sys.stdin.isatty() and sys.stderr.isatty()
    if not asks and given == Given():
        sys.stderr.write(
            "recollect: nobody can be asked here, and no option says what to set: run it at a"
            " terminal, or give options such as --channel web --model none.\n"
        )
        return REFUSED
    if path.exists() and not replace and not (asks and confirmed(f"{path} exists. Replace it?")):
        sys.stderr.write(f"recollect: {path} exists: --replace does, --file names another.\n")
        return REFUSED
    wanted = asked_for(given) if asks else given
    values = values_of(wanted)
    draft = path.with_name(path.name + ".try")
    try:
        write_settings(draft, values)
        failures = asyncio.run(_tried(draft, wanted.channel))
    finally:
        draft.unlink(missing_ok=True)
    if failures and not anyway and not (asks and confirmed("Write it all the same?")):
        sys.stderr.write("recollect: nothing is written. --anyway writes it all the same.\n")
        return 1
    write_settings(path, values)
    sys.stdout.write(f"Written: {path} (variables of the environment count more). Next:\n")
    for line in next_lines(wanted.channel):
        sys.stdout.write(f"  {line}\n")
    return 0


async def _tried(draft: Path, channel: Channel | None) -> int:
    """Try what a file says, a line each; return how many failed."""
    checkup = Checkup(settings_from(draft))
    try:
        await checkup.run((*_ALWAYS, *([_BY_CHANNEL[channel]] if channel else [])))
    finally:
        await checkup.close()
    return checkup.failures
