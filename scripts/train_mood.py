"""Train what mood is read by: `python -m scripts.train_mood CASES --out WEIGHTS`.

CASES is a case file of the `mood` suite (GoEmotions' training part, by its six labels). Prints
macro-F1 and accuracy of a five-fold cross-validation, in which vocabulary, weights and what is
added to each label are learnt without the fold that they are measured on. Needs scipy.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse  # type: ignore[import-untyped]  # it has no stubs of its own
from scipy.optimize import minimize  # type: ignore[import-untyped]

from evals.mood.cases import load_moods
from evals.mood.metrics import accuracy, by_label, macro_f1
from memory.contacts.mood.reading import LABELS, packed
from memory.contacts.mood.wording import TRAITS, traits_of, words_of
from memory.minilm.recall import RecallEmbedder, fingerprint

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

FOLDS = 5
LEAST_SEEN = 5
"""A word is learnt when it stands in so many texts."""
RIDGE = 1.0
WORD_RIDGES = (3.0, 8.0)
"""Penalties of the words' weights that are compared."""
STEPS = 150
SHIFTS = np.arange(-1.0, 1.61, 0.1)
ABOUT = (
    "Weights of memory/mood, learnt by scripts/train_mood.py. Derived from GoEmotions (Demszky et"
    " al., 2020; google-research/google-research, goemotions), Apache-2.0."
)


@dataclass(frozen=True, slots=True)
class Data:
    """Texts as the classifier sees them: dense features, words, and the label's index."""

    dense: Floats
    words: list[list[str]]
    labels: Labels


@dataclass(frozen=True, slots=True)
class Model:
    """What was learnt; `weights` are those of the dense features, then those of the words."""

    vocabulary: list[str]
    weights: Floats
    bias: Floats

    def scores(self, data: Data, rows: Labels) -> Floats:
        """Return the score of every label for some texts."""
        design = _design(data, rows, self.vocabulary)
        found: Floats = design[0] @ self.weights[: design[0].shape[1]]
        found = found + design[1] @ self.weights[design[0].shape[1] :]
        return found + self.bias


def main() -> None:
    """Cross-validate, learn from everything, write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, help="a file to keep the embeddings in")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    (file,) = load_moods([arguments.cases])
    data = read(
        [case.text for case in file.cases], [case.label for case in file.cases], arguments.vectors
    )
    folds = draw_folds(data.labels, arguments.seed)
    runs = {ridge: cross_validate(data, folds, ridge) for ridge in WORD_RIDGES}
    ridge = max(runs, key=lambda one: float(runs[one]["macro_f1"]))
    model = learn(data, np.arange(len(data.labels)), ridge)
    shifts = runs[ridge].pop("shifts")
    header = {
        "about": ABOUT,
        "license": "Apache-2.0",
        "trained_on": {"file": arguments.cases.name, "sha256": file.sha256, "cases": file.count},
        "cross_validation": {"folds": FOLDS, "word_ridge": ridge, **runs[ridge]},
    }
    write(arguments.out, header, model, np.asarray(shifts))
    print(f"{arguments.out}: {arguments.out.stat().st_size / 1000:.0f} kB")


def read(texts: Sequence[str], labels: Sequence[str], cache: Path | None = None) -> Data:
    """Embed the texts, or take the vectors from a file, and read their words."""
    if cache is not None and cache.is_file():
        vectors = np.load(cache)
    else:
        vectors = RecallEmbedder().embed_array(texts)
        if cache is not None:
            np.save(cache, vectors)
    if len(vectors) != len(texts):
        raise SystemExit(f"{cache}: vectors of other texts; remove the file")
    traits = np.array([traits_of(text) for text in texts])
    dense = np.column_stack([vectors, traits]).astype(np.float64)
    known = [LABELS.index(label) for label in LABELS]
    indices = dict(zip(LABELS, known, strict=True))
    return Data(
        dense,
        [words_of(text) for text in texts],
        np.array([indices[label] for label in labels]),  # type: ignore[index]
    )


def draw_folds(labels: Labels, seed: int) -> Labels:
    """Return each text's fold; every label is spread over all of them."""
    random = np.random.default_rng(seed)
    folds = np.zeros(len(labels), dtype=np.int64)
    for label in range(len(LABELS)):
        rows = np.flatnonzero(labels == label)
        random.shuffle(rows)
        folds[rows] = np.arange(len(rows)) % FOLDS
    return folds


def cross_validate(data: Data, folds: Labels, ridge: float) -> dict[str, Any]:
    """Learn without each fold, measure on it; print and return the figures and the shifts."""
    scores = np.zeros((len(data.labels), len(LABELS)))
    for fold in range(FOLDS):
        rows = np.flatnonzero(folds == fold)
        scores[rows] = learn(data, np.flatnonzero(folds != fold), ridge).scores(data, rows)
    said = np.zeros(len(data.labels), dtype=np.int64)
    for fold in range(FOLDS):
        inside = folds == fold
        shifts = choose_shifts(scores[~inside], data.labels[~inside])
        said[inside] = (scores[inside] + shifts).argmax(axis=1)
    true, found = _names(data.labels), _names(said)
    plain = _names(scores.argmax(axis=1))
    figures = {
        "macro_f1": round(macro_f1(true, found) or 0.0, 4),
        "accuracy": round(accuracy(true, found) or 0.0, 4),
    }
    print(f"penalty {ridge:g}: {figures}; without shifts {macro_f1(true, plain):.4f}")
    print({name: round(one["f1"] or 0.0, 3) for name, one in by_label(true, found).items()})
    return {**figures, "shifts": choose_shifts(scores, data.labels).tolist()}


def learn(data: Data, rows: Labels, ridge: float) -> Model:
    """Fit a multinomial logistic regression by L-BFGS, with a ridge on all weights but the bias.

    Source: Bishop, Pattern Recognition and Machine Learning, 4.3.4.
    """
    seen = Counter(word for row in rows for word in data.words[row])
    vocabulary = sorted(word for word, count in seen.items() if count >= LEAST_SEEN)
    dense, worded = _design(data, rows, vocabulary)
    transposed = worded.T.tocsr()
    width, height = dense.shape[1] + len(vocabulary), len(LABELS)
    penalty = np.concatenate([np.full(dense.shape[1], RIDGE), np.full(len(vocabulary), ridge)])
    penalty = penalty[:, None]
    labels = data.labels[rows]
    target = np.eye(height)[labels]

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights, bias = flat[: width * height].reshape(width, height), flat[width * height :]
        scores = dense @ weights[: dense.shape[1]] + worded @ weights[dense.shape[1] :] + bias
        scores = scores - scores.max(axis=1, keepdims=True)
        chances = np.exp(scores)
        sums = chances.sum(axis=1, keepdims=True)
        wrong = chances / sums - target
        lost = float((np.log(sums[:, 0]) - scores[np.arange(len(rows)), labels]).sum())
        slope = np.vstack([dense.T @ wrong, transposed @ wrong]) + penalty * weights
        flat_slope = np.concatenate([slope.ravel(), wrong.sum(axis=0)])
        return lost + float((penalty * weights**2).sum()) / 2, flat_slope

    start = np.zeros((width + 1) * height)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x
    return Model(vocabulary, found[: width * height].reshape(width, height), found[-height:])


def choose_shifts(scores: Floats, labels: Labels) -> Floats:
    """Return what to add to each label's score for the best macro-F1; the last label gets none."""
    shifts = np.zeros(len(LABELS))
    for _ in range(2):
        for label in range(len(LABELS) - 1):
            tried = []
            for shift in SHIFTS:
                candidate = shifts.copy()
                candidate[label] = shift
                said = (scores + candidate).argmax(axis=1)
                tried.append((_macro_f1(labels, said), -abs(float(shift)), float(shift)))
            shifts[label] = max(tried)[2]
    return shifts


def write(path: Path, header: dict[str, Any], model: Model, shifts: Floats) -> None:
    """Write the weights file that `memory.contacts.mood` reads."""
    dense = len(model.weights) - len(model.vocabulary)
    vectors = dense - len(TRAITS)
    held = header | {
        "embedder": fingerprint(),
        "dimension": vectors,
        "labels": LABELS,
        "traits": TRAITS,
        "bias": [round(float(one), 4) for one in model.bias + shifts],
        "by_vector": packed(model.weights[:vectors]),
        "by_trait": packed(model.weights[vectors:dense]),
        "words": " ".join(model.vocabulary),
        "by_word": packed(model.weights[dense:]),
    }
    path.write_text(json.dumps(held, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _design(data: Data, rows: Labels, vocabulary: Sequence[str]) -> tuple[Floats, Any]:
    places = {word: place for place, word in enumerate(vocabulary)}
    at = [(i, places[w]) for i, row in enumerate(rows) for w in data.words[row] if w in places]
    where = np.array(at, dtype=np.int64).reshape(-1, 2).T
    shape = (len(rows), len(vocabulary))
    return data.dense[rows], sparse.csr_matrix((np.ones(len(at)), where), shape=shape)


def _macro_f1(true: Labels, found: Labels) -> float:
    # The same figure as the suite's, which is too slow for hundreds of candidates.
    size = len(LABELS)
    right = np.bincount(true[true == found], minlength=size)
    either = np.bincount(true, minlength=size) + np.bincount(found, minlength=size)
    return float(np.mean(2 * right[either > 0] / either[either > 0]))


def _names(indices: Labels) -> list[str]:
    return [LABELS[index] for index in indices]


if __name__ == "__main__":
    main()
