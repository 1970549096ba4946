"""Take the pictures of the playground in docs/images: every view, desk and phone, light and dark.

    python -m scripts.screenshots [--out docs/images]

It plays a small story into a memory of its own, starts the playground on it, and needs Chromium.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT: Final = Path(__file__).resolve().parents[1]
CHROMIUM: Final = "/usr/bin/chromium"
FLAGS: Final = ["--headless", "--no-sandbox", "--disable-gpu"]
SIZES: Final = {"desk": (1280, 860), "phone": (390, 844)}
THEMES: Final = ("light", "dark")
DRAWN_MS: Final = 2_500
"""So long after people are listed a view is taken to be drawn."""
THEME_MS: Final = 300
"""So long after its theme has changed."""
PLAYED_MS: Final = 180_000
"""The lab's own server has to start first."""

STORY: Final = (
    ("Alex", "My name is Alex, I live in Lisbon and I'm allergic to peanuts."),
    ("Alex", "My sister Marta works as a nurse in Porto."),
    ("Alex", "On Saturday we take the ferry to the Berlengas."),
    ("Alex", "Where do I live?"),
    ("Alex", "What must I not eat?"),
    ("Nora", "I play the cello and I have a dog called Rufus."),
    ("Nora", "What is my dog called?"),
)
EXPORT: Final = """\
12/11/2026, 09:12 - Ines: Good morning! Did you book the ferry?
12/11/2026, 09:15 - Alex: Yes, for Saturday at ten.
13/11/2026, 20:01 - Alex: My new bike arrived, it is a green one.
13/11/2026, 20:04 - Ines: Then let us ride to the sea on Sunday!
"""


def main() -> int:
    """Take the pictures; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "docs/images")
    out: Path = parser.parse_args().out
    with tempfile.TemporaryDirectory(prefix="recollect-pictures-") as folder:
        # Postgres does not run as root, and must be able to enter.
        Path(folder).chmod(0o755)
        told = {k: v for k, v in os.environ.items() if not k.startswith("RECOLLECT_")}
        env = told | {"RECOLLECT_DATA_DIR": f"{folder}/data", "RECOLLECT_CONTACT": "Alex"}
        play(env, Path(folder))
        filled = {"lab": fill_lab, "evals": filler_of_evals(measured(env, Path(folder)))}
        with playground(env) as url, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for path in pictures(browser, url, out, filled):
                sys.stdout.write(f"{path}\n")
            browser.close()
    return 0


def play(env: dict[str, str], folder: Path) -> None:
    """Let the story be said, and a chat be imported."""
    export = folder / "WhatsApp Chat with Ines.txt"
    export.write_text(EXPORT, encoding="utf-8")
    command(env, "import", str(export), "--me", "Alex", "--date-order", "dmy")
    for name in dict.fromkeys(who for who, _ in STORY):
        lines = "".join(f"{text}\n" for who, text in STORY if who == name)
        command(env, "chat", "--contact", name, said=lines)


def command(env: dict[str, str], *arguments: str, said: str = "") -> None:
    """Run a command of ours to its end."""
    subprocess.run(
        [sys.executable, "-m", "ui.cli.main", *arguments],
        input=said.encode(),
        env=env,
        cwd=ROOT,
        check=True,
        stdout=subprocess.DEVNULL,
    )


@contextmanager
def playground(env: dict[str, str]) -> Iterator[str]:
    """Yield the address of a running playground."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ui.cli.main", "ui", "--port", "0", "--no-browser"],
        env=env | {"PYTHONUNBUFFERED": "1"},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        line = process.stdout.readline() if process.stdout else ""
        yield line.partition(": ")[2].strip()
    finally:
        process.terminate()
        process.wait(30)


Fill = Callable[[Page], None]
"""Does something in a view that shows little by itself."""


def fill_lab(page: Page) -> None:
    """Play a scene."""
    page.locator("#rc-lab-scenes button[data-scene='bots']").click()
    expect(page.locator("#rc-lab .rc-lab-row")).to_have_count(4, timeout=PLAYED_MS)
    expect(page.locator("#rc-lab .rc-lab-busy")).to_have_count(0, timeout=PLAYED_MS)
    page.locator("#rc-lab").scroll_into_view_if_needed()


def filler_of_evals(results: Sequence[Path]) -> Fill:
    """Return what drops these results."""

    def fill(page: Page) -> None:
        page.locator("#rc-evals-files input[type=file]").set_input_files(list(results))
        expect(page.locator("#rc-evals .rc-evals-result")).to_be_visible(timeout=PLAYED_MS)

    return fill


def measured(env: dict[str, str], folder: Path) -> list[Path]:
    """Measure how facts are read, by the rules alone and with the reader; return the results."""
    results = []
    for capture in ("rules", "reader"):
        path = folder / f"{capture}.json"
        command(env | {"RECOLLECT_CAPTURE": capture}, "eval", "facts", "--json", str(path))
        results.append(path)
    return results


def pictures(
    browser: Browser,
    url: str,
    out: Path,
    filled: Mapping[str, Fill] | None = None,
    drawn_ms: float = DRAWN_MS,
) -> Iterator[Path]:
    """Take a picture of every view at every size in both themes; yield where each is.

    `filled` says by a view's name what is done in it before.
    """
    out.mkdir(parents=True, exist_ok=True)
    page = browser.new_page()
    names = views(page, url)
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for view in names:
            page.goto(f"{url}/?contact=web:Alex&view={view}")
            page.locator("#rc-people a[aria-current]").wait_for(state="attached")
            page.wait_for_timeout(drawn_ms)
            if filled and view in filled:
                filled[view](page)
            for theme in THEMES:
                page.evaluate(
                    "dark => document.body.classList.toggle('dark', dark)", theme == "dark"
                )
                page.wait_for_timeout(THEME_MS)
                path = out / f"{view}-{size}-{theme}.png"
                page.screenshot(path=path)
                yield path
    page.close()


def views(page: Page, url: str) -> list[str]:
    """Return the names of the views that the page has, in their order."""
    # On a phone some of them stand in a menu.
    width, height = SIZES["desk"]
    page.set_viewport_size({"width": width, "height": height})
    page.goto(url)
    page.locator("#rc-people a").first.wait_for()
    tabs = page.locator("#rc-views [role='tab'][data-tab-id]").all()
    return list(dict.fromkeys(tab.get_attribute("data-tab-id") or "" for tab in tabs))


if __name__ == "__main__":
    sys.exit(main())
