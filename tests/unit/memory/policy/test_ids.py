from __future__ import annotations

import pytest

from memory.policy.ids import ids_of, parts_of, plain_id, spellings_of

ALIKE = ("4915", "+4915", "4915@c.us", "4915@s.whatsapp.net", "waha:4915@c.us", "waha:+4915")


@pytest.mark.parametrize("written", ALIKE)
def test_spellings_of_one_id_are_found_from_each_other(written: str) -> None:
    assert plain_id("waha", f" {written} ") == "4915"
    assert spellings_of("waha", written) >= set(ALIKE)
    assert {plain_id("waha", each) for each in spellings_of("waha", written)} == {"4915"}


def test_a_channel_has_an_id_without_what_people_put_before_it() -> None:
    assert ids_of("waha", "+4915") == {"4915", "4915@c.us", "4915@s.whatsapp.net"}
    assert "7@lid" in ids_of("waha", "waha:7@lid")


def test_who_is_not_named_has_no_spelling() -> None:
    assert not spellings_of("waha", "waha:")
    assert not spellings_of("", " ")


def test_an_id_without_a_channel_is_spelt_without_one() -> None:
    assert parts_of("waha:4915@c.us") == ("waha", "4915@c.us")
    assert parts_of("customer 7") == ("", "customer 7")
    assert not any(":" in each for each in spellings_of(*parts_of("customer 7")))
