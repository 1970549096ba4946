"""deepeval metrics for tests of your own: `assert_test(case, [EvidenceRecall()])`.

They need no model, no key and no login, only deepeval, as `make setup` installs it. A test
file that uses them is in docs/evals/pytest.md.

Evidence is named by id, best found first: `metadata={"found": [...], "evidence": [...]}`. Where a
case has no ids, deepeval's own fields say the same in texts, which are then compared as they are:
`retrieval_context` is what was found, `context` the evidence.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evals.judges.libraries import quieten

quieten()  # importing deepeval reads .env files and reports itself, unless told before

from deepeval.metrics import BaseConversationalMetric, BaseMetric  # noqa: E402
from deepeval.test_case import ConversationalTestCase, LLMTestCase, Turn  # noqa: E402

from evals.suite.metrics import found_fraction, found_precision  # noqa: E402
from nodes.prompts import FENCE_CLOSE, FENCE_OPEN  # noqa: E402

__all__ = ["EvidencePrecision", "EvidenceRecall", "NoLoop", "NoUnfencedMemory"]

DEFAULT_K = 10
# A text this long that comes back word for word is our own, and not somebody who says it too.
ECHO_CHARS = 20


@dataclass(frozen=True, slots=True)
class Verdict:
    """A score, 0..1, and what stands behind it, in a line."""

    score: float
    reason: str


class _CaseMetric(BaseMetric):  # type: ignore[no-untyped-call]
    """A metric of a test case that is computed at once."""

    async_mode = False
    verbose_mode = False

    def __init__(self, threshold: float) -> None:
        self.threshold: float = threshold

    @abstractmethod
    def verdict(self, test_case: LLMTestCase) -> Verdict:
        """Return the test case's score.

        Raises:
            ValueError: the test case does not hold what the metric compares.
        """

    def measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        """Set `score`, `reason` and `success`, and return the score."""
        del args, kwargs  # Any: deepeval's own, for its progress indicator
        verdict = self.verdict(test_case)
        self.score, self.reason = verdict.score, verdict.reason
        self.success = verdict.score >= self.threshold
        return verdict.score

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        """Do what `measure` does."""
        return self.measure(test_case, *args, **kwargs)


class EvidenceRecall(_CaseMetric):  # type: ignore[no-untyped-call]
    """The share of the evidence among the first `k` found: `frac@k` of `recollect eval recall`."""

    def __init__(self, k: int = DEFAULT_K, threshold: float = 1.0) -> None:
        super().__init__(threshold)
        self.k = k

    def verdict(self, test_case: LLMTestCase) -> Verdict:
        """Return the share, and what is missing."""
        found, evidence = _found(test_case), _evidence(test_case)
        missing = [one for one in dict.fromkeys(evidence) if one not in found[: self.k]]
        said = f"missing among the first {self.k}: {', '.join(missing)}" if missing else "all found"
        return Verdict(found_fraction(found, evidence, self.k), said)

    @property
    def __name__(self) -> str:
        """The name under which deepeval shows the metric."""
        return f"Evidence Recall@{self.k}"


class EvidencePrecision(_CaseMetric):  # type: ignore[no-untyped-call]
    """The share of evidence among the first `k` found; 0 where nothing was found."""

    def __init__(self, k: int = DEFAULT_K, threshold: float = 0.5) -> None:
        super().__init__(threshold)
        self.k = k

    def verdict(self, test_case: LLMTestCase) -> Verdict:
        """Return the share, and what is no evidence."""
        found, evidence = _found(test_case), _evidence(test_case)
        share = found_precision(found, evidence, self.k)
        if share is None:
            return Verdict(0.0, "nothing was found")
        others = [one for one in found[: self.k] if one not in evidence]
        return Verdict(share, f"no evidence: {', '.join(others)}" if others else "all is evidence")

    @property
    def __name__(self) -> str:
        """The name under which deepeval shows the metric."""
        return f"Evidence Precision@{self.k}"


class NoUnfencedMemory(_CaseMetric):  # type: ignore[no-untyped-call]
    """The share of recalled texts that stand in a prompt's memory block alone.

    `input` is the prompt's system message, `retrieval_context` the recalled texts. A text is
    unfenced when a whole line of it stands anywhere outside of the block.
    """

    def __init__(self, threshold: float = 1.0) -> None:
        super().__init__(threshold)

    def verdict(self, test_case: LLMTestCase) -> Verdict:
        """Return the share, and which texts stand outside, by their place from 1."""
        texts = _texts(test_case.retrieval_context)
        if not texts:
            raise ValueError("there is no recalled text: give retrieval_context")
        before, _, rest = test_case.input.partition(f"{FENCE_OPEN}\n")
        outside = before + rest.partition(f"\n{FENCE_CLOSE}")[2]
        loose = [
            str(place)
            for place, text in enumerate(texts, start=1)
            if any(line.strip() in outside for line in text.splitlines() if line.strip())
        ]
        said = f"outside of the memory block: text {', '.join(loose)}" if loose else "all fenced"
        return Verdict(1 - len(loose) / len(texts), said)

    @property
    def __name__(self) -> str:
        """The name under which deepeval shows the metric."""
        return "No Unfenced Memory"


class NoLoop(BaseConversationalMetric):  # type: ignore[no-untyped-call]
    """The share of the agent's replies that answer a contact: 1 without a loop.

    A reply is a run of turns with role `assistant`. It answers a contact when a turn with role
    `user` stands before it, after the last reply, that is none of: a turn whose
    `metadata["actor"]` is another one than `contact` (`agent`, `automation`, `owner`, `system`);
    an echo, which repeats an earlier `assistant` turn of at least 20 characters word for word.
    `max_parts`: how many turns in a row one reply may be sent in; further ones are replies to it.
    """

    async_mode = False
    verbose_mode = False

    def __init__(self, threshold: float = 1.0, max_parts: int = 1) -> None:
        self.threshold: float = threshold
        self.max_parts = max_parts

    def measure(self, test_case: ConversationalTestCase, *args: Any, **kwargs: Any) -> float:
        """Set `score`, `reason` and `success`, and return the score."""
        del args, kwargs  # Any: deepeval's own, for its progress indicator
        replies, loops = _replies(test_case.turns, self.max_parts)
        self.score = 1.0 if not replies else 1 - len(loops) / replies
        self.reason = (
            f"answers nobody: turn {', '.join(map(str, loops))}" if loops else "answers contacts"
        )
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(
        self, test_case: ConversationalTestCase, *args: Any, **kwargs: Any
    ) -> float:
        """Do what `measure` does."""
        return self.measure(test_case, *args, **kwargs)

    @property
    def __name__(self) -> str:
        """The name under which deepeval shows the metric."""
        return "No Loop"


def _replies(turns: Sequence[Turn], max_parts: int) -> tuple[int, list[int]]:
    """Return how many replies there are, and at which turns, from 1, those that answer nobody."""
    replies, loops = 0, []
    said: set[str] = set()
    is_asked, parts = False, 0
    for place, turn in enumerate(turns, start=1):
        if turn.role == "user":
            is_asked = is_asked or _is_contact(turn, said)
            parts = 0
            continue
        said.add(turn.content.strip())
        parts = parts % max_parts + 1
        if parts > 1:
            continue
        replies += 1
        if not is_asked:
            loops.append(place)
        is_asked = False
    return replies, loops


def _is_contact(turn: Turn, said: set[str]) -> bool:
    actor = (turn.metadata or {}).get("actor", "contact")
    text = turn.content.strip()
    return actor == "contact" and not (len(text) >= ECHO_CHARS and text in said)


def _found(test_case: LLMTestCase) -> list[str]:
    ids = (test_case.metadata or {}).get("found")
    found = _texts(test_case.retrieval_context) if ids is None else [str(one) for one in ids]
    return list(dict.fromkeys(found))


def _evidence(test_case: LLMTestCase) -> list[str]:
    ids = (test_case.metadata or {}).get("evidence")
    evidence = _texts(test_case.context) if ids is None else [str(one) for one in ids]
    if not evidence:
        raise ValueError("there is no evidence to look for: give metadata['evidence'] or context")
    return evidence


def _texts(given: Sequence[Any] | None) -> list[str]:  # Any: texts, or texts with their source
    return [str(getattr(one, "context", one)) for one in given or ()]
