"""Which facts a question asks for: cue words to the keys of the vocabulary (SPEC L2). Pure.

The patterns see a normalised line (lower case, no apostrophes or punctuation). They ask for the
first person: a question about somebody else names no key here and is left to the passages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from memory.recall.questions import ABOUT_ASKER
from memory.text.words import content_stems, normalise, stem

EVERYTHING = "*"
FAVORITE = "favorite:"

_FOOD_KEYS = "allergy diet avoid medical"
_ON_FOOD: Final = re.compile(
    r"c(?:o?e|é)l[ií]a[ck]|z[öo]liakie|celiaqu|целиак|diabet|диабет|intoleran|непереносим|reflux|gastri"
    r"|гастрит|ulcer|geschwür|gout|gicht|gota\b|подагр|crohn|colitis|\bibs\b|irritable bowel|reizdarm"
    r"|kidney|niere|renal|liver|leber|pregnan|schwanger|embaraz|gr[aá]vid|беремен|cholesterol|histamin"
    r"|fru[ck]t|la[ck]t|pku|phenylketon"
)
"""Illnesses that bear on what somebody eats; a torn ligament does not."""
_ME = r"(?:i|me|my)"
_DIETS = r"(?:vegan|vegetarian|veggie|pescatarian|kosher|halal|gluten free|lactose free|keto)"
_CUES: Final[tuple[tuple[str, str], ...]] = (
    (
        r"\bwho (?:am i|i am)\b(?! (?:dating|seeing|with|going|married|engaged|living)\b)|wer bin ich|qui[eé]n soy|qui suis je|quem sou eu|кто я",
        "name preferred_name occupation home",
    ),
    (
        r"\bmy (?:(?:full|first|last|real|own|complete) )?(?:name|surname|nickname)\b"
        r"|\b(?:am i called|call me|address me|wie hei(?:ß|ss)e ich|mein name|c[oó]mo me llamo"
        r"|mi nombre|je m ?appelle|mon nom|me chamo|meu nome|меня зовут|мое имя|мо[её] имя)\b",
        "name preferred_name",
    ),
    (
        r"\b(?:where|do|did) (?:do |did |am |is )?i (?:\w+ )?(?:live|living|based|located|reside|residing|stay)\b"
        r"|\bwhere i (?:live|am based|stay)\b|\bhome for me\b"
        r"|\b(?:which|what) (?:city|town|country|place|village|neighbou?rhood|area|state|street)"
        r" (?:do|am) i (?!from|come)|\bmy (?:home|city|town|address|residence|home city|place of residence)\b"
        r"|wo (?:wohne|lebe) ich|d[oó]nde vivo|où (?:est ce que )?j ?habite|où habite je|où je vis|onde (?:eu )?moro"
        r"|где я живу",
        "home",
    ),
    (
        r"\b(?:am i|i am|do i come|i come|im) (?:originally )?from\b|\bwas i born(?! on)\b|\bdid i grow up\b"
        r"|\bmy (?:origins?|home ?town|birthplace|place of birth|home country)\b"
        r"|woher komme ich|de d[oó]nde soy|d ?où je viens|de onde (?:eu )?sou|откуда я",
        "origin",
    ),
    (
        r"\bwho (?:am i|do i|i am) (?:\w+ )?(?:dating|date|seeing|with|married|engaged)\b"
        r"|\bmy (?:other|better) half\b|\bmy significant other\b",
        "partner spouse",
    ),
    (r"\bmy (?:nationality|citizenship)\b", "nationality"),
    (
        r"\bwhat (?:do|did) i do(?: (?:for (?:a living|work|money)|professionally|all day))?$"
        r"|\bwhat i do for (?:a living|work)\b"
        r"|\bmy (?:job|occupation|profession|career|line of work|trade|job title)\b"
        r"|\b(?:do|am) i work(?:ing)? as\b|\bi (?:earn|make) (?:my|a) living\b"
        r"|mein(?:en)? (?:beruf|job)|mi (?:trabajo|profesi[oó]n)|mon (?:travail|m[eé]tier)"
        r"|(?:meu trabalho|minha profiss[aã]o)|моя (?:работа|профессия)",
        "occupation employer",
    ),
    (
        r"\bwhere (?:do|did|am) i (?:\w+ )?(?:work|working|employed)\b|\bwhere i work\b"
        r"|\b(?:who|which company|what company|which firm) (?:do|am) i (?:work|working|employed)\b"
        r"|\b(?:who employs|employs) me\b|\bmy (?:employer|company|firm|workplace)\b|wo arbeite ich|d[oó]nde trabajo"
        r"|où je travaille|onde (?:eu )?trabalho|где я работаю",
        "employer",
    ),
    (
        r"\bmy (?:school|uni|university|college|degree)\b|\bdid i (?:study|graduate)\b"
        r"|\b(?:which|what) (?:school|uni|university|college) (?:do|did|am|was) i\b"
        r"|\bwhere (?:do|did|am) i (?:study|studying|go to)\b",
        "school",
    ),
    (
        rf"\b{_ME}\b.{{0,40}}\b(?:allerg\w*|intoleran\w*)|\ballerg\w*.{{0,30}}\b{_ME}\b"
        r"|welche allergien|qu[eé] alergias|quelles allergies|allergisch|al[eé]rgic[oa]|allergique|аллерги",
        "allergy",
    ),
    (
        rf"\b(?:must|should|shall|can|cant|cannot|could|may|allowed|able|shouldnt|mustnt|dont|not|never"
        rf"|safe|avoid)\b.{{0,40}}\b(?:eat|eating|drink|drinking|consume|cook|serve|order)\b"
        rf"|\b(?:do|should|must|shall) i (?:\w+ )?avoid\b|\bi (?:should|must|need to|have to) avoid\b"
        rf"|\beater am i\b|\bmy (?:diet|dietary|food|eating)\b|\bdiet(?:ary)?\b.{{0,30}}\b{_ME}\b|\bdo i (?:eat|drink)\b"
        rf"|\b(?:am i|do i eat) (?:\w+ )?{_DIETS}\b|was darf ich|qu[eé] (?:no )?puedo comer"
        rf"|que puis je manger|o que (?:n[aã]o )?posso comer|что мне нельзя",
        _FOOD_KEYS,
    ),
    (
        rf"\b(?:health|medical) (?:issues?|problems?)\b|\bmy (?:medical|health|medications?|medicines?|illness|conditions?)\b"
        rf"|\b(?:medications?|medicines?|medical conditions?|illness)\b.{{0,20}}\b{_ME}\b"
        r"|\bi have .{0,12}(?:medical|health)|\b(?:condition|illness|disease)s? (?:do|did) i\b",
        "medical",
    ),
    (
        r"\b(?:do|did) i (?!not )(?:\w+ )?(?:like|love|enjoy|prefer)\b|\bthings i (?:like|love|enjoy)\b"
        r"|\b(?:hobby|hobbies|interests|sports?) (?:do|did) i\b|\bin my (?:free|spare) ?time\b|\bmy (?:likes|hobby|hobbies|interests|tastes?)\b|\bam i into\b|was mag ich(?!.* nicht)|qu[eé] me gusta"
        r"|qu ?est ce que j ?aime|что я люблю",
        "like favorite:",
    ),
    (
        r"\bi (?:\w+ )?(?:dislike|hate)\b|\b(?:cant i|i cant|cannot i|i cannot) (?:stand|bear)\b|\b(?:dont i|i dont|i not|do i not) (?:\w+ )?(?:like|enjoy)\b"
        r"|\bmy dislikes\b|was mag ich .{0,12}nicht|qu[eé] no me gusta|что я не люблю",
        "dislike",
    ),
    (r"\bmy preferences\b", "like dislike favorite: reply_style reply_language"),
    (
        r"\bhow old (?:am|was) i\b|\bmy age\b|\bwhat age am i\b|wie alt bin ich|cu[aá]ntos a[nñ]os tengo"
        r"|quel [aâ]ge ai je|quantos anos (?:eu )?tenho|сколько мне лет",
        "age birthday",
    ),
    (
        r"\bwhen (?:do|will) i turn\b|\bmy (?:birthday|birth ?date|date of birth|bday)\b|\bwhen was i born\b|\byear was i born\b"
        r"|mein geburtstag|mi cumplea[nñ]os|mon anniversaire|meu anivers[aá]rio|мой день рождения",
        "birthday",
    ),
    (
        r"\blanguages?\b.{0,12}\b(?:do|can|did) i\b|\bdo i speak\b"
        r"|\bmy (?:\w+ )?(?:languages?|mother tongue)\b|welche sprachen",
        "language",
    ),
    (
        r"\b(?:language|how) (?:should|do|must) you (?:answer|reply|write|talk)",
        "reply_language reply_style",
    ),
    (
        r"\bam i (?:\w+ )?(?:married|single|divorced|engaged|widowed)\b|\bmy (?:marital|relationship) status\b",
        "marital_status spouse partner",
    ),
    (r"\bmy pronouns\b", "pronouns"),
    (r"\bmy time ?zone\b|\btime ?zone am i\b", "timezone"),
    (r"\bmy e ?mail\b|\b(?:e ?)?mail address\b|\be ?mail me\b", "email"),
    (r"\bmy (?:phone|mobile|telephone|cell)\b|\bmy number\b", "phone"),
    (r"\bmy budget\b|\bcan i (?:spend|afford)\b", "budget"),
    (r"\bmy availability\b|\bam i (?:\w+ )?(?:free|available)\b", "availability"),
    (
        r"\b(?:what|which) (?:rules|instructions)\b.{0,30}\b(?:i|you|me)\b|\bmy (?:rules|instructions)\b",
        "standing",
    ),
    (ABOUT_ASKER, EVERYTHING),
    (
        r"was wei(?:ß|ss)t du (?:alles )?(?:über mich|von mir)|qu[eé] sabes (?:de|sobre) m[ií]\b"
        r"|o que (?:você )?sabes? (?:de|sobre) mim|что ты (?:обо мне знаешь|знаешь обо мне)",
        EVERYTHING,
    ),
)
_PATTERNS: Final = tuple((re.compile(pattern), keys.split()) for pattern, keys in _CUES)

# Relations: the nouns that name each, by key. The first words are the general ones.
_RELATIONS: Final[tuple[tuple[str, str, str], ...]] = (
    ("pet", "pet animal", "dog puppy cat kitten rabbit hamster parrot bird horse fish tortoise"),
    ("spouse partner", "spouse", "wife husband"),
    ("partner spouse", "partner", "girlfriend boyfriend fiance fiancee fiancée"),
    ("child", "child children kid", "son daughter baby"),
    ("sibling", "sibling", "brother sister"),
    ("parent", "parent", "mother father mom mum dad"),
    ("friend", "friend mate buddy bestie pal", ""),
    ("possession", "possession", "car bike bicycle boat house motorbike motorcycle guitar piano"),
    ("child parent sibling spouse partner", "family relative", ""),
)
# People of whom no kind of fact tells who they are: a mother is no answer for a grandmother.
_FURTHER: Final = tuple(
    frozenset(stem(word) for word in nouns.split())
    for nouns in (
        "grandmother grandma granny nan nana gran",
        "grandfather grandpa grandad granddad gramps",
        "grandparents grandparent",
        "aunt auntie",
        "uncle",
        "cousin cousins",
        "niece nieces",
        "nephew nephews",
        "boss manager",
        "colleague colleagues coworker",
        "neighbour neighbor neighbours neighbors",
        "landlord landlady",
        "teacher",
        "therapist",
    )
)
_PLAIN: Final = {
    stem(word): stem(plain)
    for plain, words in (
        ("mother", "mom mum mama mommy mummy"),
        ("father", "dad papa daddy"),
        ("dog", "puppy pup doggo doggy"),
        ("cat", "kitten kitty"),
        ("bike", "bicycle"),
        ("motorbike", "motorcycle"),
    )
    for word in words.split()
}
_ASKS_WHO: Final = re.compile(
    r"^(?:whos?|which|what)\b.{0,20}\b(?:my|i)\b|\b(?:names?|named|called)\b|\bhow many\b|\bwho my\b"
    r"|\b(?:do|did) i (?:still )?(?:have|own|keep)\b|\b(?:tell|remind|show) me\b|\bhave i got\b"
    r"|^(?:please )?(?:list|name) (?:all )?my\b"
)
# "What did my sister buy": an act of theirs, no question of who they are.
_ASKS_ACT: Final = re.compile(r"\b(?:does|did|do|will|would|has|was|were) (?:my|the|our)\b")
_FAVORITE_ASKED: Final = re.compile(r"\bfav(?:ou?rite)?s?\b(?: (?:kind|type|sort) of)? ?(.{0,40})")
_FAVORITE_STEMS: Final = ("favo", "fav", "любим", "predilet", "preferid")
_ANY_FAVORITE: Final = content_stems("thing things what which my is are again please one ones")
_LIKED_BEST: Final = re.compile(
    r"\b(?:which|what) (\w+(?: \w+)?) do i (?:\w+ )?(?:like|love|prefer) (?:the )?(?:best|most)"
)
_KIND_LIKED: Final = re.compile(
    r"\b(?:what|which) (?:kinds?|types?|sorts?) of (\w+) do i (?:like|love|enjoy|prefer)\b"
)
# What is past or was replaced is no active fact: the passages may tell.
_PAST: Final = re.compile(
    r"\b(?:before|earlier|(?:did|have) i ever|used? to|previous(?:ly)?|former(?:ly)?|my old|my ex"
    r"|sell|sold|g[ai]ven? (?:away|back)|g[eo]t rid of|thr[eo]w (?:out|away))\b"
)
_CHECKS_TASTE: Final = re.compile(
    r"^(?!what\b)(?:\w+ ){0,2}(?:do|did|dont) i (?:\w+ )?(?:like|love|enjoy|prefer|hate|dislike)"
    r" (?!to do\b)\w"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for.

    `keys` in the order of the answer (`favorite:` any favorite, `*` every fact). `nouns` are the
    stems that narrow them (`brother` of the siblings) and `rivals` those that rule a fact out
    (`sister`). `must_match`: only facts whose value holds a content word of the question;
    `narrows`: those, where there are any. `recap`: the chance that it asks what was talked about.
    """

    keys: tuple[str, ...] = ()
    nouns: frozenset[str] = frozenset()
    rivals: frozenset[str] = frozenset()
    must_match: bool = False
    narrows: bool = False
    recap: float = 0.0


def asks_past(line: str) -> bool:
    """Tell whether a normalised line asks for what was before: no active fact is that."""
    return bool(_PAST.search(line))


def asked_for(question: str) -> Asked:
    """Return what one question asks for; no keys when it is about no known kind of fact."""
    return asked_in_line(normalise(question))


def asked_in_line(line: str, *, relations: bool = True) -> Asked:
    """Return what a normalised line asks for; `relations`: of relatives and things, too."""
    if _PAST.search(line):
        return Asked()
    if kind := _KIND_LIKED.search(line):
        return Asked(("like", FAVORITE + kind.group(1)))
    if favorite := _favorite(line):
        return Asked((favorite,))
    if relations and (relation := _relation(line)):
        return relation
    keys = [key for pattern, found in _PATTERNS if pattern.search(line) for key in found]
    must_match = bool(_CHECKS_TASTE.match(line))
    if must_match:
        keys += [key for key in ("like", "dislike", FAVORITE) if key not in keys]
    return Asked(tuple(dict.fromkeys(keys)), must_match=must_match)


def relatives_named(question: str) -> frozenset[str]:
    """Return the stems of which a text must hold one to be about whom the question names.

    "Where do my parents live" wants a parent, a mother, ...; empty when it names no relation.
    """
    line = normalise(question)
    for _, general, special in _RELATIONS:
        nouns = {stem(word) for word in special.split()}
        for named in re.findall(r"\bmy (?:\w+ )?(\w+)", line) + re.findall(r"\bmy (\w+)", line):
            if stem(named) in {stem(word) for word in general.split()}:
                return frozenset(nouns | {stem(named)})
            if stem(named) in nouns:
                return frozenset({stem(named)})
    return further_named(question)


def further_named(question: str) -> frozenset[str]:
    """Return the stems for a relative or another person of the asker's whom no fact is about."""
    line = normalise(question)
    named = set(re.findall(r"\bmy (?:\w+ )?(\w+)", line) + re.findall(r"\bmy (\w+)", line))
    stems = {stem(word) for word in named}
    return next((nouns for nouns in _FURTHER if stems & nouns), frozenset())


def favorite_nouns(key: str) -> frozenset[str]:
    """Return the stems of a favorite's noun, with one spelling for `colour` and `film`."""
    return frozenset(_one_spelling(word) for word in key.removeprefix(FAVORITE).split())


def favorite_asked(question: str, line: str) -> frozenset[str]:
    """Return the stems of which one names the favorite that is asked for; none where none is.

    `line` is the question in English. "What's my favourite film?" is answered by no band.
    """
    key = _favorite(line)
    if not key:
        return frozenset()
    words = content_stems(f"{question} {line}") - _ANY_FAVORITE
    own = {word for word in words if not word.startswith(_FAVORITE_STEMS)}
    return favorite_nouns(key) | own if own else frozenset()


def _one_spelling(word: str) -> str:
    same = {"colour": "color", "colours": "color", "film": "movie", "films": "movie"}
    return stem(same.get(word, word))


def _favorite(line: str) -> str:
    if found := _LIKED_BEST.search(line):
        return FAVORITE + found.group(1)
    found = _FAVORITE_ASKED.search(line)
    if not found or not re.search(r"\b(?:my|i|me)\b|^fav", line):
        return ""
    drop = {"thing", "things", "again", "is", "are", "do", "i", "have", "please", "in", "the", "my"}
    noun = [word for word in found.group(1).split() if word not in drop]
    return FAVORITE + " ".join(noun[:3])


def _relation(line: str) -> Asked | None:
    if not re.search(r"\b(?:my|i)\b", line) or not _ASKS_WHO.search(line) or _ASKS_ACT.search(line):
        return None
    return relation_of(line.split())


def relation_of(words: Iterable[str]) -> Asked | None:
    """Return what is asked for where words name a relative, a pet or a thing; the first there is."""
    named_here = {plain_stem(word) for word in words}
    for keys, general, special in _RELATIONS:
        nouns = {plain_stem(word) for word in special.split()}
        if named_here & {stem(word) for word in general.split()}:
            return Asked(tuple(keys.split()))
        if named := named_here & nouns:
            return Asked(tuple(keys.split()), frozenset(named), frozenset(nouns - named))
    return None


def bears_on(keys: Iterable[str], key: str, value: str) -> bool:
    """Tell whether a fact belongs to an answer: of illnesses those that bear on food, if on that."""
    is_of_food = {"diet", "medical"} <= set(keys)
    return key != "medical" or not is_of_food or bool(_ON_FOOD.search(value.casefold()))


def nouns_of(keys: Iterable[str]) -> frozenset[str]:
    """Return the stems of the nouns for the relatives and pets of some keys."""
    asked = set(keys)
    told = [
        f"{general} {special}" for of, general, special in _RELATIONS if asked & set(of.split())
    ]
    return frozenset(plain_stem(word) for nouns in told for word in nouns.split())


def plain_stem(word: str) -> str:
    """Return the stem of a word, of one that families use the plain one's: `mum` is `mother`."""
    return _PLAIN.get(stemmed := stem(word), stemmed)
