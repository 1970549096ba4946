"""Words that show what a clause is: decided, promised, asked, put right, or chatter. Pure.

In English, German, Spanish, Portuguese and Russian, all tried on every clause.
"""

from __future__ import annotations

import re
from typing import Final


def any_of(patterns: str) -> re.Pattern[str]:
    """Return a pattern that finds any of these, parted by blanks, as whole words, case ignored."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(patterns.split())})(?!\w)", re.IGNORECASE)


DECIDES: Final = any_of(
    r"""(?:we|i)(?:'ve|\s+have)?\s+(?:decided|agreed|settled|chose|booked|ordered|picked|went\s+with)
    (?:we|i)(?:'ll|\s+will)\s+(?:take|go|do|stay|keep|get|use|meet|have|skip) let'?s(?:\s+\w+)?
    deal agreed decided settled final(?:ly)? it'?s\s+set going\s+with go\s+(?:with|for) instead
    booked then\s+it'?s the\s+plan\s+is entschieden beschlossen abgemacht ausgemacht wir\s+nehmen
    ich\s+nehme wir\s+machen dann\s+(?:nehmen|machen|fahren|treffen|gehen) gebucht machen\s+wir
    es\s+bleibt machen\s+(?:das|es)\s+so also\s+gut stattdessen bestellt einigen\s+wir decid\w+
    quedamos acord\w+ hecho vamos\s+(?:a|con|com|de) reserv\w+ nos\s+quedamos mejor elegimos
    en\s+vez\s+de al\s+final combinado fechado ficamos fica decidi\w* em\s+vez\s+de no\s+fim
    реш\w+ договорились бер[её]м беру заброниров\w+ едем ид[её]м тогда вместо остановились
    выбра\w+ заказа\w+"""
)
PROMISES: Final = any_of(
    r"""i(?:'ll|\s+will) i(?:'m|\s+am)\s+going\s+to
    (?:i|we|you)\s+(?:need|have|must|should)(?:\s+to)?
    gotta don'?t\s+forget remember\s+to remind to-?do can\s+you could\s+you please
    (?:by|until|before)\s+\w+day deadline due
    ich\s+(?:muss|werde|rufe|schicke|bringe|kaufe|frage|hole|mache|kümmere|bestelle|buche)
    muss(?:t|en)? soll(?:te|st)? vergiss\s+nicht kannst\s+du bitte bis\s+\w+tag
    denk\s+(?:dran|daran) kümmer\w* teng[oa]\s+que tienes\s+que hay\s+que debo voy\s+a
    no\s+(?:te\s+)?olvid\w+ puedes por\s+favor me\s+encargo llamar[ée] antes\s+del?
    tenho\s+(?:que|de) preciso precisa vou não\s+(?:te\s+)?esque\w+ pode\w?s? fico\s+de até\s+\w+
    você\s+leva надо нужно должн\w+ не\s+забудь\w* позвоню куплю сделаю принесу отправлю напишу
    возьму закажу спрошу пожалуйста обещаю до\s+\w+ы"""
)
CORRECTS: Final = any_of(
    r"""actually no,?\s+wait wait sorry,?\s+(?:i\s+meant|not) i\s+meant correction
    changed\s+(?:my|our)\s+mind not\s+\w+\s+but scratch\s+that turns\s+out after\s+all moved\s+to
    rather instead doch\s+(?:nicht|erst|lieber|am) ach\s+nein quatsch stimmt\s+nicht ich\s+meinte
    korrektur sondern verschoben anders\s+überlegt lieber mejor\s+dicho perdón digo no,\s+espera
    en\s+realidad al\s+final me\s+equivoqu\w+ quer[ií]a\s+decir cambio\s+de\s+planes aliás
    quer\w*\s+dizer não,\s+espera na\s+verdade me\s+enganei mudança\s+de\s+planos ой то\s+есть
    вернее точнее я\s+ошиб\w+ не\s+\w+,?\s+а передума\w+ перен\w+сл?\w* оказалось оказывается
    всё-таки"""
)
AGREES: Final = re.compile(
    r"\W*(?:yes|yeah|yep|yup|ok(?:ay)?|sure|deal|done|perfect|sounds\s+good|great|fine|works(?:\s+for"
    r"\s+me)?|agreed|i'?m\s+in|ja|jap|jo|klar|gut|passt|gerne?|abgemacht|einverstanden|alles\s+klar|super"
    r"|sí|si|vale|claro|hecho|perfecto|de\s+acuerdo|dale|genial|sim|tá|beleza|fechado|combinado|ótimo"
    r"|pode\s+ser|да|ага|ок|окей|давай|хорошо|ладно|договорились|отлично|идёт|супер|конечно)(?!\w)",
    re.IGNORECASE,
)
HEDGES: Final = any_of(
    r"""maybe perhaps might not\s+sure i\s+guess probably could would vielleicht könnte\w* würde\w*
    wahrscheinlich eventuell quizás? tal\s+vez a\s+lo\s+mejor podría\w* talvez acho poderia может
    наверное возможно вроде кажется бы"""
)
CHATS: Final = any_of(
    r"""lol haha\w* hehe\w* omg wow thanks? thank\s+you thx hi hey hello bye
    good\s+(?:morning|night|luck) congrats congratulations love\s+(?:it|that|you) nice cool
    awesome great\s+question happy\s+to\s+help let\s+me\s+know hope\s+(?:that|this)
    sorry\s+to\s+hear glad hug\w* xx+ no\s+worries same\s+here hallo hi danke\w* tschüss
    gute\s+(?:nacht|besserung) viel\s+(?:spaß|erfolg|glück) glückwunsch lieb\s+von haha krass geil
    echt bis\s+(?:dann|später|bald) grüße freut\s+mich gern\s+geschehen hola gracias jaja\w*
    besos? abrazo suerte felicidades qué\s+(?:bien|guay|risa) adiós oi olá obrigad[oa] kk+ rs+
    beijos? abraços? parabéns que\s+(?:bom|legal) boa\s+sorte привет спасибо ах+ ха(?:ха)+\w* пока
    удачи поздравляю класс до\s+(?:встречи|свидания) всего\s+доброго круто ничего\s+себе обнимаю
    целую"""
)
SELF: Final = any_of(
    r"""i i'?m i'?ve i'?ll my we our me us we'?re we'?ve ich mein\w* mir mich wir uns(?:er\w*)? yo
    mi
    mis me nos nuestr\w+ tengo estoy soy voy he eu meu minha nós noss[oa] tenho estou sou vou
    a\s+gente я мы мой моя мо[её] мои у\s+меня мне нам наш\w* у\s+нас"""
)
YOU: Final = any_of(
    r"""you(?:'re|'ve|'ll|'d)?|your|yours|yourself du|dir|dich|dein\w*|ihr|euch|euer
    tú|tu|tus|te|ti|usted|vos você|vocês|teu|tua|seu|sua ты|тебе|тебя|тво\w+|вы|вам|вас|ваш\w*"""
)
FILLER: Final = re.compile(
    r"^(?:\W*(?:(?:ok(?:ay)?|because|so|then|denn|porque|luego|entonces|depois|потому\s+что|так\s+что|oh|ah|well|so|and|but|btw|by\s+the\s+way|anyways?|also|hey|haha\w*|lol|hmm+|um+|wow|omg"
    r"|honestly|basically|actually|you\s+know|good\s+news|guess\s+what|ach\s+ja|ach|übrigens|na\s*ja|und"
    r"|aber|hm+|tja|weißt\s+du|bueno|pues|y|pero|oye|por\s+cierto|es\s+que|jaja\w*|bom|então|mas|olha"
    r"|aliás|pois\s+é|kk+|ei|ну|а|и|но|кстати|ой|слушай|вообще|короче|ах\w*|хм+)(?=[\s,.!:…—–-]|$)"
    r"|(?:ok(?:ay)?|yeah|yes|yep|no|nope|right|sure|look|hi|ja|nein|stimmt|genau|klar|sí|no|vale|mira|claro"
    r"|sim|não|tá|claro|да|нет|ага|так|ок)(?=\s*[,.!:…—–-]))[\s,.!:…—–-]*)+",
    re.IGNORECASE,
)
"""What a clause can do without at its beginning; yes and no only where a mark follows."""
WONDERS: Final = any_of(
    r"""(?:don'?t|do\s+not|didn'?t|doesn'?t|dunno|couldn'?t|can'?t|cannot|haven'?t|hasn'?t|isn'?t|nobody|no\s+one|no\s+(?:idea|clue)|not\s+(?:sure|clear)|never|wonder\w*|question|unclear|open|find\s+out|check|ask)\s(?:\S+\s){0,6}?(?:whether|if|what|who|how|when|where|which|yes)
    (?:stays?|remains?|still|left)\s+open still\s+(?:don'?t|do\s+not|not)\s+know
    what\s+i\s+haven'?t
    (?:wei(?:ß|ss|t)|wissen|unklar|offen|klären|frage|sagen|keine\s+ahnung|herausfinden|fraglich)\b[^.?!]{0,24}?\b(?:ob|wer|wie|was|wann|wo|welche\w*)
    (?:bleibt|ist)\s+(?:noch\s+)?offen
    (?:no\s+(?:lo\s+)?(?:s[ée]|sabe\w*)|sabe\s+todavía|ni\s+idea|falta\s+saber|duda|en\s+el\s+aire)(?:\s\S+){0,4}?\s(?:si|qué|quién|cómo|cuándo|cuánto|dónde|momento)
    lo\s+que\s+no\s+s[ée] no\s+sabe\s+(?:todavía|aún)(?:\s\S+){0,2}\s+si
    (?:não\s+(?:sei|sabemos|sabe)|sei\s+lá|falta\s+saber|dúvida)(?:\s\S+){0,4}?\s(?:se|quem|que|qual|como|quando)
    ninguém\s+(?:me\s+)?(?:respondeu|sabe) será\s+que
    (?:не\s+(?:знаю|знаем|знает|ясно|понятно|решили)|неясно|непонятно|неизвестно|вопрос|спросить|узнать|пока\s+не)[^.?!]{0,40}?(?:\bли|\bкто|\bгде|\bкак|\bкогда|\bсколько|остал\w*)
    главный\s+вопрос"""
)
"""A question in the form of a statement: whether, who, how, which is not known."""
UNKNOWN: Final = any_of(
    r"""no\s+idea (?:i\s+)?(?:don'?t|do\s+not|dunno)\s*(?:know)?(?:\s+yet)? not\s+sure
    let\s+me\s+(?:check|ask|see) (?:need|have)\s+to\s+(?:check|ask|find\s+out)
    still\s+(?:open|unclear|waiting) we'?ll\s+see will\s+(?:check|ask)
    i'?ll\s+(?:check|ask|find\s+out|look) wonder(?:ing)? keine\s+ahnung
    wei(?:ß|ss)\s+(?:ich\s+)?(?:noch\s+)?nicht mal\s+(?:sehen|schauen) noch\s+(?:offen|unklar)
    muss\s+ich\s+(?:noch\s+)?(?:fragen|schauen|klären) frage\s+ich\s+nach ni\s+idea
    no\s+(?:lo\s+)?s[ée] ya\s+veremos no\s+estoy\s+segur\w+ tengo\s+que\s+(?:ver|preguntar|mirar)
    lo\s+(?:miro|pregunto) não\s+(?:sei|faço\s+ideia) vou\s+(?:ver|perguntar) sei\s+lá
    a\s+ver\s+vamos не\s+знаю понятия\s+не\s+имею посмотрим
    (?:надо|нужно)\s+(?:узнать|спросить|уточнить) узнаю уточню
    пока\s+(?:не\s+)?(?:ясно|решили|знаем) хз"""
)


def is_empty(text: str) -> bool:
    """Tell whether a clause holds nothing but agreement and chatter."""
    rest = CHATS.sub("", text)
    while (agreed := AGREES.match(rest)) is not None:
        rest = rest[agreed.end() :]
    return not re.search(r"\w", rest)
