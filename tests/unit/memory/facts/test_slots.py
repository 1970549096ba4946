"""One thing under several names is one, and look-alikes stay apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.facts.slots import is_fuller, is_meant, is_same, slot_of

SAME = [
    ("home", "NYC", "New York City"),
    ("home", "new york", "New York City"),
    ("home", "N.Y.C.", "New York"),
    ("home", "Sao Paulo", "São Paulo"),
    ("home", "Lisbon", "Lisbon, Portugal"),
    ("home", "Munich", "München"),
    ("origin", "UK", "the United Kingdom"),
    ("origin", "U.S.A.", "United States"),
    ("school", "st georges", "St. George's"),
    ("school", "Saint George’s", "St George's"),
    ("spouse", "Priya", "Priya Nair"),
    ("friend", "Ann", "Ann Lee"),
    ("pet", "Rex", "Rex the dog"),
    ("diet", "veggie", "vegetarian"),
    ("diet", "plant-based", "vegan"),
    ("allergy", "peanut", "Peanuts"),
    ("allergy", "peanut allergy", "peanuts"),
    ("allergy", "lactose", "lactose intolerance"),
    ("allergy", "peaches", "peach"),
    ("allergy", "berry", "berries"),
    ("like", "cookie", "cookies"),
    ("like", "shoe", "shoes"),
    ("like", "horses", "horse"),
    ("employer", "Acme", "Acme, Inc."),
    ("phone", "+49 30 1234", "+49301234"),
]
APART = [
    ("allergy", "nut", "nutmeg"),
    ("allergy", "nut", "peanut"),
    ("allergy", "milk", "milk thistle"),
    ("friend", "Ann", "Anna"),
    ("friend", "Priya Nair", "Priya Shah"),
    ("friend", "Nair", "Priya Nair"),
    ("friend", "Jame", "James"),
    ("home", "York", "New York"),
    ("home", "New York", "New York Mills"),
    ("home", "London, England", "London, Ontario"),
    ("like", "tea", "green tea"),
    ("like", "tea", "team"),
    ("like", "the us", "united states"),
    ("like", "tennis", "tenni"),
    ("diet", "vegan", "vegetarian"),
    ("diet", "vegetarian", "vegetarian at home"),
    ("pet", "two cats", "Mia"),
    ("possession", "bus", "bu"),
    ("phone", "123456", "1234567"),
    ("employer", "Acme", "Acme Foods"),
]


@pytest.mark.parametrize(("key", "one", "other"), SAME)
def test_one_thing_under_two_names_is_one(key: str, one: str, other: str) -> None:
    assert is_same(key, one, other)
    assert is_same(key, other, one)
    assert is_meant(key, one, other)
    assert is_meant(key, other, one)


@pytest.mark.parametrize(("key", "one", "other"), APART)
def test_what_only_looks_alike_stays_apart(key: str, one: str, other: str) -> None:
    assert not is_same(key, one, other)
    assert not is_same(key, other, one)


@pytest.mark.parametrize(
    ("key", "retracted", "held"),
    [("home", "York", "New York"), ("like", "tea", "green tea"), ("allergy", "nut", "nutmeg")],
)
def test_the_end_of_one_is_not_the_end_of_its_look_alike(
    key: str, retracted: str, held: str
) -> None:
    assert not is_meant(key, retracted, held)


@pytest.mark.parametrize(("key", "short", "full"), [SAME[0], SAME[4], SAME[10], SAME[13]])
def test_the_fuller_name_is_known(key: str, short: str, full: str) -> None:
    assert is_fuller(key, full, short)
    assert not is_fuller(key, short, full)


@given(st.sampled_from(["home", "like", "pet", "diet", "allergy", "phone"]), st.text(min_size=1))
def test_a_value_is_the_same_as_itself(key: str, value: str) -> None:
    assert is_same(key, value, value)
    assert not is_fuller(key, value, value)
    assert slot_of(key, value)
