"""The fixed sentences of a reply, by language.

What somebody said is put into them between quotation marks, as it was said: to turn it into a
clause ("that she had moved") would need to know of whom it speaks.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Frames(NamedTuple):
    """The sentences of one language; `{}` and names in braces are filled in.

    `on` and `earlier` introduce a quote of a known and of an unknown date: of the asker, of the
    agent, of somebody else.
    """

    signature: str
    unknown: str
    unsure: str
    no_words: str
    refused: str
    to_forget: str
    about_agent: str
    acknowledged: str
    welcome: str
    hello: str
    hello_to: str
    nice: str
    quoted: str
    on: tuple[str, str, str]
    earlier: tuple[str, str, str]
    you_said: str
    known_of: str
    written_as: str
    today: str
    talked: str
    ended: str
    ended_on: str
    reminder: str
    open: str
    nothing_open: str
    not_kept: str
    next_you: str
    next_other: str
    someone: str
    several: str
    item: str
    undated: str
    you: str
    agent: str
    that_is: str
    told_me: str
    told_once: str
    joined: str
    more: str
    day: str
    month: str
    week: str
    months: tuple[str, ...]
    of_months: tuple[str, ...]


_EN_MONTHS: Final = tuple(
    "January February March April May June July August September October November December".split()
)
_DE_MONTHS: Final = tuple(
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split()
)
_ES_MONTHS: Final = tuple(
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre"
    " diciembre".split()
)
_PT_MONTHS: Final = tuple(
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro"
    " dezembro".split()
)

FRAMES: Final = {
    "en": Frames(
        signature="— offline responder, no model is set",
        unknown="I don't know that yet.",
        unsure="Got it. If that was a question: I don't know that yet.",
        no_words="I can only read words, and there are none in that.",
        refused="I cannot do that: I only answer from what you told me.",
        to_forget="Say in one sentence what to forget of you, such as “forget my age”; the owner"
        " can write /forget WORDS, too.",
        about_agent="I am the offline responder of this chat: I answer only from what you told me.",
        acknowledged="Got it.",
        welcome="You are welcome.",
        hello="Hello.",
        hello_to="Hello, {}.",
        nice="Nice to meet you, {}.",
        quoted="“{}”",
        on=(
            "On {date} you wrote: {said}",
            "On {date} I wrote: {said}",
            "On {date} {who} wrote: {said}",
        ),
        earlier=(
            "Earlier you wrote: {said}",
            "Earlier I wrote: {said}",
            "Earlier {who} wrote: {said}",
        ),
        you_said="You said: {said}",
        known_of="This is what I know of {who}:",
        written_as="You write here as {}.",
        today="It is {date}, {time}.",
        talked="On {date} it was about this: {said}",
        ended="No longer so: {said}",
        ended_on="No longer so, since {date}: {said}",
        reminder="Noted, but I call nobody by myself: ask me what is still open.",
        open="Still open: {}.",
        nothing_open="Nothing is open that I know of.",
        not_kept="Not kept: a rule keeps that out of my memory.",
        next_you="You wrote next: {said}",
        next_other="{who} wrote next: {said}",
        someone="someone",
        several="This is what was written: {}.",
        item="{date}, {who}: {said}",
        undated="{who}: {said}",
        you="you",
        agent="I",
        that_is="that is {}",
        told_me="This is what you told me:",
        told_once="you said: {}",
        joined=" and ",
        more="{} more",
        day="{day} {month} {year}",
        month="{month} {year}",
        week="the week of {}",
        months=_EN_MONTHS,
        of_months=_EN_MONTHS,
    ),
    "de": Frames(
        signature="— Offline-Antwort, es ist kein Modell eingestellt",
        unknown="Das weiß ich noch nicht.",
        unsure="Ist notiert. Falls das eine Frage war: Das weiß ich noch nicht.",
        no_words="Ich kann nur Wörter lesen, und darin steht keins.",
        refused="Das kann ich nicht: Ich antworte nur aus dem, was du mir erzählt hast.",
        to_forget="Sag in einem Satz, was ich von dir vergessen soll, etwa „vergiss mein Alter“;"
        " wem ich gehöre, kann auch /forget WÖRTER schreiben.",
        about_agent="Ich bin die Offline-Antwort dieses Chats: Ich antworte nur aus dem, was du"
        " mir erzählt hast.",
        acknowledged="Ist notiert.",
        welcome="Gern geschehen.",
        hello="Hallo.",
        hello_to="Hallo, {}.",
        nice="Freut mich, {}.",
        quoted="„{}“",
        on=(
            "Am {date} hast du geschrieben: {said}",
            "Am {date} habe ich geschrieben: {said}",
            "Am {date} schrieb {who}: {said}",
        ),
        earlier=(
            "Vorhin hast du geschrieben: {said}",
            "Vorhin habe ich geschrieben: {said}",
            "Vorhin schrieb {who}: {said}",
        ),
        you_said="Du hast gesagt: {said}",
        known_of="Das weiß ich von {who}:",
        written_as="Du schreibst hier als {}.",
        today="Es ist der {date}, {time} Uhr.",
        talked="Am {date} ging es darum: {said}",
        ended="Nicht mehr so: {said}",
        ended_on="Seit {date} nicht mehr so: {said}",
        reminder="Notiert, aber ich melde mich nicht von selbst: Frag mich, was noch offen ist.",
        open="Noch offen: {}.",
        nothing_open="Offen ist nichts, von dem ich weiß.",
        not_kept="Nicht gemerkt: Eine Regel hält das aus meinem Gedächtnis heraus.",
        next_you="Darauf hast du geschrieben: {said}",
        next_other="Darauf schrieb {who}: {said}",
        someone="jemand",
        several="Das wurde geschrieben: {}.",
        item="{date}, {who}: {said}",
        undated="{who}: {said}",
        you="du",
        agent="ich",
        that_is="das heißt: {}",
        told_me="Das hast du mir erzählt:",
        told_once="du hast gesagt: {}",
        joined=" und ",
        more="{} weitere",
        day="{day}. {month} {year}",
        month="{month} {year}",
        week="die Woche vom {}",
        months=_DE_MONTHS,
        of_months=_DE_MONTHS,
    ),
    "es": Frames(
        signature="— respuesta sin conexión, no hay ningún modelo configurado",
        unknown="Eso todavía no lo sé.",
        unsure="Anotado. Si era una pregunta: eso todavía no lo sé.",
        no_words="Solo sé leer palabras, y ahí no hay ninguna.",
        refused="No puedo hacer eso: solo respondo con lo que me has contado.",
        to_forget="Di en una frase qué debo olvidar de ti, por ejemplo «olvida mi edad»; mi dueño"
        " también puede escribir /forget PALABRAS.",
        about_agent="Soy la respuesta sin conexión de este chat: solo respondo con lo que me has"
        " contado.",
        acknowledged="Anotado.",
        welcome="De nada.",
        hello="Hola.",
        hello_to="Hola, {}.",
        nice="Mucho gusto, {}.",
        quoted="«{}»",
        on=(
            "El {date} escribiste: {said}",
            "El {date} escribí: {said}",
            "El {date} {who} escribió: {said}",
        ),
        earlier=(
            "Antes escribiste: {said}",
            "Antes escribí: {said}",
            "Antes {who} escribió: {said}",
        ),
        you_said="Dijiste: {said}",
        known_of="Esto es lo que sé de {who}:",
        written_as="Aquí escribes como {}.",
        today="Es el {date}, {time}.",
        talked="El {date} se habló de esto: {said}",
        ended="Ya no es así: {said}",
        ended_on="Ya no es así desde el {date}: {said}",
        reminder="Anotado, pero yo no aviso por mi cuenta: pregúntame qué queda pendiente.",
        open="Queda pendiente: {}.",
        nothing_open="Que yo sepa, no queda nada pendiente.",
        not_kept="No lo guardo: una regla lo deja fuera de mi memoria.",
        next_you="Después escribiste: {said}",
        next_other="Después {who} escribió: {said}",
        someone="alguien",
        several="Esto es lo que se escribió: {}.",
        item="{date}, {who}: {said}",
        undated="{who}: {said}",
        you="tú",
        agent="yo",
        that_is="es decir, {}",
        told_me="Esto es lo que me has contado:",
        told_once="dijiste: {}",
        joined=" y ",
        more="{} más",
        day="{day} de {month} de {year}",
        month="{month} de {year}",
        week="la semana del {}",
        months=_ES_MONTHS,
        of_months=_ES_MONTHS,
    ),
    "pt": Frames(
        signature="— resposta offline, nenhum modelo está configurado",
        unknown="Isso eu ainda não sei.",
        unsure="Anotado. Se era uma pergunta: isso eu ainda não sei.",
        no_words="Só sei ler palavras, e aí não há nenhuma.",
        refused="Isso eu não posso fazer: só respondo com o que você me contou.",
        to_forget="Diga numa frase o que devo esquecer de você, por exemplo “esquece minha idade”;"
        " o meu dono também pode escrever /forget PALAVRAS.",
        about_agent="Sou a resposta offline desta conversa: só respondo com o que você me contou.",
        acknowledged="Anotado.",
        welcome="De nada.",
        hello="Olá.",
        hello_to="Olá, {}.",
        nice="Muito prazer, {}.",
        quoted="“{}”",
        on=(
            "Em {date} você escreveu: {said}",
            "Em {date} eu escrevi: {said}",
            "Em {date} {who} escreveu: {said}",
        ),
        earlier=(
            "Antes você escreveu: {said}",
            "Antes eu escrevi: {said}",
            "Antes {who} escreveu: {said}",
        ),
        you_said="Você disse: {said}",
        known_of="Isto é o que sei de {who}:",
        written_as="Aqui você escreve como {}.",
        today="É dia {date}, {time}.",
        talked="Em {date} o assunto foi este: {said}",
        ended="Já não é assim: {said}",
        ended_on="Já não é assim desde {date}: {said}",
        reminder="Anotado, mas eu não aviso por conta própria: pergunte-me o que ficou pendente.",
        open="Ficou pendente: {}.",
        nothing_open="Que eu saiba, nada ficou pendente.",
        not_kept="Não guardo isso: uma regra o deixa fora da minha memória.",
        next_you="Depois você escreveu: {said}",
        next_other="Depois {who} escreveu: {said}",
        someone="alguém",
        several="Isto é o que foi escrito: {}.",
        item="{date}, {who}: {said}",
        undated="{who}: {said}",
        you="você",
        agent="eu",
        that_is="ou seja, {}",
        told_me="Isto é o que você me contou:",
        told_once="você disse: {}",
        joined=" e ",
        more="mais {}",
        day="{day} de {month} de {year}",
        month="{month} de {year}",
        week="a semana de {}",
        months=_PT_MONTHS,
        of_months=_PT_MONTHS,
    ),
    # A verb in the past would have to know whether who wrote is a man or a woman.
    "ru": Frames(
        signature="— офлайн-ответ, модель не задана",
        unknown="Этого я пока не знаю.",
        unsure="Записано. Если это вопрос: этого я пока не знаю.",
        no_words="Я умею читать только слова, а здесь их нет.",
        refused="Этого я не могу: я отвечаю только по тому, что узнаю от тебя.",
        to_forget="Скажи одной фразой, что о тебе забыть, например «забудь мой возраст»; владелец"
        " может написать и /forget СЛОВА.",
        about_agent="Я офлайн-ответчик этого чата: отвечаю только по тому, что узнаю от тебя.",
        acknowledged="Записано.",
        welcome="Пожалуйста.",
        hello="Привет.",
        hello_to="Привет, {}.",
        nice="Приятно познакомиться, {}.",
        quoted="«{}»",
        on=(
            "Твоё сообщение от {date}: {said}",
            "Моё сообщение от {date}: {said}",
            "Сообщение от {date}, {who}: {said}",
        ),
        earlier=(
            "Твоё прежнее сообщение: {said}",
            "Моё прежнее сообщение: {said}",
            "Прежнее сообщение, {who}: {said}",
        ),
        you_said="Твои слова: {said}",
        known_of="Вот что я знаю ({who}):",
        written_as="Здесь ты пишешь под именем {}.",
        today="Сегодня {date}, {time}.",
        talked="{date} речь шла об этом: {said}",
        ended="Уже не так: {said}",
        ended_on="Уже не так, дата конца — {date}: {said}",
        reminder="Записано, но напоминание само не придёт: о том, что не сделано, можно спросить.",
        open="Ещё не сделано: {}.",
        nothing_open="Насколько я знаю, всё сделано.",
        not_kept="Это не сохраняется: так велит правило.",
        next_you="Дальше твоё сообщение: {said}",
        next_other="Дальше {who}: {said}",
        someone="кто-то",
        several="Вот что об этом написано: {}.",
        item="{date}, {who}: {said}",
        undated="{who}: {said}",
        you="ты",
        agent="я",
        that_is="то есть {}",
        told_me="Вот что мне известно от тебя:",
        told_once="твои слова: {}",
        joined=" и ",
        more="ещё {}",
        day="{day} {month} {year} г.",
        month="{month} {year} г.",
        week="неделя с {}",
        months=tuple(
            "январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь"
            " декабрь".split()
        ),
        of_months=tuple(
            "января февраля марта апреля мая июня июля августа сентября октября ноября"
            " декабря".split()
        ),
    ),
}
"""By language code; English is what others fall back to."""
