"""Corrections by people: what they state or take back by hand outranks what was read (L3).

It is kept with the ledger first, so that a fact store made anew is corrected again. Done a second
time by the same message, it changes nothing and returns the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from memory.domain.chats import Actor, Message, is_uid
from memory.domain.facts import APART, BY_PERSON, Fact, Observation
from memory.domain.projections import CONTACT, FOLLOW_FACTS, TOLD
from memory.errors import Transient
from memory.facts.ended import EverKnown, ever_known, last_held
from memory.facts.learning import read_stored
from memory.facts.predicates import Predicate
from memory.facts.slots import is_meant, is_same, slot_of, words_of
from memory.facts.unsaying import Stated, holds, left_of
from memory.facts.zones import owe_ends
from memory.ports.bundle import Memory

_TOLD: Final = frozenset({"active", "closed", "repeated"})
_LATER: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Hand:
    """A message by which a person corrects facts, of whom, and when it is carried out."""

    message: Message
    contact_id: str
    at: datetime
    effect: str = "command"

    @property
    def tenant(self) -> str:
        """Whose memory it is."""
        return self.message.chat.tenant

    @property
    def source_uid(self) -> str:
        """Name what the message did apart from it: deleting a command undoes nothing."""
        return f"{self.message.uid}{APART}{self.effect}"


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What was taken back, and the messages that told it.

    `withheld`: their uids, out of every prompt and search from now on. `shortened`: those of which
    only some sentences are.
    """

    facts: tuple[Observation, ...]
    withheld: tuple[str, ...] = ()
    shortened: tuple[str, ...] = ()


def taken_back_to_json(taken: TakenBack) -> dict[str, Any]:  # Any: a JSON object
    """Return what was taken back as a JSON object."""
    return {
        "forgotten": [{"key": each.key, "value": each.value} for each in taken.facts],
        "withheld": list(taken.withheld),
        "shortened": list(taken.shortened),
    }


def valued(facts: Sequence[Fact], key: str, value: str) -> list[Fact]:
    """Return the facts of a key that have a value; of any value where it is empty."""
    return [
        fact for fact in facts if fact.key == key and (not value or is_same(key, fact.value, value))
    ]


async def state(
    memory: Memory, by: Hand, known: Predicate, value: str, instead: Sequence[Fact] = ()
) -> list[Fact]:
    """Let a contact have a value from now on, in place of others; return what the key holds then.

    Where a key holds one value, that is superseded in any case. What told the values that are
    replaced answers no more.
    """
    facts = await memory.all_facts.active(by.tenant, by.contact_id)
    at = _after([fact for fact in facts if fact.key == known.key], by.at)
    gone = [_retraction(each, by, at) for each in instead]
    stated = Observation(
        category=known.category,
        key=known.key,
        value=value,
        confidence=1.0,
        importance=known.importance,
        source_uid=by.source_uid,
        stated_at=at,
        anchor=by.message.anchor,
        read_by=BY_PERSON,
    )
    await _carry_out(memory, by, [*gone, stated])
    wrong = [each for each in facts if _is_replaced(each, stated, instead)]
    if wrong:
        await unsay_told(memory, by, wrong, still_teaches=True, with_earlier=False)
    return valued(await memory.all_facts.active(by.tenant, by.contact_id), known.key, "")


async def take_back(memory: Memory, by: Hand, facts: Sequence[Fact]) -> TakenBack:
    """Forget facts, and keep what told them, and what was replied, out of prompts and searches.

    So do earlier values of the same thing: they would answer in their place. Facts may have ended
    already; what told their end goes as well. Whatever else the same messages tell is still known,
    and still found.
    """
    kept = await memory.corrections.of(by.tenant, by.contact_id)
    taken_back: list[Observation] = []
    # What a first try noted that was cut off is all that was meant.
    if not any(each.source_uid == by.source_uid for each in kept):
        known = await ever_known(memory, by.tenant, by.contact_id)
        taken_back = _retractions(known.with_earlier(facts), known, by)
    noted = await _carry_out(memory, by, taken_back)
    if not noted:
        return TakenBack(())
    asked_at = min(by.message.sent_at, by.at)
    over = [each for each in noted if had_ended(each, asked_at)]
    held = [each for each in noted if each not in over]
    left = await unsay_told(memory, by, held, over)
    withheld = sorted(uid for uid, text in left.items() if not text)
    return TakenBack(tuple(noted), tuple(withheld), tuple(sorted(left.keys() - set(withheld))))


def had_ended(taken_back: Observation, asked_at: datetime) -> bool:
    """Tell whether what was taken back, at somebody's wish of then, had ended before that."""
    return taken_back.stated_at < asked_at


def _retractions(facts: Sequence[Fact], known: EverKnown, by: Hand) -> list[Observation]:
    """Return what takes facts back: from now on what holds, what has ended as of its end.

    What has ended several times is taken back as of the last time.
    """
    ended = {fact.fact_id for fact in known.ended}
    gone: dict[tuple[str, ...], Observation] = {}
    for fact in facts:
        at = last_held(fact) if fact.fact_id in ended else _after([fact], by.at)
        value = (fact.key, *words_of(fact.value))
        if value not in gone or gone[value].stated_at < at:
            gone[value] = _retraction(fact, by, at)
    return list(gone.values())


async def unsay_told(
    memory: Memory,
    by: Hand,
    told: Sequence[Fact | Observation],
    over: Sequence[Observation] = (),
    *,
    still_teaches: bool = False,
    with_earlier: bool = True,
) -> dict[str, str | None]:
    """Keep the words that told facts out of prompts and searches, and replies that had them.

    Returns what is left of each message, as `Corrections.unsay` takes it. `over`: told as well, and
    had ended. `still_teaches`: facts are read from what told them nevertheless, since they are
    still kept. `with_earlier`: with those of whatever else was in the slot of a fact, such as where
    somebody lived before; not in that of what had ended.
    """
    rows = await memory.all_facts.rows(by.tenant, by.contact_id)
    corrected = await memory.corrections.of(by.tenant, by.contact_id)
    by_hand = {each.source_uid for each in corrected if each.retracts}
    gone: list[Fact] = []
    staying: defaultdict[str, list[Stated]] = defaultdict(list)
    for row in rows:
        if row.status == "retraction":
            continue
        if any(_goes_with(row, each, with_earlier=with_earlier) for each in told) or any(
            _goes_with(row, each, with_earlier=False) for each in over
        ):
            gone.append(row)
        elif row.status in _TOLD and row.closed_by not in by_hand:
            staying[row.source_uid].append(_stated(row))
    left = await _left(memory, by.tenant, gone, _ends(rows, over), staying)
    if still_teaches:
        left = {uid: text or "" for uid, text in left.items()}
    recalled = {row.fact_id for row in gone} | left.keys()
    replies = await memory.corrections.replies(by.tenant, by.contact_id, recalled)
    telling = [uid for uid, text in replies.items() if any(holds(text, f.value) for f in gone)]
    await memory.corrections.unsay(by.tenant, left, telling, by.source_uid)
    return left


def _goes_with(row: Fact, told: Fact | Observation, *, with_earlier: bool) -> bool:
    if row.key != told.key:
        return False
    # A message that was edited says no more what was withdrawn.
    in_slot = with_earlier and row.status != "withdrawn"
    return is_same(row.key, row.value, told.value) or (
        in_slot and slot_of(row.key, row.value) == slot_of(told.key, told.value)
    )


def _is_replaced(fact: Fact, by: Observation, instead: Sequence[Fact]) -> bool:
    if fact.key != by.key or is_same(fact.key, fact.value, by.value):
        return False
    return fact in instead or slot_of(fact.key, fact.value) == slot_of(by.key, by.value)


def _ends(rows: Sequence[Fact], over: Sequence[Observation]) -> dict[str, list[Stated]]:
    """Return by message what has ended and the message ended, or said something else in place of.

    Where it stands there nobody knows, nor whether it does.
    """
    ends: defaultdict[str, list[Stated]] = defaultdict(list)
    for row in rows:
        for each in over:
            if row.key != each.key or not is_uid(row.source_uid):
                continue
            if row.status == "retraction":
                is_end = is_meant(row.key, row.value, each.value)
            else:
                is_end = slot_of(row.key, row.value) == slot_of(each.key, each.value)
            if is_end:
                ends[row.source_uid].append(Stated(each.key, each.value))
    return ends


async def _left(
    memory: Memory,
    tenant: str,
    gone: Sequence[Fact],
    ends: Mapping[str, Sequence[Stated]],
    staying: Mapping[str, Sequence[Stated]],
) -> dict[str, str | None]:
    """Return what is left of the messages that told facts; None where they told nothing else.

    With those of `ends` that name what they end: they still end it. What was for a while is still
    told by its message, so that only that is taken back, and not what is so for good.
    """
    told: defaultdict[str, list[Stated]] = defaultdict(list)
    for row in gone:
        if is_uid(row.source_uid):
            told[row.source_uid].append(_stated(row))
    teaching = {*staying, *(row.source_uid for row in gone if row.expires_at is not None)}
    left: dict[str, str | None] = {}
    for stored in await memory.ledger.messages(tenant, sorted({*told, *ends})):
        uid, said = stored.uid, stored.in_full.text
        named = [each for each in ends.get(uid, ()) if holds(said, each.value)]
        if uid not in told and not named:
            continue
        rest = left_of(said, stored.message.text, [*told[uid], *named], staying.get(uid, ()))
        left[uid] = rest or ("" if uid in teaching or uid not in told else None)
    return left


def _stated(row: Fact) -> Stated:
    return Stated(row.key, row.value, row.span)


async def undo(memory: Memory, by: Hand, act: str) -> list[Observation]:
    """Let a correction count no more, and what it took out be found again; return what it was.

    Empty where there is none that counts. A fact whose message stays withheld for another reason
    does not come back.
    """
    undone = await memory.corrections.undo(by.tenant, act, by.at)
    if not undone:
        return []
    try:
        await memory.facts.correct(by.tenant, by.contact_id, act, (), by.at)
    except Transient:
        await memory.corrections.resay(by.tenant, act)
        await memory.backlog.owe(by.tenant, ["facts"], [CONTACT + by.contact_id])
        raise
    await let_in(memory, by, act)
    await owe_ends(memory, by.tenant, [(by.contact_id, each) for each in undone])
    return undone


async def keep_out(memory: Memory, by: Hand, uids: Sequence[str]) -> None:
    """Keep messages, the answers to them and what was learned of them from being recalled."""
    await memory.corrections.unsay(by.tenant, dict.fromkeys(uids), (), by.source_uid)
    for uid in uids:
        await memory.facts.correct(by.tenant, by.contact_id, uid, (), by.at)
    await owe_rest(memory, by)


async def let_in(memory: Memory, by: Hand, act: str) -> list[str]:
    """Reverse what an act kept out, and learn from it again; return the uids of these messages.

    Rules that were made since take nothing of it away.
    """
    back = await memory.corrections.resay(by.tenant, act)
    stored = await memory.ledger.messages(by.tenant, back)
    said = [
        each.in_full for each in stored if each.message.actor is Actor.CONTACT and not each.withheld
    ]
    read = await read_stored(memory.reader, memory.ledger, by.tenant, said, again=True)
    for message, reading in zip(said, read, strict=True):
        await memory.facts.correct(
            by.tenant, message.contact_id, message.uid, reading.observations, by.at
        )
    await owe_rest(memory, by)
    return back


async def owe_rest(memory: Memory, by: Hand) -> None:
    """Let what follows from a contact's facts be made anew."""
    await memory.backlog.owe(by.tenant, FOLLOW_FACTS, [CONTACT + by.contact_id])
    await memory.backlog.owe(by.tenant, ("contact_states",), [TOLD + by.contact_id])


async def _carry_out(
    memory: Memory, by: Hand, corrected: Sequence[Observation]
) -> list[Observation]:
    """Keep corrections and apply them; return all that this message corrects."""
    await memory.corrections.keep(by.tenant, corrected)
    kept = await memory.corrections.of(by.tenant, by.contact_id)
    noted = [each for each in kept if each.source_uid == by.source_uid]
    if not noted:
        return []
    try:
        await memory.facts.apply(by.tenant, by.contact_id, noted, by.at)
    except Transient:
        await memory.backlog.owe(by.tenant, ["facts"], [CONTACT + by.contact_id])
        raise
    await owe_rest(memory, by)
    await owe_ends(memory, by.tenant, [(by.contact_id, each) for each in noted])
    return noted


def _after(facts: Sequence[Fact], at: datetime) -> datetime:
    """Return a time after which nothing was stated: a clock ahead of ours may have told a fact."""
    return max([at, *(fact.valid_from + _LATER for fact in facts)])


def _retraction(fact: Fact, by: Hand, at: datetime) -> Observation:
    taken_back = fact.retraction(by.source_uid, at)
    return replace(taken_back, anchor=by.message.anchor, read_by=BY_PERSON)
