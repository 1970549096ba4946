"""What kind of message it is: a question, a greeting, thanks, a request or a statement. Pure."""

from __future__ import annotations

import re
from typing import Final

from graph.models.offline.words import sentences
from memory.text.words import normalise

MAX_QUESTIONS = 5  # sentences of one message that are answered as its question
_GREETING_WORDS = 7  # a longer message says more than hello

_MARKS = ("?", "？", "؟")
ASKED_GERMAN: Final = (
    r"(?:(?:(?:in|aus|von|bei|für|an|auf|mit|zu|um|gegen|seit) )?(?:we[rmn]|wessen|was|wo|woher"
    r"|wohin|wann|wieso|warum|wie(?! gesagt| immer| schön| versprochen)|welche[rsnm]?|worauf|woran"
    r"|wofür|womit|wogegen|ob)\b)"
)
ASKED_RUSSIAN: Final = (
    r"(?:(?:(?:на|в|во|с|со|у|о|об|из|от|к|для|по|за|про) )?(?:кто|кого|кому|кем|ком|чего|чему|чем"
    r"|чём|где|куда|откуда|когда|как|как(?:ой|ая|ое|ие|их|ом|ую|ими|ого|ому)|сколько|чей|чья|чьё"
    r"|почему|зачем)\b)"
)
"""Words that a question opens with, behind a preposition or without one; after `normalise`."""
_NO_SUBJECT: Final = (
    r"(?!(?:i|we|you|he|she|it|they|this|that|there|my|our|your|his|her|the|a|an)\b)"
)
_VERB: Final = (
    r"(?:is|are|am|was|were|do|does|did|have|has|had|can|could|should|would|will|must|may|might"
    r"|cant|wont|dont|doesnt|didnt|isnt|arent)"
)
_OPENS_QUESTION: Final = re.compile(
    r"(?:(?:hi|hey|hello|so|and|but|well|ok|okay|please|btw|by the way|quick question) )*(?:"
    # It asks by its verb before who does it; "how nice that you came" and "when i got home" tell.
    rf"(?:what|where|when|how|who|whom|whose|which|why)(?: {_NO_SUBJECT}\w+){{0,3}}? {_VERB}\b"
    r"|(?:who|whose|whom|why) (?!knows\b|cares\b)\w+|which (?!reminds\b|means\b|is why\b)\w+"
    r"|(?:what|how) about\b|how come\b|what \w+ed\b"
    r"|(?:what|where|when|how|who|which|why)(?: (?:is|are|again))?$"
    r"|what(?:s|re)? (?:is|are|my|the|was|were)\b"
    r"|(?:whats|wheres|whens|whos|hows) \w+"
    r"|(?:am|was|do|did|have|had|can|could|should|must|may|will|would|shall) i\b"
    r"|(?:is|are|was|were|does|did|has|do) (?:my|it|there|we|they|he|she|the|you)\b"
    r"|(?:can|could|would|will|do|did|have) you\b"
    r"|(?:tell|remind) me\b(?! (?:a|an|another|some)\b)|show me (?:what|my|everything)|list (?:my|all|what|everything)"
    r"|summari[sz]e (?:me|my|what)\b"
    r"|(?:wer|wo|wann|warum|welche[rsn]?)(?! (?:ich|du|er|sie|es|wir|ihr|man|auch|immer)\b)"
    r"|wie (?:hei|alt|ist|war)\w*|was (?:bin|ist|war|mache|weißt|weisst|darf|mag)\w*"
    r"|c[oó]mo me|qui[eé]n (?:es|soy|era|fue)|quién|dónde|qu[eé] (?:sabes|me|soy|puedo)|cuál|cual es"
    r"|cuántos?"
    r"|comment je|qui suis|où|quel(?:le)?s?|qu ?est ce|que sais|quem|onde|qual|como me chamo"
    r"|как (?:меня|я)|кто я|где|сколько|что (?:ты|мне|я)|как(?:ой|ая) (?:у|мой|моя|твой|твоя|был|была)"
    r"|когда(?! (?:я|ты|он|она|мы|вы|они)\b))\b"
)
_GREETING: Final = re.compile(
    r"(?:hi+|hey+|hello|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)|morning"
    r"|hallo|guten (?:tag|morgen|abend)|servus|moin|hola|buen[oa]s(?: \w+)?|bonjour|bonsoir|salut"
    r"|ol[aá]|oi|bom dia|boa (?:tarde|noite)|ciao|привет|здравствуй(?:те)?|добрый день"
    r"|how are you(?: doing)?(?: today)?|hows it going|whats up|how do you do)\b"
)
_SMALL_TALK: Final = re.compile(
    r"(?:\w+ ){0,2}(?:how are you(?: doing)?(?: today)?|hows it going|whats up|how do you do"
    r"|wie geht(?:s| es)(?: (?:dir|euch|ihnen))?(?: heute| so)?|c[oó]mo (?:est[aá]s|te va)|qu[eé] tal"
    r"|[cç]a va|tudo bem|como vai|как дела)"
)
_THANKS: Final = re.compile(
    r"(?:ok |okay |great |cool |perfect |many )*(?:thanks|thank you|thx|ty|cheers|danke|vielen dank"
    r"|gracias|muchas gracias|merci|obrigad[oa]|grazie|спасибо)\b"
)
# "Where and when" and "what I like and where" join no two questions.
_JOINED: Final = re.compile(
    r",? (?:and|und|y|e|и) (?=(?:(?:what|where|when|who|how|which) (?:is|are|am|was|were|do|does|did|has|have|old|many)|(?:what|where|when|who|how)s"
    r"|(?:was|wo|wann|wer|wie) (?:ist|sind|bin|war|waren|mache|heiße|alt|habe|hat|wohne)|(?:qué|dónde|cuándo|quién|cómo|cuántos)"
    r"|(?:o que|onde|quando|quem|como)|(?:что|где|когда|кто|как) (?:я|мы|меня|мой|моя|мои))\b)",
    re.IGNORECASE,
)
_LEAST_ASKED: Final = 2
_ABOUT_AGENT: Final = re.compile(
    r"who (?:or what )?are you|what are you|whats your name|what is your name"
    r"|are you (?:a |an )?(?:bot|ai|robot|human|real|person|machine|language model|offline"
    r"|chatgpt)\b"
    r"|what can you do|which model are you|what model are you"
    r"|(?:wer|was) bist du|wie hei(?:ß|ss)t du|bist du (?:eine? )?(?:bot|ki|roboter|mensch)"
    r"|was kannst du|qui[eé]n eres|qu[eé] eres|c[oó]mo te llamas"
    r"|eres (?:una? )?(?:bot|robot|ia|humano|persona)|qu[eé] puedes hacer"
    r"|quem (?:é você|és tu)|(?:qual é o seu|como é o seu) nome|como (?:você se|te) chamas?"
    r"|você é (?:uma? )?(?:bot|robô|ia|pessoa)|o que você (?:pode|sabe) fazer"
    r"|кто ты|что ты такое|как тебя зовут|ты (?:бот|робот|человек)|что ты умеешь"
    # What it does in general: with more behind it ("things that Anna said") memory is asked.
    r"|(?:(?:do|can|will) you (?:really |actually |even )?(?:remember|keep|save|store)"
    r" (?:stuff|things|anything|everything|this|what i (?:say|write|tell you))"
    r"|how (?:does this|do you) work|is this (?:a bot|an ai|chatgpt)"
    r"|(?:kannst|wirst) du dir (?:was|etwas|sachen|dinge|alles|das)(?: wirklich)? merken"
    r"|merkst du dir (?:das|alles|was|dinge|sachen)|wie funktionier(?:t das|st du)"
    r"|(?:recuerdas|guardas) (?:cosas|todo|lo que (?:digo|escribo|te digo))|c[oó]mo funcionas?"
    r"|(?:lembra|guarda) (?:das coisas|de tudo|tudo|(?:d?o )que (?:eu )?(?:digo|escrevo))"
    r"|como (?:isso |você )?funciona"
    r"|ты (?:правда )?(?:запоминаешь|помнишь) (?:вс[её]|что я (?:пишу|говорю))"
    r"|как (?:это|ты) работае(?:т|шь))(?= or\b| oder\b| o\b| ou\b| или\b|$)"
)
_TO_FORGET: Final = re.compile(
    r"(?:please |pls |bitte |por favor |пожалуйста )*"
    r"(?:forget|delete|remove|erase|vergiss|vergessen|lösche?|olvida|olvide|borra|borre|elimina"
    r"|esquece|esqueça|apaga|apague|elimine|забудь|забудьте|удали|удалите|сотри)\b"
)
_REQUEST: Final = re.compile(
    r"(?:please |now |and |ok |hey )*(?:always|never|from now on|ignore|disregard|forget|write|say"
    r"|repeat|print|output|translate|explain|give me|make|create|generate|draw|pretend|act|respond"
    r"|answer|reply|end (?:each|every|your|all)|start (?:each|every|your|all)|stop|help|tell me (?:an?|another|some)"
    r"|schreibe?|übersetze?|erkläre?|antworte|ignoriere?|erstelle?|gib mir|sag mir"
    r"|escribe|escribime|traduce|explica|ignora|dame|cu[eé]ntame"
    r"|escreve|escreva|traduza?|explique|ignore|responda|crie"
    r"|напиши|переведи|объясни|игнорируй|ответь|расскажи|создай)\b"
)
_NAME = r"([^\W\d_][\w'’-]{0,29}(?: [A-ZÀ-ÞА-Я][\w'’-]{0,29}){0,2})"
_INTRODUCTION: Final = (
    re.compile(
        r"\b(?:[Mm]y name(?:'s|’s| is)|[Ii]ch hei(?:ß|ss)e|[Mm]ein Name ist|[Mm]e llamo"
        r"|[Mm]i nombre es|[Jj]e m['’]appelle|[Mm]e chamo|[Cc]hamo-me|[Mm]eu nome é"
        r"|[Мм]еня зовут) " + _NAME
    ),
    re.compile(
        # Where nouns have a large letter, as in German, "ich bin Lehrer" looks the same.
        r"^¡?(?:[Hh]i|[Hh]ey|[Hh]ello|[Hh]ola|[Bb]uenas|[Oo]i|[Oo]lá|[Пп]ривет)\b[ ,!.]*"
        r"(?:[Ii]['’]?m|[Ii] am|[Tt]his is|(?:[Yy]o )?[Ss]oy|(?:[Ee]u )?[Ss]ou(?: [oa])?|[Яя]) "
        r"([A-ZÀ-ÞА-Я][\w'’-]{1,29})(?=[.,!\n]| (?:and|y|e|и)\b|$)"
    ),
)
_NO_NAMES: Final = frozenset(
    "not no nothing none a the my still unknown secret hard too so".split()
)


def is_question_sentence(sentence: str) -> bool:
    """Say whether one sentence asks: by its mark, or by how it opens."""
    if sentence.rstrip("\"'”’) ").endswith(_MARKS):
        return True
    return not sentence.endswith("!") and bool(_OPENS_QUESTION.match(normalise(sentence)))


def questions(text: str) -> list[str]:
    """Return the sentences that ask, in order, at most the last `MAX_QUESTIONS`."""
    return [s for s in sentences(text) if is_question_sentence(s)][-MAX_QUESTIONS:]


def each_asked(question: str) -> list[str]:
    """Return the questions that "and" joins in one: "Where do I live and what do I do?" is two."""
    parts = _JOINED.split(question)
    if len(parts) < 2 or any(len(part.split()) < _LEAST_ASKED for part in parts):
        return [question]
    return [*(f"{part}?" for part in parts[:-1]), parts[-1]]


def is_greeting(text: str) -> bool:
    """Say whether a message is a greeting and no more."""
    line = normalise(text)
    if len(line.split()) > _GREETING_WORDS:
        return False
    if questions(text):
        return bool(_SMALL_TALK.fullmatch(line))
    return bool(_GREETING.match(line)) or bool(_SMALL_TALK.fullmatch(line))


def is_thanks(text: str) -> bool:
    """Say whether a message opens with thanks."""
    return bool(_THANKS.match(normalise(text)))


_ASKS_NOW: Final = re.compile(
    r"^(?:\w+ ){0,2}?(?:what(?: is|s)? (?:the |todays |todays? )?(?:date|day|time)(?: is it)?(?: now| today)?"
    r"|what (?:day|date|time) (?:is it|do we have)(?: now| today)?"
    r"|(?:what|which) (?:day|date)(?: of the week)? is (?:it )?today|(?:whats|what is) (?:today|todays date|the date today)"
    r"|welche[rsn]? (?:tag|datum) (?:ist|haben wir)(?: es| wir)?(?: heute)?|wie spät ist es|wie viel uhr ist es"
    r"|qué (?:día|fecha|hora) es(?: hoy| ahora)?|a qué (?:día|fecha) estamos|qué hora es"
    r"|que (?:dia|data) é hoje|que horas são|qual é a data(?: de hoje)?"
    r"|какое сегодня число|какой сегодня день|который час|сколько времени)$"
)


_LAST_SAID: Final = re.compile(
    r"^(?:and |so )?(?:what (?:did|have) i (?:just|last) (?:say|said|write|written|wrote|tell|told)(?: you)?"
    r"|what was i (?:just )?saying|(?:what was|repeat) (?:my|the) last (?:message|thing i (?:said|wrote)))$"
    r"|^was habe ich (?:gerade|eben|zuletzt) (?:gesagt|geschrieben)$|^was war meine letzte nachricht$"
    r"|^qué (?:acabo de (?:decir|escribir)|fue lo último que (?:dije|escribí))$|^cuál fue mi último mensaje$"
    r"|^o que (?:eu )?acabei de (?:dizer|escrever)$|^qual foi (?:a )?minha última mensagem$"
    r"|^что я только что (?:сказал|написал)а?$|^какое (?:было )?моё последнее сообщение$"
)


def is_about_agent(question: str) -> bool:
    """Say whether a question is about the agent itself."""
    return bool(_ABOUT_AGENT.search(normalise(question)))


def is_request(text: str) -> bool:
    """Say whether a message orders something that quoting memory cannot do."""
    return bool(_REQUEST.match(normalise(text)))


def is_to_forget(text: str) -> bool:
    """Say whether a message orders to forget, or to delete, something."""
    return bool(_TO_FORGET.match(normalise(text)))


def introduced_name(text: str) -> str:
    """Return the name by which the speaker introduces themself; empty when they do not."""
    # "Hey! I'm Petra" greets in a sentence of its own.
    for sentence in (*sentences(text), text.strip()):
        for pattern in _INTRODUCTION:
            found = pattern.search(sentence)
            if found and found.group(1).casefold() not in _NO_NAMES:
                return found.group(1).rstrip("'’-")
    return ""


def asks_now(question: str) -> bool:
    """Tell whether a question asks for today's date, or for the time."""
    return bool(_ASKS_NOW.search(normalise(question)))


def asks_last_said(question: str) -> bool:
    """Tell whether a question asks what its writer said right before."""
    return bool(_LAST_SAID.search(normalise(question)))
