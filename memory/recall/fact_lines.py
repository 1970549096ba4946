"""Facts as lines of a prompt: what holds, with the sentence that told it; what is over. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory.domain.facts import BY_PERSON, Fact
from memory.domain.notes import NOTE
from memory.domain.recalls import Recalled
from memory.facts.predicates import STANDING
from memory.recall.block import EndedLine, FactLine, MemoryBlock, More, PassageLine
from memory.recall.budget import MAX_VALUE_CHARS, cost_of, fit_block, kept_brief, shortened
from memory.recall.claimed import told_on, told_until
from memory.recall.relevance import in_order, is_always
from memory.recall.texts import Texts
from memory.text.excerpts import cut, sentence_with
from memory.text.words import content_stems

MAX_SAID_CHARS: Final = 240
"""So much is shown of the sentence that a fact was read from."""
MAX_ENDED: Final = 5
"""Of so many facts that lines of a prompt told it is said that they have ended."""


MAX_KEYS: Final = 4
"""Of so many kinds that were asked for it is told how many facts are not shown."""
MAX_KEY_CHARS: Final = 30
MORE_TOKENS: Final = 70
"""What that takes, at most, in estimated tokens."""


@dataclass(frozen=True, slots=True)
class FactsTold:
    """Facts in the order in which a prompt shows them, each with its line.

    The first `always` are never left out, the first `core` are of a person's core, too, the first
    `wanted` that or fit the question. `asked`: whether each is asked for.
    """

    entries: tuple[Recalled, ...]
    lines: tuple[FactLine, ...]
    asked: tuple[bool, ...]
    always: int
    core: int
    wanted: int

    @classmethod
    def of(cls, entries: Sequence[Recalled], texts: Texts, *, is_bound: bool) -> FactsTold:
        """Order the facts of a recall. `is_bound`: what a stage holds comes first, and is kept."""
        facts = texts.facts
        order = in_order([facts[e.item_id] for e in entries], [e.parts for e in entries])
        asked = {entries[n].item_id for n in order.asked}
        told, always = [entries[n] for n in order.order], order.always
        if is_bound:
            held = [e for e in told if is_held(facts[e.item_id])]
            told, always = [*held, *(e for e in told if e not in held)], len(held)
        # Where whatever is known is asked for, the share of facts bounds it.
        core = len(told) if len(asked) == len(told) else max(order.core, always)
        return cls(
            tuple(told),
            _lines_of([facts[e.item_id] for e in told], texts),
            tuple(e.item_id in asked for e in told),
            always,
            core,
            max(order.wanted, always),
        )

    @property
    def cost_of_always(self) -> int:
        """What those take that are never left out, in estimated tokens."""
        return sum(map(cost_of, shortened(self.lines[: self.always])))

    def fitted(
        self, passages: tuple[PassageLine, ...], quotes: Sequence[PassageLine], budget: int
    ) -> MemoryBlock:
        """Return a block of these facts and lines, cut to a budget of estimated tokens.

        With how many facts that are asked for it does not show.
        """
        whole = MemoryBlock(self.lines, passages, tuple(quotes))
        brief = kept_brief(whole, self.asked, self.core, self.wanted)
        block = fit_block(brief, self.always, budget, self.wanted)
        if not self._more_than(block):
            return block
        told = fit_block(brief, self.always, budget - MORE_TOKENS, self.wanted)
        # Nothing that must not be left out makes room for it.
        is_whole = len(told.facts) >= self.always
        return replace(told, more=self._more_than(told)) if is_whole else block

    def _more_than(self, block: MemoryBlock) -> tuple[More, ...]:
        shown = len(block.facts)
        rest = zip(self.lines[shown:], self.asked[shown:], strict=True)
        keys = Counter(cut(line.key, MAX_KEY_CHARS) for line, is_asked in rest if is_asked)
        return tuple(More(*each) for each in keys.most_common(MAX_KEYS))


def _lines_of(facts: Sequence[Fact], texts: Texts) -> tuple[FactLine, ...]:
    """Return the facts, the sentence that several were read from with the first of them."""
    told: set[tuple[str, str]] = set()
    lines = []
    for fact in facts:
        source = texts.found.get(fact.source_uid)
        said = sentence_with(source.message.text, fact.value, MAX_SAID_CHARS) if source else ""
        value = told_on(fact) if fact.fact_id in texts.claims else told_until(fact)
        once = "" if (fact.source_uid, said) in told else said
        teller = texts.tellers.get(fact.fact_id, "")
        when = f"{fact.valid_from:%Y-%m-%d}" if teller else ""
        lines.append(FactLine(fact.key, value, once, _is_owners(fact), teller, when))
        told.add((fact.source_uid, said))
    return tuple(lines)


def ended_lines(texts: Texts) -> dict[tuple[str, str], EndedLine]:
    """Return what lines told and has ended, by message and fact, the latest first."""
    latest = sorted(texts.over, key=lambda fact: fact.valid_from, reverse=True)
    lines: dict[tuple[str, str], EndedLine] = {}
    for fact in latest:
        source = texts.found.get(fact.source_uid)
        text = source.message.text if source else ""
        # What was taken back since is told by no sentence.
        if content_stems(fact.value) & content_stems(text) and len(lines) < MAX_ENDED:
            said = sentence_with(text, fact.value, MAX_SAID_CHARS)
            until = fact.valid_to.date().isoformat() if fact.valid_to else ""
            value = cut(fact.value, MAX_VALUE_CHARS)
            lines[fact.source_uid, fact.fact_id] = EndedLine(fact.key, value, until, said)
    return lines


def is_held(fact: Fact) -> bool:
    """Tell whether a fact is shown whatever the stage, or is an instruction."""
    return is_always(fact) or fact.key == STANDING or _is_owners(fact)


def _is_owners(fact: Fact) -> bool:
    """Tell whether the owner wrote it by hand as a note or an instruction."""
    return fact.key in (NOTE, STANDING) and fact.read_by == BY_PERSON
