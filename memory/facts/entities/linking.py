"""Which of the people and things that a contact's messages tell of are one (C7). Pure.

A person is known by name, by noun ("my wife"), or by both once a message joins them. People of one
name stay apart where their relations differ; where it is open who is meant, nobody is taken for
somebody else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from difflib import SequenceMatcher
from typing import Final, NamedTuple

from memory.domain.entities import ACQUAINTED, NAMED, Entity, EntityType, Tie
from memory.domain.facts import Fact
from memory.domain.readings import ThirdPartyClaim
from memory.facts.asof import never_held
from memory.facts.entities.drafts import Draft, Words, drawn_up
from memory.facts.entities.nouns import WORD, kinship_of, plain_noun
from memory.facts.reading.holders import PEOPLE_KEYS, relation_of
from memory.facts.slots import words_of

LINKING_VERSION: Final = "entities/3"

CLAIMS_READ: Final = 2000
"""So many claims of a contact are linked, the latest ones."""

THING_KEYS: Final[dict[str, EntityType]] = {
    "home": "place",
    "origin": "place",
    "employer": "organisation",
    "school": "organisation",
    "possession": "thing",
}
BEING_KEYS: Final = PEOPLE_KEYS | {"pet"}
ENTITY_KEYS: Final = BEING_KEYS | THING_KEYS.keys()
"""Keys whose values are entities."""

_NAMES: Final = frozenset({"name", "preferred_name"})
_TOLD: Final = ("active", "closed", "repeated")


def entities_of(
    tenant: str, facts: Sequence[Fact], claims: Sequence[ThirdPartyClaim]
) -> list[Entity]:
    """Return the entities of one contact, by their first mention.

    `facts`: the contact's history, or as much of it as may be seen; `claims`: likewise. Nothing but
    these counts: whoever may see less gets entities that know less.
    """
    # Of one time, in one order, however a store gives them.
    told = sorted(facts, key=lambda each: (each.valid_from, each.source_uid, each.key, each.value))
    linking = _Linking(
        [fact for fact in told if fact.status in _TOLD],
        sorted(map(_as_naming, claims), key=lambda each: (each.stated_at, each.source_uid)),
    )
    return drawn_up(tenant, linking.drafts, linking.objects)


class _Renamed(NamedTuple):
    """A name of somebody of a relation that was wrong, the right one, and when that was told."""

    key: str
    wrong: str
    right: str
    at: datetime


class _Linking:
    """All drafts of a contact, and which of them a claim's value is."""

    def __init__(self, facts: Sequence[Fact], claims: Sequence[ThirdPartyClaim]) -> None:
        self.drafts: list[Draft] = []
        self.objects: dict[int, Draft] = {}
        self._things: dict[tuple[EntityType, Words], Draft] = {}
        self._kin: defaultdict[str, list[Draft]] = defaultdict(list)
        self._by_word: defaultdict[str, dict[Draft, None]] = defaultdict(dict)
        self._renamed = _renamed_in(facts)
        facts = [fact for fact in facts if fact.key in BEING_KEYS or not never_held(fact)]
        namings = [claim for claim in claims if claim.key == NAMED]
        self._named = {(each.source_uid, words_of(each.value)): each.holder for each in namings}
        # Names first: a noun may mean somebody who is named later only.
        for fact in facts:
            if fact.key in THING_KEYS:
                thing = self._thing(fact.key, fact.value, fact.valid_from, fact.source_uid)
                _tie(thing, fact)
            elif fact.key in BEING_KEYS and not _noun_in(fact.value):
                self._told_by_name(fact)
        for claim in namings:
            relation = relation_of(claim.holder)
            name = self._right(claim.value, claim.stated_at, relation)
            draft = self._called(name, relation, claim.holder)
            draft.note(claim.stated_at, claim.source_uid, claim.value)
            _bind(draft, draft.relation, claim)
        for fact in facts:
            if fact.key in BEING_KEYS and (noun := _noun_in(fact.value)):
                _tie(self._meant(noun, fact.valid_from, fact.source_uid), fact)
        for claim in claims:
            if claim.key != NAMED:
                self._claimed(claim)

    def _told_by_name(self, fact: Fact) -> None:
        noun = self._named.get((fact.source_uid, words_of(fact.value)), "")
        name = self._right(fact.value, fact.valid_from, fact.key)
        draft = self._called(name, fact.key, noun)
        draft.note(fact.valid_from, fact.source_uid, fact.value)
        if name == fact.value:
            _tie(draft, fact)
        else:
            draft.misnomers.setdefault(fact.value)

    def _right(self, name: str, at: datetime, relation: str = "") -> str:
        """Return how somebody is called whom a correction renamed after that; else the name."""
        words = set(words_of(name))
        for renamed in self._renamed:
            fits = words <= set(words_of(renamed.wrong)) and relation in ("", renamed.key)
            if fits and at < renamed.at:
                return self._right(renamed.right, renamed.at, renamed.key)
        return name

    def _thing(self, key: str, value: str, at: datetime, uid: str) -> Draft:
        known = (THING_KEYS[key], words_of(value))
        if known not in self._things:
            self._things[known] = self._new(Draft(THING_KEYS[key]))
            self._things[known].names[words_of(value)] = value
        self._things[known].note(at, uid, value)
        return self._things[known]

    def _called(self, name: str, relation: str, noun: str) -> Draft:
        """Return who has a name and a relation; somebody new, if nobody has both."""
        kinship, words = kinship_of(relation, noun), words_of(name)
        known = [each for each in self._kin[kinship] if each.goes_by(words)]
        if noun:
            known = [each for each in known if each.fits(noun)]
        known = [each for each in known if words in each.names] or known
        draft = known[0] if len(known) == 1 else self._new(Draft(_type_of(relation), kinship))
        draft.relation = relation
        self._name(draft, words, name)
        if noun:
            # The last one said is what somebody is now: a girlfriend becomes a wife.
            draft.nouns.pop(noun, None)
            draft.nouns[noun] = None
        return draft

    def _meant(self, noun: str, at: datetime, uid: str) -> Draft:
        """Return who is meant by a noun: the only one who may be, or somebody without a name."""
        kinship = kinship_of(relation_of(noun), noun)
        kin = [draft for draft in self._kin[kinship] if draft.fits(noun)]
        named = [draft for draft in kin if draft.names]
        then = [draft for draft in named if draft.held_at(at)]
        # Who is named later only was the one before that, too.
        likely = then or [draft for draft in named if draft.ties and draft.ties[0].since > at]
        likely = [draft for draft in likely if draft.is_called(noun)] or likely
        unnamed = [draft for draft in kin if not draft.names]
        one = likely if len(likely) == 1 else unnamed[:1]
        relation = relation_of(noun)
        draft = one[0] if one else self._new(Draft(_type_of(relation), kinship, relation))
        draft.nouns.setdefault(noun)
        draft.note(at, uid, noun)
        return draft

    def _claimed(self, claim: ThirdPartyClaim) -> None:
        holder = self._holder(claim)
        if holder is None:
            return
        holder.claims.append(claim)
        if claim.key in THING_KEYS:
            value = self._thing(claim.key, claim.value, claim.stated_at, claim.source_uid)
        elif claim.key in BEING_KEYS and not _noun_in(claim.value):
            value = self._kin_of(holder, claim)
        else:
            return
        self.objects[id(claim)] = value

    def _holder(self, claim: ThirdPartyClaim) -> Draft | None:
        name, noun = name_and_noun(claim.holder)
        if noun and not name:
            draft = self._meant(noun, claim.stated_at, claim.source_uid)
            _bind(draft, draft.relation, claim)
            return draft
        if not name:
            return None
        noun = noun or self._named.get((claim.source_uid, words_of(name)), "")
        said, name = name, self._right(name, claim.stated_at, relation_of(noun) if noun else "")
        if noun:
            draft = self._called(name, relation_of(noun), noun)
        else:
            draft = self._by_name(name, claim.stated_at)
        draft.note(claim.stated_at, claim.source_uid, said)
        if draft.type in ("person", "pet") and draft.holder is None:
            _bind(draft, draft.relation or ACQUAINTED, claim)
        return draft

    def _by_name(self, name: str, at: datetime) -> Draft:
        """Return the only one of a name; where there are several, one of whom no more is known."""
        words = words_of(name)
        known = [draft for draft in self._by_word[words[0]] if draft.goes_by(words)]
        # Whoever is told of later only was not meant, unless there is nobody else.
        known = [draft for draft in known if draft.first.at <= at] or known
        exact = [draft for draft in known if words in draft.names]
        unrelated = [draft for draft in exact if not draft.kinship]
        things = [each for (_, known), each in self._things.items() if known == words]
        for found in (known, exact, unrelated, [] if known else things):
            if len(found) == 1:
                self._name(found[0], words, name)
                return found[0]
        draft = self._new(Draft("person"))
        self._name(draft, words, name)
        return draft

    def _kin_of(self, holder: Draft, claim: ThirdPartyClaim) -> Draft:
        """Return whom a claim gives its holder: "my sister's husband is Tom"."""
        kinship = f"{claim.key} of {holder.first.uid} {holder.first.said.casefold()}"
        words = words_of(claim.value)
        known = [draft for draft in self._kin[kinship] if draft.goes_by(words)]
        draft = known[0] if known else self._new(Draft(_type_of(claim.key), kinship, claim.key))
        draft.holder = holder
        self._name(draft, words, claim.value)
        draft.note(claim.stated_at, claim.source_uid, claim.value)
        return draft

    def _name(self, draft: Draft, words: Words, name: str) -> None:
        draft.names.setdefault(words, name)
        if draft.type in ("person", "pet"):
            for word in words:
                self._by_word[word][draft] = None

    def _new(self, draft: Draft) -> Draft:
        self.drafts.append(draft)
        if draft.kinship:
            self._kin[draft.kinship].append(draft)
        return draft


def name_and_noun(holder: str) -> tuple[str, str]:
    """Return the name and the noun by which a claim says whose it is: `my sister Ana`.

    Where it has neither a noun nor a capital, the whole is a name; of no word at all nothing is.
    """
    words = WORD.findall(holder)
    noun = next(filter(None, map(plain_noun, words)), "")
    name = " ".join(word for word in words if not plain_noun(word) and word[:1].isupper())
    return name or (holder.strip() if words and not noun else ""), noun


def _renamed_in(facts: Sequence[Fact]) -> list[_Renamed]:
    """Return the names that corrections denied, each with the one most like it that they state."""
    told: defaultdict[tuple[str, str], list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.key in BEING_KEYS and not _noun_in(fact.value):
            told[fact.source_uid, fact.key].append(fact)
    return [
        _Renamed(wrong.key, wrong.value, right.value, right.valid_from)
        for wrong in facts
        if never_held(wrong) and (meant := told[wrong.closed_by or "", wrong.key])
        if (right := max(meant, key=lambda each: _likeness(each, wrong))).valid_from
        > wrong.valid_from
    ]


def _likeness(one: Fact, other: Fact) -> float:
    return SequenceMatcher(None, one.value.casefold(), other.value.casefold()).ratio()


def _as_naming(claim: ThirdPartyClaim) -> ThirdPartyClaim:
    """Return "my wife's name is Priya" as what joins the noun and the name."""
    noun = _noun_in(claim.holder)
    if claim.key in _NAMES and noun and not claim.has_ended:
        return replace(claim, holder=noun, key=NAMED)
    return claim


def _tie(draft: Draft, fact: Fact) -> None:
    draft.note(fact.valid_from, fact.source_uid, fact.value)
    if fact.status != "repeated":
        tie = Tie(fact.key, fact.source_uid, fact.valid_from, fact.valid_to, fact.fact_id)
        draft.ties.append(tie)


def _bind(draft: Draft, relation: str, claim: ThirdPartyClaim) -> None:
    """Tie somebody to the contact whom no fact ties."""
    if not draft.ties and relation:
        draft.ties.append(Tie(relation, claim.source_uid, claim.stated_at))


def _noun_in(value: str) -> str:
    """Return the noun that a value is: "dog", "a dog", "my wife"; empty where it is none."""
    words = words_of(value)
    return plain_noun(words[0]) if len(words) == 1 else ""


def _type_of(relation: str) -> EntityType:
    return "pet" if relation == "pet" else "person"
