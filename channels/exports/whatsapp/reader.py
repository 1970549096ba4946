"""Reads a WhatsApp export: once to learn what is in it, then again for its entries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from channels.exports.export import DateOrder, Entry, ExportedChat, ExportKind
from channels.exports.files import sha256_of
from channels.exports.ids import LineIds
from channels.exports.whatsapp import lines
from channels.exports.whatsapp.dates import moment_of
from channels.exports.whatsapp.source import Source
from channels.exports.whatsapp.survey import Survey, form_of

_A_PAIR = 2


class WhatsAppExport:
    """One chat, from a text file or a zip."""

    kind: ExportKind = "whatsapp"

    def __init__(self, source: Source, date_order: DateOrder | None, timezone: tzinfo) -> None:
        """Read the file from end to end.

        Args:
            source: Where the chat's text lies.
            date_order: How dates are written; None to find out.
            timezone: Of the phone that wrote the file, which notes wall-clock time only.

        Raises:
            ExportError: It is no WhatsApp chat, or it cannot be read.
            UndecidedDates: Day and month cannot be told apart.
        """
        self.path: Path = source.path
        self._source = source
        self._timezone = timezone
        self._form = form_of(source)
        self.sha256 = sha256_of(source.path)
        survey = Survey(source, self._form)
        self._order = survey.calendar.decide(source.where, date_order)
        senders = survey.senders(self._order)
        self._surnames = survey.surnames(senders)
        self.messages = survey.entries(self._order)
        people: Counter[str] = Counter()
        for written, count in senders.items():
            people[lines.sender_of(self._whole_name(written)).name] += count
        self._key, title = self._named(source.title or survey.title, people)
        # A chat of two is titled with the other's name.
        is_pair = not survey.title or survey.title in people
        is_group = len(people) > _A_PAIR - (not is_pair) or survey.is_about_a_group
        self.chats: Sequence[ExportedChat] = (
            ExportedChat(
                self._key, title, is_group, dict(people.most_common()), messages=self.messages
            ),
        )

    def _named(self, title: str, people: Counter[str]) -> tuple[str, str]:
        """Return key and title; without a title those who talk, or the first entry, name it."""
        if title:
            return title.casefold(), title
        together = " & ".join(sorted(people))
        if 0 < len(people) <= _A_PAIR:
            return together.casefold(), together
        self._key = ""
        first = next(self.entries()).message_id
        return f"chat-{first[:12]}", f"{len(people)} people" if people else "WhatsApp chat"

    def entries(self) -> Iterator[Entry]:
        """Yield the entries in the order of the file. Raises ExportError."""
        ids = LineIds()
        started: datetime | None = None
        parts: list[str] = []
        length = 0
        for line in self._source.lines():
            head = self._form.read(line)
            moment = None if head is None else moment_of(head, self._order)
            if head is not None and moment is not None:
                if started is not None:
                    yield self._entry(started, "\n".join(parts), ids)
                started, parts, length = moment, [head.rest], len(head.rest)
            elif started is not None and length <= lines.MAX_TEXT_CHARS:
                parts.append(line)
                length += len(line) + 1
        if started is not None:
            yield self._entry(started, "\n".join(parts), ids)

    def _entry(self, moment: datetime, whole: str, ids: LineIds) -> Entry:
        written, text = lines.split(whole)
        if written in self._surnames:
            text = text.removeprefix(f"{self._surnames[written]}: ")
        content = lines.read(text[: lines.MAX_TEXT_CHARS], has_sender=bool(written))
        has_sender = bool(written) and not content.is_system
        sender = lines.sender_of(self._whole_name(written)) if has_sender else lines.NOBODY
        return Entry(
            chat=self._key,
            message_id=ids.next(moment.isoformat(), lines.without_marks(whole).strip()),
            sender=sender.name,
            sender_id=sender.name_as_written,
            text=content.text,
            sent_at=moment.replace(tzinfo=self._timezone).astimezone(UTC),
            is_system=content.is_system,
            is_deleted=content.is_deleted,
        )

    def _whole_name(self, written: str) -> str:
        more = self._surnames.get(written)
        return f"{written}: {more}" if more else written
