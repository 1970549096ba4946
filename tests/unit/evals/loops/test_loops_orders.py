"""Orders: which are drawn, how many, and always the same for a seed."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from evals.loops.orders import distinct_orders, draw, keys_of, share
from evals.loops.suite import ORDERS_A_WORLD, plan
from tests.unit.evals.loops.sample import case, event


def steps(*ids: str) -> list[dict[str, object]]:
    return [{"deliver": event(one)} for one in ids]


def test_equal_deliveries_are_one() -> None:
    twin = case(steps=steps("AA1", "AA2", "AA1"))
    assert keys_of(twin) == (0, 1, 0)
    assert distinct_orders(keys_of(twin)) == 3
    drawn = draw(twin, 3, 0)
    assert len({tuple(keys_of(twin)[i] for i in order) for order in drawn}) == 3


def test_all_orders_come_before_any_comes_twice_and_the_written_one_first() -> None:
    small = case(steps=steps("AA1", "AA2", "AA3"), expect={"answered": ["AA1"]})
    drawn = draw(small, 6, 5)
    assert drawn[0] == (0, 1, 2)
    assert set(drawn) == set(permutations(range(3)))
    assert len(draw(small, 8, 5)) == 8


def test_orders_of_a_large_case_are_drawn_without_repetition_by_the_seed() -> None:
    ids = [f"AA{n}" for n in range(9)]
    large = case(steps=steps(*ids), expect={"answered": ["AA1"]})
    drawn = draw(large, 500, 3)
    assert len(set(drawn)) == 500
    assert all(sorted(order) == list(range(9)) for order in drawn)
    assert drawn == draw(large, 500, 3)
    assert drawn != draw(large, 500, 4)


@given(st.lists(st.integers(1, 400), min_size=1, max_size=12), st.integers(1, 3000))
def test_shares_add_up_and_fill_no_case_beyond_its_orders_before_all_are_full(
    capacities: list[int], total: int
) -> None:
    shares = share(capacities, [1 + n % 12 for n in capacities], total)
    assert sum(shares) == max(total, len(capacities))
    if total <= sum(capacities):
        assert all(n <= capacity for n, capacity in zip(shares, capacities, strict=True)) or (
            total < len(capacities)
        )
    else:
        assert all(n >= capacity for n, capacity in zip(shares, capacities, strict=True))


def test_cases_with_many_deliveries_get_fewer_orders() -> None:
    assert share([2, 24, 10**6, 10**6], [2, 4, 9, 9], 1000) == [2, 24, 487, 487]
    few, many = share([10**6, 10**6], [5, 10], 1000)
    assert abs(few - 16 * many) <= 16
    assert share([2, 2], [2, 9], 8) == [4, 4]
    assert share([], [], 8) == []


def test_a_plan_plays_fixed_cases_once_and_numbers_every_order() -> None:
    cases = [
        case(case_id="fixed", shuffle="none"),
        case(case_id="free", steps=steps("AA1", "AA2", "AA3", "AA4", "AA5", "AA6")),
    ]
    batches = plan(cases, 2 * ORDERS_A_WORLD + 5, 0)
    sizes = [(batch.case.case_id, len(batch.orders)) for batch in batches]
    assert sizes == [("fixed", 1), *[("free", ORDERS_A_WORLD)] * 2, ("free", 5)]
    numbers = sorted(one.number for batch in batches for one in batch.orders)
    assert numbers == list(range(2 * ORDERS_A_WORLD + 6))
