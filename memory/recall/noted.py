"""What a person wrote by hand, where it fits a question: few lines, marked as the owner's (N11).

A note of a contact or of a chat surfaces where what was said there may; a tenant's own in every
chat of the tenant. Nothing that anybody said becomes a note.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import mul
from typing import Final

from memory.domain.facts import APART, BY_PERSON, Fact
from memory.domain.notes import NOTE, Note
from memory.domain.recalls import Recalled
from memory.ports.bundle import Memory
from memory.recall.gathering import Embedding
from memory.recall.questions import asks_everything
from memory.recall.relevance import ASKED_FOR, DENSE, WORDS
from memory.text.words import content_stems

MAX_READ: Final = 400
"""So many notes are looked through for a question's words, the newest."""
MAX_COMPARED: Final = 40
"""So many are compared with it in meaning: those that have most of its words, then the newest."""
MAX_SHOWN: Final = 3
LEAST_SHARED: Final = 0.5
"""From this share of a question's words on, a note that has them fits it."""
LEAST_COSINE: Final = 0.4
"""From this cosine to the question on a note fits it; a sentence is nearer than a value is."""
IMPORTANCE: Final = 0.6
"""Between the core of a person and tastes: shown where it fits, and never in place of the core."""


async def noted_of(
    memory: Memory,
    tenant: str,
    anchor: str,
    question: str,
    embedding: Embedding,
    most: int = MAX_SHOWN,
) -> list[Recalled]:
    """Return at most so many notes that fit a question asked at an anchor, as facts, best first."""
    notes = await memory.notes.near(tenant, anchor, MAX_READ)
    if not notes or not question.strip():
        return []
    # Stable, here and below: of equals the newest stays first.
    shared = sorted(((_shared(question, note.text), note) for note in notes), key=lambda e: -e[0])
    compared = shared[:MAX_COMPARED]
    cosines = await _cosines(memory, [note for _, note in compared], embedding)
    fitting = [
        _entry(note, words, cosine)
        for (words, note), cosine in zip(compared, cosines, strict=True)
        if words >= LEAST_SHARED or cosine >= LEAST_COSINE
    ]
    return sorted(fitting, key=lambda entry: -entry.score)[:most]


async def noted_by_id(
    memory: Memory, tenant: str, anchor: str, ids: Collection[str]
) -> dict[str, Fact]:
    """Return notes by id in the form of facts: those that may surface at the anchor now."""
    notes = await notes_by_id(memory, tenant, anchor, ids)
    return {uid: _as_fact(note) for uid, note in notes.items()}


async def notes_by_id(
    memory: Memory, tenant: str, anchor: str, ids: Collection[str]
) -> dict[str, Note]:
    """Return notes by id: those that may surface at the anchor now."""
    if not ids:
        return {}
    notes = await memory.notes.near(tenant, anchor, MAX_READ)
    return {note.uid: note for note in notes if note.uid in ids}


async def noted_among(memory: Memory, tenant: str, ids: Collection[str]) -> dict[str, Fact]:
    """Return notes by id in the form of facts, wherever they belong: for who explains a reply."""
    if not ids:
        return {}
    notes = await memory.notes.every(tenant)
    return {note.uid: _as_fact(note) for note in notes if note.uid in ids}


async def _cosines(memory: Memory, notes: Sequence[Note], embedding: Embedding) -> list[float]:
    """Return each note's cosine to the nearest piece of the question; 0 without an embedder."""
    asked = await embedding
    texts = [note.text for note in notes]
    read = await memory.outages.ask("embedder", lambda: memory.embedder.read(texts))
    if not asked or read is None:
        return [0.0] * len(notes)
    return [max(sum(map(mul, a.vector, b.vector)) for a in asked) for b in read]


def _shared(question: str, text: str) -> float:
    """Return the share of a question's words that a note has."""
    if asks_everything(question):
        return 0.0
    asked = content_stems(question)
    return len(asked & content_stems(text)) / len(asked) if asked else 0.0


def _entry(note: Note, words: float, cosine: float) -> Recalled:
    parts = {"importance": IMPORTANCE, "confidence": 1.0}
    if words >= LEAST_SHARED:
        parts[WORDS] = ASKED_FOR + (1 - ASKED_FOR) * words
    parts[DENSE] = cosine
    return Recalled("fact", note.uid, max(words, cosine), parts)


def _as_fact(note: Note) -> Fact:
    return Fact(
        fact_id=note.uid,
        tenant=note.tenant,
        contact_id=note.contact_id,
        category="instruction",
        key=NOTE,
        value=note.text,
        confidence=1.0,
        importance=IMPORTANCE,
        source_uid=f"{note.uid}{APART}{NOTE}",
        anchor=note.anchor,
        status="active",
        valid_from=note.written_at,
        valid_to=None,
        recorded_from=note.written_at,
        recorded_to=None,
        read_by=BY_PERSON,
    )
