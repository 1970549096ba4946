"""Verbs that share a subject: `I love climbing and hate mushrooms` says `I` once for both."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

# Behind these somebody else may be the subject, or it is no statement.
_OTHERS: Final = re.compile(
    r"\b(?:who|that|which|when|if|it|this|there|they|them|he|she|you|people|used to|want to|would|could|should|"
    r"might|(?<=, )d(?:ie|er|as)|wenn|dass|er|sie|du|qui|que|quand|il|elle|tu|quien|cuando|quem|quando|"
    r"который|которая|которые|когда|если|он|она|они|ты)\b",
    re.IGNORECASE,
)


class _Shared(NamedTuple):
    subject: re.Pattern[str]
    verb: re.Pattern[str]
    said_again: str


def _shared(subject: str, joints: str, verbs: str, said_again: str) -> _Shared:
    return _Shared(
        re.compile(rf"(?:^|[,;:(]\s*|\s)(?:{subject})\s", re.IGNORECASE),
        re.compile(rf"(?:\s*,|\s+(?:{joints}))+\s+(?=(?:{verbs})\s)", re.IGNORECASE),
        said_again,
    )


# `like` alone is left out: behind a comma or an `and` it mostly compares.
_LANGUAGES: Final = (
    _shared(
        r"i(?:'m|'ve)?",
        "and|but|n|&",
        r"(?:(?:also|really|absolutely|still)\s+)?(?:love|hate|enjoy|adore|dislike|detest|despise|"
        r"loathe|(?:don'?t|do not|never) (?:like|love|enjoy|eat|drink)|"
        r"(?:can'?t|cannot) stand)",
        "I ",
    ),
    _shared("ich", "und|aber", "mag|liebe|hasse", "ich "),
    _shared("j'aime|j'adore|je", "et|mais", "déteste|n'aime pas", "je "),
    _shared("j'aime|j'adore|je", "et|mais", "aime|adore", "j'"),
    _shared(
        "me gustan?|me encantan?|yo|odio|soy", "y|pero", "odio|(?:no )?me (?:gust|encant)an?", ""
    ),
    _shared("gosto|adoro|amo|odeio|eu|sou", "e|mas", "odeio|adoro|amo|(?:não )?gosto", ""),
    _shared("люблю|обожаю|ненавижу|я", "и|а|но", "ненавижу|обожаю|(?:не )?люблю", ""),
)


def with_subjects(sentence: str) -> str:
    """Return a sentence in which each verb of taste that shares the speaker as its subject has it.

    A comma parts the clauses in languages that leave the subject out.
    """
    for subject, verb, said_again in _LANGUAGES:
        if first := subject.search(sentence):
            other = _OTHERS.search(sentence, first.end())
            end = other.start() if other else len(sentence)
            own = verb.sub(f"; {said_again}", sentence[first.end() : end])
            sentence = sentence[: first.end()] + own + sentence[end:]
    return sentence
