"""What the app itself writes, in six languages, is told from what people write."""

from __future__ import annotations

from pathlib import Path

import pytest

from channels.exports.whatsapp import lines
from tests.unit.channels.exports.whatsapp_forms import LRM, NBSP, chat, entries_of

ANDROID = "31.12.24, 21:41 - "
IOS = "[31.12.24, 21:41:07] "

OMITTED = {
    "en": ["image", "video", "audio", "sticker", "GIF", "document", "Contact card"],
    "de": ["Bild", "Video", "Audio", "Sticker", "GIF", "Dokument", "Kontaktkarte"],
    "es": ["imagen", "Video", "audio", "sticker", "GIF", "documento", "Tarjeta de contacto"],
    "pt": ["imagem", "vídeo", "áudio", "figurinha", "GIF", "documento", "Cartão do contato"],
    "ru": ["изображение", "видео", "аудиофайл", "стикер", "GIF", "документ", "Карточка контакта"],
    "fr": ["image", "vidéo", "audio", "sticker", "GIF", "document", "Fiche contact"],
}
KINDS = [
    *("[Image]", "[Video]", "[Audio]", "[Sticker]", "[Animation]", "[Document]", "[Contact Card]")
]
MISSING = {
    "en": ["omitted"] * 7,
    "de": ["weggelassen"] * 6 + ["ausgelassen"],
    "es": ["omitida", *["omitido"] * 5, "omitida"],
    "pt": ["ocultada", "omitido", "ocultado", "omitida", "omitido", "omitido", "omitido"],
    "ru": ["отсутствует"] * 3 + ["не добавлен", "отсутствует", "отсутствует", "пропущена"],
    "fr": ["absente", "absente", "omis", "omis", "retiré", "manquant", "omise"],
}


@pytest.mark.parametrize("language", OMITTED)
def test_ios_says_what_was_left_out(language: str, tmp_path: Path) -> None:
    said = [
        f"{thing} {how}" for thing, how in zip(OMITTED[language], MISSING[language], strict=True)
    ]
    found = entries_of(tmp_path, "".join(f"{LRM}{IOS}Anna: {LRM}{text}\r\n" for text in said))
    assert [one.text for one in found] == KINDS
    assert not any(one.is_system or one.is_deleted for one in found)


@pytest.mark.parametrize(
    "text",
    [
        *("<Media omitted>", "<Medien ausgeschlossen>", "<Multimedia omitido>", "<Mídia oculta>"),
        *("<Arquivo de mídia oculto>", "<Ficheiro não revelado>", "<Без медиафайлов>"),
        *("<Médias omis>", "<Fichier omis>", "<View once voice message omitted>"),
        *("<Media omessi>", "<Medya dahil edilmedi>", "<pominięto multimedia>"),
        *("<Media tidak disertakan>", "<미디어 파일 제외됨>", "<המדיה לא נכללה>"),
    ],
)
def test_android_says_that_media_were_left_out(text: str, tmp_path: Path) -> None:
    (only,) = entries_of(tmp_path, f"{ANDROID}Anna: {text}\n")
    assert only.text == "[Media]"


@pytest.mark.parametrize(
    "said",
    [
        *("file attached", "Datei angehängt", "archivo adjunto", "arquivo anexado"),
        *("ficheiro anexado", "файл добавлен", "fichier joint", "soubor byl přiložen"),
    ],
)
def test_android_names_the_file_and_keeps_the_caption(said: str, tmp_path: Path) -> None:
    text = f"{ANDROID}Anna: {LRM}IMG-20241231-WA0007.jpg ({said})\nThe harbour\nat night\n"
    (only,) = entries_of(tmp_path, text)
    assert only.text == "[Image] IMG-20241231-WA0007.jpg\nThe harbour\nat night"


@pytest.mark.parametrize(
    "said",
    [
        *("attached: {}", "Anhang: {}", "adjunto: {}", "anexado: {}", "прикреплено: {}"),
        *(f"pièce jointe{NBSP}: {{}}", " pièce jointe : {} "),
    ],
)
def test_ios_names_the_file(said: str, tmp_path: Path) -> None:
    name = "00000012-PHOTO-2024-12-31-21-41-07.jpg"
    (only,) = entries_of(tmp_path, f"{LRM}{IOS}Anna: {LRM}<{said.format(name)}>\r\n")
    assert only.text == f"[Image] {name}"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("PTT-20241231-WA0001.opus", "[Voice Message]"),
        ("VID-20241231-WA0001.mp4", "[Video]"),
        ("AUD-20241231-WA0001.m4a", "[Audio]"),
        ("STK-20241231-WA0001.webp", "[Sticker]"),
        ("00000003-GIF-2024-12-31-21-41-07.mp4", "[Animation]"),
        ("00000004-STICKER-2024-12-31-21-41-07.webp", "[Sticker]"),
        ("Anna Berg.vcf", "[Contact Card]"),
        ("Lease (final) 2024.pdf", "[Document]"),
    ],
)
def test_a_files_name_tells_its_kind(name: str, kind: str, tmp_path: Path) -> None:
    (only,) = entries_of(tmp_path, f"{ANDROID}Anna: {name} (file attached)\n")
    assert only.text == f"{kind} {name}"


def test_ios_documents_and_captions(tmp_path: Path) -> None:
    text = (
        f"{LRM}{IOS}Anna: Lease.pdf • {LRM}3 pages {LRM}document omitted\r\n"
        f"{LRM}{IOS}Anna: our new door {LRM}image omitted\r\n"
        f"{LRM}{IOS}Anna: our new door {LRM}<attached: 0001-PHOTO.jpg>\r\n"
    )
    assert [one.text for one in entries_of(tmp_path, text)] == [
        "[Document] Lease.pdf",
        "[Image]\nour new door",
        "[Image] 0001-PHOTO.jpg\nour new door",
    ]


def test_places_and_polls(tmp_path: Path) -> None:
    link = "https://maps.google.com/?q=52.5,13.4"
    text = (
        f"{ANDROID}Anna: location: {link}\n{ANDROID}Ben: Standort: {link}\n"
        f"{ANDROID}Ben: UMFRAGE:\nWohin?\nOPTION: Rom (2 Stimmen)\n"
    )
    assert [one.text for one in entries_of(tmp_path, text)] == [
        f"[Location] {link}",
        f"[Location] {link}",
        "[Poll] Wohin?\nOPTION: Rom (2 Stimmen)",
    ]


@pytest.mark.parametrize(
    "text",
    [
        *("This message was deleted", "You deleted this message", "This message was deleted."),
        *("This message was deleted by admin Ben", "You deleted this message as admin"),
        "Diese Nachricht wurde gelöscht.",
        *(
            "Du hast diese Nachricht gelöscht.",
            "Se eliminó este mensaje.",
            "Eliminaste este mensaje",
        ),
        *("Mensagem apagada", "Você apagou esta mensagem", "Esta mensagem foi apagada"),
        *("Данное сообщение удалено", "Вы удалили данное сообщение", "Ce message a été supprimé"),
        *("Vous avez supprimé ce message.",),
    ],
)
def test_a_deleted_message_has_no_text(text: str, tmp_path: Path) -> None:
    for line in (f"{ANDROID}Anna: {text}\n", f"{IOS}Anna: {LRM}{text}\r\n"):
        (only,) = entries_of(tmp_path, line)
        assert (only.text, only.is_deleted, only.is_system, only.sender) == (
            "",
            True,
            False,
            "Anna",
        )


@pytest.mark.parametrize(
    "mark",
    [
        *("<This message was edited>", "<Diese Nachricht wurde bearbeitet.>"),
        *("<Se editó este mensaje.>", "<Mensagem editada>", "<Сообщение изменено>"),
        *("<Ce message a été modifié>",),
    ],
)
def test_the_mark_of_an_edit_is_dropped(mark: str, tmp_path: Path) -> None:
    (only,) = entries_of(tmp_path, f"{IOS}Anna: at eight\nor nine {LRM}{mark}\r\n")
    assert only.text == "at eight\nor nine"


SYSTEM = {
    "en": [
        "Messages and calls are end-to-end encrypted. No one outside of this chat can read them.",
        'Anna created group "Lake: summer"',
        "Anna added Ben",
        "Ben left",
        "Anna changed the subject from “Lake” to “Lake: summer”",
        "Carla joined using this group's invite link",
    ],
    "de": [
        "Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt. Tippe, um mehr zu erfahren.",
        "Anna hat die Gruppe „See: Sommer“ erstellt.",
        "Anna hat Ben hinzugefügt.",
        "Ben hat die Gruppe verlassen.",
        "Anna hat den Betreff von „See“ zu „See: Sommer“ geändert.",
    ],
    "es": [
        "Los mensajes y las llamadas están cifrados de extremo a extremo.",
        'Anna creó el grupo "Lago: verano"',
        "Anna añadió a Ben",
        "Ben salió del grupo",
        "Anna cambió el asunto de “Lago” a “Lago: verano”",
    ],
    "pt": [
        "As mensagens e as ligações são protegidas com a criptografia de ponta a ponta.",
        "Anna criou o grupo “Lago: verão”",
        "Anna adicionou Ben",
        "Ben saiu",
        "Anna mudou o assunto de “Lago” para “Lago: verão”",
    ],
    "ru": [
        "Сообщения и звонки защищены сквозным шифрованием.",
        "Анна создал(-а) группу «Озеро: лето»",
        "Анна добавил(-а) Бена",
        "Бен вышел(-ла) из группы",
        "Анна изменил(-а) тему с «Озеро» на «Озеро: лето»",
    ],
    "fr": [
        "Les messages et les appels sont chiffrés de bout en bout.",
        f"Anna a créé le groupe «{NBSP}Lac: été{NBSP}»",
        "Anna a ajouté Ben",
        "Ben a quitté le groupe",
        "Anna a changé le sujet de « Lac » à « Lac: été »",
    ],
}
TITLES = {
    "en": "Lake: summer",
    "de": "See: Sommer",
    "es": "Lago: verano",
    "pt": "Lago: verão",
    "ru": "Озеро: лето",
    "fr": "Lac: été",
}


@pytest.mark.parametrize("language", SYSTEM)
def test_android_reports_events_without_a_sender(language: str, tmp_path: Path) -> None:
    text = "".join(f"{ANDROID}{line}\n" for line in SYSTEM[language]) + f"{ANDROID}Anna: Hi!\n"
    export = chat(tmp_path, text, name="chat.txt")
    *events, last = export.entries()
    assert [one.text for one in events] == SYSTEM[language]
    assert all(one.is_system and not one.sender and not one.sender_id for one in events)
    assert (last.sender, last.is_system) == ("Anna", False)
    (only,) = export.chats
    assert only.is_group
    assert dict(only.people) == {"Anna": 1}
    assert only.title == TITLES[language]


@pytest.mark.parametrize("language", SYSTEM)
def test_ios_reports_events_under_the_chats_title(language: str, tmp_path: Path) -> None:
    text = "".join(f"{IOS}Lake: {LRM}{line}\r\n" for line in SYSTEM[language])
    export = chat(tmp_path, text + f"{IOS}Anna: I added salt\r\n", name="_chat.txt")
    *events, last = export.entries()
    assert all(one.is_system and not one.sender for one in events)
    assert (last.sender, last.text, last.is_system) == ("Anna", "I added salt", False)
    (only,) = export.chats
    assert (only.key, only.title, only.is_group) == ("lake", "Lake", True)
    assert dict(only.people) == {"Anna": 1}


@pytest.mark.parametrize(
    "text",
    [
        *("Ben left", "the image (file attached) is gone", "I deleted this message myself"),
        *("This message was deleted, why?", "location: the harbour", "<3", "<b>bold</b>"),
        *("he said: this message was edited", "1 < 2 > 0", "you added me to the group: thanks"),
    ],
)
def test_what_people_write_stays_what_they_wrote(text: str, tmp_path: Path) -> None:
    for head in (ANDROID, IOS):
        (only,) = entries_of(tmp_path, f"{head}Anna: {text}\n")
        assert (only.text, only.is_system, only.is_deleted) == (text, False, False)


@pytest.mark.parametrize(
    "text",
    [
        *("Missed voice call. \u200eTap to call back", "Voice call. \u200e2 min"),
        *("Verpasster Sprachanruf", "Llamada perdida", "Chamada de voz perdida"),
        *("Пропущенный аудиозвонок", "Appel vocal manqué"),
        "Waiting for this message. This may take a while.",
    ],
)
def test_a_call_is_nobodys_words(text: str, tmp_path: Path) -> None:
    export = chat(tmp_path, f"{IOS}Anna: {LRM}{text}\r\n{IOS}Anna: hi\r\n")
    assert [one.is_system for one in export.entries()] == [True, False]
    assert not export.chats[0].is_group


def test_a_long_run_of_blanks_costs_no_time() -> None:
    text = "a" + " " * 65_000 + ">"
    assert lines.read(text, has_sender=True).text == text
    text = "<" * 60_000 + ">"
    assert lines.read(text, has_sender=True).text == text


def test_a_long_message_is_still_searched_for_the_apps_words() -> None:
    long = "word " * 100
    assert lines.read(f"{long}{LRM}<attached: 0001-PHOTO.jpg>", has_sender=True).text == (
        f"[Image] 0001-PHOTO.jpg\n{long.strip()}"
    )
    assert lines.read(f"{long} <This message was edited>", has_sender=True).text == long.strip()
