"""Credentials in what people write: passwords, codes, keys, numbers of cards. Pure.

What is told of a password, but not what it is, is none: "I forgot my password". Nor is what every
guest is told: the password of a wireless network.
"""

from __future__ import annotations

import re
from typing import Final

# Source: the forms that issuers document; each begins alike and is long.
_KEYS: Final = re.compile(
    r"\bsk-[\w-]{16,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}"
    r"|\bxox[abeprs]-[\w-]{10,}|\bglpat-[\w-]{16,}|\bAIza[\w-]{30,}|\bhf_[A-Za-z0-9]{20,}"
    r"|\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.|\b\d{8,10}:[A-Za-z0-9_-]{35}\b"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----|\bBearer [\w.~+/-]{20,}"
)
_SECRET: Final = (
    r"pass ?words?|pass ?codes?|pass ?phrases?|pwd|api[ -]?keys?|access tokens?|secret keys?"
    r"|passw(?:ort|örter)|kennwort|zugangscode|zugangsdaten"
    r"|contraseñas?|clave(?: secreta| de acceso)?"
    r"|senhas?|palavras?-passe|código de acesso"
    r"|парол[ья]|код доступа|ключ доступа"
)
_NUMBER: Final = (
    r"pin(?:[ -]?(?:code|number|nummer))?|puk|cvv|cvc|tan|security code"
    r"|geheimzahl|sicherheitscode|código (?:pin|secreto|de seguridad|de segurança)"
    r"|пин(?:-?код)?|код(?: безопасности)?"
)
# What stands between the name and the secret; a few words of what it is for may, too.
_IS: Final = r"\s*(?:is|was|ist|lautet|es|é|era|это|[-–—])\s+|\s+(?=\S*\d)"
_FOR: Final = r"(?:\s+(?:for|to|of|für|zum|vom|de|del|da|do|para|от|для|к)(?:\s+[\w.-]+){1,3})?"
_NAMED: Final = re.compile(
    rf"(?<!\w)(?:{_SECRET})(?!\w){_FOR}(?:\s*[:=]\s*(?P<given>\S{{4,}})|(?:{_IS})(?P<told>\S{{4,}}))",
    re.IGNORECASE,
)
_CODE: Final = re.compile(
    rf"(?<!\w)(?:{_NUMBER})(?!\w){_FOR}(?:\s*[:=]\s*|{_IS}|\s+)\d(?:[ -]?\d){{2,7}}(?!\w)",
    re.IGNORECASE,
)
_OF_GUESTS: Final = re.compile(
    r"(?<!\w)(?:wi-?fi|wlan|hotspot|w-lan|вай-?фа[йяе]ю?|вайфа[йяе]ю?)(?!\w)", re.IGNORECASE
)
_NEAR: Final = 24
"""So many characters before a password's name may say what it is of."""
_CARD: Final = re.compile(r"(?<![\w-])[2-6](?:[ -]?\d){12,18}(?![\w-])")
_IS_SECRET: Final = re.compile(r"[\"'“„«`]|\d|\w[^\w\s.,;:!?'’)-]|[a-z][A-Z]")


def holds_credentials(text: str) -> bool:
    """Tell whether a text gives a credential away."""
    if _KEYS.search(text) or _CODE.search(text):
        return True
    named = (found for found in _NAMED.finditer(text) if not _is_of_guests(text, found))
    if any(each["given"] or _IS_SECRET.search(each["told"]) for each in named):
        return True
    return any(_is_card(found[0]) for found in _CARD.finditer(text))


def _is_of_guests(text: str, named: re.Match[str]) -> bool:
    start = max(0, named.start() - _NEAR)
    return _OF_GUESTS.search(text, start, named.end()) is not None


def _is_card(text: str) -> bool:
    """Tell a card's number by its last digit. Source: ISO/IEC 7812-1, Luhn's formula."""
    digits = [int(each) for each in text if each.isdigit()]
    doubled = [sum(divmod(2 * each, 10)) for each in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
