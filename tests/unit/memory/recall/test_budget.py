"""The memory block keeps its budget, and what matters most stays longest."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.block import FactLine, MemoryBlock, PassageLine
from memory.recall.budget import (
    ASKED,
    ASKED_SAID,
    BESIDE,
    FRAME_TOKENS,
    LEAST_LINE,
    MAX_VALUE_CHARS,
    REST,
    SAID,
    cost_of,
    divided,
    fit_block,
    kept_brief,
)
from memory.text.chunks import estimate_tokens
from memory.text.excerpts import cut
from nodes.prompts import render_memory

texts = st.text(max_size=30) | st.builds(
    lambda word, times: f"{word} " * times,
    st.sampled_from(["word", "слово", "日本語", "<a>", '"q"', "line\n"]),
    st.integers(1, 150),
)
facts = st.builds(FactLine, st.text(max_size=20), texts, texts)
passages = st.builds(PassageLine, st.just("2026-01-01 09:00"), st.text(max_size=40), texts, texts)
blocks = st.builds(
    MemoryBlock,
    st.lists(facts, max_size=12).map(tuple),
    st.lists(passages, max_size=12).map(tuple),
    st.lists(passages, max_size=4).map(tuple),
)


def _size(block: MemoryBlock) -> int:
    return estimate_tokens(render_memory(block))


@given(blocks, st.integers(0, 12), st.integers(200, 4000))
def test_a_block_keeps_its_budget_and_its_order(whole: MemoryBlock, core: int, budget: int) -> None:
    shown = fit_block(whole, core, budget)
    assert _size(replace(shown, certainty=0.5)) <= budget
    # Of each kind the first ones: nothing is dropped for something of lower rank.
    assert [f.key for f in shown.facts] == [f.key for f in whole.facts[: len(shown.facts)]]
    for kept, given_ in ((shown.passages, whole.passages), (shown.quoted, whole.quoted)):
        assert [p.speaker for p in kept] == [p.speaker for p in given_[: len(kept)]]
        for line, of in zip(kept, given_, strict=False):
            assert of.text.startswith(line.text.removesuffix("…").rstrip())
    if len(shown.facts) < min(core, len(whole.facts)):
        assert shown == MemoryBlock(facts=shown.facts)


@given(blocks, st.integers(0, 12))
def test_what_fits_is_shown_whole(whole: MemoryBlock, core: int) -> None:
    facts = tuple(replace(f, value=cut(f.value, MAX_VALUE_CHARS)) for f in whole.facts)
    assert fit_block(whole, core, 1_000_000) == replace(whole, facts=facts)


def test_long_lines_are_cut_before_short_ones_are_dropped() -> None:
    long = PassageLine("2026-01-01 09:00", "Ana", "word " * 400)
    short = PassageLine("2026-01-01 09:00", "Bo", "The cat is called Tofu.")
    shown = fit_block(MemoryBlock(passages=(long, long, short)), 0, 700)
    assert [line.speaker for line in shown.passages] == ["Ana", "Ana", "Bo"]
    assert shown.passages[2].text == short.text
    assert shown.passages[0].text == shown.passages[1].text


def test_nothing_is_shown_while_an_allergy_is_not() -> None:
    allergies = tuple(FactLine("allergy", f"nut number {n}") for n in range(40))
    passage = PassageLine("2026-01-01 09:00", "Ana", "hello")
    shown = fit_block(MemoryBlock(allergies, (passage,)), 40, 300)
    assert 0 < len(shown.facts) < 40
    assert not shown.passages


def test_neighbours_go_before_a_passage_does() -> None:
    passage = PassageLine("2026-01-01 09:00", "Ana", "word " * 100, "Bo: " + "so " * 70)
    bare = cost_of(replace(passage, before=""))
    assert bare <= LEAST_LINE
    shown = fit_block(MemoryBlock(passages=(passage,) * 4), 0, FRAME_TOKENS + 4 * bare + 10)
    assert [line.before for line in shown.passages] == [""] * 4


@given(st.lists(st.integers(0, 500), min_size=1, max_size=6), st.integers(0, 2000))
def test_room_is_divided_so_that_none_is_left_while_somebody_needs_it(
    needs: list[int], room: int
) -> None:
    shares = divided(needs, [1] * len(needs), room)
    assert sum(shares) == min(sum(needs), room)
    assert all(share <= need for share, need in zip(shares, needs, strict=True))
    cut = [share for share, need in zip(shares, needs, strict=True) if share < need]
    assert not cut or max(cut) - min(cut) <= 1
    assert not cut or max(shares) <= max(cut) + 1


@pytest.mark.parametrize("budget", [0, 10, 40])
def test_a_budget_for_nothing_shows_nothing(budget: int) -> None:
    block = MemoryBlock((FactLine("home", "Lisbon"),), (PassageLine("", "Ana", "hi"),))
    assert fit_block(block, 0, budget) == MemoryBlock()


def test_facts_that_only_fill_room_keep_to_their_share() -> None:
    core = tuple(FactLine("name", f"Alex {n}", "said so") for n in range(5))
    rest = tuple(FactLine("friend", f"Bo {n}", "a sentence of some length") for n in range(300))
    shown = fit_block(MemoryBlock((*core, *rest)), 0, 3000, len(core))
    assert len(core) < len(shown.facts) < 100
    assert sum(cost_of(replace(f, said="")) for f in shown.facts) <= 900
    assert [f.said for f in shown.facts[: len(core) + 1]] == [*["said so"] * len(core), ""]
    assert len(fit_block(MemoryBlock((*core, *rest)), 0, 30_000, 305).facts) == 305
    few = MemoryBlock((*core, *rest[:5]))
    assert fit_block(few, 0, 3000, len(core)) == few


def test_long_values_of_what_must_be_shown_are_cut_before_one_is_left_out() -> None:
    allergies = tuple(FactLine("allergy", f"{n} " + "nuts and more " * 20) for n in range(20))
    shown = fit_block(MemoryBlock(allergies), 20, 700)
    assert [f.value[:2] for f in shown.facts] == [f.value[:2] for f in allergies]


def test_what_nobody_asked_for_takes_the_same_room_of_forty_facts_and_of_four_hundred() -> None:
    core = tuple(FactLine("home", f"Lisbon {n}", "I live there since spring") for n in range(9))
    costs = set()
    for many in (40, 400):
        rest = tuple(FactLine("language", f"tongue {n}", "I speak it") for n in range(many))
        block = MemoryBlock((*core, *rest))
        asked = [n in (3, 8) for n in range(9 + many)]
        facts = kept_brief(block, asked, len(core), len(core)).facts
        assert [fact.value for fact in facts] == [f.value for f in block.facts[: len(facts)]]
        said = [n for n, fact in enumerate(facts) if fact.said]
        assert {3, 8} < set(said)
        first = [block.facts[n] for n in said if n not in (3, 8)]
        assert SAID // 2 < sum(cost_of(f) - cost_of(replace(f, said="")) for f in first) <= SAID
        assert REST // 2 < sum(cost_of(replace(f, said="")) for f in facts[9:]) <= REST
        costs.add(sum(map(cost_of, facts)))
    assert len(costs) == 1


def test_what_is_asked_for_takes_the_same_room_of_forty_tastes_and_of_four_hundred() -> None:
    pets = tuple(FactLine("pet", f"Rex {n}", "a good dog") for n in range(3))
    shown = []
    for many in (40, 400):
        likes = tuple(FactLine("like", f"place {n}", "I like it there") for n in range(many))
        block = MemoryBlock((*pets, *likes, FactLine("friend", "Bo")))
        shown.append(kept_brief(block, [True] * (3 + many) + [False], 3, 5).facts)
    assert shown[0] == shown[1]
    assert [f.value for f in shown[0]] == [f.value for f in block.facts[: len(shown[0])]]
    assert ASKED // 2 < sum(cost_of(replace(f, said="")) for f in shown[0][3:]) <= ASKED
    said = sum(cost_of(f) - cost_of(replace(f, said="")) for f in shown[0])
    assert ASKED_SAID // 2 < said <= ASKED_SAID
    assert shown[0][:3] == pets


def test_few_facts_that_are_asked_for_are_kept_with_their_sentences() -> None:
    likes = tuple(FactLine("like", f"place {n}", f"I like place {n}") for n in range(8))
    block = MemoryBlock((*likes, FactLine("friend", "Bo", "Bo is a friend")))
    assert kept_brief(block, [True] * 8 + [False], 0, 0) == block


def test_neighbours_keep_to_a_room_and_the_best_line_has_its_own() -> None:
    lines = tuple(
        PassageLine("2026-01-01 09:00", "Ana", f"line {n}", "Bo: " + "so it is " * 8, "Bo: yes")
        for n in range(18)
    )
    shown = kept_brief(MemoryBlock(passages=lines), [], 0, 0).passages
    assert [line.text for line in shown] == [line.text for line in lines]
    whole = sum(line.before != "" for line in shown)
    assert shown[:whole] == lines[:whole]
    bare = [replace(line, before="", after="") for line in lines]
    assert list(shown[whole:]) == bare[whole:]
    grown = sum(map(cost_of, shown)) - sum(map(cost_of, bare))
    assert BESIDE // 2 < grown <= BESIDE
