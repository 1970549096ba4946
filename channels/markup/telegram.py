"""Telegram's HTML. Everything that is not one of its tags is escaped. Pure.

Source: Telegram Bot API, "Formatting options", HTML style.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import groupby

from channels.markup.blocks import Block, Span, Style, utf16_length
from channels.markup.parse import Features

LIMIT = 4096
"""UTF-16 code units of a message's text without its tags. Source: Telegram Bot API, sendMessage
("1-4096 characters after entities parsing")."""

_TAG: dict[Style, str] = {"bold": "b", "italic": "i", "strike": "s", "code": "code"}


class Telegram:
    """Writes blocks as Telegram's HTML."""

    limit = LIMIT
    features = Features(bullet="• ", has_links=True, max_table_width=None)

    def size(self, block: Block) -> int:
        """Return the UTF-16 code units that count against the limit: no tags, no entities."""
        shown = sum(utf16_length(span.text) for line in block.lines() for span in line)
        return shown + block.text.count("\n")

    def write(self, blocks: Sequence[Block]) -> str:
        """Return balanced HTML; the quoted blocks of a run share one quote."""
        written: list[str] = []
        for is_quote, group in groupby(blocks, key=lambda block: block.is_quote):
            run = list(group)
            inside = "".join(
                ("\n" * block.gap if number else "") + _block(block)
                for number, block in enumerate(run)
            )
            gap = "\n" * run[0].gap if written else ""
            written.append(gap + (f"<blockquote>{inside}</blockquote>" if is_quote else inside))
        return "".join(written)


def _block(block: Block) -> str:
    if not block.is_code:
        return "\n".join("".join(map(_span, line)) for line in block.lines())
    code = escape(block.text, quote=False)
    if block.language:
        return f'<pre><code class="language-{block.language}">{code}</code></pre>'
    return f"<pre>{code}</pre>"


def _span(span: Span) -> str:
    text = escape(span.text, quote=False)
    for style in reversed(span.styles):
        text = f"<{_TAG[style]}>{text}</{_TAG[style]}>"
    return f'<a href="{escape(span.url)}">{text}</a>' if span.url else text
