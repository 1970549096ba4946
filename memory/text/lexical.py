"""What the lexical index sees of a text: words, and pieces of scripts that do not space words."""

from __future__ import annotations

import re

from memory.domain.chats import READ_CHARS

# Source: Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009).
K1 = 1.2
B = 0.75

# Scripts that write words without spaces: the text-search parser takes a whole run for one word.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)


def _bigrams(run: re.Match[str]) -> str:
    text = run.group()
    if len(text) == 1:
        return f" {text} "
    return " " + " ".join(text[i : i + 2] for i in range(len(text) - 1)) + " "


def searchable(text: str) -> str:
    """Return the text with runs of Chinese, Japanese, Thai, Lao, Burmese, Khmer cut into bigrams.

    Only its first `READ_CHARS` characters: Postgres refuses a tsvector of more than 1 MiB.

    Source: character bigrams as index terms for unspaced scripts (Nie et al., SIGIR 2000).
    """
    return _UNSPACED.sub(_bigrams, text[:READ_CHARS])
