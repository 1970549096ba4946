"""What a first reading of a WhatsApp export finds out: its form, its dates' order, who talks."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from channels.exports.errors import ExportError
from channels.exports.export import DateOrder
from channels.exports.whatsapp import lines, wording
from channels.exports.whatsapp.calendar import Calendar
from channels.exports.whatsapp.dates import Form, recognise
from channels.exports.whatsapp.source import Source
from channels.text import MAX_NAME_LENGTH

_MIN_FOREIGN, _FOREIGN_SHARE = 50, 4
"""From this many heads of another form on, and one for so many of the own, it is two exports."""
_MIN_ALIKE = 5
"""If so many messages all go on with one word and a colon, that is a part of the name."""


def form_of(source: Source) -> Form:
    """Return how the file writes its heads. Raises ExportError if it has none."""
    is_empty = True
    for line in source.lines():
        is_empty = is_empty and not line.strip()
        if (form := recognise(line)) is not None:
            return form
    if is_empty:
        raise ExportError(f"{source.where}: the file is empty; export the chat again")
    raise ExportError(
        f"{source.where}: no line begins like a WhatsApp message"
        ' ("12/31/24, 9:41 PM - Name: text" or "[31.12.24, 21:41:07] Name: text");'
        " give the text that WhatsApp's Export chat made"
    )


@dataclass(slots=True)
class _Tally:
    """What the lines add up to whose dates exist in the same orders."""

    entries: int = 0
    senders: Counter[str] = field(default_factory=Counter)


class Survey:
    """One reading of the whole file."""

    def __init__(self, source: Source, form: Form) -> None:
        """Read it. Raises ExportError where it holds exports of two forms."""
        self.calendar = Calendar(form)
        self.title = ""
        self.is_about_a_group = False
        self._form = form
        self._tallies: dict[tuple[DateOrder, ...], _Tally] = {}
        self._alike: dict[str, str] = {}
        heads = foreign = first_foreign = 0
        for number, line in enumerate(source.lines(), start=1):
            if (head := form.read(line)) is not None:
                heads += 1
                self._count(self.calendar.see(head.date), head.rest)
            elif recognise(line) is not None:
                foreign += 1
                first_foreign = first_foreign or number
        if foreign >= max(_MIN_FOREIGN, heads / _FOREIGN_SHARE):
            raise ExportError(
                f"{source.where}, line {first_foreign}: from here on dates are written in another"
                " way than before, so these are two exports; import them one by one"
            )

    def entries(self, order: DateOrder) -> int:
        """Return how many entries there are if dates are in this order."""
        return sum(tally.entries for fit, tally in self._tallies.items() if order in fit)

    def senders(self, order: DateOrder) -> Counter[str]:
        """Return how many messages each name, as written before the first `: `, has."""
        found: Counter[str] = Counter()
        for fit, tally in self._tallies.items():
            if order in fit:
                found.update(tally.senders)
        return found

    def surnames(self, senders: Counter[str]) -> dict[str, str]:
        """Return what belongs to a name although it stands behind its first colon."""
        return {
            name: more for name, more in self._alike.items() if more and senders[name] >= _MIN_ALIKE
        }

    def _count(self, fitting: tuple[DateOrder, ...], rest: str) -> None:
        if not fitting:
            return
        tally = self._tallies.get(fitting)
        if tally is None:
            tally = self._tallies[fitting] = _Tally()
        tally.entries += 1
        name, text = lines.split(rest)
        if name and not (text[:1] == lines.OWN_MARK and self._is_notice(name, text)):
            tally.senders[name] += 1
            if self._alike.get(name) != "":
                self._compare(name, text)
        elif not name:
            self._learn(lines.without_marks(rest))

    def _is_notice(self, name: str, text: str) -> bool:
        content = lines.read(text, has_sender=True)
        if content.is_system:
            if not self.title and wording.opens_a_chat(content.text):
                # iOS lets the chat say this itself: its title stands where a sender would.
                self.title = lines.sender_of(name).name
            self._learn(content.text)
        return content.is_system

    def _learn(self, text: str) -> None:
        self.title = self.title or wording.title_in(text)
        self.is_about_a_group = self.is_about_a_group or wording.is_about_a_group(text)

    def _compare(self, name: str, text: str) -> None:
        more, colon, _ = text.partition(": ")
        more = more if colon and len(more) <= MAX_NAME_LENGTH else ""
        known = self._alike.setdefault(name, more)
        if known != more:
            self._alike[name] = ""
