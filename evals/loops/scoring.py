"""What an order did wrong, from the ledger and from what the gateways carried out. Pure.

A reply is what one turn sent; its parts count as one, and a text that was carried out twice counts
as two replies. A reply covers the messages that its turn claimed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from evals.loops.cases import Expect
from evals.loops.placeholders import Sent


@dataclass(frozen=True, slots=True)
class Row:
    """A message of the ledger."""

    account: str
    chat_id: str
    message_id: str
    author: str
    turn_id: str | None


@dataclass(frozen=True, slots=True)
class Reply:
    """One part of a reply in the outbox; `sent_id` empty if no id of it is known."""

    account: str
    chat_id: str
    turn_id: str
    part: int
    text: str
    sent_id: str


@dataclass(frozen=True, slots=True)
class Observed:
    """One order after it was played: its ledger, its sends, its generated answers."""

    rows: Sequence[Row]
    replies: Sequence[Reply]
    sent: Sequence[Sent]
    calls: int
    restarts: int = 0


@dataclass(slots=True)
class Score:
    """Counts of one or many orders; all zero is the only pass.

    loops: Replies or generated answers that nothing in `answered` asked for. The largest of three
        views of it: `unanswered` ids whose turn wrote a reply; replies beyond a chat's maximum
        that cover no `answered` id; generated answers beyond `model_calls` and beyond the turns
        that cover `answered` ids.
    duplicate_replies: Replies too many to what was to be answered: copies of a carried-out reply,
        second turns over one id, and replies beyond a chat's maximum that cover `answered` ids.
    missed_replies: The largest of: `answered` ids that no carried-out reply covers; replies short
        of the chats' minima; generated answers short of the minimum.
    wrong_rows: Authors whose number of rows differs from `rows`.
    lost_messages: The larger of: `answered` ids without a row; contact rows short of `rows`.
    what: A line for each of the above that is not zero.
    """

    loops: int = 0
    duplicate_replies: int = 0
    missed_replies: int = 0
    wrong_rows: int = 0
    lost_messages: int = 0
    what: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Add another's counts; what it did is not kept."""
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def is_clean(self) -> bool:
        """Whether nothing went wrong."""
        return not any(getattr(self, name) for name in COUNTS)


COUNTS = ("loops", "duplicate_replies", "missed_replies", "wrong_rows", "lost_messages")


def score(expect: Expect, seen: Observed) -> Score:
    """Compare what happened with what was expected, both under the order's own names."""
    told = Score()
    view = _View(expect, seen)
    _score_chats(expect, view, told)
    _score_ids(expect, view, told)
    _score_calls(expect, seen, view, told)
    _score_rows(expect, seen, view, told)
    return told


class _View:
    """The order's replies by turn and chat, and which turns cover what."""

    def __init__(self, expect: Expect, seen: Observed) -> None:
        self.rows_of = {
            spec: [row for row in seen.rows if _is(row, spec)]
            for spec in (*expect.answered, *expect.unanswered)
        }
        self.good_turns = {
            row.turn_id for spec in expect.answered for row in self.rows_of[spec] if row.turn_id
        }
        self.written = {reply.turn_id for reply in seen.replies}
        named = {id(row) for rows in self.rows_of.values() for row in rows}
        self.open_turns = {
            row.turn_id
            for row in seen.rows
            if row.turn_id and row.author == "contact" and id(row) not in named
        }
        self.copies = _copies(seen)

    def carried_out(self, turn_id: str | None) -> int:
        """Return how often a turn's reply reached anybody."""
        return sum(n for (_, turn), n in self.copies.items() if turn and turn == turn_id)


def _copies(seen: Observed) -> Counter[tuple[str, str]]:
    """Count carried-out replies by chat and turn; the turn is empty where none wrote the text."""
    by_id = {(r.account, r.sent_id): r for r in seen.replies if r.sent_id}
    by_text: dict[tuple[str, str], list[Reply]] = defaultdict(list)
    for reply in seen.replies:
        by_text[reply.account, _plain(reply.text)].append(reply)
    parts: Counter[tuple[str, str, int]] = Counter()
    copies: Counter[tuple[str, str]] = Counter()
    for sent in seen.sent:
        found = by_id.get((sent.account, sent.message_id))
        if found is None:
            alike = by_text.get((sent.account, _plain(sent.text)), [])
            # Fixed texts, such as a command's answer, are written by several turns.
            found = min(
                alike,
                key=lambda r: (bool(r.sent_id), parts[sent.chat_id, r.turn_id, r.part]),
                default=None,
            )
        if found is None:
            copies[sent.chat_id, ""] += 1
        else:
            parts[sent.chat_id, found.turn_id, found.part] += 1
    for (chat, turn, _), n in parts.items():
        copies[chat, turn] = max(copies[chat, turn], n)
    return copies


def _score_chats(expect: Expect, view: _View, told: Score) -> None:
    chats = {chat for chat, _ in view.copies} | set(expect.replies)
    for chat in sorted(chats):
        here = {turn: n for (where, turn), n in view.copies.items() if where == chat}
        total = sum(here.values())
        good = [n for turn, n in here.items() if turn in view.good_turns]
        repeated = sum(good) - len(good)
        stray = total - sum(good)
        free = sum(n for turn, n in here.items() if turn in view.open_turns - view.good_turns)
        least, most = expect.replies.get(chat, (0, len(good) + free))
        excess = max(total - most, 0)
        loops = min(stray, excess)
        twice = max(excess - loops, repeated)
        told.loops += loops
        told.duplicate_replies += twice
        told.missed_replies += max(least - total, 0)
        if loops:
            told.what.append(f"{chat}: {loops} replies that nothing asked for")
        if twice:
            told.what.append(f"{chat}: {twice} replies too many")
        if total < least:
            told.what.append(f"{chat}: {total} replies, expected {least}")


def _score_ids(expect: Expect, view: _View, told: Score) -> None:
    missed = 0
    for spec in expect.answered:
        turns = {row.turn_id for row in view.rows_of[spec]}
        counts = [n for turn in turns if (n := view.carried_out(turn))]
        if not counts:
            missed += 1
            told.what.append(f"{spec}: not answered")
        elif len(counts) > 1 and not told.duplicate_replies:
            told.duplicate_replies += len(counts) - 1
            told.what.append(f"{spec}: answered by {len(counts)} turns")
    told.missed_replies = max(told.missed_replies, missed)
    looped = 0
    for spec in expect.unanswered:
        if any(row.turn_id in view.written for row in view.rows_of[spec]):
            looped += 1
            told.what.append(f"{spec}: answered, though it should not be")
    told.loops = max(told.loops, looped)


def _score_calls(expect: Expect, seen: Observed, view: _View, told: Score) -> None:
    least, most = expect.model_calls or (0, len(expect.answered) + seen.restarts)
    excess = max(seen.calls - max(most, len(view.good_turns)), 0)
    short = max(least - seen.calls, 0)
    if excess:
        told.what.append(f"{seen.calls} answers were generated, expected at most {most}")
    if short:
        told.what.append(f"{seen.calls} answers were generated, expected at least {least}")
    told.loops = max(told.loops, excess)
    told.missed_replies = max(told.missed_replies, short)


def _score_rows(expect: Expect, seen: Observed, view: _View, told: Score) -> None:
    found = Counter(row.author for row in seen.rows)
    for author, wanted in expect.rows.items():
        if found[author] != wanted:
            told.wrong_rows += 1
            told.what.append(f"{found[author]} rows by {author}, expected {wanted}")
    lost = [spec for spec in expect.answered if not view.rows_of[spec]]
    told.what += [f"{spec}: not in the ledger" for spec in lost]
    short = max(expect.rows.get("contact", 0) - found["contact"], 0)
    told.lost_messages = max(len(lost), short)


def _is(row: Row, spec: str) -> bool:
    """Tell whether a row is the message that an id, `chat/id` or `account/chat/id` names."""
    names = (row.account, row.chat_id, row.message_id)
    wanted = tuple(spec.split("/"))
    return names[-len(wanted) :] == wanted


def _plain(text: str) -> str:
    return " ".join(text.split())
