"""Whether a time is told of and not planned: "we went to Crete in May", "I was born in May". Pure.

In English, German, Spanish, Portuguese and Russian, by the words of the clause that names the time.
"""

# ruff: noqa: E501 - patterns

from __future__ import annotations

import re
from typing import Final

_BREAK: Final = re.compile(
    r"[,;:!?()]|(?<!\d)\.|(?<!\w)(?:and|but|then|und|aber|y|pero|e|mas|и|а|но)(?!\w)"
)
_BORN: Final = re.compile(
    r"(?<!\w)(?:(?:was|were|am|is|been|got)\s+born|born (?:on|in)|geboren|geb\.|nac(?:í|ió|imos|ieron|id[oa]s?)"
    r"|nasc(?:i|eu|emos|eram|id[oa]s?)|родил(?:ся|ась|ись|ос[ья]))(?!\w)"
)
_WAS: Final = re.compile(
    r"(?<!\w)(?:was|were|went|visited|flew|drove|travell?ed|stayed|spent|saw|met|married|graduated|died|celebrated"
    r"|got (?:married|engaged|divorced)|came (?:back|home)|had (?!to )|lived|worked|moved (?:in|out|here|there|into))(?!\w)"
    r"|(?<!\w)(?:war|waren|warst|wart|hatte|hatten|ging|gingen|gewesen|gefahren|geflogen|gereist|besucht|geheiratet"
    r"|verbracht|gestorben|gefeiert|getroffen|umgezogen|eingezogen|ausgezogen)(?!\w)"
    r"|(?<!\w)(?:fui|fuimos|fueron|fue|estuve|estuvimos|estuvo|estuvieron|estaba|estábamos|viajé|visité|conocí"
    r"|pasé|volví|volvimos|me casé|murió|era|éramos|hemos estado|he estado)(?!\w)"
    r"|(?<!\w)(?:fomos|foram|foi|estive|estivemos|esteve|estava|estávamos|viajei|visitei|conheci|passei|voltei"
    r"|casei|morreu)(?!\w)"
    r"|(?<!\w)(?:был[аио]?|ездил[аи]?|летал[аи]?|ходил[аи]?|гостил[аи]?|побывал[аи]?|жил[аи]?|отдыхал[аи]?"
    r"|провел[аи]|провёл|женил(?:ся|ись)|вышла замуж|умер(?:ла|ли)?|поженились|вернул(?:ся|ась|ись))(?!\w)"
)
# What was done about a time to come: "we were told that it is in May", "it was moved to May".
_TO_COME: Final = re.compile(
    r"(?<!\w)(?:will|\w+'ll|would|going to|gonna|is|are|has to|have to|scheduled|booked|planned|planning|moved to|pushed"
    r"|postponed|rescheduled|invited|supposed|meant|hoping|tickets?|reserv\w*|order\w*|told|said|due"
    r"|wird|werden|werde|soll|sollen|gebucht|geplant|verschoben|verlegt|eingeladen|termin|karten|tickets"
    r"|va|vamos|voy|será|reservad\w+|program\w+|aplaz\w+|pospuest\w+|agendad\w+|marcad\w+|cita|entradas|billetes"
    r"|vai|vou|adiad\w+|consulta|bilhetes|passagens|ingressos"
    r"|будет|будем|буду|запис\w*|назнач\w*|заказ\w*|заброн\w*|перен[её]с\w*|билет\w*|купил\w*)(?!\w)"
)


def is_told_of(text: str, start: int, end: int, *, is_bare: bool) -> bool:
    """Tell whether the time from `start` to `end` of a text in lower case is one that is over.

    `is_bare`: it is a month, or a day of one, without a year: only of such a one the tense tells.
    """
    breaks = [each.end() for each in _BREAK.finditer(text, 0, start)]
    after = _BREAK.search(text, end)
    clause = text[breaks[-1] if breaks else 0 : after.start() if after else len(text)]
    if _TO_COME.search(_BORN.sub(" ", clause)):
        return False
    return bool(_BORN.search(clause) or (is_bare and _WAS.search(clause)))
