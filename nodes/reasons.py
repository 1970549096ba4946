"""Why the gate decided as it did, in sentences for people."""

from __future__ import annotations

from typing import Final

from nodes.state import Reason

OF_GATE: Final[dict[Reason, str]] = {
    "addressed": "It mentions the agent, or replies to it.",
    "every_message": "In chats of this kind every message is answered.",
    "command": "A command: code carries it out, and no model sees it.",
    "not_addressed": "Nobody meant the agent: in a group it answers who mentions it or replies.",
    "replies_off": "Answers are switched off in this chat.",
    "paused": "The agent keeps out of this chat: the owner took it over, or paused it.",
    "not_allowed": "The sender is not among those who are answered.",
    "silent_channel": "This channel is never answered.",
    "empty_text": "There are no words to answer.",
    "blocked": "The sender is blocked: kept, and nothing more.",
    "own_account": "Our own account sent it: kept, and no model is asked.",
    "claimed": "Another turn has it already.",
}
