"""The words that tell a time in English, German, Spanish, Portuguese and Russian, as patterns."""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class _Language(NamedTuple):
    """Patterns in lower case; those of a list stand between blanks, `_NONE` where there is none."""

    months: str
    weekdays: str
    seasons: str  # from spring on
    units: str  # minute, hour, day, week, month, year, half a year, weekend
    days: str  # from two days ago to two days ahead
    numbers: str  # one to twelve, a few
    ordinals: str
    suffix: str  # of a day in digits
    of: str  # between a day and its month
    monthday: str  # a day without a month, as group "monthday"
    before: str  # a unit or a name: the one before the last, last, this, next
    behind: str  # the same, and ago
    bare: str  # what is a time without a preposition
    skip: str  # what looks like a time
    side: str  # every, since, after, until, ago, in so much time, between, in, on
    part: str  # early, mid, late
    article: str
    follow: str  # what may follow a number that is no count
    behind_weekday: str = ""


_NONE: Final = "(?!)"

_ENGLISH: Final = _Language(
    months=r"jan(?:uary)? feb(?:ruary)? mar(?:ch)? apr(?:il)?(?!'s) may(?!'s) june?(?!'s) july?"
    r" aug(?:ust)?(?!'s) sept?(?:ember)? oct(?:ober)? nov(?:ember)? dec(?:ember)?",
    weekdays="monday tuesday wednesday thursday friday saturday sunday",
    seasons="spring summer autumn|fall winter",
    units=r"minutes? hours? days? weeks? months? years? half\s+a\s+year weekend",
    days=r"day\s+before\s+yesterday yesterday|last\s+night|last\s+evening"
    r" today|tonight|this\s+morning|this\s+afternoon|this\s+evening"
    r" tomorrow day\s+after\s+tomorrow",
    numbers=r"an?|one two|a\s+couple(?:\s+of)?|couple(?:\s+of)? three four five six seven eight"
    r" nine ten eleven twelve (?:a\s+)?few|several|some",
    ordinals="first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
    suffix="(?:st|nd|rd|th)?",
    of=r"(?:of\s+)?",
    monthday=r"(?P<monthday>\d{1,2})(?:st|nd|rd|th)",
    before=f"{_NONE} last|past|previous this|current next|coming",
    behind=rf"before\s+last {_NONE} {_NONE} {_NONE} ago",
    bare="january|february|july|september|october|november|december|[a-z]+day",
    skip=r"(?:black|good|easter|palm|ash|cyber)\s+[a-z]+day",
    side=r"every(?:\s+\w+)?|each since after before|until|till"
    rf" {_NONE} in between during|throughout|around|over|at"
    r"|(?:week|weekend|month|day|rest|half)\s+of on",
    part=r"early(?:\s+in)?|(?:beginning|start)\s+of mid|middle\s+of late(?:\s+in)?|end\s+of",
    article="the|year|about",
    follow="i|we|you|he|she|they|it|my|our|did|do|was|were|is|are|had|has|have|at|in|on|with|to|for"
    "|and|or|when|about|from|by|what|who|where|last|this|next|of|as|but",
)
_GERMAN: Final = _Language(
    months=r"jan(?:uar)? feb(?:ruar)? märz? apr(?:il)? mai juni? juli? aug(?:ust)? sept?(?:ember)?"
    r" okt(?:ober)? nov(?:ember)? dez(?:ember)?",
    weekdays="montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag",
    seasons="frühlings?|frühjahrs? sommers? herbst(?:es)? winters?",
    units=r"minuten? stunden? tage?n? wochen? monate?n?s? jahre?n?s? halben\s+jahr wochenendes?",
    days=r"vorgestern gestern(?:\s+morgen)? heute(?:\s+morgen)? morgen übermorgen",
    numbers="ein(?:e[nmrs]?)? zwei drei vier fünf sechs sieben acht neun zehn elf zwölf"
    r" (?:ein\s+)?paar|einige[nr]?|wenigen",
    ordinals="erste[nr]? zweite[nr]? dritte[nr]? vierte[nr]? fünfte[nr]? sechste[nr]? siebte[nr]?"
    " achte[nr]? neunte[nr]? zehnte[nr]? elfte[nr]? zwölfte[nr]?",
    suffix=r"\.?",
    of="",
    monthday=r"(?:(?<=am )|(?<=vom )|(?<=zum )|(?<=de[nm] ))(?<!\bi am )(?P<monthday>\d{1,2})\.",
    before="vorletzte[nrsm]? letzte[nrsm]?|vorige[nrsm]?|vergangene[nrsm]? diese[nrsm]?"
    " nächste[nrsm]?|kommende[nrsm]?",
    behind=" ".join([_NONE] * 5),
    bare="januar|februar|märz|juli|september|oktober|november|dezember|.+tag|mittwoch|sonnabend",
    skip=r"(?:guten|am|vom|zum|den|der|einem|jeden|diesen|ganzen|nächsten)\s+morgen",
    side=r"jede[nrsm]?(?:\s+\w+)? seit nach bis vor in zwischen im|während|übers?|um"
    " am|vom|zum|den",
    part="anfang mitte ende",
    article="de[rmns]|das|die|jahre?|etwa|ungefähr|rund|knapp|gut",
    follow="ich|wir|du|er|sie|es|war|waren|habe|hat|hatte|haben|ist|in|im|mit|bei|um|und|oder|los|des|letzten|vorigen|dieses",
)
_SPANISH: Final = _Language(
    months="enero febrero marzo abril mayo junio julio agosto sep?tiembre octubre noviembre"
    " diciembre",
    weekdays="lunes martes miércoles jueves viernes sábado domingo",
    seasons="primavera verano otoño invierno",
    units=r"minutos? horas? días? semanas? mes(?:es)? años? medio\s+año fin\s+de\s+semana",
    days=r"anteayer|antier|antes\s+de\s+ayer ayer|anoche"
    r" hoy|esta\s+mañana|esta\s+tarde|esta\s+noche mañana pasado\s+mañana",
    numbers=r"una? dos|un\s+par\s+de tres cuatro cinco seis siete ocho nueve diez once doce"
    r" un[oa]s(?:\s+poc[oa]s)?|algun[oa]s|poc[oa]s",
    ordinals="primero",
    suffix="[º°]?",
    of=r"(?:de\s+)?",
    monthday=r"(?:día\s+|(?<=el ))(?P<monthday>\d{1,2})",
    before="antepasad[oa] pasad[oa]s?|últim[oa]s? est[ea] próxim[oa]s?",
    behind=rf"antepasad[oa] pasad[oa] {_NONE} próxim[oa]|que\s+viene atrás",
    bare="enero|febrero|marzo|septiembre|octubre|noviembre|diciembre"
    "|lunes|martes|miércoles|jueves|viernes|sábado",
    skip=r"(?:la|una|buena|cada)\s+mañana|hoy\s+en\s+día",
    side=r"cada|los|todos\s+los|todas\s+las desde después\s+de|tras antes\s+de|hasta hace"
    r" en|dentro\s+de entre durante|por|(?:semana|mes|resto)\s+de el|del",
    part=r"(?:principios?|comienzos?|inicios?)\s+del? mediados\s+del? (?:finales|fines|fin)\s+del?",
    article=r"el|la|los|las|año|día|casi|como|unos|unas|más\s+de",
    follow="yo|del|me|te|se|nos|qué|que|quién|dónde|en|con|y|o|a|por|para|fue|era|hay|hubo",
)
_PORTUGUESE: Final = _Language(
    months="janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro"
    " dezembro",
    weekdays="segunda(?:-feira)? terça(?:-feira)? quarta(?:-feira)? quinta(?:-feira)?"
    " sexta(?:-feira)? sábado domingo",
    seasons="primavera verão outono inverno",
    units=r"minutos? horas? dias? semanas? m[êe]s(?:es)? anos? meio\s+ano"
    r" fim\s+de\s+semana|final\s+de\s+semana",
    days=r"anteontem ontem hoje|esta\s+manhã|esta\s+noite amanhã depois\s+de\s+amanhã",
    numbers="uma? dois|duas três quatro cinco seis sete oito nove dez onze doze"
    r" alguns|algumas|un?s\s+poucos|poucos|poucas|uns|umas",
    ordinals="primeiro",
    suffix="[º°]?",
    of=r"(?:de\s+)?",
    monthday=r"dia\s+(?P<monthday>\d{1,2})",
    before="retrasad[oa] passad[oa]s?|últim[oa]s? n?est[ea] próxim[oa]s?",
    behind=rf"retrasad[oa] passad[oa] {_NONE} próxim[oa]|que\s+vem atrás",
    bare=r"fevereiro|março|setembro|outubro|novembro|dezembro|.+-feira|sábado|dia\s+\d+",
    skip=r"r[ií]o\s+de\s+janeiro|hoje\s+em\s+dia",
    side=r"cada|tod[oa]s?(?:\s+[oa]s?)? desde depois\s+d[eo]|após antes\s+d[eo]|até há|faz"
    r" em|daqui\s+a|dentro\s+de entre n[oa]s?|durante|pelo|(?:semana|mês|resto)\s+de do|da|de",
    part=r"(?:início|começo|princípio)\s+d[eoa] (?:meados|meio)\s+d[eoa]"
    r" (?:fim|final|finais)\s+d[eoa]",
    article=r"o|a|os|as|ano|dia|quase|cerca\s+de|uns|umas|mais\s+de",
    follow="eu|do|me|te|se|nos|que|quem|onde|em|no|na|com|e|ou|à|por|para|foi|era|de",
    # The second one is called like Monday.
    behind_weekday=r"(?:(?<=feira|mingo)|(?<=sábado)|(?=\s*(?:$|[?!.,;:)]"
    r"|(?:passada|próxima|que|eu|de|da|à|e|ou|em|com)(?!\w))))",
)
_RUSSIAN: Final = _Language(
    months="янв(?:ар[ьяеёю]м?)? фев(?:рал[ьяеёю]м?)? март[аеу]?|мартом"
    " апр(?:ел[ьяею]м?)? ма[йяею]|маем июн[ьяею]м? июл[ьяею]м? авг(?:уст[аеу]?)?|августом"
    " сент(?:ябр[ьяеёю]м?)? окт(?:ябр[ьяеёю]м?)?"
    " ноя(?:бр[ьяеёю]м?)? дек(?:абр[ьяеёю]м?)?",
    weekdays="понедельника?|понедельником вторника?|вторником сред[ауы]|средой четверга?|четвергом"
    " пятниц[ауы]|пятницей суббот[ауы]|субботой воскресень[ея]|воскресеньем",
    seasons="весн[аеуы]|весной лет[аоу]|летом осен[ьи]|осенью зим[аеуы]|зимой",
    units="минут[ауы]? часа?|часов день|дня|дней|дн[яи] недел[яюьеи] месяца?|месяцев|месяце"
    " год[ау]?|году|лет полгода выходн[ыо][ехй]",
    days="позавчера вчера сегодня завтра послезавтра",
    numbers="одну|один|одного дв[ае]|двух тр(?:и|[её]х) четыр(?:е|[её]х) пяти?ь? шести?ь? семи?ь?"
    " (?:восемь|восьми) девяти?ь? десяти?ь? одиннадцати?ь? двенадцати?ь? несколько|нескольких|пару",
    ordinals="первого второго третьего четв[её]ртого пятого шестого седьмого восьмого девятого"
    " десятого одиннадцатого двенадцатого",
    suffix="(?:-?го|-?е)?",
    of="",
    monthday=r"(?P<monthday>\d{1,2})(?:-?го)?\s+числа",
    before="позапрошл[а-яё]+ прошл[а-яё]+|последн[а-яё]+|минувш[а-яё]+|предыдущ[а-яё]+"
    " эт(?:от?|а|ой|у|им|и|ого|ом) следующ[а-яё]+|будущ[а-яё]+|ближайш[а-яё]+",
    behind=f"{_NONE} {_NONE} {_NONE} {_NONE} назад",
    bare="(?:янв|фев|апр|июн|июл|сен|окт|ноя|дек).+"
    r"|(?:пон|втор|четв|пят|суб|вос).+|весной|летом|осенью|зимой|.+числа",
    skip=_NONE,
    side=r"кажд[а-яё]+ со?|начиная\s+с после до|перед"
    rf" {_NONE} через между во?|на|за|к|в\s+течение {_NONE}",
    part="начал[ае]|начала середин[аеуы] кон(?:ец|це|ца)",
    article="около|примерно|почти",
    follow="прошлого|этого|я|мы|ты|он|она|они|и|или|в|на|с|у|что|кто|где|был|была|было|были",
)


class Rules(NamedTuple):
    """A language's patterns, compiled."""

    time: re.Pattern[str]
    lead: re.Pattern[str]
    bare: re.Pattern[str]
    months: tuple[re.Pattern[str], ...]
    weekdays: tuple[re.Pattern[str], ...]
    seasons: tuple[re.Pattern[str], ...]
    units: tuple[re.Pattern[str], ...]
    days: tuple[re.Pattern[str], ...]
    numbers: tuple[re.Pattern[str], ...]
    ordinals: tuple[re.Pattern[str], ...]
    before: tuple[re.Pattern[str], ...]
    behind: tuple[re.Pattern[str], ...]


SIDES: Final = ("each", "since", "after", "until", "ago", "ahead", "between", "at", "on")
PARTS: Final = ("early", "mid", "late")
LEAD_CHARS: Final = 48
"""A preposition, an article and a part before an expression are no longer."""


def index_of(patterns: tuple[re.Pattern[str], ...], text: str) -> int:
    """Return which of a list's patterns, one at least, a word or a few are of."""
    return next(i for i, each in enumerate(patterns) if each.fullmatch(text))


def _any(words: str) -> str:
    return "|".join(words.split())


def _time(of: _Language) -> re.Pattern[str]:
    """Return the pattern of one expression: a day, a date, a unit, or the name of a time."""
    months, day = rf"(?:{_any(of.months)})(?!\w)(?:\.(?=\s*\d))?", r"\d{1,2}"
    follow = rf"(?=\s*(?:$|[?!.,;:)]))(?![.,:]\d)|(?=\s+(?:(?:{of.follow})(?!\w)|(?:19|20)\d\d))"
    to = "to|until|till|through|and|bis|und|al?|y|e|até|по|и"
    return re.compile(
        rf"(?<!\w)(?:(?P<skip>{of.skip})(?!\w)|(?P<offset>{_any(of.days)})(?!\w)"
        r"|(?<![\d#$€£+][ .,:/-])(?<![.,:/+#$€£])"
        rf"(?:(?P<from>{day}){of.suffix}\s*(?:[-–]|{to})\s*)?"
        rf"(?P<day>{day}|{_any(of.ordinals)}){of.suffix}\s*{of.of}(?P<day_month>{months})"
        rf"|(?P<month_day>{months})\s+(?:the\s+)?(?P<of_month>{day})"
        rf"(?:\s*[-–]\s*(?P<till>{day}))?(?:(?:st|nd|rd|th)(?!\w)|{follow})"
        rf"|{of.monthday}(?:{follow})"
        rf"|(?:(?P<before>{_any(of.before)})\s+)?(?:"
        rf"(?:(?P<n>\d{{1,3}}|{_any(of.numbers)})\s+)?(?P<unit>{_any(of.units)})(?!\w)"
        rf"|(?P<month>{months})|(?P<weekday>{_any(of.weekdays)})(?!\w){of.behind_weekday}"
        rf"|(?P<season>{_any(of.seasons)})(?!\w))(?:\s+(?P<behind>{_any(of.behind)})(?!\w))?)"
    )


def _lead(of: _Language) -> re.Pattern[str]:
    """Return the pattern of what stands before an expression: "since", "at the end of"."""
    sides = _named(SIDES, of.side)
    parts = _named(PARTS, of.part)
    article = rf"(?:(?:{of.article})\s+){{0,2}}"
    return re.compile(
        rf"(?<!\w)(?:(?:{sides})\s+{article})?(?P<part>(?:{parts})[\s-]+{article})?\Z"
    )


def _named(names: tuple[str, ...], words: str) -> str:
    pairs = zip(names, words.split(), strict=True)
    return "|".join(f"(?P<{name}>{pattern})" for name, pattern in pairs)


def _rules(of: _Language) -> Rules:
    lists = (of.months, of.weekdays, of.seasons, of.units, of.days, of.numbers, of.ordinals)
    compiled = (
        tuple(re.compile(each) for each in words.split())
        for words in (*lists, of.before, of.behind)
    )
    return Rules(_time(of), _lead(of), re.compile(of.bare), *compiled)


_LANGUAGES: Final = (_ENGLISH, _GERMAN, _SPANISH, _PORTUGUESE, _RUSSIAN)
RULES: Final = tuple(_rules(each) for each in _LANGUAGES)
_FOLLOW: Final = "|".join(each.follow for each in _LANGUAGES)
_YEAR: Final = r"(?:19|20)\d\d"
NUMERIC: Final = re.compile(
    r"(?<![\w.,:/+#$€£])(?<!\d[-–])(?:"
    rf"(?P<iso>{_YEAR})-(?P<iso_month>0[1-9]|1[0-2])(?:-(?P<iso_day>\d\d))?"
    rf"|(?P<day>\d{{1,2}})(?P<sep>[./-])(?P<month>\d{{1,2}})"
    rf"(?:(?P=sep)(?P<year>{_YEAR}|\d\d)|\.|(?<=/\d)|(?<=/\d\d))"
    rf"|(?P<of_year>\d{{1,2}})[./](?P<month_year>{_YEAR})"
    rf"|(?P<one>{_YEAR})(?:\s?[-–/]\s?(?P<other>{_YEAR}|\d\d))?(?:\s+(?P<word>год[ау]?))?"
    r")(?![\w%€$£]|[.,:/-]\d|\s\d)"
)
COUNTED: Final = re.compile(
    r"\s*(?:euros?|eur|usd|dollars?|dólares|pesos|reais|pounds|bucks|words|people|steps|miles|pages"
    r"|km|kg|g|kcal|calories|(?:kilo)?met(?:er|re)s|hours|days|times|worte|wörter|leute|menschen"
    r"|schritte|seiten|meter|stunden|tage|mal|personas|palabras|pasos|páginas|metros|horas|días|veces"
    r"|pessoas|palavras|passos|dias|vezes|руб\w*|доллар\w*|евро|человек|шаг\w*|слов|страниц|метр\w*"
    r"|раз)(?!\w)"
)
YEAR_BEHIND: Final = re.compile(
    r"(?<!\w)(?:of|from|by|year|the|my|our|von|aus|jahre?|de|del|año|do|ano|года?)\s+\Z"
)
LABEL: Final = re.compile(
    r"(?<!\w)(?:room|pin|code|number|no|flight|bus|model|version|costs?|paid|pay|price|is"
    r"|zimmer|nummer|nr|kostet|preis|habitación|número|código|vuelo|precio|cuesta|quarto|voo|preço"
    r"|custa|комнат\w+|номер\w*|код|рейс\w*|цена|стоит)\W+\Z"
)
YEAR_ENDS: Final = re.compile(rf"\s*(?:$|[?!.,;:)]|(?:{_FOLLOW})(?!\w))")
YEAR_NEXT: Final = re.compile(rf"\s+(?:of\s+)?{_YEAR}(?!\w)")
OF_IT: Final = re.compile(r"\s+(?:of|de|del|des|do|da|dos|das)(?!\w)")
_PREPOSITIONS: Final = (
    r"(?:(?:of|in|on|at|the|year|de[rmnsl]?|das|im|am|vom|jahre?|la|el|en|año|d[oa]|em|n[oa]|[oa]"
    r"|ano|во?|на)\s+){0,4}"
)
JOIN: Final = re.compile(rf"[\s,]*{_PREPOSITIONS}")
AND: Final = re.compile(rf"\s+(?:and|or|und|oder|y|o|e|ou|и|или)\s+{_PREPOSITIONS}")
TO: Final = re.compile(
    r"\s*[-–—]\s*|\s+(?:to|till|until|through|bis|hasta|al?|até|ao?|по|до)\s+"
    r"(?:(?:the|in\s+den|zum|el|la|o|в)\s+)?"
)
APOSTROPHES: Final = str.maketrans("’ʼ`´", "''''")
VERBS: Final = frozenset({"may", "mar", "march"})


def _hint() -> re.Pattern[str]:
    """Return the pattern of a word that each expression has at least one of, by first letters."""
    tails: dict[str, set[str]] = {}
    for of in _LANGUAGES:
        names = (of.months, of.weekdays, of.seasons, of.units, of.days)
        for word in re.split(r"[ |]", " ".join(names)):
            tails.setdefault(word[0], set()).add(word[1:])
    words = "|".join(f"{first}(?:{'|'.join(sorted(rest))})" for first, rest in tails.items())
    numbers = rf"{_YEAR}|\d{{1,2}}(?:st|nd|rd|th|\.|[/-]\d|(?:-?го)?\s+числа)"
    return re.compile(rf"(?<!\w)(?:(?:{words})(?!\w)|{numbers}|(?:d?el|día|dia)\s+\d)")


HINT: Final = _hint()
