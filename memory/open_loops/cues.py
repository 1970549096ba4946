"""What in a sentence speaks for or against something that is left open, in five languages. Pure.

Each cue is one number of a sentence. None decides anything: `weights.json` says what each is worth
beside the sentence's vector.
"""

# ruff: noqa: E501 - patterns and tables

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_APOSTROPHES: Final = str.maketrans("’ʼ`´", "''''")
_FEW: Final = 4
_MANY: Final = 15

# Words of English, German, Spanish, Portuguese and Russian, in lower case.
_PATTERNS: Final[dict[str, str]] = {
    "i_will": r"i'?ll|ill|i will|i shall|i'?m (?:gonna|going to|about to)|im (?:gonna|going to)|imma"
    r"|i'?ma|we'?ll|we will|gonna|i can (?:bring|send|do|get|take|come|pick)|i promise|promise"
    r"|ich (?:werde?|schick\w*|bring\w*|mach\w*|ruf\w*|hol\w*|meld\w*|schau\w*|frag\w*|kümmer\w*"
    r"|besorg\w*|schreib\w*|geb\w*|überweis\w*|sag\w*|komm\w*|buch\w*|bestell\w*|nehm\w*|lass\w*)"
    r"|(?:werd|werde|schick|bring|mach|ruf|hol|meld|schau|frag|kümmer|besorg|schreib|überweis)e? ich"
    r"|mach ich|versprochen|(?:lo |la |te |se |les? |os )*(?:voy|vamos) a|v(?:ou|amos) \w+[aei]r"
    r"|\w{2,}(?:aré|eré|iré)|\w{2,}(?:arei|erei|irei)|prometo|te (?:mando|envío|llamo|aviso|paso|digo)"
    r"|(?:te|lhe|já) (?:mando|envio|ligo|aviso|passo|digo)|(?:mando|envio|ligo|aviso|levo|trago)"
    r"|(?:обязательно |завтра |вечером |сегодня |потом |я )+(?:\w+(?:шлю|ишу|ону|ведаю|верю|несу|везу"
    r"|ду|жу|чу|лю|ню|ню|рю|йду|еду|упаю|елаю|ажу|ам|ем))|я (?:буду|спрошу|узнаю|позвоню|пришлю|скину"
    r"|принесу|куплю|закажу|сделаю|напишу|отправлю|переведу|заберу|привезу|отвезу|заеду|зайду|схожу"
    r"|посмотрю|передам|проверю|договорюсь|забронирую)|(?:спрошу|узнаю|позвоню|пришлю|скину|принесу"
    r"|куплю|закажу|сделаю|напишу|отправлю|переведу|заберу|привезу|отвезу|заеду|зайду|схожу"
    r"|посмотрю|передам|проверю|договорюсь|забронирую|обещаю|возьму|поищу|найду|перезвоню|отвечу"
    r"|займусь|поговорю|подготовлю|соберу|верну|запишусь|оплачу|починю)",
    "let_me": r"let me|lemme|leave it (?:with|to) me|on it|i'?m on it|i got (?:it|this|you)|consider it"
    r"|i owe|back to you|let (?:you|ya|u|them|him|her) know|lass mich|ich (?:kümmer|klär)\w*"
    r"|d[eé]jame|d[eé]jamelo|yo me encargo|me encargo|deixa comigo|deixa eu|me deixa|pode deixar"
    r"|fico de|quedo en|дай(?:те)? мне|сейчас \w+ю|беру на себя|на мне",
    "i_doing": r"i'?m \w+ing|im \w+in'?g?|i (?:gotta|have to|need to|must|hafta)|gotta|i \w+ (?:it|them) on"
    r"|ich muss|muss ich|tengo que|tenho (?:que|de)|preciso|мне (?:надо|нужно)|(?:надо|нужно)",
    "first": r"i|i'?m|i'?ll|i'?ve|i'?d|my|me|we|we'?ll|we'?re|our|us|ich|mir|mich|mein\w*|wir|uns\w*|yo"
    r"|mi|mis|me|conmigo|nosotros|nos|nuestr\w+|eu|meu|minha|comigo|a gente|noss\w+|я|мне|меня|мой|моя"
    r"|моё|мои|мы|нас|нам|наш\w*",
    "you": r"you|your|u|ya|yer|ur|y'?all|youse|thee|du|dir|dich|dein\w*|ihr|euch|sie|ihnen|tú|tu|te|ti"
    r"|usted\w*|vos|contigo|você\w*|vc|cê|teu|tua|contigo|ты|тебе|тебя|твой|твоя|вы|вам|вас|ваш\w*",
    "third": r"he|she|they|he'?s|she'?s|they'?re|his|her|their|er|sein\w*|él|ella|ellos|ellas|ele|ela|eles"
    r"|elas|он|она|они|его|её|их",
    "asks": r"(?:can|could|would|will|cud|can't|couldn'?t|won'?t) (?:you|u|ya|ye|youse|one of you|someone|"
    r"somebody|anyone)|(?:kannst|könntest|würdest|magst|könnt|könnten|können|würden|kann) (?:du|ihr|sie"
    r"|jemand|mir|mal|bitte)|(?:me |nos |le )?(?:puedes|podrías|puede|podría|podéis|pueden|podés)"
    r"|(?:você |vc |cê |me )?(?:pode|poderia|podem|consegue|podes|consegues)(?: me)?"
    r"|(?:не )?(?:можешь|можете|мог бы|могла бы|могли бы|сможешь|сможете)|would you mind|any chance"
    r"|(?:i|we) need (?:you|ya|u|it|them|that)|i want (?:you|that|it)|may i ask you|do me a favou?r",
    "please": r"please|pls|plz|plss|kindly|abeg|bitte|por favor|porfa\w*|porfi|pfv|pf|favor|se der"
    r"|пожалуйста|пожалуста|плиз|плз|пж|будь добр\w*|прошу",
    "remember": r"remind|don'?t (?:u )?forget|dont forget|remember to|nudge|poke|ping me|bug me|shout at me|wake me"
    r"|tell me (?:on|when|at|the)|text me|call me|let me know|lemme know|send me|give me|get me|bring me"
    r"|erinner\w*|vergiss|nicht vergessen|denk (?:dran|daran|bitte)|sag (?:mir )?bescheid|schick mir"
    r"|gib mir|recuérda\w*|recuerda\w*|acuérdate|no (?:te )?olvides|no olvidéis|avísa\w*|mánda\w*|env[ií]a"
    r"\w*|pása\w*|dime|tráe\w*|lembr[ae]\w*|me lembra|não (?:se )?esque\w+|me (?:avisa|manda|liga|passa)"
    r"|avisa|manda|напомни\w*|не забудь\w*|не забывай|скажи|дай знать|пришли\w*|скинь\w*|купи\w*"
    r"|позвони\w*|напиши\w*|принеси\w*|забери\w*|захвати\w*|закажи\w*|передай\w*|отправь\w*|проверь\w*"
    r"|посмотри\w*|запиши\w*|узнай\w*|спроси\w*",
    "how_are": r"how (?:are|r) (?:you|u|ya|things|we)|how'?s (?:it|life|things|you|u|everything)|what'?s up|wassup"
    r"|sup|hru|wyd|wie geht'?s?|alles (?:gut|klar|fit)|na\?|qué tal|cómo (?:estás|están|vas|va|andas|te va)"
    r"|todo (?:bien|bom)|tudo (?:bem|bom|certo|joia)|como (?:vai|você está|cê tá|vc tá)|e aí|beleza"
    r"|как (?:дела|ты|жизнь|вы|сам\w*|оно)|you (?:ok|okay|alright|awake|there|up)",
    "tag": r"(?:right|eh|innit|yeah|no|ok|okay|huh|ya know|you know|isn'?t it|aren'?t they|oder|gell?|ne|wa"
    r"|verdad|no|cierto|vale|né|certo|viu|tá|да|правда|ладно|хорошо|ага) ?\?+\W*$|who knows|who cares"
    r"|why me|why not|wer weiß|quién sabe|quem sabe|кто знает|can you (?:believe|imagine)|you kidding",
    "wh": r"who|who'?s|whose|what|what'?s|which|when|where|why|how|wer|was|wann|wo|wohin|warum|wieso|wie"
    r"|welche\w*|wieviel|qué|que|quién|cuándo|dónde|cómo|cuánto\w*|cuál|quem|quando|onde|como|quanto\w*"
    r"|qual|cadê|что|кто|когда|где|куда|почему|зачем|как|сколько|какой|какая|какие|какое|чей",
    "does": r"(?:do|does|did|is|are|was|were|has|have|can|could|will|would|should|am|d'?you|any|anyone|shall|may)"
    r"|(?:hast|habt|haben|hat|ist|sind|bist|kommst|kommt|weißt|gibt|geht|soll|sollen|wollen|willst"
    r"|brauchst|kennst|kann|darf)|(?:tienes|has|hay|sabes|vienes|es|está|están|quieres|alguien|te)"
    r"|(?:tem|tens|sabe|vem|é|está|tá|quer|alguém|vai|viu)|(?:ты|вы|есть|а|у|кто-нибудь|будешь|будете)",
    "hedge": r"maybe|perhaps|might|prob(?:ably)?|possibly|i should|should really|someday|some day|one day"
    r"|one of these days|sometime|some time|eventually|would love|would like|wish|hope\w*|thinking (?:of|about)"
    r"|considering|could always|not sure|if only|ought to|i'?d|one of those days|wouldn'?t mind|or something"
    r"|dunno|vielleicht|eventuell|irgendwann|mal sehen|müsste|sollte|könnte|würde|hoffe\w*|hoffentlich"
    r"|wahrscheinlich|überleg\w*|am liebsten|wär\w*|quizás?|tal vez|a lo mejor|algún día|debería\w*|ojalá"
    r"|igual|quisiera|me gustaría|a ver si|puede que|pensando|talvez|algum dia|um dia|quem sabe|deveria"
    r"|devia|tomara|queria|gostaria|sei lá|acho que|может|может быть|наверное|возможно|когда-нибудь"
    r"|надеюсь|хотел\w* бы|стоило бы|надо бы|бы|подумываю|думаю",
    "if": r"if|unless|in case|assuming|as long as|wenn|falls|sofern|si|se|caso|если|вдруг",
    "past": r"\w{2,}ed|was|were|did|didn'?t|had|went|got|said|told|used to|yesterday|last|ago|back in|been|came"
    r"|sent|took|made|saw|war|waren|hatte\w*|ge\w{3,}t|gestern|letzte\w*|damals|habe?|bin|\w+(?:aron|ieron)"
    r"|fui|fue|ayer|pasad[oa]|anoche|\w+ó|\w+aba|\w+ou|\w+ei|foi|ontem|era|estava|\w+(?:ал|ил|ел|ял|ала|ила|ела"
    r"|яла|али|или|ели|лся|лась|лись)|был\w*|вчера|прошл\w+",
    "not": r"not|no|never|none|nah|nope|cannot|\w+n'?t|nicht|kein\w*|nie|nein|nö|no|nunca|tampoco|nada|não"
    r"|nem|не|нет|никогда|нельзя",
    "must": r"due|deadline|appointment|appt|booked|meeting|scheduled|exam|interview|flight|closes|starts|begins"
    r"|departs|dentist|doctor|doc|gig|party|wedding|service|rehearsal|train|birthday|viewing|shift|match|game"
    r"|termin|frist|fällig|prüfung|arzt|zahnarzt|hochzeit|geburtstag|besprechung|flug|zug|abgabe|treffen"
    r"|cita|plazo|vence|examen|reunión|vuelo|boda|cumple\w*|entrevista|médico|dentista|tren|turno"
    r"|consulta|prazo|prova|reunião|voo|casamento|aniversário|formatura|dentista|vence"
    r"|запис\w*|прием|приём|срок|экзамен|встреч\w*|самол[её]т|рейс|свадьб\w*|день рождени\w*|собеседовани\w*"
    r"|врач\w*|дедлайн|поезд|собрани\w*|концерт|зачёт|зачет",
    "meet": r"see (?:you|ya|u)|come (?:over|by|round)|pick (?:you|u|ya|me)|meet\w*|seeing|having|dinner|lunch"
    r"|bis (?:morgen|dann|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)|treffen|sehen uns"
    r"|nos vemos|quedamos|cena|comida|a gente se vê|encontro|jantar|almoço|увидимся|встречаемся|встретимся",
    "joke": r"lol|lmao|lmfao|haha\w*|hehe\w*|jaja\w*|kk+|rs+|ахах\w*|хаха\w*|хах\w*|jk|kidding|scherz|broma"
    r"|brincadeira|шучу|rofl",
    "quote": r"(?:he|she|they|mum|mom|dad|boss|people) (?:said|says|told|reckons?|claims?|swears)|was like|sagt\w*"
    r"|meint\w*|dice\w*|dijo|dijeron|disse\w*|diz|говорит|сказал\w*|написал\w*|\"|«|„|“",
    "always": r"always|every|usually|often|normally|ever|daily|weekly|immer|jede\w*|meistens|oft|siempre|cada"
    r"|todos los|sempre|cada|tod[oa]s? (?:os?|as?|dia)|всегда|кажд\w+|обычно|часто",
    "done": r"done|sent|booked|sorted|paid|bought|fixed|finished|called|rang|posted|got (?:it|them|him|her)"
    r"|picked (?:it|up|them)|handed|submitted|cancell?ed|found|signed|ordered|delivered|all set|it'?s in|in the bag"
    r"|erledigt|geschickt|gebucht|bezahlt|gekauft|abgegeben|fertig|gemacht|bestellt|überwiesen|abgeholt|geklärt"
    r"|gefunden|angerufen|unterschrieben|hecho|listo|lista|enviad\w+|mandad\w+|pagad\w+|reservad\w+|comprad\w+"
    r"|entregad\w+|ya (?:está|lo|la|te|hablé|llamé|fui)|encontr\w+|feito|pronto|enviei|mandei|paguei|comprei"
    r"|reservei|entreguei|resolvido|já (?:foi|fiz|mandei|paguei|comprei|falei|liguei|está|tá)|achei|liguei"
    r"|сделал\w*|готово|отправил\w*|прислал\w*|купил\w*|оплатил\w*|забрал\w*|заказал\w*|позвонил\w*|скинул\w*"
    r"|нашёл|нашел|нашла|сдал\w*|забронировал\w*|перев[её]л\w*|записал\w*|договорил\w*|уже",
    "off": r"never ?mind|nvm|forget (?:it|about|that)|scrap that|cancel\w*|called off|call it off|is off|'s off|no need"
    r"|don'?t bother|dont bother|no longer|not anymore|not any more|changed my mind|drop it|leave it|skip it"
    r"|falling through|fell through|instead|can'?t make it|abgesagt|fällt aus|vergiss es|egal|doch nicht"
    r"|nicht mehr (?:nötig|nötig)|hat sich erledigt|brauchst (?:du )?nicht|lass mal|storniert|abblasen"
    r"|olvídalo|déjalo|cancel\w+|ya no|no hace falta|mejor no|se suspend\w+|deixa (?:pra lá|quieto)|esquece"
    r"|não precisa|cancel\w+|desmarc\w+|desist\w+|отмен\w*|не надо|не нужно|забей|забудь|проехали|уже не"
    r"|передумал\w*|отбой|не получится",
    "moved": r"moved|pushed|pushing|shift\w*|reschedul\w*|rebook\w*|postpone\w*|change of plan|changed to|now it'?s"
    r"|it'?s now|new date|new time|bumped|delayed|verschoben|verlegt|verschieben|stattdessen|doch erst|lieber"
    r"|cambi\w+|aplaz\w+|movid\w+|pospus\w+|pasó para|mejor el|remarc\w+|adi\w+|mudou|mudaram|passou pra|перенес\w*"
    r"|перенос\w*|перен[её]с\w*|сдвин\w*|лучше (?:в|на)|теперь",
    "yes": r"yes|yeah|yep|yup|ya|aye|sure|of course|ok|okay|okey|kk|deal|will do|no (?:problem|worries|bother)|sound"
    r"|ja|jap|jo|klar|gern\w*|geht klar|passt|mach ich|sí|si|claro|vale|dale|por supuesto|hecho|sim|claro"
    r"|beleza|pode ser|combinado|fechado|да|ага|угу|ок|окей|конечно|хорошо|ладно|договорились|сделаю|давай",
    "thanks": r"thanks?|thx|ty|tysm|cheers|ta|thank you|danke\w*|dankeschön|gracias|obrigad\w+|brigad\w+|valeu"
    r"|спасибо|спс|благодарю|you'?re (?:a )?(?:star|legend|angel)|legend|lifesaver",
    "greet": r"hi|hey|hello|hiya|morning|good (?:morning|evening|night)|hallo|moin|servus|guten|hola|buen[oa]s|oi|olá"
    r"|bom dia|boa (?:noite|tarde)|привет|здравствуй\w*|добр\w+|night|bye|ciao|tschüss|chao|tchau|пока",
}
# A verb that begins a sentence in its bare form mostly tells somebody to do it.
_COMMANDS: Final = (
    "bring|send|text|call|ring|email|mail|get|grab|pick|buy|book|check|ask|tell|remind|ping|poke|nudge"
    "|put|take|make|let|leave|drop|fetch|order|print|write|choose|keep|hold|save|add|mark|note|set|turn"
    "|water|feed|return|forward|confirm|look|find|wake|clean|wash|sign|pay|transfer|share|upload|post"
    "|schick|bring|ruf|hol|kauf|sag|denk|frag|schreib|mach|nimm|gib|erinner|vergiss|stell|leg|druck"
    "|bestell|besorg|überweis|prüf|buch|manda|trae|llama|compra|pide|di|avisa|pregunta|escribe|haz"
    "|lleva|pon|recoge|busca|reserva|confirma|envía|liga|compra|traz|leva|pega|pede|fala|avisa|pergunta"
    "|escreve|faz|passa|reserva|busca|marca"
)
_COMMAND: Final = re.compile(
    rf"\W*(?:(?:and|oh|ok|so|also|pls|please|hey|und|y|e|и)\W+)*(?:{_COMMANDS})(?!\w)"
)
_CUES: Final = {name: re.compile(rf"(?<!\w)(?:{words})(?!\w)") for name, words in _PATTERNS.items()}
_FIRST_WORDS: Final = ("wh", "does", "first", "you", "yes", "not")
_STARTS: Final = {
    name: re.compile(
        rf"\W*(?:(?:and|but|so|also|or|ok|wait|und|aber|y|pero|e|mas|а|и|но)\W+)?(?:{_PATTERNS[name]})(?!\w)"
    )
    for name in _FIRST_WORDS
}
NAMES: Final = (
    *_PATTERNS,
    *(f"starts_{name}" for name in _FIRST_WORDS),
    "command", "mark", "marks_first", "ends_mark", "shout", "short", "long",
    "i_will+when", "asks+mark", "wh+mark", "first+when", "hedge+when", "hedge+first", "past+first",
    "remember+when", "please+when", "third+when", "if+first",
    "when", "today", "soon", "later_on", "gone", "clock",
)  # fmt: skip
"""What each number of `cues` is."""


def plain(text: str) -> str:
    """Return a text as cues read it: in lower case, with one kind of apostrophe."""
    return text.translate(_APOSTROPHES).lower()


def words_of(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return _WORD.findall(plain(text))


def cues(sentence: str, when: Sequence[float]) -> list[float]:
    """Return the cues of a sentence by `NAMES`, from 0 to 1.

    Args:
        sentence: As it was written.
        when: What `due.timing` says of it: a time ahead, today, soon, later, gone, by the clock.
    """
    low = plain(sentence)
    found = {name: float(bool(rule.search(low))) for name, rule in _CUES.items()}
    starts = [float(bool(rule.match(low))) for rule in _STARTS.values()]
    mark = float("?" in low)
    words = len(_WORD.findall(low))
    ahead = when[0]
    shape = [
        float(bool(_COMMAND.match(low))), mark, float(low.find("?") in range(25)),
        float(low.rstrip(" )!\"'").endswith("?")), float("!" in low),
        float(words <= _FEW), float(words >= _MANY),
    ]  # fmt: skip
    both = [
        found["i_will"] * ahead, found["asks"] * mark, max(found["wh"], starts[1]) * mark,
        found["first"] * ahead, found["hedge"] * ahead, found["hedge"] * found["first"],
        found["past"] * found["first"], found["remember"] * ahead, found["please"] * ahead,
        found["third"] * ahead, found["if"] * found["first"],
    ]  # fmt: skip
    return [*found.values(), *starts, *shape, *both, *when]
