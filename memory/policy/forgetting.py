"""What counts as a wish to have something forgotten of oneself, in plain words. Pure.

The whole message has to be the wish: "please forget that I have a dog". Whoever says "don't forget
that I", "I forgot that" or "forget it" wishes something else. "Delete" and its like are read so,
too, where nothing else of somebody's can be meant: "delete my age", not "delete my last message".
In English, German, Spanish, Portuguese and Russian.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from memory.domain.channels import traits_of
from memory.domain.chats import Actor, Message
from memory.policy.rules import Policy

Language = Literal["en", "de", "es", "pt", "ru"]

MAX_CHARS: Final = 300
MAX_AFTER: Final = 8
"""Words that may follow the sentence of the wish: "I made that up.", "Thank you!"."""

MAX_ERASED: Final = 4
"""Words of what may be deleted, and be a fact: "my favourite ice cream"."""

_MAY_BE: Final = re.compile(
    r"forget|delete|erase|remove|verg[ei]ss|lösch|entfern|olv[ií]d|borr|elimin|esque[cç]|apag|exclu"
    r"|забы|забуд|удали|сотр|стер"
)
# What people have that can be deleted, and is no fact about them.
_THINGS: Final = re.compile(
    r"(?:account|message|chat|convers|histor|data|photo|picture|file|reminder|alarm|appointment"
    r"|event|task|note|list|order|booking|subscription|post|comment|playlist|draft|password|profile"
    r"|konto|nachricht|verlauf|daten|foto|bild|datei|erinnerung|wecker|termin|aufgabe|notiz|liste"
    r"|bestellung|buchung|abo|beitrag|kommentar|entwurf|passwort|profil|unterhaltung"
    r"|cuenta|mensaje|datos|archivo|imagen|recordatorio|cita|tarea|nota|lista|pedido|reserva"
    r"|comentario|borrador|contraseña|perfil"
    r"|conta|mensage|dados|arquivo|ficheiro|imagem|lembrete|tarefa|coment|rascunho|senha|consulta"
    r"|аккаунт|сообщени|переписк|чат|истори|данны|фото|файл|напоминани|будильник|встреч|задач|замет"
    r"|список|заказ|подписк|комментари|черновик|пароль|профил)"
)
_ELSEWHERE: Final = re.compile(
    r"\b(?:from|in|on|at|of|off|for|with|and|aus|von|vom|im|auf|bei|und|del|en|para|y|da|do|na|no"
    r"|и|из|в|во|на|с|от)\b|'s\b"
)
_MEMORY: Final = re.compile(
    r"\s+(?:from (?:your|the) memory|aus (?:deinem|dem) gedächtnis|de (?:tu|la) memoria"
    r"|da (?:tua|sua) memória|из (?:своей )?памяти)\W*$"
)
_IS: Final = re.compile(
    r"\b(?:is|was|used to be|ist|war|es|era|fue|é|foi|есть|был|была|были|больше|no longer"
    r"|isn't|wasn't|nicht mehr|ya no|não|já)\b"
)
_SPACES: Final = re.compile(r"[^\S\n]+")
_WORD: Final = re.compile(r"\w+(?:'\w+)?")
_SENTENCE_END: Final = re.compile(r"[.!?;\n]+|\s[-–—]\s")
# May stand before the word that tells whose it is.
_BEFORE: Final = frozenset("not no ya nicht não nao já ja не уже actually a o as os".split())
_POLITE_QUESTIONS: Final = tuple(
    "can could would will kannst könn würde pued podr pod você мож мог не".split()
)
_TOLD_BY: Final = re.compile(r"[\"”,]\s*\w+ (?:said|says|wrote|sagte|sagt|dijo|disse|сказала?)\W*$")


@dataclass(frozen=True, slots=True)
class Forgetting:
    """A wish to have something forgotten: the words that name it; none of them: everything."""

    language: Language
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Grammar:
    """How a language says it.

    `start` leads up to what is to be forgotten, with a group `erases` where that is to be deleted.
    `that` is followed by a clause that begins with a
    word of `own`, `which` by one that has such a word; `my` begins a noun. `telling` leads from who
    told it to what was told, `order` to what somebody was to do.
    """

    language: Language
    start: re.Pattern[str]
    that: re.Pattern[str]
    which: re.Pattern[str]
    my: re.Pattern[str]
    own: frozenset[str]
    everything: re.Pattern[str]
    telling: re.Pattern[str]
    order: re.Pattern[str]
    fillers: frozenset[str]


def _grammar(
    language: Language,
    *,
    start: str,
    erase: str,
    that: str,
    which: str,
    my: str,
    own: str,
    everything: str,
    telling: str,
    order: str,
    fillers: str,
) -> _Grammar:
    called = r"(?:@[^\s,]+[\s,]+)*(?:\w+,\s+)?"
    return _Grammar(
        language,
        re.compile(rf"{called}{start.replace('ERASE', f'(?P<erases>{erase})')}[\s,]+"),
        re.compile(rf"(?:{that})\s+"),
        re.compile(rf"(?:{which})\s+"),
        re.compile(rf"(?:{my})\s+"),
        frozenset([*own.split(), *(each.split()[-1] for each in my.split("|"))]),
        re.compile(rf"(?:{everything})\W*"),
        re.compile(rf"(?:{telling})\s+"),
        re.compile(order),
        frozenset(fillers.split()),
    )


_GRAMMARS: Final = (
    _grammar(
        "en",
        start=r"(?:(?:hey|hi|hello|ok|okay|oh|so|well|actually|and|now)[\s,!]+){0,2}"
        r"(?:(?:can|could|would|will|should|may) you\s+|you (?:can|should|may|must)\s+"
        r"|please,?\s+|pls\s+|just\s+|kindly\s+|i(?:'d| would) like you to\s+"
        r"|i (?:want|need) you to\s+){0,3}(?:forget(?: about)?|ERASE)(?:,? please)?",
        erase="delete|erase|remove",
        that="that|about the fact that|the fact that",
        which="where|when|what|who|how old|how many|how much|which|whom",
        my="my|our",
        own="i i'm im i've ive i'd mine we we're we've",
        everything=r"(?:everything|all|anything|whatever)(?: that)?"
        r"(?: you(?:'ve| have)? (?:know|remember|learned|learnt|stored|saved)"
        r"| i(?:'ve)? (?:told|said)(?: to)?(?: you)?)?"
        r" (?:about|of) (?:me|us)",
        telling=r"(?:i|we)(?:'ve| have)?(?: (?:ever|just|once|already|also|have))*"
        r" (?:told|said|mentioned|wrote|spoke|talked)(?: to)?(?: you)?(?: (?:that|about|of))?",
        order=r"(?:i|we)(?:'ve| have)? (?:asked|told|wanted|said to|ordered) (?:you )?to\b",
        fillers="a an the i im ive id me my mine we were weve our us you your it its this that"
        " these those is am are was be been being have has had do does did not no never any"
        " anything something some in on at of to for with and or but so too also ever just once"
        " already said told tell say asked ask mentioned wrote talked spoke about please thanks"
        " thank ok okay actually really got there here question time day called named where when"
        " what who whom how which if as by",
    ),
    _grammar(
        "de",
        start=r"(?:(?:hey|hallo|hi|ok|okay|also|ach)[\s,!]+){0,2}"
        r"(?:(?:kannst|könntest|würdest|magst) du\s+|(?:können|könnten|würden) sie\s+|bitte\s+"
        r"|mal\s+|doch\s+|einfach\s+){0,4}"
        r"(?:vergiss|vergesse|vergessen sie|vergessen|ERASE)"
        r"(?:\s+(?:bitte|mal|doch|einfach))*",
        erase="lösche?|löschen sie|entferne?|entfernen sie",
        that="dass|daß",
        which="wo|wann|was|wer|wie alt|wie viele?|wie|welche[nrs]?",
        my="mein|meine|meinen|meinem|meiner|unser|unsere|unseren",
        own="ich wir mir mich",
        everything=r"alles(?:, was du)? (?:über|von) (?:mich|mir|uns)(?: weißt| weisst)?",
        telling=r"(?:ich|wir)(?: dir| ihnen| euch)?(?: (?:mal|schon|eben|je))*"
        r" (?:erzählt|gesagt|geschrieben) (?:habe?|hatte),?(?: dass)?",
        order=r"(?:ich|wir) (?:dich|sie) (?:gebeten|beauftragt)",
        fillers="ich mich mir mein meine meinen meinem meiner wir uns unser unsere unseren du dich"
        " dir es das die der den dem ein eine einen einem einer eines und oder ist bin war"
        " waren wird worden habe hab hatte hat haben nicht kein keine keinen dass da auch noch"
        " im in am an aus auf zu von für mit gesagt erzählt gefragt bitte danke wo wann was"
        " wer wie welche welcher genannt",
    ),
    _grammar(
        "es",
        start=r"(?:(?:oye|hola|vale|bueno|ok)[\s,!]+){0,2}"
        r"(?:(?:puedes|podrías|podría|puede) |por favor,?\s+|porfa,?\s+){0,3}"
        r"(?:olvida|olvide|olvidar|olvídate de|olvidate de|olvídate|olvidate|ERASE)"
        r"(?:,? por favor)?",
        erase="borra|borre|borrar|elimina|elimine|eliminar",
        that="que|de que",
        which="d[oó]nde|cu[aá]ndo|qu[eé]|qui[eé]n|cu[aá]ntos|c[oó]mo|cu[aá]l",
        my="mi|mis|nuestro|nuestra|nuestros|nuestras",
        own="yo tengo tuve tenía soy era fui vivo vivía estoy trabajo me nací odio amo adoro"
        " prefiero hablo he estudio puedo quiero como cumplo tenemos somos vivimos",
        everything=r"todo(?: lo que sabes)?(?: (?:de|sobre|acerca de)) (?:m[ií]|nosotros)",
        telling=r"(?:te )?(?:he dicho|dije|conté|comenté|mencioné)(?: (?:que|de|sobre))?",
        order=r"te (?:pedí|he pedido|dije que \w+(?:ras|ses)\b)",
        fillers="yo me mi mis nosotros nuestro nuestra el la los las un una unos unas y o de del a"
        " al en con por para que qué es soy era fui estoy tengo tuve tenía he hay no ya lo se"
        " favor gracias dije dicho pregunté donde dónde cuando cuándo quién cómo cuál cuántos"
        " tenemos somos te",
    ),
    _grammar(
        "pt",
        start=r"(?:(?:oi|olá|ok|bem|olha)[\s,!]+){0,2}"
        r"(?:(?:pode|podes|poderia|podias|você pode) |por favor,?\s+){0,3}"
        r"(?:esquece|esqueça|esqueca|esquecer|ERASE)(?:,? por favor)?",
        erase="apaga|apague|apagar|elimina|elimine|exclua|excluir|remova|remove",
        that="que|de que",
        which="onde|quando|o que|que|quem|quantos|como|qual",
        my="meu|minha|meus|minhas|o meu|a minha|os meus|as minhas|nosso|nossa",
        own="eu tenho tinha sou era fui moro morava vivo estou trabalho me nasci odeio amo adoro"
        " gosto prefiro falo estudo posso quero temos somos moramos",
        everything=r"tudo(?: o que (?:você )?sabes?)?(?: (?:sobre|de)) (?:mim|nós)",
        telling=r"(?:eu )?(?:te |lhe )?(?:disse|contei|falei|mencionei)(?: (?:que|de|sobre))?",
        order=r"(?:eu )?(?:te |lhe )?(?:pedi|disse) para\b",
        fillers="eu me mim meu minha meus minhas nosso nossa nós o a os as um uma uns umas e ou de"
        " do da dos das ao em no na com por para que é sou era fui estou tenho tinha não nao já"
        " ja lhe te favor obrigado obrigada disse falei perguntei onde quando quem como qual"
        " quantos temos somos",
    ),
    _grammar(
        "ru",
        start=r"(?:(?:эй|привет|ладно|ок)[\s,!]+){0,2}"
        r"(?:(?:можешь|можете|мог бы ты|не мог бы ты)\s+|пожалуйста,?\s+|просто\s+){0,3}"
        r"(?:забудь|забудьте|забыть|ERASE)(?:,? пожалуйста)?(?: про| о| об)?(?: то)?",
        erase="удали|удалите|удалить|сотри|сотрите|стереть",
        that="что",
        which="где|когда|что|кто|сколько|как|какой|какая|какие",
        my="мой|моя|мое|моё|мои|моего|моей|моих|мою|моем|моём|наш|наша|наше|наши",
        own="я у мне меня мы",
        everything=r"вс[её](?:,? что (?:ты|вы) (?:знаешь|знаете|помнишь|помните))?"
        r"(?: (?:обо|про|о)) (?:мне|меня|нас)",
        telling=r"(?:я|мы)(?: тебе| вам)? (?:говорила?|сказала?|рассказывала?|писала?)"
        r"(?:,? (?:что|о|об|про))?",
        order=r"(?:я|мы)(?: тебя| вас) просила?",
        fillers="я мне меня мой моя мое моё мои моего моей моих мою моем моём мы нас нам наш наша"
        " наше наши у и или а в во на с со из к по за до о об про то это что где когда кто как"
        " сколько какой какая какие есть была был было были нет не уже говорил говорила сказал"
        " сказала спросил спросила пожалуйста спасибо",
    ),
)


def parse_forgetting(text: str) -> Forgetting | None:
    """Read a text as a wish to have something forgotten; None when it is none."""
    if len(text) > MAX_CHARS:
        return None
    plain = _SPACES.sub(" ", text.replace("’", "'").casefold()).strip(" ¿¡")
    if not _MAY_BE.search(plain):
        return None
    for grammar in _GRAMMARS:
        if started := grammar.start.match(plain):
            asks = plain[: started.end()].lstrip().startswith(_POLITE_QUESTIONS)
            wish, after = _first_sentence(plain[started.end() :])
            is_asked = "?" in plain[started.end() :]
            if len(_WORD.findall(after)) <= MAX_AFTER and (asks or not is_asked):
                if started["erases"]:
                    wish = _MEMORY.sub("", wish)
                    return _read(grammar, wish) if _is_fact(grammar, wish) else None
                return _read(grammar, wish)
    return None


def is_forgetting(message: Message, policy: Policy) -> bool:
    """Tell whether a message wishes that the agent forget something of its sender.

    Decided once, when the message comes in. Only where the agent answers the sender: in a group it
    has to be addressed. Forwarded text wishes nothing.
    """
    if message.actor is not Actor.CONTACT or message.forwarded or not policy.admits(message):
        return False
    if traits_of(message.chat.channel).is_silent:
        return False
    is_addressed = message.mentions_agent or message.replies_to_agent
    rule = policy.reply(is_group=message.is_group)
    if rule == "off" or (not is_addressed and (message.is_group or rule == "mention_only")):
        return False
    return parse_forgetting(message.text) is not None


def _first_sentence(text: str) -> tuple[str, str]:
    end = _SENTENCE_END.search(text)
    return (text[: end.start()], text[end.end() :]) if end else (text, "")


def _is_fact(grammar: _Grammar, wish: str) -> bool:
    """Tell whether what is to be deleted is known of somebody, and nothing that they have."""
    mine = grammar.my.match(wish)
    if mine is None:
        return True
    noun = wish[mine.end() :]
    is_short = len(_WORD.findall(noun)) <= MAX_ERASED
    is_thing = any(_THINGS.match(word) for word in _WORD.findall(noun))
    return is_short and not is_thing and not _ELSEWHERE.search(noun)


def _read(grammar: _Grammar, wish: str) -> Forgetting | None:
    if grammar.everything.fullmatch(wish):
        return Forgetting(grammar.language, ())
    if _TOLD_BY.search(wish):
        return None
    said = _said(grammar, wish)
    if said is None or grammar.order.match(said):
        return None
    if told := grammar.telling.match(f"{said} "):
        said = said[told.end() :]
    words = [word for word in _WORD.findall(said) if not _is_filler(word, grammar)]
    return Forgetting(grammar.language, tuple(words)) if words else None


def _said(grammar: _Grammar, wish: str) -> str | None:
    """Return the clause or noun that is to be forgotten; None where it is nobody's own."""
    if that := grammar.that.match(wish):
        said = wish[that.end() :]
        first = [word for word in _WORD.findall(said) if word not in _BEFORE][:1]
        if (first and first[0] in grammar.own) or _tells_whose(grammar, said):
            return said
    if which := grammar.which.match(wish):
        said = wish[which.end() :]
        if grammar.own & set(_WORD.findall(said)):
            # What is asked for names the fact: how OLD I am, WHERE I live.
            return wish if grammar.telling.match(f"{said} ") is None else said
    return wish if grammar.my.match(wish) else None


def _tells_whose(grammar: _Grammar, said: str) -> bool:
    """Tell whether a clause says who was what of somebody's: "Nina was my girlfriend"."""
    words = _WORD.findall(_IS.sub(" ", said))
    my = [at for at, word in enumerate(words) if grammar.my.match(f"{word} ")][:1]
    if my not in ([1], [2]) or len(words) != my[0] + 2:
        return False
    return not any(_is_filler(word, grammar) for word in words[: my[0]])


def _is_filler(word: str, grammar: _Grammar) -> bool:
    return word.replace("'", "") in grammar.fillers
