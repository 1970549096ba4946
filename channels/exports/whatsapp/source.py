"""Where a WhatsApp chat lies: a text file, or one inside a zip, read as a stream of lines."""

from __future__ import annotations

import codecs
import io
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from channels.exports.errors import ExportError
from channels.exports.files import reading
from channels.text import clean_name

LONGEST_LINE = 66_000
"""Characters of a line that are read: the longest message with a head and a name before it."""
MAX_RATIO, MIN_SUSPECT_BYTES = 200, 64 * 2**20
"""A text that shrinks further than this, and is larger than this, was never written by people.

Source: deflate shrinks chats to a tenth, and repeated bytes to a thousandth.
"""
_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE_BYTES = 2**20
_CHAT_NAME = re.compile(
    r"whats[ _-]?app(?:[ _]chat[ _]-"
    r"|.*?[ _-](?:with|mit|con|com|avec|met|z|dengan|с контактом|с группой|с|עם))[ _]"
    r"(?P<title>.+)$",
    re.IGNORECASE,
)
_COPY = re.compile(r"[ _]?\(\d{1,3}\)$")
_NAMELESS = re.compile(
    r"_?(?:chat|whatsapp|whatsapp[ _-]?chat|export|untitled)s?\d*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Source:
    """A chat's text. `member` is its name inside the zip; empty for a plain file."""

    path: Path
    member: str = ""

    @property
    def where(self) -> str:
        """Names it in an error."""
        return f"{self.path} ({self.member})" if self.member else str(self.path)

    @property
    def title(self) -> str:
        """The chat's title as the file names tell it; empty where they tell nothing."""
        stems = [self.path.stem]
        if self.member:
            stems.insert(0, PurePosixPath(self.member).stem)
        stems = [_COPY.sub("", stem).strip() for stem in stems]
        for stem in stems:
            if (named := _CHAT_NAME.search(stem)) is not None:
                return clean_name(named["title"])
        return next((clean_name(stem) for stem in stems if not _NAMELESS.match(stem)), "")

    def lines(self) -> Iterator[str]:
        """Yield its lines without their ends, at constant memory. Raises ExportError."""
        with reading(self.path), self._open() as binary:
            encoding = _encoding_of(binary.read(_SAMPLE_BYTES))
        with reading(self.path), self._open() as binary:
            text = io.TextIOWrapper(binary, encoding, errors="replace", newline="\n")
            while line := text.readline(LONGEST_LINE):
                ends = line[-1] == "\n"
                yield line[:-1].removesuffix("\r") if ends else line
                while not ends and (rest := text.readline(LONGEST_LINE)):
                    ends = rest[-1] == "\n"

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        if not self.member:
            with self.path.open("rb") as file:
                yield file
            return
        with zipfile.ZipFile(self.path) as archive, archive.open(self.member) as file:
            yield file


def find_chat(path: Path) -> Source:
    """Find the chat's text inside a zip. Raises ExportError."""
    with reading(path), zipfile.ZipFile(path) as archive:
        files = [info for info in archive.infolist() if not info.is_dir()]
    texts = [info for info in files if _is_text(info.filename)]
    names = {PurePosixPath(info.filename).name for info in files}
    if not texts:
        raise ExportError(f"{path}: {_instead_of_chat(names)}")
    if len(texts) > 1:
        # A chat's own attachments may be text files too.
        named = [info for info in texts if _is_chat_name(info.filename)]
        if len(named) != 1:
            raise ExportError(
                f"{path}: the zip holds {len(named) or len(texts)} chats or texts;"
                " unpack it and import them one by one"
            )
        texts = named
    (chat,) = texts
    if chat.flag_bits & 1:
        raise ExportError(f"{path}: the zip asks for a password; unpack it and import the text")
    if chat.file_size > max(MIN_SUSPECT_BYTES, MAX_RATIO * max(chat.compress_size, 1)):
        raise ExportError(
            f"{path}: {chat.filename} would unpack to {chat.file_size // 2**20} MiB, which no chat"
            " does; if it is one, unpack it and import the text"
        )
    return Source(path, chat.filename)


def _encoding_of(start: bytes) -> str:
    """Tell how a text is written: WhatsApp's own are UTF-8, those that Windows saved anew not."""
    for mark, name in _ENCODINGS:
        if start.startswith(mark):
            return name
    # A character that the sample cuts in two is not broken.
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(start)
    broken = text.count("\ufffd")
    return "cp1252" if broken > sum(char > "\x7f" for char in text) - broken else "utf-8"


def _is_text(name: str) -> bool:
    inside = PurePosixPath(name)
    return inside.suffix.casefold() == ".txt" and "__MACOSX" not in inside.parts


def _is_chat_name(name: str) -> bool:
    stem = PurePosixPath(name).stem
    return stem.casefold() == "_chat" or _CHAT_NAME.search(stem) is not None


def _instead_of_chat(names: set[str]) -> str:
    if "result.json" in names:
        return "the zip holds a Telegram export; unpack it and import its result.json"
    if any(name.casefold().endswith(".zip") for name in names):
        return "the zip holds further zips; unpack it and import them one by one"
    return (
        "the zip holds no chat (_chat.txt or WhatsApp Chat with ....txt);"
        " export the chat in WhatsApp: chat, More, Export chat"
    )
