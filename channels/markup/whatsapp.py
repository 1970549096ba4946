r"""WhatsApp's markup. Pure.

WhatsApp has no escapes, and its rules are these: a mark opens after white space, punctuation or
the start of a line and before anything but white space; it closes the other way round, on the same
line. So `2*3*4` and `snake_case_name` stay text, and literal text is sent as it is. What a writer
escaped on purpose (`\*so\*`) is shown as markup: nothing prevents that.

By the same rules a style inside a word (`un**believ**able`) cannot be shown, nor one on a text that
contains its mark: such text is sent without the style rather than with stray marks. Scripts
that write without spaces mostly lose their styles that way.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from channels.markup.blocks import STYLES, Block, Span, stripped, utf16_length
from channels.markup.parse import Features

LIMIT = 4096
"""UTF-16 code units of a message, by choice: WhatsApp takes 65,536 characters, but a longer bubble
is folded behind "Read more" anyway."""
MAX_TABLE_WIDTH = 32
"""Fixed-width columns that a phone held upright shows in a bubble. By choice."""

_MARKS = dict(zip(STYLES, "*_~`", strict=True))
_FENCE = "```"
_BROKEN_FENCE = "`\u200b`\u200b`"
"""Backticks inside a code block, kept apart by zero-width spaces: they would close the block."""


class WhatsApp:
    """Writes blocks as WhatsApp's markup."""

    limit = LIMIT
    features = Features(bullet="- ", has_links=False, max_table_width=MAX_TABLE_WIDTH)

    def size(self, block: Block) -> int:
        """Return the UTF-16 code units of the block as it is written."""
        return utf16_length(_block(block))

    def write(self, blocks: Sequence[Block]) -> str:
        """Return the blocks with the line breaks between them."""
        return "".join(
            ("\n" * block.gap if number else "") + _block(block)
            for number, block in enumerate(blocks)
        )


def _block(block: Block) -> str:
    if block.is_code:
        return f"{_FENCE}\n{block.text.replace(_FENCE, _BROKEN_FENCE)}\n{_FENCE}"
    quote = "> " if block.is_quote else ""
    return "\n".join(quote + _marked(line) for line in block.lines())


def _marked(spans: tuple[Span, ...], level: int = 0, before: str = "", after: str = "") -> str:
    """Write one line, or a part of it between the characters `before` and `after`.

    Args:
        spans: The text.
        level: The outermost style that is not written yet, as an index of `STYLES`.
        before: The character that precedes; empty at the start of the line.
        after: The character that follows; empty at its end.
    """
    if level == len(STYLES) or not any(span.styles for span in spans):
        return "".join(span.text for span in spans)
    style = STYLES[level]
    runs = [(on, tuple(run)) for on, run in groupby(spans, lambda span: style in span.styles)]
    written: list[str] = []
    for number, (is_styled, run) in enumerate(runs):
        following = runs[number + 1][1][0].text[0] if number + 1 < len(runs) else after
        core = stripped(run)
        text = "".join(span.text for span in run)
        inner = text.strip()
        start = text.find(inner)
        left = text[:start][-1:] or before
        right = text[start + len(inner) :][:1] or following
        if is_styled and _takes(_MARKS[style], left, inner, right):
            mark = _MARKS[style]
            marked = mark + _marked(core, level + 1, mark, mark) + mark
            written.append(text[:start] + marked + text[start + len(inner) :])
        else:
            written.append(_marked(run, level + 1, before, following))
        before = written[-1][-1:]
    return "".join(written)


def _takes(mark: str, before: str, text: str, after: str) -> bool:
    """Whether WhatsApp would read the marks around this text as a style."""
    return (
        bool(text)
        and mark not in text
        and mark not in (before, after)
        and not before.isalnum()
        and not after.isalnum()
    )
