"""From Markdown to blocks: the walk over the parser's tokens. Pure.

CommonMark with tables and strike-through. Raw HTML is text. Link reference definitions are text
too: a model's list of sources (`[1]: https://...`) would otherwise vanish from the message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token

from channels.markup.blocks import Block, Span, Style
from channels.markup.inline import InlineReader
from channels.markup.table import table_blocks

MAX_PARSED_CHARS = 32_768
"""A longer reply is sent as plain text: the parser needs up to a second for hostile input of this
size, and its time grows faster than the input. By choice; eight full messages."""
MAX_DEPTH = 40
"""Blocks inside blocks (a list item counts twice); a deeper reply is sent as plain text, since the
parser drops what lies deeper. By choice."""
MAX_INDENTED_DEPTH = 4
"""Lists that are indented further would leave no room on a phone. By choice."""
RULE = "———"

_LANGUAGE = re.compile(r"[\w+#.-]{1,32}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Features:
    """What a channel can show.

    Attributes:
        bullet: What marks an item of a list without numbers.
        has_links: Whether an address can stand behind a text.
        max_table_width: Columns of a table that is shown as such; a wider one becomes lines.
    """

    bullet: str
    has_links: bool
    max_table_width: int | None


@dataclass(slots=True)
class _List:
    bullet: str
    next_number: int | None
    is_first: bool = True


def parse(markdown: str, features: Features) -> tuple[Block, ...]:
    """Return the blocks, in order; as plain text where the input is too long or too deep."""
    if len(markdown) > MAX_PARSED_CHARS:
        return plain(markdown)
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": MAX_DEPTH})
    parser.enable(["table", "strikethrough"]).disable("reference")
    try:
        tokens = parser.parse(markdown)
    except (RecursionError, ValueError):  # images in images; addresses that cannot be parsed
        return plain(markdown)
    if any(token.nesting == 1 and token.level >= MAX_DEPTH - 1 for token in tokens):
        return plain(markdown)
    return tuple(_Walk(features).blocks(tokens)) or plain(markdown)


def plain(text: str) -> tuple[Block, ...]:
    """Return the text as one block, as it is; none for blank text."""
    return (Block((Span(text.strip()),)),) if text.strip() else ()


class _Walk:
    """One pass over the block tokens, which come flat with open and close."""

    def __init__(self, features: Features) -> None:
        self._features = features
        self._lists: list[_List] = []
        self._quotes = 0
        self._lead = ""
        self._styles: tuple[Style, ...] = ()
        self._is_tight = False

    def blocks(self, tokens: Sequence[Token]) -> Iterator[Block]:
        rest = iter(tokens)
        for token in rest:
            match token.type:
                case "inline":
                    reader = InlineReader(has_links=self._features.has_links, styles=self._styles)
                    yield from self._text(reader.read(token.children or ()))
                case "fence" | "code_block":
                    yield from self._code(token.content.rstrip("\n"), token.info)
                case "hr":
                    yield from self._text((Span(RULE),))
                case "table_open":
                    for block in table_blocks(
                        rest, self._features.max_table_width, has_links=self._features.has_links
                    ):
                        yield from self._place(block)
                case "list_item_close":
                    yield from self._bare_item()
                case _:
                    self._enter_or_leave(token)

    def _enter_or_leave(self, token: Token) -> None:
        match token.type:
            case "paragraph_open":
                self._is_tight = token.hidden
            case "heading_open":
                self._styles, self._is_tight = ("bold",), False
            case "heading_close":
                self._styles = ()
            case "blockquote_open":
                self._quotes += 1
            case "blockquote_close":
                self._quotes -= 1
            case "bullet_list_open":
                self._lists.append(_List(self._features.bullet, None))
            case "ordered_list_open":
                start = token.attrGet("start")
                self._lists.append(_List("", 1 if start is None else int(start)))
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._open_item()

    def _open_item(self) -> None:
        current = self._lists[-1]
        # An item that begins with a list shows both marks on one line.
        indent = self._lead or self._indent(len(self._lists) - 1)
        if current.next_number is None:
            self._lead = f"{indent}{current.bullet}"
        else:
            self._lead = f"{indent}{current.next_number}. "
            current.next_number += 1

    @staticmethod
    def _indent(depth: int) -> str:
        return "  " * min(depth, MAX_INDENTED_DEPTH)

    def _bare_item(self) -> Iterator[Block]:
        if self._lead:
            self._is_tight = True
            yield self._block((), self._lead.rstrip())

    def _text(self, spans: tuple[Span, ...]) -> Iterator[Block]:
        if spans:
            indent = self._indent(len(self._lists))
            yield self._block(spans, self._lead or indent, indent)

    def _code(self, code: str, info: str) -> Iterator[Block]:
        if code.strip():
            found = _LANGUAGE.match(info.strip())
            language = found.group() if found else ""
            yield from self._place(Block((Span(code),), is_code=True, language=language))

    def _place(self, block: Block) -> Iterator[Block]:
        """Put a block that lays itself out where the walk stands; a bullet goes on its own line."""
        if not block.is_code:
            yield from self._text(block.spans)
            return
        self._is_tight = True
        yield from self._bare_item()
        gap = self._gap()
        yield Block(
            block.spans,
            gap=gap,
            is_quote=self._quotes > 0,
            is_code=True,
            language=block.language,
        )

    def _block(self, spans: tuple[Span, ...], lead: str, indent: str = "") -> Block:
        self._lead = ""
        return Block(spans, self._gap(), lead, indent, is_quote=self._quotes > 0)

    def _gap(self) -> int:
        if not self._lists:
            return 2
        begins_list = len(self._lists) == 1 and self._lists[0].is_first
        self._lists[0].is_first = False
        return 1 if self._is_tight and not begins_list else 2
