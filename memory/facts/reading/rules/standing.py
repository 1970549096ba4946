"""Lasting rules of work that a speaker gives the agent. Whether they may is not decided here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from memory.facts.reading.rules.clauses import Clause
from memory.facts.reading.rules.found import Found
from memory.facts.reading.rules.settings import asks_for_replies
from memory.facts.reading.values import MAX_STANDING

_ASKED: Final = (
    r"(?:(?:please|bitte|por favor|пожалуйста)\s+)?"
    r"(?:(?:i (?:want|need|would like|'?d like) you to|you (?:must|should|shall|have to|are to))\s+)?"
)
_FROM_NOW: Final = (
    r"(?:from now on(?:wards)?|henceforth|in (?:the )?future|going forward|ab (?:jetzt|sofort|heute)|"
    r"von nun an|in zukunft|künftig|de ahora en adelante|a partir de (?:ahora|agora)|"
    r"daqui (?:em|para a) diante|de agora em diante|с этого момента|отныне|впредь)[\s,:]+"
)
_HOW: Final = (
    r"(?:(?:please|always|never|only|don'?t|do not|bitte|immer|nie|niemals|siempre|nunca|sempre|no|não|"
    r"всегда|никогда|не)\s+)*"
)
_DOING: Final = (
    r"(?:answer|reply|respond|write|ask|confirm|call|send|tell|mention|use|greet|address|start|begin|"
    r"end|sign|finish|keep|check|say|offer|quote|include|add|remember|remind|refer|forward|cc|let|give|"
    r"translate|speak|schedule|book|promise|discuss|share|accept|put|show|suggest|leave|make|inform|"
    r"warn|thank|round|store|save|delete|order|pay|agree|apologi[sz]e|"
    r"antworte|schreib|sag|frag|bestätige|nenn|benutze|verwende|schick|ruf|erwähne|beginne|beende|"
    r"sprich|duze|sieze|gib|erinnere|biete|weise|"
    r"responde|contesta|escribe|di|pregunta|confirma|usa|envía|manda|saluda|ofrece|menciona|avisa|"
    r"llama|trata|responda|escreva|diga|pergunte|confirme|use|envie|mande|cumprimente|ofereça|mencione|"
    r"avise|chame|trate|отвечай|пиши|говори|спрашивай|подтверждай|используй|называй|обращайся|"
    r"отправляй|предлагай|упоминай)(?:те|e)?\b"
)
_ORDER: Final = re.compile(
    rf"{_ASKED}(?:{_FROM_NOW}(?P<since>{_HOW}{_DOING}.+)|"
    rf"(?P<always>(?:always|never|immer|niemals|stets|siempre|nunca|sempre|всегда|никогда не)\s+{_DOING}.+)|"
    rf"(?P<doing>{_DOING}\s+(?:mir |uns )?(?:immer|niemals|stets|siempre|sempre|всегда)\b.+))",
    re.IGNORECASE,
)


def read(told: Iterable[Clause]) -> Iterator[Found]:
    """Yield the orders that sentences begin with, each to the end of its sentence.

    What stands in the middle of one may depend on what comes before: "when they ask, always ...".
    """
    sentence = ""
    for clause in told:
        if sentence.endswith(clause.text):
            continue
        sentence = clause.text
        if clause.is_hedged or clause.is_sarcastic or not (order := _ORDER.match(sentence)):
            continue
        value = next(part for part in order.groups() if part).strip(" ,;:")
        if " " in value and len(value) <= MAX_STANDING and not asks_for_replies(clause):
            yield Found("standing", value)
