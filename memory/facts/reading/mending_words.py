"""Words by which somebody corrects what they just said, in five languages, and what they are not.

What only denies, or only excuses, corrects nothing by itself: see `mending`.
"""

from __future__ import annotations

import re
from typing import Final

_MEANS: Final = (
    r"i mean|i meant(?: to say)?|correction|autocorrect|typo|scratch that|make that|or rather"
    r"|ich meine|ich meinte|korrektur|tippfehler|vertippt|verschrieben|besser gesagt|vielmehr"
    r"|digo|quise decir|quería decir|corrección|mejor dicho|quis dizer|queria dizer|quer dizer"
    r"|correção|ou melhor|вернее|точнее|то есть|я имел в виду|я имела в виду|поправка|опечатка"
)
_EXCUSES: Final = (
    r"sorry|entschuldigung|entschuldige|verzeihung|pardon|perdón|perdona|disculpa|desculpa|desculpe"
    r"|perdão|извини|извините|прости|простите"
)
_MENDS: Final = (
    r"oops|whoops|actually|wait|wrong|my bad|my mistake|that'?s (?:wrong|not right)|i misspoke"
    r"|quatsch|blödsinn|falsch|moment|das stimmt nicht|stimmt nicht|ups|eigentlich|me equivoqué"
    r"|en realidad|mentira|espera|na verdade|aliás|errei|me enganei|enganei-me|ops|ошибся|ошиблась"
    r"|ошибка|на самом деле|погоди|стоп|неправильно|неверно"
)
_DENIES: Final = r"no|nope|nah|nein|nee|não|нет"
_FILLS: Final = r"oh|ah|ach|ay|ai|well|uh|um|hm+|hey|ну|ой|ах|ох|а|и|y|and|und|natürlich|doch"
LEAD: Final = re.compile(
    rf"(?:(?P<means>{_MEANS})|(?P<mends>{_MENDS})|(?P<excuses>{_EXCUSES})|(?P<denies>{_DENIES})|(?:{_FILLS}))(?!\w)"
    r"[\s,.!…:;–—-]*",
    re.IGNORECASE,
)
# What stands for the thing that was named: "his name is", "se llama", "его зовут".
IT_IS: Final = r"it'?s|it is|it was|it should be|that'?s|es ist|das ist|es war|war|es|era|son|é|это"
_NAMED: Final = (
    r"(?:his|her|its|their)(?: (?:real|right|correct))? name(?:'s| is)|(?:he|she|it)(?:'s| is)"
    r" called|(?:er|sie|es) heißt|heißt|(?:sein|ihr) name ist|(?:él |ella )?se llama|su nombre es"
    r"|(?:ele |ela )?se chama|chama-se|o nome (?:dele|dela) é|(?:его|её|ее) зовут|зовут"
)
# "My sister's name is" names whom the line was about.
_NAMED_KIN: Final = (
    r"(?:my|our) (?P<en>\w+)(?:['’]s (?:real |right )?name(?:['’]s| is)| is called)"
    r"|(?:mein|unser)\w* (?P<de>\w+) heißt|(?:mi|nuestr[oa]) (?P<es>\w+) se llama"
    r"|(?:[oa] )?(?:minha|meu|noss[oa]) (?P<pt>\w+) (?:se chama|chama-se)"
    r"|(?:мо(?:ю|его|я|й)|наш\w*) (?P<ru>\w+) зовут"
)
FRAME: Final = re.compile(rf"(?:(?P<named>{_NAMED}|{_NAMED_KIN})|{IT_IS})(?!\w)\s*", re.IGNORECASE)
NOT: Final = (
    r"(?:and |und |y |e |а )?(?:not|nicht|kein(?:e|en)?|no|não|не)|instead of|statt|rather than"
)
BUT: Final = re.compile(r"(?:but|sondern|sino|mas sim|e sim|а)(?!\w)\s*", re.IGNORECASE)
# What tells of a change, of one more, or of another one: then the old value was right.
ELSE: Final = re.compile(
    r"(?<!\w)(?:now|any ?more|any longer|only|also|too|another|other|second|jetzt|mehr|nur|auch"
    r"|noch|andere[rsn]?|zweite[rsn]?|inzwischen|ahora|ya|más|sólo|solo|también|otr[oa]|agora|já|mais|só"
    r"|também|outr[oa]|теперь|больше|только|тоже|также|ещё|еще|другой|другая|used to|früher|antes"
    r"|раньше)(?!\w)",
    re.IGNORECASE,
)
OWN_WORDS: Final = re.compile(
    rf"(?:{_MEANS}|{_MENDS}|{_EXCUSES}|my|our|i|i'm|mein|meine|mi|minha|meu|{_FILLS})(?!\w)",
    re.IGNORECASE,
)
NEGATED: Final = re.compile(rf"(?<!\w)(?:{NOT})(?!\w)", re.IGNORECASE)


NO_VALUE: Final = frozenset(
    """thanks thank thx ok okay fine good great sure nothing never none problem worries later
    tomorrow today yesterday tonight soon maybe really danke bitte gut alles klar morgen heute
    gestern später gleich nichts niemand nie kein keine wirklich vielleicht gracias nada nunca
    luego mañana hoy ayer después bien vale claro quizás obrigado obrigada amanhã hoje ontem
    depois logo bem talvez eile urlaub stress monday tuesday wednesday thursday friday
    saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag lunes martes
    miércoles jueves viernes sábado domingo segunda terça quarta quinta sexta понедельник
    вторник среда четверг пятница суббота воскресенье отпуске спасибо ничего никогда потом
    позже завтра сегодня вчера хорошо ладно может пожалуйста все всё""".split()
)
"""What answers, excuses or tells a day, and is no value whatever the line before was."""

PARTICLES: Final = frozenset("de la las los el del da do dos das di du van von der den".split())

# Who is spoken of by "her name is" is no brother.
_HE: Final = frozenset("his he er sein él ele dele его".split())
_SHE: Final = frozenset("her she sie ihr ella ela dela её ее".split())
_MALE: Final = frozenset(
    """brother son father dad husband boyfriend bruder sohn vater papa mann freund hermano hijo
    padre marido novio irmão filho pai namorado брат брата сын сына отец отца муж мужа""".split()
)
_FEMALE: Final = frozenset(
    """sister daughter mother mum mom wife girlfriend schwester tochter mutter mama frau freundin
    hermana hija madre esposa novia irmã filha mãe namorada сестра сестру дочь мать жена
    жену""".split()
)
_WORDS: Final = re.compile(r"[^\W\d_]+")
_LANGUAGES: Final = ("en", "de", "es", "pt", "ru")


def may_mean(frame: re.Match[str], line: str) -> bool:
    """Tell whether the pronoun, or the noun, of a frame may stand for whom a line names."""
    said, named = (set(_WORDS.findall(text.lower())) for text in (frame.group(), line))
    nouns = {frame[name].lower() for name in _LANGUAGES if frame[name]}
    if nouns:
        return bool(nouns & named)
    return not ((said & _HE and named & _FEMALE) or (said & _SHE and named & _MALE))
