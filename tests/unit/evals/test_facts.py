"""The `facts` suite's cases, matching rules and scores, on examples worked out by hand."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evals.errors import BadInputError
from evals.facts.cases import FactCase, Pattern, load_fact_cases, numbered
from evals.facts.conversation import Known, Played, as_messages
from evals.facts.matching import holds, matches
from evals.facts.scores import harmonic, items_of, score
from evals.facts.suite import DEFAULT_CASES, texts
from memory.domain.chats import Actor
from memory.domain.facts import Category, Fact, FactStatus
from memory.facts.predicates import predicate

AT = datetime(2026, 1, 1, tzinfo=UTC)

TURNS: list[dict[str, Any]] = [
    {"id": "t1", "role": "user", "speaker": "Ana", "chat": "group", "text": "hi"},
    {"id": "t2", "role": "user", "speaker": "Ben", "chat": "group", "text": "ho"},
    {"id": "t3", "role": "assistant", "chat": "group", "text": "yes"},
]
HOME = {"category": "identity", "key": "home", "value": "Leeds"}
CASE: dict[str, Any] = {
    "case_id": "c1",
    "lang": "en",
    "tags": ["group", "state"],
    "turns": TURNS,
    "checks": [{"after": "t2", "active": [HOME]}],
}


def case(**change: Any) -> FactCase:
    return FactCase.model_validate_json(json.dumps(CASE | change))


def pattern(key: str, value: str | list[str], category: str = "identity") -> Pattern:
    data = {"category": category, "key": key, "value": value}
    return Pattern.model_validate_json(json.dumps(data))


def fact(
    key: str, value: str, status: FactStatus = "active", category: Category = "identity"
) -> Fact:
    return Fact(
        fact_id=f"{key}-{value}",
        tenant="t",
        contact_id="c",
        category=category,
        key=key,
        value=value,
        confidence=0.9,
        importance=0.9,
        source_uid="u1",
        anchor="contact:c",
        status=status,
        valid_from=AT,
        valid_to=None,
        recorded_from=AT,
        recorded_to=None,
    )


@pytest.mark.parametrize(
    ("value", "form", "lang", "said"),
    [
        ("Leeds", "leeds", "en", True),
        ("the oat milk", "Oat-Milk", "en", True),
        ("oat milk", "an oat milk", "en", True),
        ("St. George's", "st george s", "en", True),
        ("+31 6 5550", "31 6 5550", "en", True),
        ("oatmilk", "oat milk", "en", False),
        ("boat", "oat", "en", False),
        ("milk", "oat milk", "en", False),
        ("one two Leeds three", "Leeds", "en", True),
        ("one two three Leeds four", "Leeds", "en", False),
        # An article at the front is no word around; one in the middle is.
        ("the one two three Leeds", "Leeds", "en", True),
        ("one the two three Leeds", "Leeds", "en", False),
        ("der Hund", "Hund", "de", True),
        ("der Hund", "der Hund", "en", True),
        ("l'eau", "eau", "fr", True),
        ("las nueces", "nueces", "es", True),
        ("o gato", "gato", "pt", True),
        ("мёд", "МЁД", "ru", True),
        ("a", "a", "en", True),
        ("🎿", "🎿", "en", False),
        ("Leeds", "🎿", "en", False),
    ],
)
def test_a_value_holds_a_form(value: str, form: str, lang: str, *, said: bool) -> None:
    assert holds(value, form, lang) is said


def test_a_decomposed_letter_is_the_same_letter() -> None:
    assert holds("Cafe\u0301", "café", "en")


def test_category_and_key_must_be_equal_unless_any_is_meant() -> None:
    leeds = fact("home", "Leeds")
    assert matches(pattern("home", ["York", "Leeds"]), leeds, "en")
    assert not matches(pattern("origin", "Leeds"), leeds, "en")
    assert matches(pattern("*", "Leeds"), leeds, "en")
    assert matches(pattern("home", "*"), leeds, "en")
    assert not matches(pattern("*", "*", "preference"), leeds, "en")


def known(one: FactCase, number: int, **held: list[Fact]) -> Known:
    active = {speaker: held.get(speaker, []) for speaker in one.speakers}
    past = {name: facts + held.get(f"{name}_past", []) for name, facts in active.items()}
    shown = {name: [f for f in facts if f.status == "active"] for name, facts in active.items()}
    return Known(one.checks[number], shown, past, {"u1": "t1"})


def test_figures_of_a_case_worked_out_by_hand() -> None:
    pet = {"contact": "Ben", "category": "identity", "key": "pet", "value": ["Bruno", "dog"]}
    one = case(
        checks=[
            {
                "after": "t2",
                "exhaustive": True,
                "active": [HOME, pet],
                "inactive": [HOME | {"value": "York"}, HOME | {"contact": "Ben", "value": "*"}],
                "never": [HOME | {"value": "Rome"}, HOME | {"contact": "Ben", "value": "Rome"}],
                "allowed": [{"category": "preference", "key": "*", "value": "*"}],
            }
        ]
    )
    held = known(
        one,
        0,
        Ana=[fact("home", "Leeds"), fact("age", "31"), fact("like", "tea", category="preference")],
        Ana_past=[fact("home", "Rome", "closed")],
        Ben=[fact("home", "Oslo")],
    )
    result = score([Played(one, (held,), (2.0, 1.0))])
    assert result.metrics == {
        "cases": 1.0,
        # Ana's home of two patterns.
        "recall": 1 / 2,
        # Ana's home of three facts: her age and Ben's home are wrong, what she likes is allowed.
        "precision": 1 / 3,
        "f1": 2 / 5,
        # Ben lives somewhere.
        "inactive_violations": 1 / 2,
        # Ana's Rome was stored once.
        "never_violations": 1 / 2,
        "extract_ms_p50": 1.0,
        "extract_ms_p95": 2.0,
    }
    assert set(result.by["tag"]) == {"group", "state"}
    assert result.by["lang"]["en"]["recall"] == 1 / 2
    assert result.by["key"].keys() >= {"home"}


def test_items_name_patterns_and_sources_and_hold_no_text() -> None:
    one = case(checks=[{"after": "t2", "exhaustive": True, "active": [HOME]}])
    held = known(one, 0, Ana=[fact("age", "31"), fact("like", "tea", category="preference")])
    items = list(items_of(Played(one, (held,), ())))
    assert [(item.item, item.scores) for item in items] == [
        ("check1/active:1", {"recall": 0.0}),
        ("check1/stored:1", {"precision": 0.0}),
        ("check1/stored:2", {"precision": 0.0}),
    ]
    assert items[0].evidence == ("check1/active:1",)
    # What was found instead is of the same category.
    assert items[0].found == ({"id": "t1", "fact": "identity/age", "status": "active"},)
    assert "31" not in str(items)
    assert items[0].groups == {"lang": "en", "tag": "group, state", "key": "home"}


def test_what_was_not_asked_has_no_figure() -> None:
    one = case(checks=[{"after": "t2", "never": [HOME]}])
    metrics = score([Played(one, (known(one, 0),), ())]).metrics
    assert (metrics["recall"], metrics["precision"], metrics["f1"]) == (None, None, None)
    assert metrics["never_violations"] == 0
    assert metrics["extract_ms_p50"] is None


def test_the_harmonic_mean_of_nothing_found_is_zero() -> None:
    assert harmonic(0.0, 0.0) == 0.0
    assert harmonic(1.0, None) is None


def test_each_role_has_its_actor_and_each_speaker_a_contact() -> None:
    turns = [
        *TURNS,
        {"id": "t4", "role": "owner", "chat": "direct", "text": "mine"},
        {"id": "t5", "role": "system", "chat": "direct", "text": "Ana joined"},
        {"id": "t6", "role": "user", "speaker": "Ana", "text": "look", "forwarded": True},
    ]
    messages = as_messages("t", case(turns=turns))
    assert [message.actor for message in messages] == [
        Actor.CONTACT,
        Actor.CONTACT,
        Actor.AGENT,
        Actor.OWNER,
        Actor.SYSTEM,
        Actor.CONTACT,
    ]
    assert [message.contact_id for message in messages[:3]] == ["eval:c1/Ana", "eval:c1/Ben", ""]
    assert [message.is_group for message in messages] == [True, True, True, False, False, False]
    assert messages[5].forwarded
    assert messages[3].chat.chat_id == "c1/Ben"
    assert messages[5].chat.chat_id == "c1/Ana"
    assert sorted(messages, key=lambda message: message.sent_at) == messages


def write(folder: Path, *lines: dict[str, Any]) -> Path:
    file = folder / "cases.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"turns": []}, "turns"),
        ({"turns": [TURNS[0], TURNS[0]]}, "turn id 't1' is used twice"),
        ({"turns": [TURNS[0] | {"role": "bot"}]}, "turns.0.role"),
        ({"checks": []}, "checks"),
        ({"checks": [{"after": "t9"}]}, "after 't9', which no turn has"),
        ({"checks": [{"after": "t2"}, {"after": "t1"}]}, "after 't1' comes too late"),
        ({"checks": [{"after": "t1", "active": [HOME | {"value": "*"}]}]}, "cannot be '*'"),
        ({"checks": [{"after": "t1", "active": [HOME | {"value": []}]}]}, "checks.0.active.0"),
        ({"checks": [{"after": "t1", "active": [HOME | {"category": "x"}]}]}, "category"),
        ({"checks": [{"after": "t1", "never": [HOME | {"contact": "Cy"}]}]}, "'Cy' says nothing"),
        ({"lang": ""}, "lang"),
    ],
)
def test_a_bad_line_is_named_with_file_line_and_field(
    tmp_path: Path, change: dict[str, Any], wrong: str
) -> None:
    path = write(tmp_path, CASE, CASE | {"case_id": "d"} | change)
    with pytest.raises(BadInputError) as caught:
        load_fact_cases([path])
    assert f"{path}, line 2: " in str(caught.value)
    assert wrong in str(caught.value)


def test_the_own_cases_are_many_and_of_the_vocabulary() -> None:
    files = load_fact_cases(sorted(DEFAULT_CASES.glob("*.jsonl")))
    own = next(file for file in files if file.path.endswith("own.jsonl"))
    assert own.count >= 25
    assert {one.lang for one in own.cases} == {"en", "de", "es", "ru", "pt", "fr"}
    for one in own.cases:
        for _, wanted in numbered(one):
            found = predicate(wanted.key)
            assert wanted.key == "*" or (found and found.category == wanted.category), one.case_id


def test_texts_name_patterns_and_turns() -> None:
    given = texts(load_fact_cases([DEFAULT_CASES / "own.jsonl"], 1))
    (case_id,) = {name for name, _ in given.items}
    asked = given.items[case_id, "check1/active:1"]
    assert asked == "active: identity/occupation = cello teacher"
    assert given.sources[case_id, "check1/active:1"] == asked
    assert given.sources[case_id, "t1"].startswith("user (2026-")
