"""Which number is the day and which the month: decided from a whole export. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from channels.exports.errors import ExportError, UndecidedDates
from channels.exports.export import DateOrder
from channels.exports.whatsapp.dates import Form, day_of

_CLEARLY = 5
"""How many times more often the wrong order must step back than the right one, if both do."""


@dataclass(slots=True)
class _Reading:
    """How the dates look when read in one order."""

    lines: int = 0
    steps_back: int = 0
    first: date | None = None
    last: date | None = None
    latest: date | None = None

    def see(self, day: date) -> None:
        # A clock set back, or a message that arrived late, steps back a day at most.
        if self.latest is not None and (self.latest - day).days > 1:
            self.steps_back += 1
        self.latest = day
        self.first = day if self.first is None else min(self.first, day)
        self.last = day if self.last is None else max(self.last, day)

    @property
    def span_days(self) -> int:
        return (self.last - self.first).days if self.first and self.last else 0


class Calendar:
    """Sees every date of an export once and then tells in which order they are written."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._readings = {order: _Reading() for order in form.orders}
        self._text = ""
        self._fitting: tuple[DateOrder, ...] = ()
        self._differs = False
        self._days = 0

    def see(self, text: str) -> tuple[DateOrder, ...]:
        """Take note of one line's date; return the orders in which it exists."""
        if text != self._text:
            self._turn(text)
        for order in self._fitting:
            self._readings[order].lines += 1
        return self._fitting

    def _turn(self, text: str) -> None:
        days = {order: day_of(text, order) for order in self._readings}
        self._text, self._days = text, self._days + 1
        self._fitting = tuple(order for order, day in days.items() if day is not None)
        self._differs |= days.get("dmy") != days.get("mdy")
        for order, day in days.items():
            if day is not None:
                self._readings[order].see(day)

    def decide(self, where: str, asked: DateOrder | None) -> DateOrder:
        """Return the order.

        Args:
            where: The file, for errors.
            asked: What the user says it is.

        Raises:
            ExportError: The dates are not written in the order asked for.
            UndecidedDates: They can be read both ways.
        """
        readings = self._readings
        most = max(reading.lines for reading in readings.values())
        if asked is not None:
            if asked not in readings or 2 * readings[asked].lines < most:
                fitting = max(readings, key=lambda order: readings[order].lines)
                raise ExportError(
                    f"{where}: the dates are not written {asked}; leave --date-order out"
                    f" or say --date-order {fitting}"
                )
            return asked
        left = [order for order, reading in readings.items() if reading.lines == most]
        order = self._choose(left)
        if order is None:
            raise UndecidedDates(
                f"{where}: no date tells day and month apart (the last is {self._text});"
                " give --date-order dmy or --date-order mdy"
            )
        return order

    def _choose(self, left: Sequence[DateOrder]) -> DateOrder | None:
        readings = self._readings
        if "ymd" in left and len(left) > 1:
            others: Sequence[DateOrder] = [order for order in left if order != "ymd"]
            if self._year_is_first(others):
                return "ymd"
            left = others
        if len(left) == 1:
            return left[0]
        day_first, month_first = readings["dmy"].steps_back, readings["mdy"].steps_back
        if day_first * _CLEARLY < month_first:
            return "dmy"
        if month_first * _CLEARLY < day_first:
            return "mdy"
        # No locale writes a month before a day with dots. Source: Unicode CLDR, short dates.
        if not self._differs or self._form.separator == ".":
            return "dmy"
        return None

    def _year_is_first(self, others: Sequence[DateOrder]) -> bool:
        """Tell whether two digits in front are a year: then the dates lie close and in order."""
        year_first = self._readings["ymd"]
        closest = min(self._readings[order].span_days for order in others)
        back = min(self._readings[order].steps_back for order in others)
        is_closer = self._days > 2 and 4 * year_first.span_days < closest
        return year_first.steps_back * _CLEARLY < back or (
            is_closer and year_first.steps_back <= back
        )
