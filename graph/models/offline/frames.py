"""The fixed sentences of a reply, by language.

What somebody said is put into them between quotation marks, as it was said: to turn it into a
clause ("that she had moved") would need to know of whom it speaks.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Frames(NamedTuple):
    """The sentences of one language; `{}` and names in braces are filled in.

    `on` and `earlier` introduce a quote of a known and of an unknown date: of the asker, of the
    agent, of somebody else.
    """

    signature: str
    unknown: str
    no_words: str
    refused: str
    about_agent: str
    acknowledged: str
    welcome: str
    hello: str
    hello_to: str
    nice: str
    quoted: str
    on: tuple[str, str, str]
    earlier: tuple[str, str, str]
    you_said: str
    next_you: str
    next_other: str
    someone: str
    several: str
    item: str
    undated: str
    you: str
    agent: str
    that_is: str
    told_me: str
    told_once: str
    joined: str
    day: str
    month: str
    week: str
    months: tuple[str, ...]
    of_months: tuple[str, ...]


_EN_MONTHS: Final = tuple(
    "January February March April May June July August September October November December".split()
)

FRAMES: Final = {
    "en": Frames(
        signature="— offline responder, no model is set",
        unknown="I don't know that yet.",
        no_words="I can only read words, and there are none in that.",
        refused="I cannot do that: I only answer from what you told me.",
        about_agent="I am the offline responder of this chat: I answer only from what you told me.",
        acknowledged="Got it.",
        welcome="You are welcome.",
        hello="Hello.",
        hello_to="Hello, {}.",
        nice="Nice to meet you, {}.",
        quoted="“{}”",
        on=(
            "On {date} you wrote: {said}",
            "On {date} I wrote: {said}",
            "On {date} {who} wrote: {said}",
        ),
        earlier=(
            "Earlier you wrote: {said}",
            "Earlier I wrote: {said}",
            "Earlier {who} wrote: {said}",
        ),
        you_said="You said: {said}",
        next_you="You wrote next: {said}",
        next_other="{who} wrote next: {said}",
        someone="someone",
        several="This is what was written: {}.",
        item="{date}, {who}: {said}",
        undated="{who}: {said}",
        you="you",
        agent="I",
        that_is="that is {}",
        told_me="This is what you told me:",
        told_once="you said: {}",
        joined=" and ",
        day="{day} {month} {year}",
        month="{month} {year}",
        week="the week of {}",
        months=_EN_MONTHS,
        of_months=_EN_MONTHS,
    ),
}
"""By language code; English is what others fall back to."""
