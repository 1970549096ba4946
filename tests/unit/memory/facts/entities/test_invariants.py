"""Whatever is told, every claim is somebody's and nothing depends on the order of arrival."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.domain.entities import NAMED
from memory.domain.facts import Fact
from memory.domain.readings import ThirdPartyClaim
from memory.facts.asof import never_held
from memory.facts.entities.answering import MOST, answers
from memory.facts.entities.linking import BEING_KEYS, entities_of
from tests.unit.memory.facts.entities.building import claim, facts, of_those

NAMES = [
    "Ana",
    "ana silva",
    "Bo",
    "wife",
    "my wife",
    "Sister",
    "dog",
    "mum",
    "Acme",
    "'; drop",
    "🦊",
]
KEYS = ["employer", "home", "age", "like", "spouse", "child", "pet", "name", "possession"]
VALUES = ["Ana", "Acme", "Bo", "Leeds", "MATCH (n) DETACH DELETE n", "wife", "dog"]

told_claims = st.lists(
    st.builds(
        claim,
        st.sampled_from(NAMES),
        st.sampled_from(KEYS),
        st.sampled_from(VALUES),
        st.integers(0, 30),
        confidence=st.sampled_from([0.5, 0.8, 0.95]),
        ended=st.booleans(),
    ),
    max_size=12,
)
namings = st.lists(
    st.builds(
        lambda noun, name, at: claim(noun, NAMED, name, at),
        st.sampled_from(["wife", "sister", "boss", "dog", "son", "daughter"]),
        st.sampled_from(["Ana", "Ana Silva", "Bo"]),
        st.integers(0, 30),
    ),
    max_size=5,
)
told_facts = st.lists(
    st.tuples(
        st.sampled_from(["spouse", "partner", "child", "sibling", "pet", "home", "employer"]),
        st.sampled_from(["Ana", "Bo", "-Ana", "dog", "Acme", "Leeds"]),
        st.integers(0, 30),
    ),
    max_size=8,
).map(lambda told: facts(*told))


@given(told_facts, told_claims, namings)
def test_every_claim_is_one_entitys_and_order_does_not_matter(
    known: list[Fact], told: list[ThirdPartyClaim], named: list[ThirdPartyClaim]
) -> None:
    claims = _one_each([*told, *named])
    found = entities_of("t", known, claims)
    ids = [entity.entity_id for entity in found]
    assert len(ids) == len(set(ids))
    of_claims = [each.claim_id for entity in found for each in entity.claims]
    assert len(of_claims) == len(set(of_claims))
    for entity in found:
        assert entity.name.strip() and entity.mentions
        for each in entity.claims:
            assert not each.object_id or each.object_id in ids
        actives = [each.key for each in entity.claims if each.status == "active"]
        assert len([key for key in actives if key in ("employer", "home", "age")]) == len(
            {key for key in actives if key in ("employer", "home", "age")}
        )
    tied = {tie.fact_id for entity in found for tie in entity.ties if tie.fact_id}
    there = [fact for fact in known if fact.status in ("active", "closed")]
    # A mistaken place is nowhere; whoever has a mistaken name is somebody all the same.
    assert tied == {e.fact_id for e in there if e.key in BEING_KEYS or not never_held(e)}
    assert entities_of("t", known[::-1], claims[::-1]) == found
    for question in (*NAMES, *VALUES, "where does my wife's sister work?", "Ana's wife"):
        told_of = answers(question, found)
        assert len(told_of) <= MOST
        assert of_those(question, known, claims) == told_of


def _one_each(claims: list[ThirdPartyClaim]) -> list[ThirdPartyClaim]:
    """Return claims of messages that make one each: a message has one order."""
    return list({each.source_uid: each for each in claims}.values())
