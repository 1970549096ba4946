"""In which language a message is answered: that of its closed-class words, and of its others. Pure.

Messages of other languages than those of the table are answered in English: French and Italian are
told from Spanish and Portuguese for that alone.
"""

from __future__ import annotations

import re
from typing import Final

from memory.minilm.glossing import shipped_glosses

ENGLISH: Final = "en"
SPOKEN: Final = (ENGLISH, "de", "es", "pt", "ru")
"""Languages that there are phrases for."""
MAX_CHARS: Final = 400

_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_APOSTROPHES: Final = str.maketrans("’ʼ`´", "''''")
# Words that only ask, join or point; none that is a content word of another of these languages.
_WORDS: Final = {
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
    word: tuple(name for name, words in _WORDS.items() if word in words.split())
    for words in _WORDS.values()
    for word in words.split()
}
_LETTERS: Final = {"de": "äöüß", "es": "ñ¿¡", "pt": "ãõ", "fr": "èûœ"}
_POSSESSIVE: Final = re.compile(r"[^\W\d_]'s\b")
_BY_GLOSSES: Final = 0.75
"""What the word lists' verdict counts, in closed-class words: it decides where these are few."""


def language_of(text: str) -> str:
    """Return the language that a message is answered in; English where it is open.

    A word that several languages have counts for each of them in part.
    """
    plain = text[:MAX_CHARS].translate(_APOSTROPHES).casefold()
    if any("а" <= letter <= "я" for letter in plain):
        return "ru"
    score = dict.fromkeys(_WORDS, 0.0)
    words = _WORD.findall(plain)
    for word in words:
        for name in _LANGUAGES_OF.get(word, ()):
            score[name] += 1 / len(_LANGUAGES_OF[word])
    for name, letters in _LETTERS.items():
        score[name] += any(letter in plain for letter in letters)
    score[ENGLISH] += bool(_POSSESSIVE.search(plain))
    if len(words) > 1:
        score[shipped_glosses().language_of(plain)] += _BY_GLOSSES
    # English comes first in the table, so that it wins where nothing speaks against it.
    best = max(score, key=lambda name: score[name])
    return best if best in SPOKEN else ENGLISH
