"""Words of feeling in the main languages but English, by their beginnings. Pure."""

from __future__ import annotations

import re
from typing import Final

# A word counts when it begins like this; a feeling is named by whoever has it, so no names of
# things that merely go with it.
_BEGINNINGS: Final = {
    "frustrated": """genervt nervt nervig ärger sauer\\b wütend scheiß verdammt unverschämt frech\\b
        zum\\ kotzen reicht's mir\\ reicht schon\\ wieder\\ kaputt unglaublich\\ schlecht
        harto harta enfadad cabread molest fastidi joder mierda ya\\ basta qué\\ rabia
        irritad chatead que\\ raiva droga\\b merda não\\ aguento cansad[oa]\\ de\\ esperar
        énerv agaç marre furieu merde ras\\ le\\ bol inadmissible scandal
        arrabbiat sono\\ stuf[oa] incazzat che\\ palle basta\\ con vergogn
        бесит (?:меня|уже)\\ достал раздража злюсь надоел чёрт черт\\ возьми сколько\\ можно
        zdenerwowan wkurz wściek boos\\b geïrriteerd kwaad sinir bıktım злить бісить дістал""",
    "sad": """traurig vermisse weine geweint einsam deprimier untröstlich verstorben
        triste llor[aeoé] extrañ\\w*\\ mucho echo\\ de\\ menos deprimid
        saudade chor(?:o|ei|ando|ar) sozinh deprimid arrasad
        pleur tristesse seule?\\b déprim chagrin tu\\ me\\ manques
        piang depress mi\\ manc addolorat
        груст печаль тоскую тоскливо плачу плакал скучаю\\ по одинок умер(?:ла|ли)?
        smutn płacz verdrietig huil üzgün ağl сумно плачу""",
    "anxious": """angst ängst sorgen\\b(?!\\ für) nervös unruhig panik fürchte
        miedo nervios[oa] preocupad ansios ansiedad asust angustia me\\ da\\ pánico
        medo preocupad nervos[oa] ansios assustad aflit pânico
        peur inqui[eè]t angoiss stressé anxieu panique
        paura preoccupat agitat ansia terrorizz
        боюсь страшно тревож волнуюсь пережива[ею] нервнича паник
        boję martwię zdenerwowany\\ przed bang\\b zenuwachtig korkuyorum endişe боюся хвилююс""",
    "excited": """freue?\\ mich juhu geil\\b hurra endlich\\ geschafft bin\\ so\\ glücklich
        begeistert
        qué\\ alegría feliz emocionad genial ilusionad yupi
        que\\ alegria animad empolgad maravilh adorei consegui\\b
        trop\\ bien youpi ravie? heureu génial j'ai\\ hâte
        felicissim che\\ bello evviva entusiast non\\ vedo\\ l'ora fantastic
        ура\\b рад[аы]?\\b счастлив обалден супер\\b восторг класс\\b не\\ могу\\ дождаться
        cieszę super\\b zin\\ in blij harika çok\\ mutlu""",
    "confused": """verstehe?\\ (?:(?:das|ich|es|gerade|überhaupt|gar|einfach)\\ ){0,3}nicht
        verwirr
        kapier(?:e)?\\ (?:das\\ |es\\ )?nicht was\\ bedeutet blicke\\ nicht
        no\\ entiendo no\\ comprendo confundid confus[oa] qué\\ significa me\\ he\\ perdido
        não\\ entend perdid[oa]\\ aqui o\\ que\\ significa
        comprends\\ (?:pas|rien) perdue?\\b qu'est-ce\\ que\\ ça\\ veut\\ dire
        non\\ capisco non\\ ho\\ capito confus[oa] cosa\\ significa
        не\\ понимаю не\\ понял запутал что\\ значит не\\ пойму непонятно
        nie\\ rozumiem begrijp\\ (?:er\\ |het\\ )?niet anlamıyorum anlamadım не\\ розумію""",
}
_BEFORE: Final = 60
"""Characters before a feeling in which a negation is looked for."""
_NEGATED: Final = re.compile(
    r"(?<!\w)(?:kein\w*|nicht|no|não|nem|pas|plus|non|не|nie|geen|niet)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)


def _compile(beginnings: str) -> re.Pattern[str]:
    # A blank inside one beginning is escaped, one between two is not.
    parts = (one.replace("\\ ", r"\s+") for one in re.split(r"(?<!\\)\s+", beginnings))
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})", re.IGNORECASE)


_FEELINGS: Final = {label: _compile(beginnings) for label, beginnings in _BEGINNINGS.items()}


def feeling_of(text: str) -> str | None:
    """Return the feeling that a text names first; None when it names none, or negates it."""
    said = text.replace("’", "'")
    found = [
        (match.start(), label)
        for label, pattern in _FEELINGS.items()
        for match in pattern.finditer(said)
        if label == "confused"
        or not _NEGATED.search(said, max(0, match.start() - _BEFORE), match.start())
    ]
    return min(found)[1] if found else None
