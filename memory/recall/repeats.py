"""Which lines say what another one says, so that a prompt shows it once. Pure.

Case, punctuation, emoji, slips of the keys and an opening like "PS" make no difference;
another number, name, negation or speaker of themself does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from memory.domain.chats import Actor, StoredMessage
from memory.recall.questions import is_first_person, only_asks
from memory.text.words import MAX_TEXT_CHARS, normalise

FEW_WORDS: Final = 4
"""With fewer words a line says something only together with the one before it."""
PASSED_ON_WORDS: Final = 8
"""From so many words on the same from another person is passed on, and not said anew."""
SLIPS: Final = 5
"""One word in so many may be misspelt."""
_SLIP_LETTERS: Final = 5
_OPENS: Final = frozenset(
    """again btw correction edit edited fwd forwarded hey hi oh ps reminder resend sorry update
    achtung erinnerung hallo korrektur nachtrag nochmal übrigens weitergeleitet hola oye perdón
    corrección editado recordatorio reenviado aliás lembrete oi correção encaminhado кстати
    напоминаю исправлено переслано повторяю""".split()
)
"""By what people open a line that they send once more; in lower case."""


class Said(NamedTuple):
    """A message with its words: `before` are those of the line before it."""

    stored: StoredMessage
    words: tuple[str, ...]
    before: tuple[str, ...] = ()

    @classmethod
    def of(cls, stored: StoredMessage, before: str = "") -> Said:
        """Read a message's words, and those of the line before it."""
        return cls(stored, _words(stored.message.text), _words(before))

    @property
    def speaker(self) -> str:
        """Who said it; one name for the agent."""
        said = self.stored.message
        return said.contact_id if said.actor is Actor.CONTACT else said.actor.value


@dataclass(frozen=True, slots=True)
class Once:
    """What is said, once each: the messages, best first, and which one stands for a repeat.

    `instead` holds the uid of the message that is kept, by the uid of the one that is not.
    """

    kept: tuple[StoredMessage, ...]
    instead: Mapping[str, str]


def said_once(lines: Sequence[Said]) -> Once:
    """Leave out what another line says, too: of the same the newest stays, in the best one's place.

    Args:
        lines: Best first.
    """
    groups: list[list[Said]] = []
    for line in lines:
        same = next((group for group in groups if is_repeat(group[0], line)), None)
        if same is None:
            groups.append([line])
        else:
            same.append(line)
    newest = [max(group, key=_time) for group in groups]
    instead = {
        line.stored.uid: kept.stored.uid
        for kept, group in zip(newest, groups, strict=True)
        for line in group
        if line is not kept
    }
    return Once(tuple(kept.stored for kept in newest), instead)


def is_repeat(one: Said, other: Said) -> bool:
    """Tell whether two lines say the same."""
    if not _is_same(one.words, other.words):
        return False
    text, again = one.stored.message.text, other.stored.message.text
    if only_asks(text) != only_asks(again):
        return False
    if max(len(text), len(again)) > MAX_TEXT_CHARS and text != again:
        return False
    if one.speaker != other.speaker and not _is_passed_on(one, other):
        return False
    return len(one.words) >= FEW_WORDS or one.before == other.before


def _is_passed_on(one: Said, other: Said) -> bool:
    return (
        {one.stored.message.actor, other.stored.message.actor} == {Actor.CONTACT}
        and len(one.words) >= PASSED_ON_WORDS
        and not is_first_person(one.stored.message.text)
    )


def _is_same(words: Sequence[str], others: Sequence[str]) -> bool:
    if len(words) != len(others):
        return False
    slips = 0
    for word, other in zip(words, others, strict=True):
        if word != other:
            slips += 1
            if slips * SLIPS > len(words) or not _is_slip(word, other):
                return False
    return True


def _is_slip(word: str, other: str) -> bool:
    """Tell whether two words differ by one letter left out, or by two that changed places.

    One letter for another, as in "Maria" and "Mario" or "meine" and "keine", makes another word.
    """
    short, long = sorted((word, other), key=len)
    if len(short) < _SLIP_LETTERS or short[0] != long[0] or not (word + other).isalpha():
        return False
    at = next((n for n, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(long) == len(short) + 1:
        return short[at:] == long[at + 1 :]
    swapped = long[:at] + long[at + 1 : at + 2] + long[at : at + 1] + long[at + 2 :]
    return len(long) == len(short) and swapped == short


def _words(text: str) -> tuple[str, ...]:
    """Return a text's words in lower case without what only opens it; of none at all the text."""
    words = normalise(text).split()
    opening = next((n for n, word in enumerate(words) if word not in _OPENS), 0)
    return tuple(words[opening:] or text.split())


def _time(line: Said) -> tuple[float, int]:
    return line.stored.message.sent_at.timestamp(), line.stored.position
