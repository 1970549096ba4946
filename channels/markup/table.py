"""Tables on a phone: aligned columns where they fit, else one line for each cell. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import zip_longest

from markdown_it.token import Token

from channels.markup.blocks import Block, Span, merged
from channels.markup.inline import InlineReader

MAX_PADDED_WIDTH = 40
"""Columns that a cell is filled up to; a longer cell pushes the rest of its row aside. By choice:
without it one long cell would blow up every row."""
MAX_CELLS = 2_000
"""Cells that are aligned; a larger table is shown without padding. By choice."""

_SEPARATOR = " | "
_Row = list[tuple[Span, ...]]


def table_blocks(
    tokens: Iterator[Token], max_width: int | None, *, has_links: bool
) -> Iterator[Block]:
    """Read a table up to its closing token; its first row is the heading.

    Args:
        tokens: What follows the opening token; left behind the closing one.
        max_width: Columns of text that the channel shows on one line; None for any number.
        has_links: Whether the channel can put an address behind a text outside of code.

    Returns:
        One code block of aligned columns, or one block for each row, a line for each cell.
    """
    rows: list[list[Token]] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(token)
    aligned = _aligned([[_cell_text(cell) for cell in row] for row in rows])
    if max_width is None or max(map(_width, aligned), default=0) <= max_width:
        text = "\n".join(aligned)
        yield Block((Span(text),), is_code=True)
        return
    spans = [[_read(cell, has_links=has_links) for cell in row] for row in rows]
    yield from _listed(spans[0], spans[1:])


def _read(cell: Token, *, has_links: bool) -> tuple[Span, ...]:
    return InlineReader(has_links=has_links).read(cell.children or ())


def _cell_text(cell: Token) -> str:
    return "".join(span.text for span in _read(cell, has_links=False)).replace("\n", " ")


def _aligned(rows: list[list[str]]) -> list[str]:
    columns = len(rows[0])
    widths = [0] * columns
    if len(rows) * columns <= MAX_CELLS:
        for row in rows:
            for column, cell in enumerate(row):
                widths[column] = max(widths[column], min(_width(cell), MAX_PADDED_WIDTH))
    lines = [_line(row, widths) for row in rows]
    return [lines[0], "-|-".join("-" * max(width, 1) for width in widths), *lines[1:]]


def _line(row: list[str], widths: list[int]) -> str:
    cells = (cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=False))
    return _SEPARATOR.join(cells).rstrip()


def _width(text: str) -> int:
    """Return the columns of a text in a fixed-width font; wide East Asian characters take two."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def _listed(head: _Row, rows: list[_Row]) -> Iterator[Block]:
    """Give each row as lines of `heading: cell`; a table without rows as its heading."""
    for row in rows or [[()] * len(head)]:
        spans: list[Span] = []
        for name, cell in zip_longest(head, row, fillvalue=()):
            if rows and not cell:
                continue
            label = "".join(span.text for span in name)
            spans.append(Span("\n" if spans else ""))
            spans.append(Span(label, ("bold",)))
            spans.append(Span(": " if label and cell else ""))
            spans += cell
        if found := merged(spans):
            yield Block(found)
