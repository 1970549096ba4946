"""Text that comes in pieces, broken at words for a terminal's width."""

from __future__ import annotations

from rich.cells import cell_len


class Wrapping:
    """Breaks what is fed to it at spaces, or between wide characters; lines begin indented.

    `width` and `indent` are columns. The first line is taken to have `indent` columns already. A
    word that fits no line stays whole, so that an address can still be copied.
    """

    def __init__(self, width: int, indent: int) -> None:
        self._width = width
        self._indent = indent
        self._column = indent
        self._is_begun = True
        self._gap = ""
        self._word = ""

    def feed(self, text: str) -> str:
        """Return what can be written now; a word waits until it has ended."""
        return "".join(self._fed(character) for character in text)

    def end(self) -> str:
        """Return what was still waiting."""
        return self._placed()

    def _fed(self, character: str) -> str:
        if character.isspace():
            placed = self._placed()
            self._gap += " "
            if character == "\n":
                self._gap, self._column = "", self._indent
                self._is_begun = False
                placed += "\n"
            return placed
        if cell_len(character) == 2:
            before = self._placed()
            self._word = character
            return before + self._placed()
        self._word += character
        return ""

    def _placed(self) -> str:
        if not self._word:
            return ""
        word, gap, needed = self._word, self._gap, cell_len(self._word)
        self._word = self._gap = ""
        if self._column + len(gap) + needed > self._width and self._column > self._indent:
            gap = "\n" + " " * self._indent
            self._column = self._indent
        else:
            self._column += len(gap)
            gap = gap if self._is_begun else " " * self._indent + gap
        self._is_begun = True
        self._column += needed
        while self._column > self._width:
            self._column -= self._width
        return gap + word


def wrapped(text: str, width: int, indent: int = 0) -> str:
    """Return a whole text, broken at words; the first line is indented by whoever writes it."""
    wrapping = Wrapping(width, indent)
    return wrapping.feed(text) + wrapping.end()
