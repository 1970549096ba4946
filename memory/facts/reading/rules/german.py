"""First-person statements in German."""

from __future__ import annotations

from collections.abc import Iterator

from memory.facts.reading.rules.clauses import Clause
from memory.facts.reading.rules.found import Found, rule
from memory.facts.reading.rules.lists import ListRule, listed
from memory.facts.reading.rules.phrases import noun

_ICH = r"(?:ich\s+)"
_WHEN = (
    r"(?:jetzt|gerade|eben|kürzlich|neulich|gestern|heute|inzwischen|endlich|schon|wieder|dann|auch"
    r"|(?:im jahr )?\d{4}|im \w+|vor \w+ (?:tag|woche|monat|jahr)e?n?"
    r"|(?:letzt|vorig|dies)e[nsmr]? \w+)\s+"
)
_MOVED = rf"(?:ich bin|wir sind)\s+(?:{_WHEN}){{0,2}}"
_SINGLE = {
    "name": rule(rf"{_ICH}hei(?:ß|ss)e\s+|mein name ist\s+"),
    "preferred_name": rule(r"(?:nenn|nennt|nennen sie) mich\s+(?:einfach\s+)?"),
    "home": rule(
        rf"{_ICH}?(?:wohne|wohn|lebe)\s+(?:jetzt\s+|gerade\s+|seit \w+ (?:jahren?\s+)?)?in\s+|"
        rf"{_MOVED}nach\s+(?!hause\b)(?=[^,;.!?]{{2,30}}?\s(?:um)?gezogen\b)"
    ),
    "origin": rule(rf"{_ICH}komme (?:ursprünglich )?aus\s+"),
    "employer": rule(rf"{_ICH}?arbeite\s+(?:jetzt\s+)?bei\s+(?:der\s+|dem\s+)?"),
    "occupation": rule(rf"{_ICH}?arbeite\s+als\s+"),
    "age": rule(r"ich bin\s+(?=\d{2}(?:\s+jahre|\s*$|,))"),
    "possession": rule(rf"{_ICH}fahre?\s+ein(?:en?|e)?\s+"),
    "parent": rule(r"(?:mein vater|meine mutter) hei(?:ß|ss)t\s+"),
    "child": rule(r"(?:mein sohn|meine tochter) hei(?:ß|ss)t\s+"),
    "sibling": rule(r"(?:mein bruder|meine schwester) hei(?:ß|ss)t\s+"),
    "spouse": rule(r"(?:mein mann|meine frau) hei(?:ß|ss)t\s+"),
}
_BEHIND = rule(r"(?:^|\s+)(?:(?:um)?gezogen|jahre alt)\b.*")
_DIET = r"(?P<diet>vegan(?:er(?:in)?)?|vegetarisch|vegetarier(?:in)?|pescetarier(?:in)?)\b"
_IS_DIET = rule(rf"ich (?:bin|esse)\s+(?:jetzt\s+)?{_DIET}")
_NOT_DIET = rule(rf"ich bin\s+(?:kein(?:e)?|nicht(?: mehr)?)\s+{_DIET}")
_HOW = r"(?:(?:sehr|stark|total|voll|echt|wirklich|besonders|auch|ja|doch|einfach|gern|gerne)\s+)*"
_ALLERGIC = rule(rf"ich bin\s+{_HOW}allergisch gegen\s+|ich habe? eine\s+(?=\w+allergie)")
_NOT_ALLERGIC = rule(r"ich bin\s+(?:gar\s+)?nicht(?: mehr)?\s+allergisch gegen\s+")
_LIKE = rule(rf"ich (?:mag|liebe)\s+{_HOW}(?!kein|nicht|es|das|dich)")
_DISLIKE = rule(rf"ich (?:mag\s+{_HOW}(?:gar\s+)?kein(?:e[nr]?)?|hasse)\s+")
_NOT_LIKE = rule(rf"ich (?:mag|liebe)\s+{_HOW}(?=[^,;.!?]*\bnicht\b)")
_LISTS = (
    ListRule("allergy", _NOT_ALLERGIC, retracts=True),
    ListRule("allergy", _ALLERGIC),
    ListRule("dislike", _DISLIKE),
    ListRule("like", _NOT_LIKE, retracts=True),
    ListRule("like", _LIKE),
)
_SOLD = rule(
    r"(?:ich\s+)?hab(?:e)?\s+(?:den|die|das|mein(?:en|e)?)\s+(?P<what>[\w -]{2,25}?)\s+verkauft\b"
)
_LEFT = rule(r"ich (?:arbeite nicht mehr bei|habe gekündigt bei)\s+(?:der\s+|dem\s+)?")


def read(clause: Clause) -> Iterator[Found]:
    """Yield what a German clause states about the speaker."""
    text = clause.own
    for key, pattern in _SINGLE.items():
        if match := pattern.match(text):
            value = _BEHIND.sub("", noun(text, match.end(), 4))
            if value:
                yield Found(key, value)
    if match := _NOT_DIET.match(text):
        yield Found("diet", match["diet"], retracts=True)
    elif match := _IS_DIET.match(text):
        yield Found("diet", match["diet"])
    if match := _SOLD.match(text):
        yield Found("possession", match["what"], retracts=True)
    if match := _LEFT.match(text):
        yield Found("employer", noun(text, match.end()), retracts=True)
    yield from listed(clause, _LISTS)
