"""Fit what tells open loops: `python -m scripts.fit_open_loops [CASES ...] [--lines TSV] [--write]`.

CASES are case files of the `open_loops` suite, by default all of `datasets/open_loops/train`. What
a sentence opens and what a message closes are learnt at once: a loop is listed with the probability
that it was opened times that of each later message not to have closed it. Prints figures of a
cross-validation whose folds share no voice, and with `--write` learns from all and writes
`memory/open_loops/weights.npz`. A minute or two on one core.
"""

# ruff: noqa: E501 - patterns and tables

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from memory.minilm.recall import RecallEmbedder
from memory.open_loops.cues import NAMES
from memory.open_loops.due import due_day
from memory.open_loops.evidence import (
    CLOSING,
    CONTEXT,
    Before,
    Heard,
    by_of,
    closing_evidence,
    hear,
    opening_evidence,
    texts_of,
)
from memory.open_loops.loops import AGENT, KINDS, OpenLoop, Said
from memory.open_loops.model import DIMENSION, VECTORS, WEIGHTS_FILE, WORDING, Model, save, scaled

ROOT: Final = Path(__file__).resolve().parent.parent
TRAIN: Final = ROOT / "datasets" / "open_loops" / "train"
CHATTER: Final = ROOT / "datasets" / "recall" / "pages"
GOES_ON: Final = "goes-on-"
"""Begins the names of chats that go on about other things: what is open there stays open."""
LINES_AFTER: Final = (8, 40)
"""So many lines follow there, from and to."""
FOLDS: Final = 5
STEPS: Final = 400
RATE: Final = 0.02
RIDGE_OPEN: Final = 0.01
RIDGE_CLOSE: Final = 0.02
RIDGE_KIND: Final = 0.06
LINES_WEIGH: Final = 0.5
PAIRS_WEIGH: Final = 0.3
KIND: Final = {kind: place for place, kind in enumerate(KINDS)}

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Chat:
    """A case as arrays.

    `rows[m]`: the sentences of message m. `closes[(i, k)]`: evidence of each later message against
    what message i opened of kind k, and whether its day is over then.
    """

    name: str
    voice: str
    lang: str
    is_pair: bool
    rows: list[Floats]
    closes: dict[tuple[int, int], tuple[Floats, npt.NDArray[np.bool_]]]
    checks: list[tuple[int, dict[tuple[int, int], str]]]


@dataclass
class Parameters:
    """What is learnt: columns of kinds; the closing ones are common ones and what kinds add."""

    opening: Floats
    opening_bias: Floats
    closing: Floats
    closing_kind: Floats
    closing_bias: Floats

    def each(self) -> list[Floats]:
        """Return all of them, in one order."""
        return [self.opening, self.opening_bias, self.closing, self.closing_kind, self.closing_bias]


def main() -> None:
    """Cross-validate, and learn from all where weights are to be written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", type=Path, default=sorted(TRAIN.glob("*.jsonl")))
    parser.add_argument("--lines", type=Path, default=TRAIN / "lines.tsv")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    cases = [json.loads(line) for file in given.cases for line in file.open(encoding="utf-8")]
    cases += _going_on(cases)
    lines = _read_lines(given.lines) if given.lines.is_file() else []
    vectors = _embedded(cases, lines)
    nothing = dict.fromkeys(vectors, np.zeros(DIMENSION, np.float32))
    print(f"{len(cases)} chats, {sum(len(c['turns']) for c in cases)} messages, {len(lines)} lines")
    models = {}
    for name, known in ((VECTORS, vectors), (WORDING, nothing)):
        print(f"\n{name}")
        chats = [_chat(case, known) for case in cases]
        single = _single(lines, known)
        thresholds = _validated(chats, single)
        if given.write:
            models[name] = _model(_fit(chats, single), thresholds, name == VECTORS)
    if given.write:
        _write(models, given.cases, given.lines, len(cases), len(lines))


def _read_lines(file: Path) -> list[tuple[str, frozenset[str], str]]:
    """Return language, kinds and text of single lines; see datasets/open_loops/README.md."""
    found = []
    for line in file.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            lang, kinds, text = line.split("\t")
            found.append((lang, frozenset(kinds.split("+")) - {"-"}, text))
    return found


def _going_on(cases: Sequence[Mapping[str, Any]], seed: int = 5) -> list[dict[str, Any]]:
    """Return the chats once more, each followed by lines of others that have nothing to do with it.

    What was open is open at their end. What those lines open or not counts neither way.
    """
    rng = random.Random(seed)  # noqa: S311 - training data, no secret
    chatter: dict[str, list[str]] = {}
    for file in sorted(CHATTER.glob("*.jsonl")):
        pages = [json.loads(line) for line in file.open(encoding="utf-8")]
        for page in pages:
            texts = [line["text"] for line in page["lines"]]
            chatter.setdefault(page["lang"], []).extend(texts)
    found = []
    for case in cases:
        last = case["checks"][-1]
        if _is_pair(case) or not last["open"] or case["lang"] not in chatter:
            continue
        turns, end = list(case["turns"]), datetime.fromisoformat(case["turns"][-1]["timestamp"])
        people = list({(turn["role"], turn["speaker"]): None for turn in turns})
        allowed = list(last.get("allowed", []))
        for number in range(rng.randint(*LINES_AFTER)):
            role, speaker = rng.choice(people)
            at = end + timedelta(seconds=20 * (number + 1))
            text = rng.choice(chatter[case["lang"]])
            turn = {"id": f"after{number}", "role": role, "speaker": speaker, "text": text}
            turns.append(turn | {"timestamp": at.isoformat()})
            allowed += [{"turn": turn["id"], "kind": kind} for kind in KINDS]
        check = {**last, "after": turns[-1]["id"], "allowed": allowed}
        name = GOES_ON + str(case["case_id"])
        found.append({**case, "case_id": name, "turns": turns, "checks": [check]})
    return found


def _said(turn: Mapping[str, Any], zone: ZoneInfo) -> Said:
    speaker = AGENT if turn["role"] == "assistant" else turn["speaker"]
    at = datetime.fromisoformat(turn["timestamp"]).astimezone(zone)
    return Said(turn["id"], speaker, turn["text"], at)


def _embedded(cases: Sequence[Any], lines: Sequence[Any]) -> dict[str, Any]:
    zone = ZoneInfo("UTC")
    texts = {
        text for case in cases for turn in case["turns"] for text in texts_of(_said(turn, zone))
    }
    texts |= {text for *_, text in lines}
    ordered = sorted(texts)
    return dict(zip(ordered, RecallEmbedder().embed_array(ordered), strict=True))


def _chat(case: Mapping[str, Any], vectors: Mapping[str, Any]) -> Chat:
    zone = ZoneInfo(case["timezone"])
    before, heard = Before(), []
    for turn in case["turns"]:
        said = _said(turn, zone)
        heard.append(hear(said, [vectors[text] for text in texts_of(said)], before))
        before = heard[-1].after
    closes = {
        (i, k): _closes(heard, i, k)
        for i, one in enumerate(heard)
        if one.sentences
        for k in range(len(KINDS))
    }
    place = {turn["id"]: n for n, turn in enumerate(case["turns"])}
    checks = []
    for check in case["checks"]:
        labels: dict[tuple[int, int], str] = {}
        for group in ("allowed", "closed", "open"):
            for loop in check.get(group, []):
                labels[place[loop["turn"]], KIND[loop["kind"]]] = group
        checks.append((place[check["after"]], labels))
    voice = next((tag for tag in case["tags"] if tag.startswith("voice:")), case["case_id"])
    rows = [scaled(opening_evidence(one)).astype(np.float64) for one in heard]
    return Chat(
        case["case_id"],
        f"{case['lang']} {voice}",
        case["lang"],
        _is_pair(case),
        rows,
        closes,
        checks,
    )


def _is_pair(case: Mapping[str, Any]) -> bool:
    """Two lines written for what closes what are learnt from, never measured on."""
    return str(case["case_id"]).startswith("pair-")


def _closes(heard: Sequence[Heard], i: int, k: int) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the evidence of each message after the i-th, and whether the day is over by then."""
    one = heard[i]
    best = _likeliest(one, k)
    sentence = one.sentences[best]
    due = (
        None
        if KINDS[k] == "question"
        else due_day(sentence.text, one.said.at) or due_day(one.said.text, one.said.at)
    )
    by = by_of(one, sentence.text, KINDS[k] in ("promise", "date"))
    rows, over, replies = [], [], 0
    for later in heard[i + 1 :]:
        loop = OpenLoop(
            one.said.uid, KINDS[k], one.said.speaker, by, sentence.text, one.said.at, due, 1.0,
            one.before.count, sentence.vector, replies,
        )  # fmt: skip
        rows.append(closing_evidence(loop, later, later.before.is_group))
        over.append(KINDS[k] == "date" and due is not None and later.said.at.date() > due)
        replies += later.said.speaker != one.said.speaker
    return np.array(rows, np.float64).reshape(-1, len(CLOSING)), np.array(over, bool)


def _likeliest(one: Heard, k: int) -> int:
    """Return the sentence that most looks like opening a kind, before anything is learnt."""
    wanted = (
        ("i_will", "let_me", "i_doing", "when"),
        ("asks", "please", "remember", "command"),
        ("mark", "wh"),
        ("when", "must", "meet"),
    )[k]
    scores = [sum(sentence.has(name) for name in wanted) for sentence in one.sentences]
    return int(np.argmax(scores))


def _single(lines: Sequence[Any], vectors: Mapping[str, Any]) -> tuple[Floats, Floats]:
    """Return evidence and labels of single lines, each said alone at the begin of a chat."""
    at = datetime(2026, 3, 4, 10, 0, tzinfo=ZoneInfo("UTC"))
    rows, labels = [], []
    for _, kinds, text in lines:
        heard = hear(
            Said("line", "A", text, at),
            [vectors[text]] * len(texts_of(Said("", "", text, at))),
            Before(),
        )
        rows.append(scaled(opening_evidence(heard)).max(axis=0))
        labels.append([float(kind in kinds) for kind in KINDS])
    width = DIMENSION + len(NAMES) + len(CONTEXT)
    return np.array(rows, np.float64).reshape(-1, width), np.array(labels).reshape(-1, len(KINDS))


def _fit(chats: Sequence[Chat], single: tuple[Floats, Floats], seed: int = 3) -> Parameters:
    width = DIMENSION + len(NAMES) + len(CONTEXT)
    random.seed(seed)
    rng = np.random.default_rng(seed)
    kinds = len(KINDS)
    own = Parameters(
        rng.normal(0, 0.01, (width, kinds)), np.full(kinds, -2.0), np.zeros(len(CLOSING)),
        np.zeros((len(CLOSING), kinds)), np.full(kinds, -2.5),
    )  # fmt: skip
    packed = _packed(chats)
    first = [np.zeros_like(each) for each in own.each()]
    second = [np.zeros_like(each) for each in own.each()]
    for step in range(1, STEPS + 1):
        rate = RATE * min(1.0, 2 * (1 - step / (STEPS + 1)))
        for place, (value, slope) in enumerate(
            zip(own.each(), _slopes(own, packed, single), strict=True)
        ):
            first[place] = 0.9 * first[place] + 0.1 * slope
            second[place] = 0.999 * second[place] + 0.001 * slope * slope
            mean, square = first[place] / (1 - 0.9**step), second[place] / (1 - 0.999**step)
            value -= rate * mean / (np.sqrt(square) + 1e-8)
    return own


@dataclass
class Packed:
    """All chats in a row of arrays."""

    sentences: Floats  # (sentences, width)
    starts: npt.NDArray[np.int64]  # of each message
    pairs: Floats  # (pairs, closing)
    pair_kind: npt.NDArray[np.int64]
    messages: npt.NDArray[np.int64]  # of each term: its message, kind, pairs from and to, label
    kinds: npt.NDArray[np.int64]
    spans: npt.NDArray[np.int64]  # (terms, 2)
    labels: Floats
    weights: Floats


def _packed(chats: Sequence[Chat]) -> Packed:
    sentences, starts, pairs, pair_kind = [], [], [], []
    terms: list[tuple[int, int, int, int, float, float]] = []
    count = messages = found = 0
    for chat in chats:
        weight = PAIRS_WEIGH if chat.is_pair else 1.0
        own: dict[tuple[int, int], int] = {}
        base: dict[int, int] = {}
        for m, rows in enumerate(chat.rows):
            if len(rows):
                base[m] = messages
                messages += 1
                starts.append(count)
                sentences.append(rows)
                count += len(rows)
        for (i, k), (evidence, _) in chat.closes.items():
            own[i, k] = found
            found += len(evidence)
            pairs.append(evidence)
            pair_kind += [k] * len(evidence)
        opened: set[tuple[int, int]] = set()
        for after, labels in chat.checks:
            for (i, k), (_, over) in chat.closes.items():
                if i > after:
                    continue
                label = labels.get((i, k), "")
                until = after - i
                if label == "allowed":
                    continue
                first = own[i, k]
                is_over = bool(over[:until].any())
                if label in ("open", "closed") and (i, k) not in opened:
                    opened.add((i, k))
                    terms.append((base[i], k, first, first, 1.0, weight))
                if is_over:
                    continue
                terms.append((base[i], k, first, first + until, float(label == "open"), weight))
    told = np.array(terms)
    return Packed(
        np.concatenate(sentences), np.array(starts), np.concatenate(pairs), np.array(pair_kind),
        told[:, 0].astype(int), told[:, 1].astype(int), told[:, 2:4].astype(int), told[:, 4], told[:, 5],
    )  # fmt: skip


def _sigmoid(values: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -30, 30))))


def _slopes(own: Parameters, packed: Packed, single: tuple[Floats, Floats]) -> list[Floats]:
    """Return the slope of the loss for each parameter."""
    logits = packed.sentences @ own.opening + own.opening_bias
    best = _best(logits, packed.starts)
    kinds = np.arange(len(KINDS))
    opened = _sigmoid(logits[best, kinds])
    closing = own.closing[:, None] + own.closing_kind
    logit = np.empty(len(packed.pairs))
    for kind in kinds:
        here = packed.pair_kind == kind
        logit[here] = packed.pairs[here] @ closing[:, kind] + own.closing_bias[kind]
    closed = _sigmoid(logit)
    still = np.concatenate([[0.0], np.cumsum(np.log1p(-np.clip(closed, 0, 1 - 1e-9)))])
    first, last = packed.spans.T
    log_p = np.log(opened[packed.messages, packed.kinds] + 1e-12) + still[last] - still[first]
    p = np.minimum(np.exp(log_p), 1 - 1e-6)
    slopes = packed.weights * np.where(packed.labels > 0, -1.0, p / (1 - p))
    for_open = np.zeros_like(opened)
    np.add.at(for_open, (packed.messages, packed.kinds), slopes)
    for_open *= 1 - opened
    steps = np.zeros(len(closed) + 1)
    np.add.at(steps, first, slopes)
    np.add.at(steps, last, -slopes)
    for_closed = -np.cumsum(steps)[:-1] * closed
    total = packed.weights.sum() / 20
    open_rows = np.zeros_like(own.opening)
    for kind in kinds:
        open_rows[:, kind] = packed.sentences[best[:, kind]].T @ for_open[:, kind]
    open_bias = for_open.sum(axis=0)
    if len(single[0]):
        off = LINES_WEIGH * (_sigmoid(single[0] @ own.opening + own.opening_bias) - single[1])
        open_rows += single[0].T @ off
        open_bias = open_bias + off.sum(axis=0)
    by_kind = np.zeros_like(own.closing_kind)
    bias = np.zeros_like(own.closing_bias)
    for kind in kinds:
        here = packed.pair_kind == kind
        by_kind[:, kind] = packed.pairs[here].T @ for_closed[here]
        bias[kind] = for_closed[here].sum()
    return [
        open_rows / total + RIDGE_OPEN * own.opening,
        open_bias / total,
        by_kind.sum(axis=1) / total + RIDGE_CLOSE * own.closing,
        by_kind / total + RIDGE_KIND * own.closing_kind,
        bias / total,
    ]


def _best(logits: Floats, starts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for each message and kind the sentence that most opens it."""
    ends = [*starts[1:], len(logits)]
    return np.array(
        [start + logits[start:end].argmax(axis=0) for start, end in zip(starts, ends, strict=True)]
    )


def _scores(own: Parameters, chats: Sequence[Chat]) -> list[tuple[Chat, int, int, int, str, float]]:
    """Return each message and kind at each check: chat, check, message, kind, label, probability."""
    closing = own.closing[:, None] + own.closing_kind
    found = []
    for chat in chats:
        for (i, k), (evidence, over) in chat.closes.items():
            opened = _sigmoid(chat.rows[i] @ own.opening[:, k] + own.opening_bias[k]).max()
            closed = _sigmoid(evidence @ closing[:, k] + own.closing_bias[k])
            for number, (after, labels) in enumerate(chat.checks):
                if i > after:
                    continue
                p = opened * np.prod(1 - closed[: after - i]) * (not over[: after - i].any())
                found.append((chat, number, i, k, labels.get((i, k), ""), float(p)))
    return found


def _validated(chats: Sequence[Chat], single: tuple[Floats, Floats]) -> list[float]:
    """Print out-of-fold figures; return the thresholds that they are best with."""
    scores = _out_of_fold(chats, single)
    thresholds = [_threshold(scores, k) for k in range(len(KINDS))]
    goes_on = [one[0].name.startswith(GOES_ON) for one in scores]
    told = [one for one, after in zip(scores, goes_on, strict=True) if not after]
    _print("going on", [o for o, after in zip(scores, goes_on, strict=True) if after], thresholds)
    scores = told
    _print("all", scores, thresholds)
    for k, kind in enumerate(KINDS):
        _print(f"{kind} > {thresholds[k]:.2f}", [one for one in scores if one[3] == k], thresholds)
    for lang in sorted({chat.lang for chat in chats}):
        _print(lang, [one for one in scores if one[0].lang == lang], thresholds)
    return thresholds


def _out_of_fold(chats: Sequence[Chat], single: tuple[Floats, Floats], seed: int = 1) -> list[Any]:
    voices = sorted({chat.voice for chat in chats if not chat.is_pair})
    random.Random(seed).shuffle(voices)  # noqa: S311 - a split, no secret
    fold = {voice: number % FOLDS for number, voice in enumerate(voices)}
    scores = []
    for number in range(FOLDS):
        learnt = [chat for chat in chats if fold.get(chat.voice) != number]
        held = [chat for chat in chats if fold.get(chat.voice) == number]
        scores += _scores(_fit(learnt, single), held)
    return scores


def _threshold(scores: Sequence[Any], k: int) -> float:
    """Return the probability from which a kind is listed: the best F with precision before recall."""
    best = (0.0, 0.5)
    for threshold in np.arange(0.2, 0.9, 0.02):
        hit, wrong, missed, _ = _counts(
            [one for one in scores if one[3] == k], [float(threshold)] * 4
        )
        if hit:
            precision, recall = hit / (hit + wrong), hit / (hit + missed)
            best = max(
                best,
                (1.5625 * precision * recall / (0.5625 * precision + recall), float(threshold)),
            )
    return round(best[1], 2)


def _counts(scores: Sequence[Any], thresholds: Sequence[float]) -> tuple[int, int, int, int]:
    counts: dict[str, int] = defaultdict(int)
    for _, _, _, k, label, p in scores:
        listed = p >= thresholds[k]
        if label == "open":
            counts["hit" if listed else "missed"] += 1
        elif label != "allowed" and listed:
            counts["wrong"] += 1
            counts["closed"] += label == "closed"
    return counts["hit"], counts["wrong"], counts["missed"], counts["closed"]


def _print(name: str, scores: Sequence[Any], thresholds: Sequence[float]) -> None:
    hit, wrong, missed, closed = _counts(scores, thresholds)
    precision, recall = hit / max(1, hit + wrong), hit / max(1, hit + missed)
    print(
        f"{name:18} recall {recall:.3f} precision {precision:.3f} "
        f"f1 {2 * hit / max(1, 2 * hit + wrong + missed):.3f} of {hit + missed}, "
        f"{wrong} wrong, {closed} of them closed"
    )


def _model(own: Parameters, thresholds: Sequence[float], reads_vectors: bool) -> Model:
    return Model(
        own.opening,
        own.opening_bias,
        own.closing[:, None] + own.closing_kind,
        own.closing_bias,
        np.array(thresholds),
        reads_vectors,
    )


def _write(
    models: Mapping[str, Model], cases: Sequence[Path], lines: Path, chats: int, single: int
) -> None:
    files = [*cases, *([lines] if lines.is_file() else [])]
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    about = {
        "version": f"open-loops/{digest[:8]}", "made_by": "scripts/fit_open_loops.py",
        "trained_on": digest, "chats": chats, "lines": single,
        "embedder": RecallEmbedder().fingerprint, "kinds": list(KINDS),
        "cues": list(NAMES), "context": list(CONTEXT), "closing": list(CLOSING),
    }  # fmt: skip
    save(models, about)
    print(f"wrote {WEIGHTS_FILE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
