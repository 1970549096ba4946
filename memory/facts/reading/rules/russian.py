"""First-person statements in Russian. Values stay in the case in which they were typed."""

from __future__ import annotations

from collections.abc import Iterator

from memory.facts.reading.rules.clauses import Clause
from memory.facts.reading.rules.found import Found, rule
from memory.facts.reading.rules.lists import ListRule, listed
from memory.facts.reading.rules.phrases import noun

_SINGLE = {
    "name": rule(r"меня зовут\s+|мо[её] имя\s+"),
    "home": rule(
        r"(?:я\s+)?(?:живу|проживаю)\s+(?:сейчас\s+|теперь\s+)?в(?:о)?\s+|(?:я\s+|мы\s+)?переехал[аи]?\s+в(?:о)?\s+"
    ),
    "origin": rule(r"я\s+(?:родом\s+)?из\s+"),
    "employer": rule(r"(?:я\s+)?работаю\s+(?:\w+(?:ом|ем|ой|ей)\s+)?(?:в|на)\s+"),
    "occupation": rule(r"(?:я\s+)?работаю\s+(?=\w+(?:ом|ем|ой|ей)\b)"),
    "age": rule(r"мне\s+(?=\d{2}(?:\s+(?:лет|год)|\s*$))"),
}
_DIET = r"(?P<diet>веган(?:ка)?|вегетариан(?:ец|ка))\b"
_IS_DIET = rule(rf"я\s+(?:теперь\s+)?{_DIET}")
_NOT_DIET = rule(rf"я\s+(?:больше\s+не|уже\s+не|не)\s+{_DIET}")
_ALLERGY = rule(r"у меня\s+(?:сильная\s+)?аллергия\s+на\s+")
_LIKE = rule(r"(?:я\s+)?(?:очень\s+)?(?:люблю|обожаю)\s+")
_DISLIKE = rule(r"(?:я\s+)?(?:очень\s+)?(?:не\s+(?:люблю|переношу)|ненавижу)\s+")
_NO_ALLERGY = rule(r"у меня\s+(?:(?:больше|уже)\s+)?нет\s+аллергии\s+на\s+")
_NO_MORE = rule(r"(?:я\s+)?(?:больше|уже)\s+не\s+люблю\s+")
_LISTS = (
    ListRule("allergy", _NO_ALLERGY, retracts=True),
    ListRule("allergy", _ALLERGY),
    ListRule("like", _NO_MORE, retracts=True),
    ListRule("dislike", _DISLIKE),
    ListRule("like", _LIKE),
)
_SIBLING = rule(
    r"у моей (?P<who>сестры)\b|у моего (?P<he>брата)\b|моя (?P<she>сестра)\b|мой (?P<bro>брат)\b"
)


def read(clause: Clause) -> Iterator[Found]:
    """Yield what a Russian clause states about the speaker."""
    text = clause.own
    for key, pattern in _SINGLE.items():
        if match := pattern.match(text):
            limit = 1 if key in {"age", "occupation"} else 3
            value = noun(text, match.end(), 3).split(" месяц")[0].split(" год")[0]
            words = value.split()[:limit] if limit == 1 else value.split()
            if words and words[0].casefold() not in {"центре", "офисе", "доме", "дома", "квартире"}:
                yield Found(key, " ".join(words))
    if match := _NOT_DIET.match(text):
        yield Found("diet", match["diet"], retracts=True)
    elif match := _IS_DIET.match(text):
        yield Found("diet", match["diet"])
    if match := _SIBLING.match(text):
        yield Found("sibling", next(filter(None, match.groups())), 0.6)
    yield from listed(clause, _LISTS)
