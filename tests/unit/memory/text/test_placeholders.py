"""Lines that stand for what is no text."""

from __future__ import annotations

import pytest

from memory.text.placeholders import says_nothing

NOTHING = """
[Media]
[Image]
[Image] IMG-20240105-WA0003.jpg
[Voice Message] PTT-20240105-WA0001.opus
[Sticker] STK-20240105-WA0009.webp
[deleted message]
<Media omitted>
<Medien ausgeschlossen>
<Multimedia omitido>
<Mídia oculta>
<Без медиафайлов>
<Médias omis>
image omitted
Bild weggelassen
imagen omitida
изображение отсутствует
Missed voice call
Missed group video call at 10:32 PM
Verpasster Sprachanruf um 10:32 Uhr
Llamada perdida
Videollamada perdida
Llamada de voz perdida a las 10:32
Chamada de vídeo perdida às 10:32
Ligação de voz perdida
Пропущенный аудиозвонок в 10:32
This message was deleted.
You deleted this message
Diese Nachricht wurde gelöscht.
Se eliminó este mensaje
Mensagem apagada
Данное сообщение удалено
null
""".strip().splitlines()

SAID = """
I missed your voice call, sorry
[Image] our new kitchen.jpg
[Poll] Where shall we meet?
[Contact Card] Clara
The image was omitted from the report
He deleted this message before I could read it
Verpasster Zug, ich komme um neun
Perdí la llamada
Пропущенный урок
[7:42 pm] the train left
null and void
""".strip().splitlines()


@pytest.mark.parametrize("text", NOTHING)
def test_what_stands_for_something_else_says_nothing(text: str) -> None:
    assert says_nothing(text)
    assert says_nothing(f"\u200e{text}")


@pytest.mark.parametrize("text", SAID)
def test_what_somebody_wrote_says_something(text: str) -> None:
    assert not says_nothing(text)


def test_a_caption_says_something() -> None:
    assert not says_nothing("[Image] IMG-20240105-WA0003.jpg\nThe kitchen is done")
