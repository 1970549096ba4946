"""Of which language a text is, by its closed-class words and letters. Pure."""

from __future__ import annotations

import re
from typing import Final

MAX_CHARS: Final = 400
"""Of a text that are read: a language shows in its first sentences."""
LEAST: Final = 1.0
"""Closed-class words, at least, by which a language is told for sure."""

_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_APOSTROPHES: Final = str.maketrans("’ʼ`´", "''''")
# Words that only ask, join or point; none that is a content word of another of these languages.
WORDS: Final = {
    "en": """the a an i my me you your he she it we they his her our their is are was were am be
        been do does did have has had will would can could should of to in on at for with from by
        about and or but not what where when who whom whose which why how that this these those
        there any some i'm it's what's who's hello hi hey thanks thank please name again yet ever
        okay good morning""",
    "de": """der die das den dem des ein eine einen einem einer ich mich mir mein meine meinen
        meinem meiner du dich dir dein deine deinen er sie es wir uns unser unsere ihr ihre ihren
        ihrem sein seine seinen ist sind war waren bin bist hat hatte haben habe hast wird wurde
        wurden werden kann soll will und oder aber nicht kein keine was wo wohin woher wann wer
        wem wen wessen warum wieso wie welche welcher welches welchen welchem viel viele lange
        von vom zu zum zur mit bei beim nach aus auf für über im am ins an als noch jetzt eigentlich
        denn mal hallo danke guten tag morgen abend heiße heisst heißt gibt""",
    "es": """el la los las un una unos unas yo mi mis me tú tu tus te él ella ellos nos nuestro
        nuestra su sus es son era fue soy está están ser estar ha han he había hay tiene tengo
        tenía qué quién quiénes dónde adónde cuándo cómo cuál cuáles cuánto cuánta cuántos cuántas
        por para con sin del al de en y o pero no más muy lo le les se que como cuando donde
        quien hola gracias buenos buenas días llamo llama vivo hizo dijo cuesta""",
    "pt": """o a os as um uma uns umas eu meu minha meus minhas me você vocês ele ela eles elas nós
        nosso nossa seu sua seus suas é são era foi sou está estão ser ter tem tenho tinha há
        quê quem onde aonde quando como qual quais quanto quanta quantos quantas por para pra com
        sem do da dos das no na nos nas ao à de em e ou mas não mais muito isso que lhe se pelo
        pela num numa oi olá obrigado obrigada bom boa dia moro chama chamo fez disse custa
        mesmo""",
    "fr": """le la les un une des je j'ai mon ma mes moi tu ton ta tes il elle nous vous notre
        votre leur est sont était suis es ont avons qui que quoi où quand comment pourquoi quel
        quelle quels quelles combien est-ce qu'est du au aux dans avec pour sans sur et ou mais
        pas ne c'est m'appelle bonjour merci salut d'où""",
    "it": """il lo gli uno io mio mia miei mie mi tu ti lui lei noi voi loro è sono era ho hai ha
        che chi cosa dove quando come perché quale quali quanto quanti di del della dei delle nel
        nella con per non più ciao grazie chiamo""",
}
_LANGUAGES_OF: Final = {
    word: tuple(name for name, words in WORDS.items() if word in words.split())
    for words in WORDS.values()
    for word in words.split()
}
_LETTERS: Final = {"de": "äöüß", "es": "ñ¿¡", "pt": "ãõ", "fr": "èûœ"}
_POSSESSIVE: Final = re.compile(r"[^\W\d_]'s\b")


def plain_of(text: str) -> str:
    """Return the beginning of a text as it is looked at: in lower case, with one apostrophe."""
    return text[:MAX_CHARS].translate(_APOSTROPHES).casefold()


def words_in(plain: str) -> list[str]:
    """Return the words of a plain text, in order."""
    return _WORD.findall(plain)


def is_russian(plain: str) -> bool:
    """Tell whether a plain text has letters of the Russian alphabet."""
    return any("а" <= letter <= "я" for letter in plain)


def weights_of(plain: str) -> dict[str, float]:
    """Return how many closed-class words and letters of each language in Latin letters there are.

    A word that several languages have counts for each of them in part.
    """
    weights = dict.fromkeys(WORDS, 0.0)
    for word in words_in(plain):
        for name in _LANGUAGES_OF.get(word, ()):
            weights[name] += 1 / len(_LANGUAGES_OF[word])
    for name, letters in _LETTERS.items():
        weights[name] += any(letter in plain for letter in letters)
    weights["en"] += bool(_POSSESSIVE.search(plain))
    return weights


def language_of(text: str) -> str:
    """Return a text's language by its ISO 639-1 code; empty where it is open."""
    plain = plain_of(text)
    if is_russian(plain):
        return "ru"
    weights = sorted(weights_of(plain).items(), key=lambda each: -each[1])
    (best, most), (_, next_most) = weights[:2]
    return best if most >= LEAST and most > next_most else ""
