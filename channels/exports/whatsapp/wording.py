"""What WhatsApp itself writes into a chat.

In English, German, Spanish, Portuguese, Russian and French; that media were left out, in more.

Source: the app's own words as they stand in exports; they were seen to change little over years.
Compared casefolded, without direction marks and the full stop at the end.
"""

from __future__ import annotations

import re

LONGEST_NOTICE = 400
"""Characters; the encryption notice has about 200."""

_DELETED = {
    *("this message was deleted", "you deleted this message", "message deleted"),
    *("diese nachricht wurde gelöscht", "du hast diese nachricht gelöscht"),
    *("se eliminó este mensaje", "este mensaje fue eliminado", "eliminaste este mensaje"),
    *("has eliminado este mensaje", "mensaje eliminado", "se borró este mensaje"),
    *("mensagem apagada", "esta mensagem foi apagada", "essa mensagem foi apagada"),
    *("você apagou esta mensagem", "você apagou essa mensagem", "apagou esta mensagem"),
    *("apagaste esta mensagem", "eliminou esta mensagem", "esta mensagem foi eliminada"),
    *("eliminaste esta mensagem", "mensagem eliminada"),
    *("данное сообщение удалено", "это сообщение удалено", "сообщение удалено"),
    *("вы удалили данное сообщение", "вы удалили это сообщение", "вы удалили сообщение"),
    *("это сообщение было удалено",),
    *("ce message a été supprimé", "vous avez supprimé ce message"),
    *("tu as supprimé ce message", "message supprimé"),
}
_DELETED_BY = re.compile(
    r"(?:(?:this message was|you) deleted (?:this message as |by (?:an )?)admin"
    r"|diese nachricht wurde von .{1,80} gelöscht$"
    r"|(?:se eliminó este mensaje|este mensaje fue eliminado) por "
    r"|(?:esta )?mensagem (?:foi )?(?:apagada|eliminada) pel[ao] |(?:данное |это )?сообщение "
    r"(?:было )?удалено администратором|ce message a été supprimé par )"
)

_EDITED = re.compile(
    r"<\s?(?:this message was edited|diese nachricht wurde bearbeitet"
    r"|se editó este mensaje|este mensaje fue editado|mensaje editado"
    r"|(?:esta |essa )?mensagem (?:foi )?editada|editou esta mensagem"
    r"|(?:данное |это )?сообщение (?:было )?изменено"
    r"|ce message a été modifié|message modifié)\.?\s?>",
    re.IGNORECASE,
)

# A thing's word in each language, and below it how each language says that it is missing.
_THINGS = {
    "[Image]": "image|photo|bild|foto|imagen|imagem|изображение|фото|photo",
    "[Video]": "video|video note|videonotiz|videonachricht|nota de vídeo|nota de video|vídeo|видео"
    "|видеозаметка|видеосообщение|vidéo|note vidéo|message vidéo|video message",
    "[Audio]": "audio|áudio|аудио|аудиофайл",
    "[Voice Message]": "voice message|sprachnachricht|mensaje de voz|mensagem de voz"
    "|голосовое сообщение|message vocal|note vocale",
    "[Animation]": "gif",
    "[Sticker]": "sticker|figurinha|autocolante|pegatina|стикер|autocollant",
    "[Document]": "document|dokument|documento|документ",
    "[Contact Card]": "contact card|kontaktkarte|kontakt|tarjeta de contacto"
    "|cartão do contato|cartão de contato|cartão do contacto|cartão de contacto"
    "|карточка контакта|карточка|контакт|fiche contact|carte de contact",
    "[Location]": "location|standort|ubicación|localização|местоположение|localisation",
    "[Poll]": "poll|umfrage|encuesta|enquete|sondagem|опрос|sondage",
}
_MISSING = (
    "omitted|weggelassen|ausgelassen|ausgeschlossen|omitid[oa]s?|ocultad[oa]|oculto|oculta"
    r"|não revelad[oa]|отсутствует|отсутствуют|пропущен[оа]?|опущен[оа]?|не добавлен[оа]?"
    r"|absente?|omise?|retirée?|manquante?|non inclus|exclue?"
)
_OMITTED = re.compile(
    "(?:" + "|".join(f"({words})" for words in _THINGS.values()) + rf") (?:{_MISSING})\.?$",
    re.IGNORECASE,
)
_LONGEST_MISSING = 20
_ENDS_IN_MISSING = re.compile(rf" (?:{_MISSING})\.?$", re.IGNORECASE)
_PLACEHOLDERS = tuple(_THINGS)
_BRACKETED = {
    *("media omitted", "medien ausgeschlossen", "medien weggelassen", "media ausgelassen"),
    *("multimedia omitido", "archivo omitido", "medios omitidos", "archivos multimedia omitidos"),
    *("mídia oculta", "mídia omitida", "arquivo de mídia oculto", "arquivos de mídia ocultos"),
    *("ficheiro não revelado", "ficheiro omitido", "multimédia omitido", "ficheiro oculto"),
    *("без медиафайлов", "медиафайл пропущен", "файл пропущен", "медиафайлы пропущены"),
    *("médias omis", "média omis", "fichier omis", "fichiers omis", "médias exclus"),
    *("media omessi", "media weggelaten", "medya dahil edilmedi", "pominięto multimedia"),
    *("media tidak disertakan", "המדיה לא נכללה", "मीडिया छोड़ा गया", "미디어 파일 제외됨"),
}
_ONCE = re.compile(
    r"(?:view once|einmalansicht|einmal ansehen|ver una vez|visualização única"
    r"|однократный просмотр|vue unique|à vue unique)\b"
)

_ATTACHED = re.compile(
    r"(?P<name>[^\n/\\<>]{1,250}\.\w{1,8}) \((?:file attached|Datei angehängt|archivo adjunto"
    r"|arquivo anexado|ficheiro anexado|anexado|файл добавлен|файл прикреплен|файл прикреплён"
    r"|fichier joint)\)",
    re.IGNORECASE,
)
# The app's own names give a file away in any language.
_ATTACHED_ANYHOW = re.compile(
    r"(?P<name>(?:IMG|VID|AUD|PTT|STK|DOC)-\d{8}-WA\d{4,}\.\w{1,8}) \([^()\n]{4,40}\)"
)
_ATTACHED_IOS = re.compile(
    r"<\s?(?:attached|Anhang|adjunto|archivo adjunto|anexado|anexo|ficheiro anexado|прикреплено"
    r"|вложение|вложено|pièce jointe|fichier joint)\s?:\s?(?P<name>[^<>\n/\\]{1,250})>",
    re.IGNORECASE,
)
_LOCATION = re.compile(
    r"(?:location|standort|live location|live-standort|ubicación|localização|местоположение"
    r"|localisation|position)\s?: ?(?P<link>https?://\S+)$",
    re.IGNORECASE,
)
_POLL = re.compile(
    r"(?:POLL|UMFRAGE|ENCUESTA|ENQUETE|SONDAGEM|ОПРОС|SONDAGE)\s?:\s*\n(?P<poll>.+)", re.DOTALL
)

_GROUP = (
    r"created (?:this |the )?group|\badded\b|\bleft$|joined (?:using|from|the group)|\bremoved\b"
    r"|changed (?:the (?:subject|group)|this group)|now an admin"
    r"|(?:hat|hast) die(?:se)? gruppe|gruppe erstellt|hinzugefügt|gruppe verlassen|\bentfernt\b"
    r"|beigetreten|gruppenbild|gruppenname|gruppenbeschreibung|den betreff|jetzt (?:ein )?admin"
    r"|(?:creó|creaste) (?:el|este) grupo|añadió|añadiste|agregó|agregaste|\bsalió|\bsaliste"
    r"|eliminó a |eliminaste a |se unió|te uniste|del grupo|el asunto"
    r"|(?:criou|criaste) (?:o |este )?grupo|adicionou|adicionaste|\bsaiu\b|\bsaíste\b|removeu"
    r"|removeste|do grupo|deste grupo|o assunto|entrou (?:usando|com|através)"
    r"|создал.* групп|добавил|вышел|вышла|покинул|исключил|удалил\S* (?!сообщ)|присоедин"
    r"|(?:тему|название|фото|картинку|описание|иконку) группы|изменил\S* тему"
    r"|(?:a|avez|as) créé (?:le|ce) groupe|a ajouté|avez ajouté|as été ajouté|avez été ajouté"
    r"|a quitté|avez quitté|est parti|a retiré|avez retiré|a rejoint|avez rejoint|du groupe"
    r"|le sujet"
)
_NOTICE = (
    r"end-to-end encrypt|security code|missed (?:voice|video|group)|(?:voice|video) call\b"
    r"|waiting for this message|auf diese nachricht|esperando (?:este|el) mensaje"
    r"|aguardando (?:esta )?mensagem|ожидание \w*\s?сообщения|en attente de ce message"
    r"|llamada|chamada|ligação de|звонок|appel (?:vocal|vidéo)"
    r"|changed (?:their|your|to)|disappearing messages|\bblocked\b|pinned a message|is a contact"
    r"|ende-zu-ende-verschlüssel|sicherheitsnummer|sicherheitscode|verpasster|sprachanruf"
    r"|videoanruf|selbstlöschende|blockiert|angeheftet"
    r"|cifrad[oa]s de extremo|código de (?:seguridad|segurança)|perdida|mensajes temporales"
    r"|bloqueaste|fijó un mensaje|cambió|cambiaste"
    r"|criptografia de ponta|encriptad|mensagens temporárias|bloqueou|fixou|mudou|alterou"
    r"|сквозным шифрованием|код безопасности|пропущенный|исчезающие сообщения|заблокировал"
    r"|закрепил|изменил"
    r"|chiffrés de bout en bout|code de sécurité|manqué|messages éphémères|bloqué|épinglé"
    r"|a changé|avez changé|a modifié|avez modifié"
)
_ENCRYPTED = re.compile(
    r"end-to-end encrypt|ende-zu-ende-verschlüssel|cifrad[oa]s de extremo a extremo"
    r"|ponta a ponta|сквозным шифрованием|chiffrés de bout en bout"
)
_IS_GROUP = re.compile(_GROUP)
_IS_NOTICE = re.compile(f"{_GROUP}|{_NOTICE}")
_TITLES = re.compile(
    r"(?:created (?:this |the )?group|die gruppe|(?:creó|creaste) (?:el|este) grupo"
    r"|(?:criou|criaste) (?:o |este )?grupo|создал\S* группу|créé (?:le|ce) groupe)"
    r"[^\"“„«”]{0,20}[\"“„«”]\s?(?P<title>.{1,100}?)\s?[\"”“»]",
    re.IGNORECASE,
)
_QUOTES = re.compile(r"[\"“”„«»]")

_KINDS = {
    **dict.fromkeys("jpg jpeg png heic heif bmp tiff".split(), "[Image]"),
    **dict.fromkeys("mp4 mov 3gp avi mkv webm".split(), "[Video]"),
    **dict.fromkeys("m4a mp3 aac ogg wav amr flac".split(), "[Audio]"),
    **dict.fromkeys(["opus"], "[Voice Message]"),
    **dict.fromkeys("webp was".split(), "[Sticker]"),
    **dict.fromkeys(["gif"], "[Animation]"),
    **dict.fromkeys("vcf vcard".split(), "[Contact Card]"),
}
_NAMED = {
    "STK": "[Sticker]",
    "PTT": "[Voice Message]",
    "STICKER": "[Sticker]",
    "GIF": "[Animation]",
}


def is_deleted(text: str) -> bool:
    """Tell whether a whole message says that it was deleted."""
    said = _plain(text)
    return said in _DELETED or _DELETED_BY.match(said) is not None


def without_edited(text: str) -> str:
    """Drop the mark of an edited message."""
    start = text.rfind("<") if text.endswith(">") else -1
    return text[:start].rstrip() if start >= 0 and _EDITED.fullmatch(text, start) else text


def is_notice(text: str) -> bool:
    """Tell whether words that WhatsApp marked as its own report what happened in the chat."""
    return _IS_NOTICE.search(_plain(text)) is not None


def opens_a_chat(text: str) -> bool:
    """Tell whether it is the notice on encryption, with which every chat begins."""
    return _ENCRYPTED.search(_plain(text)) is not None


def is_about_a_group(text: str) -> bool:
    """Tell whether a system line can only stand in a group."""
    return _IS_GROUP.search(_plain(text)) is not None


def quotes_a_colon(start: str) -> bool:
    """Tell whether what stands before `: ` is a system line naming a title, and no sender."""
    return _QUOTES.search(start) is not None and is_notice(start)


def title_in(text: str) -> str:
    """Return the group's name out of the line that reports its making; empty where it is none."""
    found = _TITLES.search(text)
    return found["title"] if found else ""


def media_in(text: str, is_marked: bool) -> str | None:
    """Return a message's text with a placeholder for the file that came with it.

    Args:
        text: The whole message, a caption included, marks dropped.
        is_marked: Whether WhatsApp marked words in it as its own.

    Returns:
        None where no file came with it.
    """
    if len(text) <= LONGEST_NOTICE:
        bracketed = text[0] == "<" and text[-1] == ">"
        if bracketed and _is_missing_media(_plain(text[1:-1])):
            return "[Media]"
        if (missing := _missing_thing(text, is_marked)) is not None:
            return missing
    # The looks for one character spare most messages a slow search.
    if "(" in text and (at := _ATTACHED.match(text) or _ATTACHED_ANYHOW.match(text)):
        return _placed(at["name"], text[at.end() :])
    if "<" in text and (at := _ATTACHED_IOS.search(text)) and (is_marked or at.end() == len(text)):
        return _placed(at["name"], f"{text[: at.start()]}\n{text[at.end() :]}")
    if "://" in text and (at := _LOCATION.match(text)):
        return f"[Location] {at['link']}"
    if "\n" in text and (at := _POLL.match(text)):
        return f"[Poll] {at['poll']}"
    return None


def _is_missing_media(said: str) -> bool:
    return said in _BRACKETED or _OMITTED.match(said) is not None or _ONCE.match(said) is not None


def _missing_thing(text: str, is_marked: bool) -> str | None:
    """Read iOS's `image omitted`, with a file's name or a caption before it."""
    if _ENDS_IN_MISSING.search(text[-_LONGEST_MISSING:]) is None:
        return None
    found = _OMITTED.match(text)
    if found is None and is_marked:
        found = _OMITTED.search(text)
        if found is not None and not text[found.start() - 1].isspace():
            found = None
    if found is None or found.lastindex is None:
        return None
    placeholder = _PLACEHOLDERS[found.lastindex - 1]
    before = text[: found.start()].strip()
    if not before:
        return placeholder
    name, bullet, _ = before.partition(" • ")
    return f"{placeholder} {name}" if bullet else f"{placeholder}\n{before}"


def _placed(name: str, caption: str) -> str:
    name, caption = name.strip(), caption.strip()
    stem, _, extension = name.rpartition(".")
    named = next((kind for part, kind in _NAMED.items() if part in stem.split("-")), None)
    placeholder = named or _KINDS.get(extension.casefold(), "[Document]")
    return f"{placeholder} {name}\n{caption}" if caption else f"{placeholder} {name}"


def _plain(text: str) -> str:
    return text[:LONGEST_NOTICE].strip().removesuffix(".").casefold()
