"""Token vectors: each word piece of a text as 64 small integers, for late interaction.

The network's states are centred, put on the 64 directions in which texts of our own differ most,
and scaled to a length of 127, by the graph itself. `tokens.npz`, written by
`scripts/fit_tokens.py`, holds these directions and how rare each piece is.

Source: late interaction, https://arxiv.org/abs/2004.12832 (ColBERT).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from memory.domain.recalls import TokenMatrix
from memory.text.words import STOP_WORDS

WIDTH: Final = 64
FILE: Final = Path(__file__).with_name("tokens.npz")
COMMON: Final = 0.1
"""What a stop word weighs beside a word of its rarity."""


class TokenSpace:
    """Which pieces of a text count, and how much each weighs."""

    def __init__(self, tokenizer: Tokenizer, file: Path = FILE) -> None:
        """Load the rarities."""
        with np.load(file) as data:
            self.version = str(data["version"])
            rarity = data["rarity"].astype(np.float32)
        names = [tokenizer.id_to_token(number) or "" for number in range(len(rarity))]
        self._is_word = np.array([any(map(str.isalnum, name)) for name in names])
        self._is_word[[n for n, name in enumerate(names) if name.startswith("[")]] = False
        is_common = np.array([name in STOP_WORDS for name in names])
        self._weights = np.where(is_common, COMMON * rarity, rarity)

    def of(self, ids: npt.NDArray[np.int64], vectors: npt.NDArray[np.int8]) -> TokenMatrix:
        """Return the vectors of the pieces that are words or parts of one.

        Args:
            ids: The pieces, (length,).
            vectors: Theirs, (length, 64).
        """
        words = np.flatnonzero(self._is_word[ids])
        weights = self._weights[ids[words]].tolist()
        return TokenMatrix(vectors[words].tobytes(), WIDTH, tuple(weights))
