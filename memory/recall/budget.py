"""One budget of estimated tokens for a whole memory block. Pure.

Facts that may harm when they are forgotten come first. What is left is divided among the other
facts, the quoted lines and the passages; what one of them does not need goes to the others. Facts
that are there only because there is room stay within the share of facts, so that hundreds of them
make no longer prompt. Within a kind the long lines are cut to one length before the last ones are
left out. Sentences of facts and neighbours of passages are shown in the room that remains.

What nobody asked for has a room of its own besides, whatever else is free, so that a prompt does
not grow with what is known: a young chat fills it, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate

from memory.recall.block import EndedLine, FactLine, MemoryBlock, PassageLine, line_text
from memory.text.chunks import estimate_tokens
from memory.text.excerpts import cut

FRAME_TOKENS = 50
"""What a block without lines takes, with its certainty and the fence of the prompt around it."""
MAX_VALUE_CHARS = 200
SHORT_VALUE_CHARS = 40
"""To this the values of facts are cut that must not be left out, where they do not fit."""
# A passage is cut to no less than this, in estimated tokens; the last ones are left out instead.
# Source: on the training chats, lists over long messages hold half of the answer's words for .72 of
# questions with 120, .85 with 180 and .84 with 240.
LEAST_LINE = 180
ASKED = 300
"""Estimated tokens of facts, beside a person's core, that fit what is asked or are of a kind that
it asks for: of dozens of tastes the first ones."""
ASKED_SAID = 150
"""Estimated tokens of the sentences of facts that are asked for."""
SAID = 100
"""Estimated tokens of the sentences of facts that do not fit what is asked."""
REST = 200
"""Estimated tokens of facts that are neither of a person's core nor fit what is asked."""
BESIDE = 400
"""Estimated tokens of the neighbours of passages, those of the best passages first.

Source: on the training chats, prompts of this size show as much evidence as without these three
rooms, and hold half of the answer's words as often (docs/retrieval.md).
"""
# How room is divided: facts, quoted lines, passages.
KINDS = (3, 2, 5)
# How what remains is divided: sentences of facts, neighbours of passages.
EXTRAS = (1, 2)


def fit_block(block: MemoryBlock, core: int, budget: int, wanted: int | None = None) -> MemoryBlock:
    """Return as much of a block as fits, of each kind the first lines.

    Args:
        block: Every line with all that it may show.
        core: So many facts come before everything else: nothing is shown while one is not.
        budget: Estimated tokens of the block as a prompt shows it, fence included.
        wanted: So many facts may take what room others leave; the rest keeps to the share of
            facts. None for all.
    """
    room = budget - FRAME_TOKENS
    told = [replace(f, value=cut(f.value, MAX_VALUE_CHARS)) for f in block.facts]
    told = _filled(told, len(told) if wanted is None else wanted, room)
    if sum(_costs([*told, *block.quoted, *block.passages])) <= room:
        return replace(block, facts=tuple(told))
    lean = [replace(f, said="") for f in told]
    if sum(_costs(lean[:core])) > room:
        lean = [replace(f, value=cut(f.value, SHORT_VALUE_CHARS)) for f in lean]
    first = lean[: _leading(_costs(lean[:core]), room)]
    if len(first) < min(core, len(lean)):
        return MemoryBlock(tuple(first))
    room -= sum(_costs(first))
    bare = [replace(line, before="", after="") for line in block.passages]
    costs = [_costs(lean[core:]), _costs(block.quoted), _costs(bare)]
    shares = divided([sum(each) for each in costs], KINDS, room)
    facts = [*first, *lean[core:][: _leading(costs[0], shares[0])]]
    quoted, passages = _cut_to(block.quoted, shares[1]), _cut_to(bare, shares[2])
    room = budget - FRAME_TOKENS - sum(_costs([*facts, *quoted, *passages]))
    said = [replace(f, said=of.said) for f, of in zip(facts, told, strict=False)]
    around = [
        replace(line, before=of.before, after=of.after)
        for line, of in zip(passages, block.passages, strict=False)
    ]
    extras = [_growth(facts, said), _growth(passages, around)]
    rooms = divided([sum(each) for each in extras], EXTRAS, room)
    said_of, beside = (_leading(growth, room) for growth, room in zip(extras, rooms, strict=True))
    return MemoryBlock(
        facts=(*said[:said_of], *facts[said_of:]),
        passages=(*around[:beside], *passages[beside:]),
        quoted=tuple(quoted),
    )


def kept_brief(block: MemoryBlock, asked: Sequence[bool], core: int, wanted: int) -> MemoryBlock:
    """Return a block with no more of what grows with what is known than has a room of its own.

    Args:
        block: Every line with all that it may show.
        asked: Of each fact, whether it fits what is asked, or is of a kind that it asks for.
        core: So many facts are of the core; of the others `ASKED` tokens of those are kept that
            are asked for.
        wanted: So many facts are of the core or fit; of the others `REST` tokens of those are kept
            that are not asked for. What does not fit takes with it what comes after it.
    """
    rooms = {True: ASKED, False: REST}
    said = {True: ASKED_SAID, False: SAID}
    facts: list[FactLine] = []
    for number, (fact, fits) in enumerate(zip(block.facts, asked, strict=True)):
        bare = replace(fact, said="")
        if number >= (core if fits else wanted):
            rooms[fits] -= cost_of(bare)
            if rooms[fits] < 0:
                break
        if fact.said:
            said[fits] -= cost_of(fact) - cost_of(bare)
        facts.append(fact if said[fits] >= 0 else bare)
    return replace(block, facts=tuple(facts), passages=_beside(block.passages))


def shortened(facts: Sequence[FactLine]) -> list[FactLine]:
    """Return facts as the least room shows them whole: without their sentences."""
    return [replace(f, value=cut(f.value, MAX_VALUE_CHARS), said="") for f in facts]


def _beside(passages: Sequence[PassageLine]) -> tuple[PassageLine, ...]:
    """Return passages with the neighbours that have room, the best passages' first."""
    bare = [replace(line, before="", after="") for line in passages]
    beside = _leading(_growth(bare, passages), BESIDE)
    return (*passages[:beside], *bare[beside:])


def _filled(facts: list[FactLine], wanted: int, room: int) -> list[FactLine]:
    """Return the wanted facts and as many of the others as the share of facts has room for."""
    share = max(room, 0) * KINDS[0] // sum(KINDS)
    if sum(_costs(facts)) <= share:
        return facts
    first = facts[:wanted]
    others = [replace(f, said="") for f in facts[wanted:]]
    left = share - sum(_costs(replace(f, said="") for f in first))
    return [*first, *others[: _leading(_costs(others), left)]]


def divided(needs: Sequence[int], weights: Sequence[int], room: int) -> list[int]:
    """Divide `room` by weight, to nobody more than their need; the rest goes to the others."""
    given = [0] * len(needs)
    left, weight = max(room, 0), sum(weights)
    # Who needs the least for their weight is served first, so that the others gain the rest.
    for index in sorted(range(len(needs)), key=lambda i: needs[i] / weights[i]):
        given[index] = min(needs[index], left * weights[index] // weight)
        left -= given[index]
        weight -= weights[index]
    return given


@lru_cache(maxsize=1_024)  # a block's lines are measured several times over
def cost_of(line: FactLine | PassageLine | EndedLine) -> int:
    """Return what a line adds to a block, in estimated tokens."""
    return estimate_tokens(line_text(line)) + 1  # the comma after it


def _costs(lines: Iterable[FactLine | PassageLine]) -> list[int]:
    return [cost_of(line) for line in lines]


def _leading(costs: Sequence[int], room: int) -> int:
    """Return how many of the first items fit together."""
    return sum(total <= room for total in accumulate(costs))


def _cut_to(lines: Sequence[PassageLine], room: int) -> list[PassageLine]:
    """Return the first lines, the long ones cut to one length, so that they fit together."""
    costs = _costs(lines)
    kept = _leading([min(cost, LEAST_LINE) for cost in costs], room)
    caps = divided(costs[:kept], [1] * kept, room)
    shown = []
    for line, cap in zip(lines, caps, strict=False):
        if cost_of(short := _shortened(line, cap)) > cap:
            break
        shown.append(short)
    return shown


def _shortened(line: PassageLine, cap: int) -> PassageLine:
    """Cut a line's text so that it costs at most `cap`, if any text is left then."""
    if cost_of(line) <= cap:
        return line
    low, high = 1, len(line.text)
    while low < high:
        middle = (low + high + 1) // 2
        if cost_of(replace(line, text=cut(line.text, middle))) <= cap:
            low = middle
        else:
            high = middle - 1
    return replace(line, text=cut(line.text, low))


def _growth(
    lines: Sequence[FactLine | PassageLine], extended: Sequence[FactLine | PassageLine]
) -> list[int]:
    return [cost_of(b) - cost_of(a) for a, b in zip(lines, extended, strict=True)]
