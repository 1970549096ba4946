"""What people call each kind of fact, in the languages that wishes are read in. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from memory.facts.predicates import key_in_words
from memory.policy.forgetting import Language

_LANGUAGES: Final[tuple[Language, ...]] = ("en", "de", "es", "pt", "ru")
_NAMES: Final = """
name|name|Name|nombre|nome|имя
preferred_name|nickname|Rufname|apodo|apelido|как тебя называть
home|home|Wohnort|domicilio|moradia|место жительства
spouse|spouse|Ehepartner|cónyuge|cônjuge|супруг или супруга
partner|partner|Partner|pareja|par|партнёр
pronouns|pronouns|Pronomen|pronombres|pronomes|местоимения
child|child|Kind|hijo o hija|filho ou filha|ребёнок
pet|pet|Haustier|mascota|animal de estimação|питомец
occupation|occupation|Beruf|profesión|profissão|профессия
birthday|birthday|Geburtstag|cumpleaños|aniversário|день рождения
origin|origin|Herkunft|origen|origem|откуда ты
employer|employer|Arbeitgeber|empresa|empregador|место работы
age|age|Alter|edad|idade|возраст
parent|parent|Elternteil|padre o madre|pai ou mãe|родитель
sibling|sibling|Geschwister|hermano o hermana|irmão ou irmã|брат или сестра
school|school|Schule|escuela|escola|учёба
nationality|nationality|Nationalität|nacionalidad|nacionalidade|гражданство
language|language|Sprache|idioma|idioma|язык
marital_status|marital status|Familienstand|estado civil|estado civil|семейное положение
timezone|time zone|Zeitzone|zona horaria|fuso horário|часовой пояс
email|e-mail|E-Mail|correo|e-mail|почта
phone|phone|Telefon|teléfono|telefone|телефон
friend|friend|Freundschaft|amistad|amizade|друг
possession|possession|Besitz|pertenencia|pertence|вещь
reply_language|language of my answers|Sprache meiner Antworten|idioma de mis respuestas|\
idioma das minhas respostas|язык моих ответов
reply_style|style of my answers|Stil meiner Antworten|estilo de mis respuestas|\
estilo das minhas respostas|стиль моих ответов
like|taste|Vorliebe|gusto|gosto|вкусы
dislike|dislike|Abneigung|lo que no te gusta|o que não te agrada|что ты не любишь
allergy|allergy|Allergie|alergia|alergia|аллергия
medical|health|Gesundheit|salud|saúde|здоровье
diet|diet|Ernährung|dieta|dieta|питание
avoid|what you avoid|was du meidest|lo que evitas|o que evitas|чего ты избегаешь
budget|budget|Budget|presupuesto|orçamento|бюджет
availability|availability|wann du kannst|disponibilidad|disponibilidade|когда ты можешь
standing|instruction|Anweisung|instrucción|instrução|указание
"""

_BY_KEY: Final = {
    key: dict(zip(_LANGUAGES, names, strict=True))
    for key, *names in (line.split("|") for line in _NAMES.strip().splitlines())
}


def kind_name(key: str, language: Language) -> str:
    """Return what a kind of fact is called: `favorite:color` is "favorite color" anywhere."""
    known = _BY_KEY.get(key)
    return known[language] if known else key_in_words(key)


def kinds_named(keys: Iterable[str], language: Language = "en") -> str:
    """Return kinds of facts in one line, each once, with how many there are of it: `pet (2)`."""
    counted = Counter(kind_name(key, language) for key in keys)
    return ", ".join(f"{name} ({n})" if n > 1 else name for name, n in counted.items())
