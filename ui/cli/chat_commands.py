"""Commands of the terminal's chat: what can be completed, and those that only the terminal has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.stores import Stores

COMPLETED = {
    "/facts": "what is known about you",
    "/forget": "WORDS, or everything",
    "/why": "what the last reply was based on",
    "/search": "WORDS: what memory finds for them",
    "/episodes": "what your chats were about",
    "/retry": "ask again where a reply failed",
    "/again": "another answer in the place of the last one",
    "/pause": "keep out of this chat",
    "/resume": "answer again",
    "/reset": "start with an empty window",
    "/policy": "what holds in this chat",
    "/help": "all of this, explained",
    "/quit": "leave",
}

HELP = """\
/search WORDS       what memory finds for these words, the best first, with scores
/episodes           what your chats were about, stretch by stretch
/retry              ask again where a reply failed
/again              another answer to your last message, in the place of the one it got
/quit               leave (so does Ctrl-D); everything is remembered"""

LEAVING = ("/quit", "/exit")
FOUND = 10
EPISODES = 10


async def search_text(stores: Stores, contact: str, words: str) -> str:
    """Return what memory finds for words, a line each."""
    from ui.cli.memory import search_lines, search_on

    if not words:
        return "Say what to look for: /search WORDS."
    found = await search_on(stores, contact, words, FOUND)
    return "\n".join(search_lines(found))


async def episodes_text(stores: Stores, contact: str) -> str:
    """Return the latest episodes of a contact's chats, the latest last."""
    from ui.cli.episodes import episode_lines, episodes_on

    found = await episodes_on(stores, contact, EPISODES)
    return "\n".join(episode_lines(found[::-1])) or "No episodes yet."
