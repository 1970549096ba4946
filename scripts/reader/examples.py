"""Messages as arrays: batches of equal length, what is to be learnt, and what was found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from memory.domain.readings import Excerpt
from memory.facts.reading.labels import OUTSIDE, STATUSES, goes_on, opens
from memory.minilm.pieces import Pieces, pieces_of
from memory.text.glossing import shipped_glosses
from scripts.reader.notation import Labelled

BATCH_PIECES = 512
IGNORED = -1
VAGUE = len(STATUSES)
"""Status of a mark that says only that the value is not the speaker's."""

LENGTHS = (16, 24, 32, 48, 64, 96, 160, 256)
"""What inputs are filled up to; each is compiled once. Longer ones are left out."""

Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Batch:
    """Arrays of (batch, length); `tags` and `statuses` are `IGNORED` where nothing is learnt."""

    ids: Ints
    kinds: Ints
    cases: Ints
    tags: Ints
    statuses: Ints
    rows: list[int]


@dataclass(frozen=True, slots=True)
class Example:
    """A message in pieces, with the tag and the status of each word."""

    pieces: Pieces
    tags: list[int]
    statuses: list[int]


def example_of(tokenizer: Tokenizer, message: Labelled) -> Example:
    """Return what a message teaches."""
    pieces = pieces_of(tokenizer, Excerpt(message.text, message.before), shipped_glosses())
    tags, statuses = [OUTSIDE] * len(pieces.words), [IGNORED] * len(pieces.words)
    for mark in message.marks:
        inside = [
            place
            for place, (start, end) in enumerate(pieces.words)
            if start < mark.end and mark.start < end
        ]
        for place in inside:
            tags[place] = opens(mark.key) if place == inside[0] else goes_on(mark.key)
            statuses[place] = VAGUE if mark.is_vague else STATUSES.index(mark.status)
    return Example(pieces, tags, statuses)


def hidden(batch: Batch, share: float, mask: int, random: np.random.Generator) -> Batch:
    """Return a batch with some pieces of its messages masked: what stands around them must do."""
    is_masked = (random.random(batch.ids.shape) < share) & (batch.cases > 0)
    return replace(batch, ids=np.where(is_masked, mask, batch.ids).astype(np.int32))


def batches_of(examples: Sequence[Example], random: np.random.Generator) -> Iterator[Batch]:
    """Yield batches of similar length in random order, each about `BATCH_PIECES` large."""
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for row, example in enumerate(examples):
        fitting = [length for length in LENGTHS if length >= len(example.pieces.ids)]
        if fitting:
            groups[fitting[0]].append(row)
    chunks = []
    for length, rows in sorted(groups.items()):
        size = max(4, BATCH_PIECES // length)
        order = random.permutation(rows).tolist()
        chunks += [(length, size, order[at : at + size]) for at in range(0, len(order), size)]
    for place in random.permutation(len(chunks)):
        length, size, rows = chunks[place]
        yield _batch(examples, rows, size, length)


def _batch(examples: Sequence[Example], rows: list[int], size: int, length: int) -> Batch:
    # Rows that fill the batch up are all padding: every length has one shape to compile.
    ids, kinds, cases = (np.zeros((size, length), np.int32) for _ in range(3))
    tags, statuses = (np.full((size, length), IGNORED, np.int32) for _ in range(2))
    for line, row in enumerate(rows):
        example = examples[row]
        pieces = example.pieces
        ids[line, : len(pieces.ids)] = pieces.ids
        kinds[line, : len(pieces.ids)] = pieces.kinds
        cases[line, : len(pieces.ids)] = pieces.cases
        tags[line, pieces.firsts] = example.tags
        statuses[line, pieces.firsts] = example.statuses
    return Batch(ids, kinds, cases, tags, statuses, rows)
