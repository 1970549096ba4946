"""Lines that stand for what is no text: a picture, a missed call, a deleted message. Pure.

By the words of this house's channels and of the apps themselves, in English, German, Spanish,
Portuguese, Russian and French. They answer nothing, whoever sent them, imported or live.
"""

from __future__ import annotations

import re
from typing import Final

MAX_CHARS: Final = 120

_KINDS: Final = (
    "media|image|photo|video|audio|voice|animation|gif|sticker|document|file|contact|location"
    "|live location|poll|checklist|game|invoice|giveaway|call|deleted|reaction"
)
# A camera's, or an app's, own name of a file: one that a person gave tells something.
_FILE: Final = (
    r"(?:img|vid|aud|ptt|stk|doc|dsc|pxl|mvimg|photo|video|sticker|gif|whatsapp \w+)"
    r"[-_ ]?[\d\w .()-]{0,60}\.\w{1,5}"
)
_THING: Final = (
    r"(?:media|medien|multimedia|m[ií]dia|medios|image|imagen|imagem|bild|foto|photo|v[ií]d[eé]o"
    r"|audio|áudio|sticker|gif|document|dokument|documento|archivo|arquivo|ficheiro|sprachnachricht"
    r"|voice message|mensaje de voz|mensagem de voz|figurinha|изображение|фото|видео|аудио|стикер"
    r"|документ|голосовое сообщение|médias?|fichier|message vocal)"
)
_MISSING: Final = (
    r"(?:omitted|weggelassen|ausgelassen|ausgeschlossen|omitid[oa]s?|ocultad[oa]|ocult[oa]"
    r"|não revelad[oa]|отсутствует|пропущен[оа]?|absente?|omise?|exclus?)"
)
_AT: Final = r"(?:,? (?:at|um|a las|às|в|à) [\d:. ]{3,6}(?: ?(?:[ap]\.?m\.?|uhr))?)?"
_CALL: Final = (
    r"(?:missed (?:voice |video |group )*call|(?:voice|video) call(?:, no answer)?"
    r"|(?:verpasster|entgangener) (?:sprach|video|gruppen)*-?anruf|(?:sprach|video)anruf"
    r"|(?:video)?llamada (?:(?:grupal|de voz|de v[ií]deo) )?perdida"
    r"|(?:chamada|ligação) (?:de (?:voz|vídeo) )?(?:perdida|não atendida)"
    r"|пропущенный (?:аудио|видео|групповой )?-?(?:звонок|вызов)"
    r"|appel (?:vocal|vidéo) manqué)"
)
_DELETED: Final = (
    r"(?:(?:this message was|you) deleted(?: this message| by an? admin)?|message deleted"
    r"|(?:diese nachricht wurde|(?:du hast|sie haben) diese nachricht) gelöscht"
    r"|se (?:eliminó|borró) este mensaje|(?:este )?mensaje (?:fue )?eliminado"
    r"|(?:has eliminado|eliminaste) este mensaje"
    r"|(?:est[ae] |essa )?mensagem (?:foi )?(?:apagada|eliminada)"
    r"|(?:você )?(?:apagou|apagaste|eliminou|eliminaste) (?:esta|essa) mensagem"
    r"|(?:данное |это )?сообщение (?:было )?удалено|вы удалили (?:данное |это )?сообщение"
    r"|ce message a été supprimé|(?:vous avez|tu as) supprimé ce message|message supprimé)"
)
_PLACEHOLDER: Final = re.compile(
    rf"\[(?:{_KINDS})\w*[^\]\n]{{0,40}}\](?:\s+{_FILE})?|<?{_THING} {_MISSING}>?"
    rf"|<?без медиафайлов>?|{_CALL}{_AT}|{_DELETED}|null"
)


def says_nothing(text: str) -> bool:
    """Tell whether a whole text stands for something else, and says nothing itself."""
    if len(text) > MAX_CHARS:
        return False
    plain = text.replace("\u200e", "").replace("\u202f", " ").strip().casefold()
    return bool(_PLACEHOLDER.fullmatch(plain.removesuffix(".")))
