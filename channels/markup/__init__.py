"""A model's Markdown as the texts that a channel sends. Pure."""

from __future__ import annotations

import re
import unicodedata

from channels.markup.parse import parse
from channels.markup.split import Markup, split
from channels.markup.telegram import Telegram
from channels.markup.whatsapp import WhatsApp

_MARKUPS: dict[str, Markup] = {"telegram": Telegram(), "waha": WhatsApp()}
_LINE_END = re.compile(r"\r\n?")
_UNSENDABLE = re.compile(r"[\x00\ud800-\udfff]")
_INVISIBLE = ("Cc", "Cf", "Zl", "Zp", "Zs")
_CONTROL = re.compile(r"[\x01-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


def render(markdown: str, channel: str) -> tuple[str, ...]:
    """Return the texts that show a reply on a channel, in the order to send them.

    The same reply always gives the same texts. Any input gives some: what is too long or too deep
    to parse is sent as plain text.

    Args:
        markdown: The reply: CommonMark with tables and strike-through; raw HTML is text.
        channel: `waha` for WhatsApp's markup, `telegram` for the HTML parse mode. Any other name
            gives the Markdown itself as one text.

    Returns:
        Texts within the channel's limit, more than two of them numbered; none for a reply in which
        nothing can be seen.
    """
    if not any(unicodedata.category(char) not in _INVISIBLE for char in markdown):
        return ()
    markup = _MARKUPS.get(channel)
    if markup is None:
        return (markdown,)
    clean = _UNSENDABLE.sub("\ufffd", _LINE_END.sub("\n", markdown))
    return split(parse(_CONTROL.sub(" ", clean), markup.features), markup)
