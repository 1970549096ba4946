"""Is a text addressed to the machine, rather than to the person behind it? Rules, pure.

Each family says in one line what it takes for such an order. The rules name what only a machine
has (instructions, a system prompt, a role to play), in the main languages; they do not look at
what is asked for. Wishes about memory ("save that I am vegan") are no such order.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator
from typing import Final

# Texts are put in lower case before: that takes a third of the time of `re.IGNORECASE`.
_FLAGS: Final = re.DOTALL | re.VERBOSE

FAMILIES: Final[dict[str, re.Pattern[str]]] = {
    # What was said to the machine before shall not count.
    "override": re.compile(
        r"""
        \b(?:ignore|disregard|forget|override|bypass)\b.{0,40}
          \b(?:previous|prior|above|earlier|all|every|any|your|these|those)\b.{0,30}
          \b(?:instructions?|prompts?|rules?|guidelines?|directives?|orders?|commands?)\b
        | \b(?:drop|abandon)\b.{0,15}\b(?:previous|all|your)\b.{0,15}
          \b(?:instructions|rules|guidelines|prompts?)\b
        | \b(?:ignore|disregard|forget|leave|remove|stop)\b.{0,50}
          \b(?:previous|preceding|prior|earlier)\s+
          (?:tasks?|orders?|assignments?|information|instructions?|context|prompts?|
             conversations?)\b
        | \b(?:ignore|disregard)\s+(?:everything\s+|all\s+)?(?:of\s+)?(?:the\s+)?above\b
        | \bforget\s+(?:about\s+)?(?:everything|all)\b(?:\s+(?:that|i|you|we))?
          (?:\s+(?:said|told|wrote|was))?\s*(?:before|above|previous|earlier|,|\.|the\s+assign)
        | \b(?:everything|all)\b.{0,10}\b(?:above|before\ this)\b.{0,20}
          \b(?:void|invalid|obsolete)\b
        | \b(?:now\s+)?(?:new|further)\s+(?:tasks?|instructions?)\s+(?:now\s+)?(?:are\s+)?follow
        | \b(?:change|replace|update)\ your\ (?:instructions|rules|prompt)\b
        | \byour\ (?:instructions|rules)\ are\ now\b
        | \b(?:contrary\ to|despite|regardless\ of)\b.{0,20}
          \b(?:previous|earlier|prior)\ (?:instructions|prompts?|guidelines)\b
        | \b(?:but|and)\ (?:just|only|simply)\ (?:output|(?:answer|reply|respond)\ with)\b
        | \bnew\ (?:instructions?|rules?)\s*:
        | \byour\ (?:only|new|sole|real|actual)\ (?:rule|task|instruction)s?\ (?:is|are)\b
        | \b(?:ignorier\w*|vergiss|vergessen\ sie|missachte\w*)\b.{0,40}\b
          \b(?:anweisung\w*|regeln|vorgaben|befehle|aufgaben|informationen|instruktionen|angaben)\b
        | \b(?:vorherigen?|bisherigen?|vorangegangenen?|obigen?)\s
          (?:anweisung\w*|instruktionen|aufgaben|informationen|angaben|ausführungen)\b.{0,40}
          \b(?:ignorier\w*|vergessen|hinter\ (?:sich|dir)|streichen|irrelevant|ungültig)\b
        | \b(?:abweichend|entgegen)\b.{0,15}\b(?:vorherig|bisherig)\w*\s
          (?:anweisung\w*|instruktionen|vorgaben)\b
        | \b(?:nun|jetzt)\ folgen\ (?:neue|weitere)\ (?:aufgaben|anweisungen)\b
        | \b(?:vergiss|vergesse[nt]?|ignorier\w*)\b.{0,15}\balles\b.{0,25}
          \b(?:davor|zuvor|bisher\w*|vorher\w*|vorhin|oben|gesagte?)\b
        | \bdeine\ (?:neue|einzige|eigentliche)\ (?:aufgabe|regel)\ (?:ist|lautet)\b
        | \b(?:ignor[ae]r?|olvid[ae]r?)\b.{0,40}
          \b(?:instrucciones|reglas|[óo]rdenes|instruç(?:ões|ão)|regras|ordens)\b
        | \bolvid[ae]r?\ todo\b.{0,20}\b(?:antes|anterior|sabes|dicho)\b
        | \b(?:esque[cç][ae]|desconsidere)\b.{0,40}\b(?:instruções|regras|ordens)\b
        | \b(?:nuevas|novas)\ (?:[óo]rdenes|instrucciones|ordens|instruções)\b.{0,20}:
        | \b(?:tu|sua|a\ tua)\ (?:nueva|única|nova)\ (?:tarea|regla|tarefa|regra)\ (?:es|é)\b
        | \b(?:ignore[rz]?|oublie[rz]?)\b.{0,40}\b(?:instructions|consignes|règles|ordres)\b
        | \b(?:ta|votre)\ (?:nouvelle|seule|unique)\ (?:tâche|règle|mission)\ est\b
        | \b(?:ignora|dimentica)\b.{0,40}\b(?:istruzioni|regole)\b
        | \b(?:игнорируй\w*|забудь\w*)\b.{0,40}\b(?:инструкци\w+|правил\w*|указани\w+)
        | \bтво[яёи]\ (?:нов|единственн)\w+\ (?:задач|правил)\w+
        """,
        _FLAGS,
    ),
    # It asks for, or speaks in the name of, the text that sets the machine up.
    "system prompt": re.compile(
        r"""
        \bsystem\s*(?:prompt|message|override|instruction)s?\b
        | \b(?:reveal|show|print|repeat|output)\b.{0,30}\b(?:your|the)\b.{0,20}
          \b(?:instructions|prompt|rules|configuration)\b
        | \byour\ (?:initial|original|hidden|secret)\ (?:prompts?|instructions)\b
        | \bthe\ (?:initial|hidden|secret)\ prompts?\b
        | \bsystem-?(?:prompt|nachricht|anweisung\w*)\b
        | \b(?:zeig\w*|wiederhol\w*|verrat\w*)\b.{0,30}\b(?:dein|ihr)e?[nr]?\b.{0,20}
          \b(?:prompts?|anweisungen|instruktionen|vorgaben)\b
        | \b(?:prompt|mensaje|mensagem|instrucciones|instruções)\ (?:del?|d[eo])\ sistema\b
        | \b(?:mu[ée]stra\w*|repit[ae]|revel[ae]|mostr[ae]|imprim[ae])\b.{0,30}
          \b(?:tus|tu|suas?|seus?)\b.{0,20}\b(?:prompts?|instrucciones|instruções)\b
        | \b(?:prompts?|message|instructions)\ (?:du\ )?système\b
        | \b(?:affiche|montre|révèle|répète)[rz]?\b.{0,30}\b(?:tes|ton|vos|votre)\b.{0,20}
          \b(?:prompts?|instructions|consignes)\b
        | \bсистемн\w+\ (?:промпт|сообщени|инструкци)\w*
        | \b(?:покажи|выведи|повтори|раскрой)\b.{0,30}\b(?:сво[йиё]|тво[йиё])\b.{0,20}
          \b(?:промпт|инструкци)\w*
        """,
        _FLAGS,
    ),
    # A rule for all answers to come.
    "from now on": re.compile(
        r"""
        \b(?:from\ (?:now|this\ point|here)\ on(?:wards)?|henceforth)\b
          (?!,?\ (?:i|we|they|he|she|it|my|our|their|the)\b).{0,40}
          \b(?:you|your|always|never|answer|reply|respond|call|end|start|act)\b
        | \b(?=always|never)(?<!\bi\ )(?<!\bwe\ )(?<!\bthey\ )(?:always|never)\s
          (?:answer|reply|respond|start|finish|begin)\b
        | \b(?=always|never)(?<!\bi\ )(?<!\bwe\ )(?<!\bthey\ )(?:always|never)\s
          (?:end|sign)\b(?!\ (?:up|in|off)\b)
        | \byou\ (?:must|shall|will|have\ to)\ (?:now\ )?
          (?:obey|(?:always|never|only)\ (?:answer|reply|respond|call|contradict|refuse|reveal))\b
        | \b(?:ab\ (?:jetzt|sofort|hier|heute)|von\ nun\ an)\b.{0,40}
          \b(?:antworte\w*|schreib[est]*|sag(?:e|st)?|sprich(?:st)?|nenn(?:e|st)?|beende(?:st|n)?|du|
             bist|sollst)\b
        | \b(?:a\ partir\ de\ (?:ahora|agora|aquí|aqui|este\ punto|este\ ponto)|
             de\ ahora\ en\ adelante|desde\ ahora|de\ agora\ em\ diante|daqui\ (?:em|pra)\ \w+|
             doravante)\b.{0,40}
          \b(?:respond[ae]\w*|contest[ae]\w*|eres|você\ é|termin[ae]s?|d[ií](?:le|les|me)?|digas?|
             escrib[ae]s?|escrev[ae]|habl[ae]s?|fal[ae]|ll[áa]m[ae]\w*|cham[ae])\b
        | \b(?:désormais|dorénavant|à\ partir\ de\ maintenant)\b.{0,40}
          \b(?:répond\w*|tu\ (?:es|dois)|vous\ (?:êtes|devez)|termine[sz]?|dis|dites|écri[st]|
             appelle-\w+|parle[sz]?)\b
        | \bd['’]ora\ in\ (?:poi|avanti)\b.{0,40}\b(?:sempre|mai|rispond\w*|sei|termina\w*)\b
        | \b(?:с\ этого\ момента|отныне|впредь)\b.{0,40}
          \b(?:отвечай\w*|пиши\w*|говори\w*|называй\w*|ты)\b
        """,
        _FLAGS,
    ),
    # A part to play, or limits to drop.
    "role": re.compile(
        r"""
        \bnow\s+you\s+are\s+(?:an?|the)\b
        | \byou\ are\ (?:now|no\ longer)\ (?:an?|the|bound|allowed|restricted)\b
        | \b(?:now\ you\ act|you\ are\ (?:now\ )?role-?playing)\ (?:as|like)\b
        | \b(?:i\ (?:want|need|would\ like)\ you\ to|you\ (?:will|shall|must|are\ going\ to|
             are\ to)|your\ (?:job|task)\ is\ to)\s(?:now\ )?
          (?:act|behave|respond|answer|pose|role-?play)\ as\b
        | \b(?:i\ (?:want|need|would\ like)\ you\ to|you\ (?:will|shall|must))\s(?:now\ )?
          pretend\b
        | \b(?:game|story|scene)\b.{0,20}\b(?:in\ which|where)\ you\ (?:are|play|act)\b
        | \byou\b.{0,40}\b(?:no|without|free\ of)\ (?:any\ )?
          (?:restrictions|censorship|guardrails|limitations|rules|guidelines)\b
        | \b(?:jailbreak|developer\ mode|dan\ mode)\b
        | \b(?:enter|activate|enable)\b.{0,20}\b(?:admin|god|root|unrestricted)\ mode\b
        | \b(?:spiele?|übernimm|schlüpfe?)\ (?:nun\ |jetzt\ )?(?:in\ )?(?:die|eine)\ rolle\b
        | \bich\ (?:möchte|will),?\ dass\ (?:du|sie)\ (?:\w+\ )?(?:als|wie)\b.{0,80}
          \b(?:verh[aä]lt\w+|agier\w+|fungier\w+|handel\w+|antwort\w+)\b
        | \bdu\ bist\ (?:jetzt|nun|ab\ (?:jetzt|sofort))\ (?:ein|eine|mein|meine)\b
        | \btue?\ so,?\ als\ (?:wärst|ob\ du)\b
        | \bfinge\ (?:ser|que\ eres)\b | \b(?:eres\ ahora|ahora\ eres)\ (?:un|una|el|la)\b
        | \bfinja\ (?:ser|que\ (?:é|você))\b | \b(?:você\ agora\ é|agora\ você\ é)\ (?:um|uma|o|a)\b
        | \bfais\ (?:comme\ si\ tu\ étais|semblant\ d['’]être)\b
        | \btu\ es\ (?:désormais|maintenant|à\ présent)\ (?:un|une|le|la|l['’])
        | \bпритворись\b | \bведи\ себя\ как\b | \b(?:играй|сыграй)\ роль\b
        | \bдействуй\ как\b
        """,
        _FLAGS,
    ),
    # Something to say, or give away, once somebody else asks.
    "trigger": re.compile(
        r"""
        \b(?:next\ time|whenever|when|if|as\ soon\ as)\ (?:the\ )?
          (?:anyone|anybody|someone|somebody|users?|another\ user)\b.{0,15}
          \b(?:asks?|writes?|mentions?|says?|inquires?)\b.{0,70}
          \b(?:say|reply|answer|respond|reveal|claim|send|give)\b(?!\ it\b)
        | \b(?:wenn|falls|sobald)\b.{0,25}\b(?:jemand|irgendwer|der\ nutzer)\b.{0,50}
          \b(?:fragt|schreibt|erwähnt)\b.{0,40}\b(?:sag|sage|antworte|schick|gib|behaupte|nenne)\b
        | \b(?:cuando|si|vez\ que)\b.{0,10}\b(?:alguien|el\ usuario)\b.{0,10}
          \b(?:pregunt|mencion|escrib)\w+.{0,50}\b(?:responde|di|contesta|env[íi]a|afirma)\b
        | \b(?:quando|se|vez\ que)\b.{0,10}\b(?:alguém|o\ usuário|perguntarem)\b.{0,50}
          \b(?:responda|diga|envie|afirme|fale)\b
        | \b(?:quand|lorsque|si|fois\ qu['’e])\s?(?:quelqu['’]un|on\ te|l['’]utilisateur)\b.{0,15}
          \b(?:demande|parle|mentionne|écri)\w*.{0,50}\b(?:réponds|dis|donne|envoie|affirme)\b
        | \b(?:когда|если)\b.{0,30}\b(?:спрос|спраш|упомян)\w+.{0,40}
          \b(?:отвечай|ответь|говори|утверждай)\b
        """,
        _FLAGS,
    ),
    # Somebody encoded what is to be done.
    "encoded": re.compile(
        r"""
        \b(?:decode|decipher|decrypt|unscramble)\b.{0,60}
          \b(?:do|follow|execute|obey|carry\ out)\b
        | \b(?:entschlüssel\w*|dekodier\w*)\b.{0,60}\b(?:befolg\w*|führ\w*|tu)\b
        | \b(?:descifra|decodifi[cq]\w+|décode\w*|déchiffre\w*|расшифруй|декодируй)\b.{0,60}
          \b(?:ejecut\w+|sigue|execut\w+|exécut\w+|fai[st]|выполни\w*|сделай)\b
        """,
        _FLAGS,
    ),
}

# A part to play, too, but only where a clause begins: within one, somebody else plays it.
_IMPERATIVE_ROLE: Final = re.compile(
    r"""
    (?:please\ |now\ |so\ )*(?:
        act\ (?:as|like)\ (?:an?|the|my|if\ you)|pretend\ (?:that\ )?(?:you\b|to\ be)|
        (?:play|assume|take)\ the\ role\ of|imagine\ (?:that\ )?you\ are\ an?\b)
    | (?:verhalte\ dich|agiere|handle|antworte)\ (?:wie|als)\ (?:ein|mein|der|die)
    | (?:act[úu]a|comp[óo]rtate|responde)\ como\ (?:un|una|si|el|la|mi)\b
    | (?:aja|comporte-se|responda)\ como\ (?:um|uma|se|o|a)\b
    | (?:(?:agis|comporte-toi|réponds)\ (?:comme|en\ tant\ que)|joue\ le\ rôle)\b
    """,
    _FLAGS,
)
_CLAUSE: Final = re.compile(r"[.!?:;,]\s*")
# A name is one by its capital letter.
_NAMED_ROLE: Final = re.compile(
    r"\b[Nn]ow you are [A-Z]\w+,|\b[Yy]ou are now [A-Z]\w+, (?:an?|the)\b"
)

# Marks by which models and chat programs tell who speaks; nobody types them to a person.
_MARKUP: Final = re.compile(
    r"""
    <\|?\s*/?(?:im_start|im_end|system|endoftext|begin_of_text)\s*\|?>
    | \[/?INST\] | <</?SYS>> | </?(?:instructions?|memory|quoted)\s*>
    | (?:\\u003c|&lt;)\s*/?\s*(?:memory|quoted|system|instructions?)\b
    | ["']role["']\s*:\s*["']system["']
    | ^\W{0,6}(?:system|assistant|developer|система|sistema|système)\b\W{0,4}:
    | \bai\ assistants?\b.{0,30}\b(?:must|shall|has\ to)\b | \bassistant\ must\ now\b
    """,
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_SPELLED: Final = re.compile(r"(?<=\b\w)[ .*_-](?=\w\b)")
_BASE64: Final = re.compile(r"(?<![\w+/])[A-Za-z0-9+/]{20,}={0,2}(?![\w+/])")
_MAX_DECODED: Final = 5
# Normalising sorts a run of combining marks in quadratic time.
_NORMALISED_AT_ONCE: Final = 1024


WISH: Final = "from now on"
"""The family of wishes for the answers to come, which anybody may have: they take nothing over."""


def is_addressed(text: str) -> bool:
    """Tell whether a text gives the machine orders about itself."""
    return bool(families_of(text))


def families_of(text: str) -> frozenset[str]:
    """Return the families of the rules that a text meets; empty when it meets none.

    Also when letters are spaced out or hidden, or when it is base64.
    """
    return frozenset(name for reading in _readings(text) for name in _met(reading))


def _met(text: str) -> Iterator[str]:
    if _MARKUP.search(text):
        yield "markup"
    line = " ".join(text.split())
    if _NAMED_ROLE.search(line):
        yield "role"
    line = line.lower()
    if any(_IMPERATIVE_ROLE.match(clause) for clause in _CLAUSE.split(line)):
        yield "role"
    yield from (name for name, rule in FAMILIES.items() if rule.search(line))


def _readings(text: str) -> Iterator[str]:
    plain = "".join(c for c in _folded(text) if unicodedata.category(c) != "Cf")
    yield plain
    joined = _SPELLED.sub("", plain)
    if joined != plain:
        yield joined
    for found in list(_BASE64.finditer(plain))[:_MAX_DECODED]:
        yield from _decoded(found[0])


def _folded(text: str) -> str:
    return "".join(
        unicodedata.normalize("NFKC", text[at : at + _NORMALISED_AT_ONCE])
        for at in range(0, len(text), _NORMALISED_AT_ONCE)
    )


def _decoded(token: str) -> Iterator[str]:
    try:
        text = base64.b64decode(token + "=" * (-len(token) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return
    yield text
