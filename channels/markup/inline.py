"""The text inside a block, from the parser's inline tokens to spans. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from urllib.parse import unquote

from markdown_it.token import Token

from channels.markup.blocks import STYLES, Span, Style, merged, stripped

_STYLE_OF: dict[str, Style] = {"strong": "bold", "em": "italic", "s": "strike"}
_LINKABLE = ("http://", "https://", "tg://")
"""Source: Telegram shows a link to any other address as its text alone."""


class InlineReader:
    """Reads one inline token's children, which arrive flat, however deep they nest.

    Args:
        has_links: Whether the channel can put an address behind a text. Where it cannot, and for
            addresses it refuses, the address follows in brackets.
        styles: What the whole text wears, such as a heading's bold.
    """

    def __init__(self, *, has_links: bool, styles: tuple[Style, ...] = ()) -> None:
        self._has_links = has_links
        self._depth: Counter[Style] = Counter(styles)
        self._spans: list[Span] = []
        self._link_from = 0
        self._url = ""

    def read(self, tokens: Sequence[Token]) -> tuple[Span, ...]:
        """Return the spans, in order; white space at both ends is dropped."""
        sums = _sums(tokens)
        for number, token in enumerate(tokens):
            name, _, side = token.type.rpartition("_")
            if number in sums:
                self._add(token.markup)
            elif name in _STYLE_OF:
                self._depth[_STYLE_OF[name]] += 1 if side == "open" else -1
            elif token.type == "link_open":
                self._link_from, self._url = len(self._spans), str(token.attrGet("href") or "")
            elif token.type == "link_close":
                self._close_link()
            elif token.type == "image":
                self._add_image(token)
            elif token.type in ("softbreak", "hardbreak"):
                self._add("\n")
            else:
                self._add(token.content, is_code=token.type == "code_inline")
        return stripped(merged(self._spans))

    def _add(self, text: str, *, is_code: bool = False) -> None:
        worn: tuple[Style, ...] = tuple(style for style in STYLES if self._depth[style] > 0)
        self._spans.append(Span(text, ("code",) if is_code else worn))

    def _close_link(self) -> None:
        inside, url = self._spans[self._link_from :], self._url
        del self._spans[self._link_from :]
        self._url = ""
        self._add_link(inside, url)

    def _add_link(self, inside: list[Span], url: str) -> None:
        text = "".join(span.text for span in inside).strip()
        if not url:
            self._spans += inside
        elif self._has_links and url.lower().startswith(_LINKABLE):
            # Telegram shows code or a link, not both: the address is worth more.
            self._spans += [
                Span(span.text, tuple(style for style in span.styles if style != "code"), url)
                for span in (inside if text else [Span(url)])
            ]
        elif text in ("", *_spellings(url)):
            self._spans.append(Span(url.removeprefix("mailto:")))
        else:
            self._spans += [*inside, Span(f" ({url})")]

    def _add_image(self, token: Token) -> None:
        start = len(self._spans)
        self._add(token.content)
        if self._url and self._has_links:
            return  # the link around the image takes the text; links do not nest
        inside = self._spans[start:]
        del self._spans[start:]
        self._add_link(inside, str(token.attrGet("src") or ""))


def _sums(tokens: Sequence[Token]) -> set[int]:
    """Return the places of asterisks that multiply: CommonMark reads `2*3*4` as emphasis.

    They stand between ASCII letters or digits on their outer sides (`x**2 + y**2`). Two asterisks
    within letters alone are a style after all (`un**believ**able`).
    """
    text = "".join(
        token.content or ("\n" if token.type.endswith("break") else "") for token in tokens
    )
    found: set[int] = set()
    opened: list[tuple[int, int]] = []
    at = 0
    for number, token in enumerate(tokens):
        at += len(token.content) or token.type.endswith("break")
        if token.type in ("em_open", "strong_open"):
            opened.append((number, at))
        elif token.type in ("em_close", "strong_close"):
            start_number, start = opened.pop()
            before, after = text[max(0, start - 1) : start], text[at : at + 1]
            if not (_is_ascii_word(before) and _is_ascii_word(after)):
                continue
            word = before + text[start:at] + after
            if token.type == "em_close" or not word.isalpha():
                found |= {start_number, number}
    return found


def _is_ascii_word(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _spellings(url: str) -> set[str]:
    """Return the texts that say no more than the address itself."""
    bare = url.removeprefix("mailto:").removeprefix("https://").removeprefix("http://")
    texts = {url, bare, bare.removesuffix("/"), url.removesuffix("/")}
    return texts | {unquote(text) for text in texts}
