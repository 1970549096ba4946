"""What a reply consists of, whatever channel sends it: blocks of styled text. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Style = Literal["bold", "italic", "strike", "code"]
STYLES: tuple[Style, ...] = ("bold", "italic", "strike", "code")
"""Every style, outermost first: spans list theirs in this order."""


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text of one look. `code` stands alone: no channel shows styles inside it."""

    text: str
    styles: tuple[Style, ...] = ()
    url: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, list item, table row or code block.

    Attributes:
        spans: The text; line breaks are part of it. A code block has one span.
        gap: Line breaks between the block before and this one, 1 or 2.
        lead: What precedes the first line, such as a bullet.
        indent: What precedes every further line.
        is_quote: Whether the block is quoted; quotes in quotes are one quote.
        is_code: Whether the block is a code block.
        language: The code's language; empty when not given.
    """

    spans: tuple[Span, ...]
    gap: int = 2
    lead: str = ""
    indent: str = ""
    is_quote: bool = False
    is_code: bool = False
    language: str = ""

    @property
    def text(self) -> str:
        """The text alone, without lead and indent."""
        return "".join(span.text for span in self.spans)

    def lines(self) -> list[tuple[Span, ...]]:
        """Return the lines as they are laid out: lead and indent are spans of their own."""
        lines: list[list[Span]] = [[Span(self.lead)] if self.lead else []]
        for span in self.spans:
            for number, piece in enumerate(span.text.split("\n")):
                if number:
                    lines.append([Span(self.indent)] if self.indent else [])
                if piece:
                    lines[-1].append(replace(span, text=piece))
        return [tuple(line) for line in lines]

    def head(self, end: int) -> Block:
        """Return the block with its text cut off after `end` characters."""
        return replace(self, spans=_slice(self.spans, 0, end))

    def tail(self, start: int) -> Block:
        """Return what follows the first `start` characters: the same styles, no second bullet."""
        return replace(self, spans=_slice(self.spans, start, None), lead=self.indent)


def _slice(spans: tuple[Span, ...], start: int, end: int | None) -> tuple[Span, ...]:
    found: list[Span] = []
    at = 0
    for span in spans:
        if end is not None and at >= end:
            break
        piece = span.text[max(0, start - at) : None if end is None else end - at]
        if piece:
            found.append(replace(span, text=piece))
        at += len(span.text)
    return tuple(found)


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Join neighbours of one look and drop empty spans."""
    runs: list[tuple[Span, list[str]]] = []
    for span in spans:
        if not span.text:
            continue
        if runs and (runs[-1][0].styles, runs[-1][0].url) == (span.styles, span.url):
            runs[-1][1].append(span.text)
        else:
            runs.append((span, [span.text]))
    return tuple(replace(first, text="".join(texts)) for first, texts in runs)


def stripped(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Take the white space off both ends."""
    text = "".join(span.text for span in spans)
    start = len(text) - len(text.lstrip())
    return _slice(spans, start, max(start, len(text.rstrip())))


def utf16_length(text: str) -> int:
    """Return the length in UTF-16 code units, as both channels count."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
