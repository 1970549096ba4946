"""Words by which people open, leave, change or go on with a topic, in the main languages. Pure."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_EARLY: Final = 16
"""How many characters may stand before words that begin a turn, as in `Oh well, by the way`."""

# People name the change itself: a new topic, whatever the words around it.
_CHANGES: Final = re.compile(
    r"""(?<!\w)(?:
    (?:let'?s|can\ we|could\ we|shall\ we|i(?:'d|\ would)?\ (?:want|like)\ to)\ (?:please\ )?
      (?:talk|speak|chat)\ about\ (?:something|anything|another\ topic)(?:\ (?:else|different))?
    | (?:let'?s|can\ we|could\ we|shall\ we|to)\ (?:change|switch)\ (?:the\ )?(?:subject|topic)s?
      (?!\ (?:of|line))
    | (?:changing|switching)\ (?:the\ )?(?:subject|topic)s?
    | on\ an?(?:\ \w+)?\ (?:different|unrelated|another)\ (?:note|topic|subject)
    | (?:new|different|another)\ (?:topic|subject)(?=\s*[:,.!—-])
    | (?:давай(?:те)?|поговорим|хочу)(?:\ (?:лучше|поговорим|поговорить|теперь))*
      \ (?:о|про)\ (?:ч[её]м[- ](?:то|нибудь)\ |что[- ](?:то|нибудь)\ )?друго[емй]\w*
    | (?:давай(?:те)?\ )?(?:сменим|переменим|меняем)\ тему | (?:другая|смена)\ тем[аы](?=\W)
    | (?:lass(?:t)?\ uns|reden\ wir)\ (?:mal\ |lieber\ )?(?:über|von)\ (?:et)?was\ ander\w+
    | (?:anderes\ thema|themawechsel)(?=\W) | (?:das|mal\ das)\ thema\ (?:zu\ )?wechseln
    | cambi(?:ando|emos|o)\ (?:de|el)\ tema | hablemos\ de\ otra\ cosa
    | (?:mudando|mudemos|trocando|vamos\ mudar)\ de\ (?:assunto|tema)
    | vamos\ falar\ de\ outra\ coisa
    | (?:changeons|pour\ changer)\ de\ sujet | parlons\ d'autre\ chose | rien\ à\ voir(?=\W)
    | (?:cambiando|cambiamo)\ (?:argomento|discorso) | parliamo\ d'altro
    | (?:ander\ onderwerp|iets\ heel\ anders)(?=\W) | van\ onderwerp\ veranderen
    | zmieniając\ temat | zmieńmy\ temat | inny\ temat(?=\W)
    | (?:змінимо|міняємо)\ тему | (?:давай|поговорімо)\ про\ (?:щось\ )?інше
    | konuyu\ değiştir\w* | başka\ bir\ konu(?:ya|\ hakkında)
    | لنتحدث\ عن\ شيء\ آخر | موضوع\ آخر(?=\W) | विषय\ बदल\w*
    ) | 换个话题 | 換個話題 | 说点别的 | 話は変わ | 話題を変え | 다른\ 얘기 | 화제를\ 바꾸""",
    re.IGNORECASE | re.VERBOSE,
)
# People say what they want to talk of next, not what was talked of, nor when it shall be.
_NAMES: Final = re.compile(
    r"""(?<!\w)(?:
    (?:(?:let'?s|can\ we|could\ we|shall\ we|i'd\ (?:like|love)\ to|i\ (?:want|wanted|need)\ to)
        \ (?:(?:please|just|now|also)\ )*(?:talk|speak|chat)\ (?:(?:to|with)\ you\ )?(?:now\ )?about
        \ (?!(?:it|that|this|these|those|them|him|her|us|you|anything)(?!\w|\ \w))
      )(?![^.!?\n]*\b(?:tomorrow|later|tonight|soon|sometime|in\ person|another\ (?:time|day)
        |next\ (?:week|time|month)|when|once|after|before)\b)
    | (?:(?:lass(?:t)?\ uns|wollen\ wir|können\ wir|ich\ (?:möchte|will|würde\ gerne?))
        \ (?:(?:mal|jetzt|nun|kurz|lieber|noch|bitte|auch|mit\ dir|endlich)\ )*(?:über|von|vom)
        \ (?!(?:es|dich|mich|uns|ihn|sie|das|dies\w*|was|etwas)\ (?:reden|sprechen))
        (?:[\w-]+\ ){1,6}(?:reden|sprechen|plaudern|quatschen)
      | (?:reden|sprechen)\ wir\ (?:(?:mal|jetzt|nun|lieber|noch|doch|auch)\ )*(?:über|von|vom)\ \w
      )(?![^.!?\n]*\b(?:morgen|später|bald|wenn|nachher|abends)\b)
    | (?:hablemos|(?:podemos|podríamos|quiero|quería|quisiera|me\ gustaría|vamos\ a)\ hablar)
      \ (?:(?:ahora|mejor|contigo|también)\ )*(?:de|del|sobre)
      \ (?!(?:eso|esto|ello|él|ella|ellos|algo|lo)(?!\w))
      (?![^.!?\n]*\b(?:mañana|luego|después|más\ tarde|cuando|pronto)\b)
    | (?:vamos|podemos|podíamos|quero|queria|gostaria\ de|bora)\ (?:falar|conversar)
      \ (?:(?:agora|também|contigo|com\ você)\ )*(?:de|do|da|dos|das|sobre)
      \ (?!(?:isso|isto|ele|ela|eles|algo|aquilo)(?!\w))
      (?![^.!?\n]*\b(?:amanhã|depois|mais\ tarde|quando|logo)\b)
    | (?:(?:давай(?:те)?\ (?:(?:лучше|теперь|ещ[её]|тогда)\ )*)?поговорим
        |(?:хочу|хотел[аи]?\ бы|можем|можно)\ (?:(?:с\ тобой|теперь|ещ[её])\ )*поговорить)
      \ (?:(?:теперь|лучше|с\ тобой)\ )*(?:о|об|обо|про)
      \ (?!(?:этом|это|н[её]м|ней|них|том|ч[её]м|что)(?!\w))
      (?![^.!?\n]*\b(?:завтра|позже|потом|когда|вечером)\b)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
# Said before a thought that just came up: mostly, not always, a new topic.
_ASIDES: Final = re.compile(
    r"""(?<!\w)(?:
    by\ the\ way(?!\ of) | btw | before\ i\ forget | that\ reminds\ me | anyways?(?=,)
    | unrelated(?:\ question)?(?=[,:])
    | кстати | между\ прочим | к\ слову | пока\ не\ забыл\w* | слушай(?=,)
    | übrigens | apropos | ach\ ja | bevor\ ich(?:'s|\ es)?\ vergesse | was\ anderes(?=\W)
    | por\ cierto | a\ propósito | oye(?=,) | antes\ de\ que\ se\ me\ olvide
    | aliás | por\ falar\ niss?o | antes\ que\ eu\ (?:me\ )?esqueça
    | au\ fait | à\ propos | tant\ que\ j'y\ pense
    | a\ proposito | senti(?=,) | prima\ che\ (?:mi\ )?dimentic\w+
    | trouwens | overigens | swoją\ drogą | a\ propos | до\ речі | bu\ arada | aklıma\ gelmişken
    | بالمناسبة | वैसे(?=,)
    )(?!\w) | 对了 | 對了 | 顺便 | 順便 | ところで | そういえば | 그나저나 | 그런데\ 말이야""",
    re.IGNORECASE | re.VERBOSE,
)
_OPENS: Final = re.compile(
    r"""\W*(?:
    hi | hello | hey | good\ (?:morning|afternoon|evening) | i\ (?:need|want) | please\ help
    | i(?:'d|\ would)\ like | i(?:'?m|\ am)\ (?:looking|trying|planning|interested) | help\ me
    | can\ you\ (?:help|tell|give|find|recommend|show|explain) | could\ you | are\ you\ able
    | do\ you\ know | have\ you\ (?:seen|heard|thought|tried) | did\ you\ (?:see|hear)
    | what(?:'s|\ is)\ the | how\ do\ i
    | привет | здравствуй\w* | добр\w+\ (?:день|утро|вечер) | мне\ нуж\w+
    | (?:подскажи|посоветуй|помоги)\w* | ты\ (?:знаешь|видел|слышал)\w*
    | hallo | guten\ (?:morgen|tag|abend) | ich\ (?:brauche|suche|möchte|überlege) | kannst\ du
    | kennst\ du | weißt\ du | hast\ du\ schon
    | hola | buen[oa]s | necesito | quiero | (?:me\ )?puedes | sabes | has\ (?:visto|probado)
    | olá | oi | bom\ dia | boa\ (?:tarde|noite) | preciso | quero | você\ (?:sabe|pode|viu)
    | bonjour | salut | bonsoir | j'ai\ besoin | je\ (?:cherche|voudrais|veux)
    | peux-tu | tu\ (?:sais|connais|as\ vu)
    | ciao | buongiorno | ho\ bisogno | cerco | vorrei | (?:mi\ )?puoi
    | sai | hai\ (?:visto|sentito)
    )(?!\w)""",
    re.IGNORECASE | re.VERBOSE,
)
_CLOSES: Final = re.compile(
    r"""(?<!\w)(?:
    thanks | thank\ you | thx | bye | you'?re\ welcome | anything\ else | enjoy
    | that(?:'s|\ is)\ (?:all|everything) | have\ a\ (?:great|nice|good|lovely)
    | good\ (?:day|night|luck)
    | спасибо | пожалуйста | пока | удачи | danke\w* | gern\ geschehen | tschüss
    | viel\ (?:spaß|erfolg|glück) | gracias | de\ nada | adiós | obrigad[oa] | valeu | tchau
    | merci | de\ rien | grazie | prego
    )(?!\w)""",
    re.IGNORECASE | re.VERBOSE,
)
_GOES_ON: Final = re.compile(
    r"""\W*(?:
    yes | yeah | yep | yup | no | nope | not | ok | okay | sure | right | exactly | great | perfect
    | nice | cool | wow | awesome | thanks | thank\ you | sounds | absolutely | definitely
    | of\ course | certainly | sorry | its? | it's | that | that's | this | these | those | they
    | them | he | she | his | her | and | but | so | then | or | because | which\ one
    | да | нет | ага | угу | ок | ладно | хорошо | конечно | спасибо | понятно | это | этот | он
    | она | оно | они | и | а | но | тогда | ну | их | его
    | ja | nein | doch | okay | klar | genau | gut | danke | das | dann | und | aber | er | sie | es
    | sí | si | vale | claro | gracias | eso | entonces | y | pero | él | ella | ese | esa
    | sim | não | tá | beleza | isso | então | e | mas | ele | ela
    | oui | non | d'accord | merci | ça | c'est | alors | et | mais | il | elle
    | sì | va\ bene | certo | grazie | allora | ma | lui | lei | quello | questo
    )(?!\w)""",
    re.IGNORECASE | re.VERBOSE,
)
_NAMED_WITHIN: Final = 160
"""Characters at the beginning of a turn in which it may name what to talk of."""
_TAIL: Final = 64
"""Characters at the end of a turn in which its question mark is looked for."""
_QUESTION: Final = re.compile(r"[?？؟]\W*$")
_SENTENCE_END: Final = ".!?…。！？\n"


class Cues(NamedTuple):
    """What the wording of one turn says about topics."""

    changes: bool
    aside: bool
    opens: bool
    closes: bool
    goes_on: bool
    asks: bool
    names: bool = False


def read_cues(text: str) -> Cues:
    """Return the cues of one turn; most are false for a text in a language without lists.

    Words of change and asides count where a turn or one of its sentences begins, asides also at
    the end of a turn. What is to be talked of is named (`names`) near the beginning of a turn: far
    within a long one, others are quoted with such words, or told to use them.
    """
    said = text.replace("’", "'").strip()
    return Cues(
        changes=any(_begins(said, found) for found in _CHANGES.finditer(f"{said} ")),
        aside=any(_frames(said, found) for found in _ASIDES.finditer(said)),
        opens=bool(_OPENS.match(said)),
        closes=bool(_CLOSES.search(said)),
        goes_on=bool(_GOES_ON.match(said)),
        asks=bool(_QUESTION.search(said[-_TAIL:])),
        names=any(_begins(said, found) for found in _NAMES.finditer(said[:_NAMED_WITHIN])),
    )


def _begins(text: str, found: re.Match[str]) -> bool:
    ahead = text[max(0, found.start() - _EARLY) : found.start()]
    return found.start() <= _EARLY or any(mark in ahead for mark in _SENTENCE_END)


def _frames(text: str, found: re.Match[str]) -> bool:
    return found.start() <= _EARLY or not re.search(r"\w", text[found.end() :])
