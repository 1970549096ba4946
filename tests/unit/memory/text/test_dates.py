"""What a question says of time, in five languages; on a Wednesday, 18 June 2025, at 15:30."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from time import thread_time
from types import ModuleType
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text import date_words
from memory.text.dates import Span, spans, without_times
from tests.unit.test_bounded_time import LARGEST, LIMIT_S, UNITS, filled, near_matches, seconds

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2025, 6, 18, 15, 30, tzinfo=BERLIN)
NOTHING_S, SOMETHING_S = 50e-6, 2e-3
"""Of processor time; on an idle machine the slowest of the table takes 0.2 ms."""


def expected(written: str) -> list[Span]:
    """Return the spans of "2024 2025-05-01/now": years, months, days, or from one to another."""
    return [
        Span(_edges(start)[0], _edges(end or start)[0 if end else 1])
        for start, _, end in (each.partition("/") for each in written.split())
    ]


def _edges(written: str) -> tuple[datetime, datetime]:
    if written == "now":
        return NOW, NOW
    if "T" in written:
        return (exact := datetime.fromisoformat(written).replace(tzinfo=BERLIN)), exact
    year, month, day = (int(part) for part in f"{written}-0-0".split("-")[:3])
    start = datetime(year, month or 1, day or 1, tzinfo=BERLIN)
    if day:
        return start, start + timedelta(days=1)
    if month:
        return start, datetime(year + month // 12, month % 12 + 1, 1, tzinfo=BERLIN)
    return start, datetime(year + 1, 1, 1, tzinfo=BERLIN)


ENGLISH = [
    ("What did Anna say in May?", "2025-05"),
    ("what did anna say in may", "2025-05"),
    ("Where was I last spring?", "2025-03/2025-06"),
    ("Who called on 3 June?", "2025-06-03"),
    ("What did we eat on the 3rd of June 2024?", "2024-06-03"),
    ("2024", "2024"),
    ("What happened last week?", "2025-06-09/2025-06-16"),
    ("Did I mention a dentist yesterday?", "2025-06-17"),
    ("Two months ago, what was my job?", "2025-04"),
    ("What was I reading in early March?", "2025-03-01/2025-03-11"),
    ("Who came the weekend of the 12th?", "2025-06-14/2025-06-16"),
    ("What was the plan for last Monday?", "2025-06-16"),
    ("What did we discuss on Friday?", "2025-06-13"),
    ("which film did we watch in the summer of 2023", "2023-06/2023-09"),
    ("What did I weigh in December?", "2024-12"),
    ("And in June?", "2025-06"),
    ("And last June?", "2024-06"),
    ("What were my plans for next month?", "2025-07"),
    ("Where did I live in 2019?", "2019"),
    ("What did Bo tell me on June 3rd, 2025?", "2025-06-03"),
    ("Did we meet on May 5?", "2025-05-05"),
    ("Between March and May, which books did I read?", "2025-03/2025-06"),
    ("What did I do from November to February?", "2024-11/2025-03"),
    ("What did I spend from 3 to 7 June?", "2025-06-03/2025-06-08"),
    ("Since April, how often did I run?", "2025-04/now"),
    ("What did I say in the last two weeks?", "2025-06-04/now"),
    ("A couple of weeks ago you gave me a recipe, which?", "2025-06-02/2025-06-09"),
    ("Who wrote to me a few months ago?", "2025-01/2025-05"),
    ("How did I feel three days ago?", "2025-06-15"),
    ("What did I want in May last year?", "2024-05"),
    ("Tuesday of last week, who was there?", "2025-06-10"),
    ("Was it late 2023 when I moved?", "2023-09/2024"),
    ("What did I tell you the day before yesterday?", "2025-06-16"),
    ("what am I doing tomorrow", "2025-06-19"),
    ("What is on today?", "2025-06-18"),
    ("What did we do on 2025-04-03?", "2025-04-03"),
    ("And on 03/04/2025?", "2025-04-03"),
    ("What about 04/17/2025?", "2025-04-17"),
    ("Who was on last year's trip?", "2024"),
    ("Whom did we see over the weekend?", "2025-06-14/2025-06-16"),
    ("What was decided at the end of last month?", "2025-05-21/2025-06"),
    ("What did I buy in mid-October?", "2024-10-11/2024-10-21"),
    ("What did she write on the 12th?", "2025-06-12"),
    ("After 2022, where did I work?", "2023/now"),
    ("What did you tell me the week before last?", "2025-06-02/2025-06-09"),
    ("What have I learned this year?", "2025"),
    ("Was it in 2021 or in 2022?", "2021 2022"),
    ("What did I plan in the week of 5 May?", "2025-05-05/2025-05-12"),
    ("What did I ask you an hour ago?", "2025-06-18T14:00/2025-06-18T15:00"),
    ("How was the winter of 2023?", "2023-12/2024-03"),
    ("What did I do on Saturday, 7 June?", "2025-06-07"),
    ("Where was May in May?", "2025-05"),
    ("Which team did I follow from 2019 to 2021?", "2019/2022"),
    ("When was I in Rome, January or March 2024?", "2024-01 2024-03"),
    ("What did I do between December 2023 and January 2024?", "2023-12/2024-02"),
    ("What were my 2024 goals?", "2024"),
    ("What do you remember of the start of the year?", "2025/2025-05"),
    ("Where was I on 29 February?", "2024-02-29"),
    ("And on the 31st?", "2025-05-31"),
    ("What will we do in two weeks?", "2025-06-30/2025-07-07"),
]
GERMAN = [
    ("Was habe ich am 3. Mai gesagt?", "2025-05-03"),
    ("Was war letzte Woche los?", "2025-06-09/2025-06-16"),
    ("Wo waren wir im Frühling?", "2025-03/2025-06"),
    ("Was haben wir gestern Abend gegessen?", "2025-06-17"),
    ("Wen traf ich vor zwei Monaten?", "2025-04"),
    ("Was wollte ich Anfang März kaufen?", "2025-03-01/2025-03-11"),
    ("Welche Bücher las ich im Sommer 2023?", "2023-06/2023-09"),
    ("Was hat Bo vorgestern erzählt?", "2025-06-16"),
    ("Was steht morgen an?", "2025-06-19"),
    ("Was war am 12.?", "2025-06-12"),
    ("Wie lief das letzte Wochenende?", "2025-06-14/2025-06-16"),
    ("Was habe ich in den letzten drei Tagen gegessen?", "2025-06-15/now"),
    ("Wer war am Montag da?", "2025-06-16"),
    ("Was geschah im Mai letzten Jahres?", "2024-05"),
    ("Was haben wir von Mai bis Juli 2024 gemacht?", "2024-05/2024-08"),
    ("Wie oft war ich seit Januar laufen?", "2025-01/now"),
    ("Was habe ich Ende 2023 verdient?", "2023-09/2024"),
    ("Was stand am 03.05.2024 an?", "2024-05-03"),
    ("Wo war ich vor einem Jahr?", "2024"),
    ("Und vorletzte Woche?", "2025-06-02/2025-06-09"),
    ("Wer kam am Dienstag letzter Woche?", "2025-06-10"),
    ("Wo war ich im Jahr 2021?", "2021"),
    ("Was geschah am ersten Mai?", "2025-05-01"),
    ("Was war am Wochenende vom 12. Mai?", "2025-05-10/2025-05-12"),
    ("Was stand am 24.12. an?", "2024-12-24"),
    ("Was war im Mai und Juni 2024?", "2024-05 2024-06"),
    ("Was plane ich nächste Woche?", "2025-06-23/2025-06-30"),
]
SPANISH = [
    ("¿Qué dije el 3 de mayo?", "2025-05-03"),
    ("¿Dónde trabajaba hace dos meses?", "2025-04"),
    ("¿Dónde estuve la semana pasada?", "2025-06-09/2025-06-16"),
    ("¿Qué comimos ayer?", "2025-06-17"),
    ("¿Qué compré en abril?", "2025-04"),
    ("¿Qué leí el verano pasado?", "2024-06/2024-09"),
    ("¿Qué hice el lunes pasado?", "2025-06-16"),
    ("¿Qué película vimos en primavera?", "2025-03/2025-06"),
    ("¿Dónde vivía en 2018?", "2018"),
    ("¿A quién vi a principios de marzo?", "2025-03-01/2025-03-11"),
    ("¿Qué gasté del 3 al 7 de junio?", "2025-06-03/2025-06-08"),
    ("¿Qué dijo Ana anteayer?", "2025-06-16"),
    ("¿Qué cené anoche?", "2025-06-17"),
    ("¿Cómo fue el fin de semana pasado?", "2025-06-14/2025-06-16"),
    ("¿Qué quería en mayo del año pasado?", "2024-05"),
    ("¿Qué aprendí en los últimos tres meses?", "2025-03-18/now"),
    ("¿Cuánto he corrido desde enero?", "2025-01/now"),
    ("¿Qué hicimos el 1 de enero de 2024?", "2024-01-01"),
    ("¿Qué leí entre marzo y mayo?", "2025-03/2025-06"),
    ("¿Quién vino el martes de la semana pasada?", "2025-06-10"),
    ("¿Y el fin de semana del 12?", "2025-06-14/2025-06-16"),
    ("¿Qué hago mañana por la mañana?", "2025-06-19"),
    ("¿Qué tengo la semana que viene?", "2025-06-23/2025-06-30"),
    ("¿Se mudó a finales de 2023?", "2023-09/2024"),
]
PORTUGUESE = [
    ("O que eu disse em maio de 2025?", "2025-05"),
    ("Onde estive na semana passada?", "2025-06-09/2025-06-16"),
    ("Quem veio no dia 12?", "2025-06-12"),
    ("Onde eu trabalhava há dois meses?", "2025-04"),
    ("O que jantamos ontem à noite?", "2025-06-17"),
    ("O que fiz na segunda-feira?", "2025-06-16"),
    ("Quem ligou na sexta passada?", "2025-06-13"),
    ("O que li no verão passado?", "2024-06/2024-09"),
    ("Quem vi no início de março?", "2025-03-01/2025-03-11"),
    ("Mudei de casa no fim de 2023?", "2023-09/2024"),
    ("Onde eu morava dois anos atrás?", "2023"),
    ("O que pedi faz três semanas?", "2025-05-26/2025-06-02"),
    ("O que comprei no mês passado?", "2025-05"),
    ("O que fizemos no fim de semana?", "2025-06-14/2025-06-16"),
    ("Quanto gastei de 3 a 7 de junho?", "2025-06-03/2025-06-08"),
    ("Quanto corri desde janeiro?", "2025-01/now"),
    ("O que comi nos últimos dez dias?", "2025-06-08/now"),
    ("O que eu queria em maio do ano passado?", "2024-05"),
    ("O que houve em primeiro de maio?", "2025-05-01"),
    ("O que fiz no Rio de Janeiro em abril?", "2025-04"),
    ("O que fiz na segunda?", "2025-06-16"),
    ("Quem veio no fim de semana do dia 12?", "2025-06-14/2025-06-16"),
    ("O que comi no dia 3 do mês passado?", "2025-05-03"),
    ("E anteontem?", "2025-06-16"),
]
RUSSIAN = [
    ("Что я говорил 3 мая?", "2025-05-03"),
    ("Где я работал в прошлом году?", "2024"),
    ("Что я купил в мае?", "2025-05"),
    ("Куда мы ездили на прошлой неделе?", "2025-06-09/2025-06-16"),
    ("Где я жил два месяца назад?", "2025-04"),
    ("Кто звонил неделю назад?", "2025-06-09/2025-06-16"),
    ("Что мы ели вчера вечером?", "2025-06-17"),
    ("Что сказала Анна позавчера?", "2025-06-16"),
    ("Что я читал весной?", "2025-03/2025-06"),
    ("Где мы были прошлым летом?", "2024-06/2024-09"),
    ("Где мы были летом 2023 года?", "2023-06/2023-09"),
    ("Где я жил в 2021 году?", "2021"),
    ("Кто приходил в понедельник?", "2025-06-16"),
    ("Что было в прошлую пятницу?", "2025-06-13"),
    ("Что я решил в начале марта?", "2025-03-01/2025-03-11"),
    ("Переехал ли я в конце 2023 года?", "2023-09/2024"),
    ("Сколько я потратил с 3 по 7 июня?", "2025-06-03/2025-06-08"),
    ("Сколько раз я бегал с января?", "2025-01/now"),
    ("Что я ел за последние две недели?", "2025-06-04/now"),
    ("Чего я хотел в мае прошлого года?", "2024-05"),
    ("Что мы делали в выходные?", "2025-06-14/2025-06-16"),
    ("Что было 12 числа?", "2025-06-12"),
    ("Что я читал между мартом и маем?", "2025-03/2025-06"),
    ("Где я был первого мая 2024 года?", "2024-05-01"),
    ("А в позапрошлом году?", "2023"),
    ("Что будет в следующем месяце?", "2025-07"),
    ("Что было полгода назад?", "2024-12"),
]
NOTHING = [
    "",
    "👍",
    "May I ask you something?",
    "Did May call?",
    "What did June say about the soup?",
    "Is April your sister's name?",
    "Was April Jones at the party?",
    "Who sits in May's chair?",
    "Who will march to the square?",
    "I may be late, what then?",
    "Which 3 may come?",
    "Which was the second one?",
    "What is on the 2nd floor?",
    "Do I have 5 apples?",
    "How long have I known Bo?",
    "When did I move?",
    "How often do I spring clean?",
    "Where did she fall?",
    "What did I pay, 2000 euros?",
    "Is $2024 too much?",
    "What is Bo's number, +49 170 2024 1999?",
    "Is my PIN 1999?",
    "Was it room 2024?",
    "Is he 30?",
    "Are you 3 years old?",
    "I am 12. How tall should I be?",
    "How many days a week do I train?",
    "What do I do every Monday?",
    "What do I do on Mondays?",
    "When was the last time?",
    "Did the meeting take two weeks?",
    "Which Python do I use, 3.11.4?",
    "What did I say before May?",
    "Is 00.05.2024 a day, or 2023-02-30, or 31 June?",
    "What was my weight in week 3?",
    "What happens to the 2000 people?",
    "What did I buy on Black Friday?",
    "Wann habe ich Geburtstag?",
    "Hat Mai angerufen?",
    "Guten Morgen, wie heiße ich?",
    "Was mache ich montags?",
    "Wer schoss am 3. Tag das Tor?",
    "Was mache ich jeden Freitag?",
    "Wie alt ist August?",
    "¿Vive Julio en Lima?",
    "¿Qué hace Sol por la mañana?",
    "¿Cuántos días a la semana trabajo?",
    "¿Qué hago los lunes?",
    "¿Cuál era la segunda opción?",
    "¿Cuánto gano hoy en día?",
    "Quem mora no Rio de Janeiro?",
    "A segunda vez foi melhor?",
    "Foi na segunda vez que deu certo?",
    "Quantos anos tem a Ana?",
    "O que faço cada domingo?",
    "Сколько мне лет?",
    "Как зовут Марту?",
    "Когда мой день рождения?",
    "У меня 5 яблок?",
    "Какая среда нужна рыбам?",
    "Что я делаю каждую пятницу?",
]
TABLE = [*ENGLISH, *GERMAN, *SPANISH, *PORTUGUESE, *RUSSIAN]


@pytest.mark.parametrize(("question", "written"), TABLE)
def test_what_a_question_says_of_time(question: str, written: str) -> None:
    assert spans(question, NOW) == expected(written)


@pytest.mark.parametrize("question", NOTHING)
def test_what_says_nothing_of_time(question: str) -> None:
    assert spans(question, NOW) == []


def test_spans_are_in_the_zone_of_now() -> None:
    for now in (NOW, NOW.astimezone(UTC), NOW.replace(tzinfo=None)):
        (span,) = spans("What did I say in May?", now)
        assert span.start.tzinfo is span.end.tzinfo is now.tzinfo
        assert span.start.replace(tzinfo=None) == datetime(2025, 5, 1)


WORDS = sorted({word for question, _ in TABLE for word in re.findall(r"\w+|[^\w\s]", question)})
ANY_TEXT = st.text() | st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
ANY_NOW = st.datetimes(
    timezones=st.sampled_from([None, UTC, BERLIN, timezone(timedelta(hours=14))])
)


@given(text=ANY_TEXT, now=ANY_NOW)
def test_any_text_gives_ordered_spans_or_none(text: str, now: datetime) -> None:
    found = spans(text, now)
    assert all(span.start < span.end for span in found)
    assert all(one < other for one, other in pairwise(found))


def test_any_text_is_read_in_bounded_time() -> None:
    rules = ModuleType("rules")
    vars(rules).update({str(i): each.time for i, each in enumerate(date_words.RULES)})
    for unit in dict.fromkeys([*UNITS, *near_matches([rules, date_words])]):
        assert seconds(lambda text: spans(text, NOW), filled("", unit, "x", LARGEST)) < LIMIT_S


@pytest.mark.parametrize(
    ("question", "limit_s"),
    [
        ("Where does Anna's brother live, and what is his name?", NOTHING_S),
        ("Wie heißt der Bruder von Anna, und wo wohnt er?", NOTHING_S),
        ("What do you remember of the colour of the bicycle that she wanted? " * 200, NOTHING_S),
        ("Was haben wir von Mai bis Juli 2024 gemacht?", SOMETHING_S),
        ("¿Quién vino el martes de la semana pasada?", SOMETHING_S),
    ],
)
def test_a_question_is_read_at_once(question: str, limit_s: float) -> None:
    def once() -> float:
        started = thread_time()
        for _ in range(20):
            spans(question, NOW)
        return (thread_time() - started) / 20

    assert min(once() for _ in range(10)) < limit_s


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("What did we say in April about it?", "What did we say in about it?"),
        ("Was war am 3. Mai 2025 los?", "Was war am los?"),
        ("What about the boat?", "What about the boat?"),
        ("last month we met", "we met"),
    ],
)
def test_a_text_can_be_read_without_its_times(text: str, rest: str) -> None:
    assert " ".join(without_times(text, NOW).split()) == rest
