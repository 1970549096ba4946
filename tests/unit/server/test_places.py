"""Places for sends: an account's own, and some for everybody else whatever hangs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.domain.work import AccountRef
from server.sending.places import PORTION, Places


def account(number: int) -> AccountRef:
    return AccountRef("t", "waha", f"account {number}")


def fill(places: Places, wishes: list[int]) -> None:
    """Take one place after the other, as far as there is room; nothing is ever given back."""
    for wish in wishes:
        room = places.room
        if room.in_all > 0 and room.under_way.get(account(wish), 0) < room.per_account:
            places.enter(account(wish))


def test_an_account_gets_its_places_and_no_more() -> None:
    places = Places(4, 512)
    fill(places, [1] * 10)
    assert places.room.under_way == {account(1): 4}
    assert places.room.in_all == PORTION


def test_when_half_is_taken_each_further_account_gets_one() -> None:
    places = Places(4, 32)
    fill(places, [number for number in range(8) for _ in range(4)])
    assert places.room.per_account == 1
    fill(places, [number for number in range(8, 20) for _ in range(4)])
    assert [places.room.under_way[account(number)] for number in range(20)] == [4] * 4 + [1] * 16


def test_a_place_given_back_is_told_when_somebody_may_wait_for_it() -> None:
    places = Places(2, 512)
    places.enter(account(1))
    places.enter(account(1))
    assert places.leave(account(1))
    assert not places.leave(account(1))
    assert places.are_all_free


@given(st.lists(st.integers(0, 300), max_size=2000))
def test_bounds_hold_whatever_is_wished_for(wishes: list[int]) -> None:
    places = Places(4, 64)
    fill(places, wishes)
    under_way = places.room.under_way
    assert sum(under_way.values()) <= 64
    assert max(under_way.values(), default=0) <= 4
