"""Addresses that lead nowhere: what is said of them, and a way back."""

from __future__ import annotations

from html import escape
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.playground.people import address_of, name_of
from ui.playground.render_memory import cut_to

NAMED: Final = 60
"""So much of an address is repeated."""

_PAGE: Final = (
    "<!doctype html><html lang='en'><meta charset='utf-8'><title>Recollect</title>"
    "<meta name='viewport' content='width=device-width'><style>:root{{color-scheme:light dark}}"
    "body{{font:16px/1.5 system-ui,sans-serif;margin:18vh auto;max-width:30em;padding:0 1em}}"
    "</style><h1>There is no such page</h1><p>Nothing is at <code dir='auto'>{path}</code>.</p>"
    "<p><a href='{back}'>To the console</a></p>"
)


def astray_html(nobody: str, view: str, shown: str) -> str:
    """Say that an address leads to `nobody`, or to no such `view`, and who is `shown` instead.

    Nothing where both are empty.
    """
    told = []
    if nobody:
        told.append(f"Nobody is known as “{escape(cut_to(nobody, NAMED))}”.")
    if view:
        told.append(f"There is no view called “{escape(cut_to(view, NAMED))}”.")
    if not told:
        return ""
    link = f"<a href='{address_of(shown, 'chat')}'>the chat with {escape(name_of(shown))}</a>"
    return f"<div class='rc-notice' role='status'>{' '.join(told)} Go on in {link}.</div>"


class NoSuchPage:
    """Answers a browser that asks for a page that is not there in words, not in JSON."""

    def __init__(self, app: ASGIApp, back: str = "/") -> None:
        self._app = app
        self._back = back

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve; what is not found gets the page, where a page was asked for."""
        wants_page = (
            scope["type"] == "http"
            and scope["method"] in ("GET", "HEAD")
            and "text/html" in Headers(scope=scope).get("accept", "")
        )
        if not wants_page:
            await self._app(scope, receive, send)
            return
        is_lost = False

        async def answer(message: Message) -> None:
            nonlocal is_lost
            is_lost = is_lost or (
                message["type"] == "http.response.start" and message["status"] == 404
            )
            if not is_lost:
                await send(message)

        await self._app(scope, receive, answer)
        if is_lost:
            path = escape(cut_to(scope["path"], NAMED))
            page = HTMLResponse(_PAGE.format(path=path, back=escape(self._back)), 404)
            await page(scope, receive, send)
