"""Rules of what is never kept: kinds of fact, words, credentials. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, Literal

from memory.domain.chats import Actor, Message
from memory.errors import RecollectError
from memory.policy.credentials import holds_credentials

RuleKind = Literal["facts", "words", "credentials"]

MAX_WORDS_CHARS: Final = 80
TOPICS: Final[dict[str, tuple[str, ...]]] = {
    "health": ("allergy", "diet", "medical"),
    "family": ("child", "marital_status", "parent", "partner", "sibling", "spouse"),
    "contact details": ("email", "home", "phone"),
    "work": ("employer", "occupation", "school"),
    "money": ("budget", "possession"),
    "origin": ("language", "nationality", "origin"),
    "age": ("age", "birthday"),
    "tastes": ("dislike", "favorite", "like", "preference"),
}
"""Kinds of fact by a name for all of them; `favorite` and `preference` stand for any noun."""

# Scripts that put no blanks between words.
_UNSPACED: Final = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"


class BadRule(RecollectError):
    """A rule of what is never kept cannot be so."""


ALWAYS: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Rule:
    """What is never kept, from a time on: of everybody, or of one contact.

    `what`: a kind of fact or a name of several (`TOPICS`), or words; empty for credentials. `also`:
    other ids of the contact, where they have several.
    """

    rule_id: int
    kind: RuleKind
    what: str = ""
    contact_id: str = ""
    since: datetime = ALWAYS
    also: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The rule as people read it: `health`, `“red coat”`, `credentials`."""
        if self.kind == "words":
            return f"“{self.what}”"
        return self.what.replace("_", " ") or self.kind

    @property
    def keys(self) -> tuple[str, ...]:
        """The kinds of fact that it keeps out; none where it goes by words."""
        return TOPICS.get(self.what, (self.what,)) if self.kind == "facts" else ()

    def is_about(self, contact_id: str) -> bool:
        """Tell whether it holds for a contact."""
        return self.contact_id in ("", contact_id) or contact_id in self.also

    def covers(self, key: str) -> bool:
        """Tell whether it keeps out facts of a key."""
        return key in self.keys or key.partition(":")[0] in self.keys

    def is_said_in(self, text: str) -> bool:
        """Tell whether a text has its words, or credentials."""
        if self.kind == "credentials":
            return holds_credentials(text)
        return self.kind == "words" and bool(_words(self.what).search(_plain(text)))


CREDENTIALS: Final = Rule(0, "credentials")
"""Holds for everybody whose tenant has not taken it back."""


def kept_out_by(message: Message, rules: Iterable[Rule]) -> Rule | None:
    """Return the rule by which nothing of a message is kept but its line; None where none does."""
    if message.actor is not Actor.CONTACT:
        return None
    said = f"{message.text}\n{message.quote.text}" if message.quote else message.text
    of_them = (rule for rule in rules if rule.is_about(message.contact_id))
    return next((rule for rule in of_them if rule.is_said_in(said)), None)


def rule_against(rules: Iterable[Rule], contact_id: str, key: str, value: str) -> Rule | None:
    """Return the rule that keeps a fact out; None where none does. An empty key: a bare text."""
    of_them = [rule for rule in rules if rule.is_about(contact_id)]
    return next((r for r in of_them if (key and r.covers(key)) or r.is_said_in(value)), None)


def checked_what(kind: RuleKind, what: str, keys: Sequence[str]) -> str:
    """Return what a rule is about as it is kept; `keys`: of the vocabulary of facts.

    Raises:
        BadRule: there is no such kind of fact, or no word; one line.
    """
    clean = " ".join(_plain(what).split())
    if kind == "credentials":
        return ""
    if kind == "words":
        if not re.search(r"\w", clean):
            raise BadRule("write a word or a phrase that is never kept")
        if len(clean) == 1 and clean.isalnum() and unicodedata.east_asian_width(clean) not in "WF":
            raise BadRule(f"“{clean}” would keep out nearly every message: write a longer word")
        if len(clean) > MAX_WORDS_CHARS:
            raise BadRule(f"a phrase has at most {MAX_WORDS_CHARS} characters")
        return clean
    known = [*TOPICS, *keys, "favorite", "preference"]
    for name in (clean, clean.replace(" ", "_").replace("-", "_")):
        if name in known:
            return name
    raise BadRule(f"there is no kind of fact called “{clean[:40]}”; there are {', '.join(known)}")


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


@lru_cache(maxsize=512)
def _words(what: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, what.split()))
    before = "" if re.match(_UNSPACED, what) else r"(?<!\w)"
    after = "" if re.match(_UNSPACED, what[-1:]) else r"(?!\w)"
    return re.compile(f"{before}{words}{after}")
