"""Whether a writer takes back the value before and gives another: "blue. No wait, it's green". Pure.

For English, German, Spanish, Portuguese and Russian.
"""

from __future__ import annotations

import re
from typing import Final

MAX_BETWEEN: Final = 80
"""So many characters lie between two values of which the later corrects the earlier, at most."""

# What takes something back by itself. A bare "no" does so only before a pause: "in Leeds, no, York",
# but "vivo en Sevilla, no en Cádiz".
_NO: Final = r"(?:no|nope|nah|nein|nee|não|нет|не)"
_CUE: Final = (
    r"(?:wait|hang on|hold on|sorry|oops|whoops|scratch that|strike that|correction|make that"
    r"|or rather|i meant?(?: to say)?|my mistake|my bad"
    r"|warte|moment|stopp?|quatsch|sorry|entschuldig\w+|verzeihung|korrektur|ich mein(?:e|te)"
    r"|beziehungsweise|besser gesagt|vielmehr|vertan|verschrieben"
    r"|espera|perd[oó]n|perdona|digo|quiero decir|quise decir|mejor dicho|correcci[oó]n|me equivoqu[eé]"
    r"|espere|peraí|desculp[ae]|perdão|ali[aá]s|quer dizer|quero dizer|quis dizer|melhor dizendo|ou melhor"
    r"|correção|me enganei|errei"
    r"|стоп|погоди|подожди|постой|извини\w*|прости\w*|ой|вернее|точнее|то есть|я хотела? сказать|ошиб\w+"
    r"|оговорил\w+)"
)
_PAUSE: Final = r"[\s,.!;:…–—-]"
_TAKES_BACK: Final = re.compile(
    rf"\W*(?:(?:oh|ah|äh|ach|ay|well|actually|eigentlich|ой|а){_PAUSE}+)?"
    rf"(?:{_NO}(?:{_PAUSE}*[,.!;:…–—-]{_PAUSE}*|\s+(?={_CUE}\b))(?:{_CUE}\b{_PAUSE}*)*"
    rf"|(?:{_CUE}\b{_PAUSE}*)+(?:{_NO}\b{_PAUSE}*)?)"
    # What leads to the value: "it's", "my favourite is", "in".
    r"(?:[\w'’]+ ){0,5}[\"“„«]?",
    re.IGNORECASE,
)


def takes_back(between: str) -> bool:
    """Tell whether what stands between two values takes the first of them back."""
    return len(between) <= MAX_BETWEEN and bool(_TAKES_BACK.fullmatch(between))
