"""Pages of lines and what is asked about them: what the embedder learns from and is judged by."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tokenizers import Tokenizer

from memory.text.glossing import shipped_glosses

LINES_A_PAGE: Final = 120
"""Pairs of a line and a question make pages of so many lines."""
MAX_PIECES: Final = 256
"""As in `memory.minilm.embedder`, which needs onnxruntime."""
START, END = 101, 102
"""Source: vocab.txt of all-MiniLM-L6-v2, [CLS] and [SEP]. Padding is 0."""

Pieces = list[int]
"""A text's word pieces with `START` and `END`."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question. `evidence`: numbers of the lines that answer it, from 0; none if nothing does.

    `stale`: those that answered it until something else was said.
    """

    text: str
    evidence: tuple[int, ...]
    category: str = ""
    stale: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """Lines in order and their questions.

    `said`: the lines that are searched, not an agent's; empty where that is all of them.
    """

    name: str
    language: str
    lines: tuple[str, ...]
    questions: tuple[Question, ...]
    said: tuple[bool, ...] = ()


@dataclass(frozen=True, slots=True)
class Tokenized:
    """A page, with the pieces of its lines and of its questions."""

    page: Page
    lines: list[Pieces]
    questions: list[Pieces]


def read_pages(folder: Path) -> list[Page]:
    """Return what is learnt from: `pages/`, `pairs/`, each 120 pairs a page, and `talks/`.

    Raises:
        ValueError: evidence that its page does not have.
    """
    pages = [
        Page(
            entry["id"],
            entry["lang"],
            tuple(line["text"] for line in entry["lines"]),
            tuple(Question(a["question"], tuple(a["evidence"])) for a in entry["questions"]),
        )
        for path in sorted((folder / "pages").glob("*.jsonl"))
        for entry in _objects(path)
    ]
    for path in sorted((folder / "pairs").glob("*.jsonl")):
        pairs = list(_objects(path))
        for start in range(0, len(pairs), LINES_A_PAGE):
            some = pairs[start : start + LINES_A_PAGE]
            name = f"pairs/{path.stem}-{start // LINES_A_PAGE:02d}"
            lines = tuple(pair["line"] for pair in some)
            asked = tuple(Question(pair["question"], (n,)) for n, pair in enumerate(some))
            pages.append(Page(name, path.stem, lines, asked))
    pages += read_chats(folder / "talks")
    for page in pages:
        if any(not 0 <= n < len(page.lines) for each in page.questions for n in each.evidence):
            raise ValueError(f"page {page.name}: evidence names a line that it does not have")
    return pages


def read_chats(folder: Path) -> list[Page]:
    """Return chats in the format of the `recall` suite.

    They are read here since the suite's own loader needs packages that training does without.
    """
    chats = []
    for path in sorted(folder.glob("*.jsonl")):
        for case in _objects(path):
            number = {turn["id"]: n for n, turn in enumerate(case["turns"])}
            asked = tuple(
                Question(
                    each["question"],
                    tuple(number[turn] for turn in each.get("evidence", ())),
                    each.get("category", "all"),
                    tuple(number[turn] for turn in each.get("stale", ())),
                )
                for each in case["questions"]
            )
            lines = tuple(turn["text"] for turn in case["turns"])
            said = tuple(turn["role"] == "user" for turn in case["turns"])
            chats.append(Page(case["case_id"], case.get("lang", ""), lines, asked, said))
    return chats


def tokenized(tokenizer: Tokenizer, pages: Sequence[Page]) -> list[Tokenized]:
    """Return pages in pieces, each text as memory search reads it: glossed where it is foreign."""
    tokenizer.enable_truncation(MAX_PIECES)
    tokenizer.no_padding()
    glosses = shipped_glosses()

    def pieces(texts: Sequence[str]) -> list[Pieces]:
        read = [glosses.render(text, glosses.language_of(text)).text for text in texts]
        return [encoding.ids for encoding in tokenizer.encode_batch_fast(read)]

    return [
        Tokenized(page, pieces(page.lines), pieces([each.text for each in page.questions]))
        for page in pages
    ]


def digest(pages: Sequence[Page]) -> str:
    """Return 16 hex digits that name the texts, whatever their order."""
    texts = [text for page in pages for text in page.lines]
    texts += [each.text for page in pages for each in page.questions]
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()[:16]


def _objects(path: Path) -> Iterator[Any]:
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            yield json.loads(line)
