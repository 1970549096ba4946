"""What fits the network of topics: the fit itself, spliced dialogues, and evidence at every gap."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np

from memory.episodes import Turn
from memory.episodes.features import Features
from scripts.fit_episodes import Case, Stretches, _network, examples, spliced

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)
VECTORS = np.eye(32, dtype=np.float32)


def test_a_network_learns_what_made_the_data() -> None:
    random = np.random.default_rng(3)
    evidence = random.normal(size=(20_000, 6))
    labels = (np.abs(evidence[:, 0]) > 0.7).astype(float)
    inner, bias, outer, base = _network(evidence, labels, np.ones(20_000), 0)
    said = np.tanh(evidence @ inner + bias) @ outer + base > 0
    assert (said == labels).mean() > 0.9


def test_there_is_evidence_at_every_gap_but_silence_and_soft_ones() -> None:
    turns = [Turn(VECTORS[n], f"turn {n}", NOON + timedelta(minutes=n)) for n in range(6)]
    turns += [Turn(VECTORS[n], f"turn {n}", NOON + timedelta(days=n)) for n in range(6, 8)]
    evidence, labels = examples([Case(turns, frozenset({3, 6}), frozenset({4}))])
    assert evidence.shape == (4, len(Features._fields))
    assert labels.tolist() == [0, 0, 1, 0]


def test_spliced_dialogues_change_their_source_where_they_say() -> None:
    sources = [
        Stretches("en", [[Turn(VECTORS[at], f"{at}") for _ in range(30)]]) for at in range(3)
    ]
    sources.append(Stretches("de", [[Turn(VECTORS[9], "9")] * 30]))
    for case in spliced(sources, 20, 1):
        changes = [n for n, (a, b) in enumerate(pairwise(case.turns), 1) if a.text != b.text]
        assert set(changes) == case.begins
