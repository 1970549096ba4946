"""What a stretch of a chat is about, in a few of its own words. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from memory.domain.episodes import Spoken
from memory.episodes.features import words_of
from memory.episodes.summaries import cues, marks
from memory.episodes.summaries.wording import language_of
from memory.text.words import STOP_WORDS

_TOPIC_WORDS: Final = 5
_LABELS: Final = 3
_PAIRS: Final = 50
_READ_CHARS: Final = 2_000  # of a message
_STEM: Final = 5
_LONG_WORD: Final = 8
_TOKEN: Final = re.compile(r"[^\W\d_]{3,}(?:-[^\W\d_]+)*|[^\w\s'’]|[\w'’]+|\n")
# Verbs, adverbs and the like that are frequent and name nothing; four letters at least.
_NO_NAMES: Final = frozenset(
    """able after already always another around away back because before begin being best better
    both bring cannot could days does doing done dont down each either else enough even every find
    first four from full great half hard have help here hope hours into isn't i'll i'm i've it's
    keep kind last later least left less live long look looks maybe mean means might minutes
    money month months morning need needs never next nice nobody often once only open other over
    paid part people please possible pretty quite rather ready right same says seem should since
    sleep small soon start starts still stuff such sure take takes talk than that's their then there
    these they thing though thought three through time today together told took tried under until
    used usually wait want wants week weeks well went were what when where whether which while whole
    without work working would year years yesterday you're yourself didn't doesn't won't wouldn't
    don't can't evening night tomorrow half hundred thousand twenty five seven eight nine
    absolutely actually anyway anyways apparently basically completely definitely earlier especially
    exactly finally honestly hopefully literally obviously probably seriously totally unfortunately
    wrote yeah
    aber acht alle alles also anders auch beide bisschen bitte danke dann dass davon dein denn
    dieser diese dort drei eigentlich eine einen einer einfach fast fünf ganz gern gestern
    gibt gleich gute guten haben hallo halt hast heute hier hoch ihnen ihre immer jetzt jede
    kann keine klar kommt leider machen mehr meine muss nach natürlich nein nicht nichts
    noch nur oder ohne schon sehr sein seit sich sind sonst viel vielleicht vier warum weil wenn
    weiß wieder wird wirklich zehn zwei jahr jahre jahren monat monate tage tagen stunden
    minuten euro
    woche wochen ding sache leute
    ahora algo alguien algún antes aquí aunque bien bueno buenas cada casi como contra cosa cosas
    cuando cuatro dentro desde después dice dicen digo donde dónde entonces entre esta está están
    este estos estoy falta gracias había hace hacer hacía hago hasta hola jajaja luego mañana mejor
    menos mientras mismo mucho muchas muchos nada nadie necesito nunca otra otro para parece pero
    poco pone porque primero puede puedo pues queda quedan quien quiere quiero sabe sabía salen
    sale según seis sería sido siempre sigue sobre solo somos soy también tanto tarde tenía tenemos
    tengo tiene tienen toda todas todavía todo todos tres tras unas unos usted vamos veces verdad
    viene voy años días horas meses semana semanas minutos euros mil
    agora ainda algum alguma além antes aqui assim até bastante cada claro coisa coisas com como
    conta dela dele depois dessa desse deste dias disse dizer dois ela ele eles então entre era essa
    esse esta estar está estou fazer faz ficar fica fiquei foram gente havia hoje horas isso isto
    lembra mais mais mas meio melhor menos mesmo meses muito muita muitos nada não nem nenhum nossa
    nosso nunca onde ontem outra outro para pela pelo pode posso pouco porque precisa preciso
    primeiro quando quanto quase quatro quem quer quero sabe saber seis sem semana sempre será
    sobre também tanto tarde tempo tenho tinha toda todas todo todos três tudo umas vezes você vocês
    vou anos acha adorei topo verdade minutos dormir
    было была были быть вообще вопрос время вроде всего всегда всех всё говорит года давай даже день
    десять дней долго дома другой если есть ещё жить завтра здесь знаю зачем какой какую когда
    конечно который которую кстати кто-то куда ладно лучше меня месяц месяца много могу может можно
    надо назад наверное надеюсь наконец начинает него неделю неделе недели нельзя несколько ничего
    нормально нужно обещал один одна опять очень перед пока после потом потому почему почти
    правда просто прямо пять рублей сама себя сегодня сейчас сказал сказала сколько слава слушай
    случай снова совсем спасибо спросить стоит стоят столько тебе тебя тогда тоже только точно три
    тысяч тысячи тысяча утром хорошо хочет хочу часов через четыре чтобы этого этой этом
    """.split()
)
_NO_TOPIC: Final = re.compile(
    rf"{cues.CHATS.pattern}|{cues.AGREES.pattern}|{marks.TIMES.pattern}", re.IGNORECASE
)


def topic_of(said: Sequence[Spoken], language: str = "") -> str:
    """Return a label of at most five of the stretch's own words; empty where it has none.

    Words of many messages, longer ones and names first; two that always stand together are one.

    Source: candidates between stop words, by the frequency of their words, as RAKE has them (Rose
    et al., Automatic Keyword Extraction from Individual Documents, 2010); here by messages.
    """
    speakers = {stem for one in said for stem in words_of(one.speaker)}
    weight: dict[str, float] = {}
    pairs: Counter[tuple[str, str]] = Counter()
    forms: dict[str, str] = {}
    is_german = (language or language_of(said)) == "de"
    for one in said:
        seen: set[str] = set()
        before = ""
        for word, is_name in _topic_words(one.text[:_READ_CHARS], is_german):
            stem = word.casefold()[:_STEM] if word else ""
            if stem and stem not in speakers:
                if stem not in seen:
                    lift = (2 if is_name else 1) * min(len(word), _LONG_WORD) / _LONG_WORD
                    lift /= 2 if one.is_agent else 1
                    weight[stem] = weight.get(stem, 0.0) + lift
                forms.setdefault(stem, word)
                seen.add(stem)
                pairs[before, stem] += bool(before)
            before = stem if stem not in speakers else ""
    return ", ".join(_labels(weight, pairs, forms))


def _labels(
    weight: Mapping[str, float], pairs: Counter[tuple[str, str]], forms: dict[str, str]
) -> list[str]:
    """Return the words of most weight, at most three, each with the one that goes with it."""
    labels: list[str] = []
    told: set[str] = set()
    for stem in sorted(weight, key=lambda each: -weight[each])[: 3 * _TOPIC_WORDS]:
        if stem in told or len(labels) == _LABELS:
            continue
        fellow = next(
            (pair for pair, count in pairs.most_common(_PAIRS) if stem in pair and count > 1),
            (stem,),
        )
        words = [each for each in fellow if each not in told]
        if len(" ".join(labels).split()) + len(words) <= _TOPIC_WORDS:
            labels.append(" ".join(forms[each] for each in words))
            told.update(words)
    return labels


def _topic_words(text: str, is_german: bool) -> Iterator[tuple[str, bool]]:
    """Yield the words of a text that may name a matter, with whether they are names; else blanks.

    In German only what is written with a capital within a sentence.
    """
    is_first = True
    for token in _TOKEN.findall(marks.MEDIA.sub(" . ", marks.LINK.sub(" . ", text))):
        plain = token.casefold().replace("’", "'")
        is_word = token[0].isalpha() and len(plain) > 3 and plain.replace("'", "") not in STOP_WORDS
        is_name = token[0].isupper() and not is_first
        is_word = is_word and plain not in _NO_NAMES and not _NO_TOPIC.fullmatch(token)
        if not is_word or (is_german and not is_name):
            yield "", False
        else:
            yield token, is_name and not is_german
        is_first = token[0] in ".!?…:\n"
