"""Fit what makes confidences chances, on voices that were not learnt from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from memory.domain.readings import Span
from memory.facts.reading.calibration import Calibration, log_odds
from memory.facts.reading.labels import KEYS
from scripts.reader.judging import fits
from scripts.reader.notation import Labelled

Floats = npt.NDArray[np.float64]

SHRINKAGE = 3.0
"""Penalty of a key's own shift: keys seen seldom stay near the common one."""
RIDGE = 0.1
STEPS = 30
AIMED_AT = 0.9
"""Share of right spans among those kept, by which the threshold is chosen."""


def fit(messages: Sequence[Labelled], found: Sequence[Sequence[Span]]) -> Calibration:
    """Return the calibration that makes the spans that were found likeliest.

    Source: Newton's method for the logistic likelihood with a ridge on the keys' shifts.
    """
    rows = [
        (span, any(fits(span, mark, message.text) for mark in message.marks))
        for message, spans in zip(messages, found, strict=True)
        for span in spans
        if span.status != "nobody"
    ]
    design = np.zeros((len(rows), 2 + len(KEYS)))
    for line, (span, _) in enumerate(rows):
        design[line, :2] = log_odds(span.confidence), 1.0
        design[line, 2 + KEYS.index(span.key)] = 1.0
    right = np.array([is_right for _, is_right in rows], float)
    penalty = np.array([RIDGE, RIDGE, *[SHRINKAGE] * len(KEYS)])
    weights = np.zeros(design.shape[1])

    def lost(weights: Floats) -> float:
        odds = design @ weights
        return float((np.logaddexp(0, odds) - right * odds).sum() + penalty @ weights**2 / 2)

    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        slope = design.T @ (chances - right) + penalty * weights
        bend = design.T @ (design * (chances * (1 - chances))[:, None]) + np.diag(penalty)
        step = np.linalg.solve(bend, slope)
        # A whole step may go too far where the chances are flat.
        shares = (weights - step / 2**halving for halving in range(20))
        weights = min((weights, *shares), key=lost)
    by_key = {key: round(float(w), 3) for key, w in zip(KEYS, weights[2:], strict=True) if w}
    return Calibration(round(float(weights[0]), 4), round(float(weights[1]), 4), by_key)


def threshold_of(messages: Sequence[Labelled], found: Sequence[Sequence[Span]]) -> float:
    """Return the lowest confidence from which `AIMED_AT` of what is stated is right.

    `found`: calibrated.
    """
    rows = [
        (span.confidence, any(fits(span, mark, message.text) for mark in message.marks))
        for message, spans in zip(messages, found, strict=True)
        for span in spans
        if span.status == "stated"
    ]
    for least in range(40, 96):
        kept = [is_right for confidence, is_right in rows if confidence >= least / 100]
        if kept and sum(kept) / len(kept) >= AIMED_AT:
            return least / 100
    return 0.95
