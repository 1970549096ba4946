"""What the speaker must not have: allergies, diets, conditions, what they avoid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from memory.facts.reading.rules.clauses import Clause
from memory.facts.reading.rules.found import I_AM, IMPLIED, LOOSE, STATED, Found, rule
from memory.facts.reading.rules.lexicon import CONDITIONS, FIGURATIVE
from memory.facts.reading.rules.phrases import noun, nouns

_HOW: Final = r"(?:(?:really|severely|seriously|very|highly|deathly|extremely|mildly|slightly|also|a bit|super|badly|still|actually|both)\s+)*"
_ALLERGIC = rule(
    rf"(?:{I_AM}\s+)?{_HOW}(?:allergic|intolerant)\s+to\s+|(?:i have|i hav|i'?ve(?: got)?|i got)\s+(?:an?\s+)?{_HOW}(?:allergy|intolerance)\s+to\s+|my allerg(?:y|ies)(?: is| are|:)\s+(?:to\s+)?"
)
_X_ALLERGY = rule(
    rf"(?:i have|i hav|i'?ve(?: got)?|i got)\s+(?:an?\s+)?{_HOW}(?P<what>[\w-]+(?:\s[\w-]+)?)\s+(?:allergy|intolerance)\b|{I_AM}\s+{_HOW}(?P<intolerant>[\w-]+)[ -]intolerant\b"
)
_NOT_ALLERGIC = rule(
    rf"{I_AM}\s+(?:not|no longer)\s+(?:actually\s+|really\s+|even\s+)?(?:allergic|intolerant)\s+to\s+|i don'?t have (?:an?\s+)?allergy to\s+|i (?:outgrew|grew out of) my allergy to\s+"
)
_DIET: Final = r"(?P<diet>vegan|vegetarian|veggie|pescatarian|pescetarian|omnivore|gluten[ -]free|dairy[ -]free|halal|kosher|keto|paleo)"
_IS_DIET = rule(
    rf"(?:{I_AM}|i(?:'?ve| have)? (?:went|gone|turned|became|become)|i (?:only )?eat|i keep|i follow an?|i(?:'?ve| have) been(?: an?)?)\s+(?:(?:an?|now|strictly|strict|fully|mostly|mainly|only|also|a lifelong|back to being|still)\s+)*{_DIET}\b(?!\s+(?:food|friend|guy|girl|restaurant|option|wife|husband)s?\b)"
)
_NOT_DIET = rule(
    rf"(?:{I_AM}\s+(?:not|no longer|not really)|i stopped being|i quit being|i gave up (?:on )?being|i used to be)\s+(?:an?\s+)?(?:strictly\s+)?{_DIET}\b"
)
_EVERYTHING = rule(
    r"i\s+(?:can |do )?(?:now )?eat\s+(?:pretty much |basically )?(?:everything|anything)\b"
)
_MEAT_AGAIN = rule(
    rf"i(?:'?m| am)?\s+(?:eat|eating|started eating)\s+(?:meat|fish)\s+again\b|{I_AM}\s+back to eating meat"
)
_AVOID = rule(
    r"i\s+(?:try to\s+|always\s+|have to\s+)?avoid\s+(?:eating\s+|drinking\s+)?|i\s+(?:really\s+)?(?:don'?t|dont|do not|never|can'?t|cannot|cant)\s+(?:eat|drink|use|have)\s+(?=[\w])|i(?:'?m| am) off\s+(?=(?:meat|dairy|alcohol|sugar|gluten|caffeine|carbs)\b)"
)
_AGAIN = rule(
    r"i(?:'?m| am| can| do)?\s+(?:eat|eating|drink|drinking)\s+(?P<what>[\w ]+?)\s+again\b"
)
_MEDICAL = rule(
    r"(?:i have|i hav|i'?ve(?: got)?|i got|i suffer from|i live with|i was (?:just )?diagnosed with|i'?ve been diagnosed with|i'?m)\s+(?:(?:an?|mild|severe|chronic|bad)\s+)*(?P<what>(?:type \d |(?:high|low) )?[\w'-]+(?:\s+(?:disease|pressure|type \d))?)"
)
_TAKE = rule(
    r"i\s+take\s+(?P<what>[\w-]+)\s+(?:for my|daily|every (?:day|morning|night|evening))\b"
)
_MODAL_HAVE = re.compile(r"\b(?:have|use)\s+$", re.IGNORECASE)


def read(clause: Clause) -> Iterator[Found]:
    """Yield what must be respected when the speaker is served."""
    yield from _allergies(clause.text)
    yield from _diets(clause)
    yield from _health(clause)


def _allergies(text: str) -> Iterator[Found]:
    if match := _NOT_ALLERGIC.match(text):
        for value in nouns(text, match.end()):
            yield Found("allergy", value, retracts=True)
    elif match := _ALLERGIC.match(text):
        for value in nouns(text, match.end()):
            if value.split()[-1].casefold() not in FIGURATIVE:
                yield Found("allergy", value)
    elif match := _X_ALLERGY.match(text):
        value = match["what"] or match["intolerant"]
        if (
            value.split()[-1].casefold()
            not in {"food", "severe", "an", "a", "no", "skin"} | FIGURATIVE
        ):
            yield Found("allergy", value)


def _diets(clause: Clause) -> Iterator[Found]:
    text = clause.own
    if match := _NOT_DIET.match(text):
        yield Found("diet", match["diet"], retracts=True)
    elif match := _IS_DIET.match(text):
        loose = re.search(r"\b(?:mostly|mainly)\b", match.group(), re.IGNORECASE)
        ended = re.search(r"\b(?:until|till|for a (?:while|year))\b", text, re.IGNORECASE)
        if not ended:
            yield Found("diet", match["diet"], LOOSE if loose else STATED)
    elif _EVERYTHING.match(text) and not re.search(r"\b(?:but|except|apart)\b", clause.text):
        yield Found("diet", "eats everything", IMPLIED if clause.is_sarcastic else STATED)
    if _MEAT_AGAIN.match(text):
        for diet in ("vegan", "vegetarian", "pescatarian"):
            yield Found("diet", diet, retracts=True)
    if match := _AGAIN.match(text):
        yield Found("avoid", match["what"], retracts=True)
    elif match := _AVOID.match(clause.text):
        edible = not _MODAL_HAVE.search(match.group())
        if edible and not re.search(r"\b(?:at home|today|yet|now|tonight|this)\b", text):
            for value in nouns(clause.text, match.end(), 3):
                yield Found("avoid", value)


def _health(clause: Clause) -> Iterator[Found]:
    text = clause.own
    if match := _MEDICAL.match(text):
        value = match["what"]
        diagnosed = "diagnosed" in match.group().casefold()
        known = (
            value.split()[-1].casefold() in CONDITIONS or value.split()[0].casefold() in CONDITIONS
        )
        pressure = value.casefold().endswith("blood pressure")
        if known or pressure or (diagnosed and noun(text, match.start("what"), 3)):
            yield Found("medical", value if known else noun(text, match.start("what"), 3))
        elif re.match(r"(?:high|low) blood", value, re.IGNORECASE):
            yield Found("medical", noun(text, match.start("what"), 3))
    elif match := _TAKE.match(text):
        yield Found("medical", match["what"])
