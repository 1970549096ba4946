"""Writes chats the way phones of many countries export them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import NamedTuple

from channels.exports.export import DateOrder, Entry, Export
from channels.exports.opening import open_export

LRM, NNBSP, NBSP = "\u200e", "\u202f", "\u00a0"
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
PERSIAN = str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹")
DEVANAGARI = str.maketrans("0123456789", "०१२३४५६७८९")


class Said(NamedTuple):
    at: datetime
    sender: str
    text: str


@dataclass(frozen=True)
class Form:
    """A phone's way to write a head, up to the name; and whether it writes seconds."""

    name: str
    head: Callable[[datetime], str]
    has_seconds: bool = False


def half(at: datetime, am: str, pm: str) -> str:
    return am if at.hour < 12 else pm


def hour12(at: datetime) -> int:
    return (at.hour - 1) % 12 + 1


FORMS = [
    Form(
        "android-us",
        lambda at: (
            f"{at.month}/{at.day}/{at:%y}, {hour12(at)}:{at:%M}{NNBSP}{half(at, 'AM', 'PM')} - "
        ),
    ),
    Form("android-uk", lambda at: f"{at:%d/%m/%Y, %H:%M} - "),
    Form(
        "android-india",
        lambda at: f"{at:%d/%m/%y}, {hour12(at)}:{at:%M}{NNBSP}{half(at, 'am', 'pm')} - ",
    ),
    Form("android-de", lambda at: f"{at:%d.%m.%y, %H:%M} - "),
    Form(
        "android-de-12",
        lambda at: f"{at:%d.%m.%y}, {hour12(at)}:{at:%M} {half(at, 'vorm.', 'nachm.')} - ",
    ),
    Form(
        "android-es-12",
        lambda at: (
            f"{at.day}/{at.month}/{at:%y}, {hour12(at)}:{at:%M}{NNBSP}"
            f"{half(at, f'a.{NBSP}m.', f'p.{NBSP}m.')} - "
        ),
    ),
    Form("android-es", lambda at: f"{at.day}/{at.month}/{at:%y}, {at.hour}:{at:%M} - "),
    Form("android-br", lambda at: f"{at:%d/%m/%Y %H:%M} - "),
    Form("android-ru", lambda at: f"{at:%d.%m.%Y, %H:%M} - "),
    Form("android-fr", lambda at: f"{at:%d/%m/%Y, %H:%M} - "),
    Form("android-fr-old", lambda at: f"{at:%d/%m/%Y à %H:%M} - "),
    Form("android-nl", lambda at: f"{at:%d-%m-%y %H:%M} - "),
    Form("android-se", lambda at: f"{at:%Y-%m-%d %H:%M} - "),
    Form("android-za", lambda at: f"{at:%Y/%m/%d, %H:%M} - "),
    Form("android-id", lambda at: f"{at:%d/%m/%y %H.%M} - "),
    Form("android-hu", lambda at: f"{at:%Y. %m. %d. %H:%M} - "),
    Form(
        "android-cn",
        lambda at: (
            f"{at.year}/{at.month}/{at.day} {half(at, '上午', '下午')}{hour12(at)}:{at:%M} - "
        ),
    ),
    Form(
        "android-tw",
        lambda at: (
            f"{at.year}/{at.month}/{at.day} {half(at, '早上', '晚上')}{hour12(at)}:{at:%M} - "
        ),
    ),
    Form(
        "android-kr",
        lambda at: (
            f"{at.year}. {at.month}. {at.day}. {half(at, '오전', '오후')} {hour12(at)}:{at:%M}, "
        ),
    ),
    Form(
        "android-kr-words",
        lambda at: (
            f"{at.year}년 {at.month}월 {at.day}일 {half(at, '오전', '오후')} {hour12(at)}:{at:%M}, "
        ),
    ),
    Form("android-kr-24", lambda at: f"{at.year}. {at.month}. {at.day}. {at:%H:%M}, "),
    Form("android-tr", lambda at: f"{at:%d.%m.%Y %H:%M} - "),
    Form("android-pl", lambda at: f"{at:%d.%m.%Y, %H:%M} - "),
    Form("android-it", lambda at: f"{at:%d/%m/%y, %H:%M} - "),
    Form("android-fr-ca", lambda at: f"{at:%Y-%m-%d %H h %M} - "),
    Form("android-he", lambda at: f"\u200f{at.day}.{at.month}.{at.year}, {at.hour}:{at:%M} - "),
    Form(
        "android-he-12",
        lambda at: (
            f"{at.day}.{at.month}.{at.year}, {hour12(at)}:{at:%M} {half(at, 'לפנה״צ', 'אחה״צ')} - "
        ),
    ),
    Form(
        "android-hindi-12",
        lambda at: f"{at:%d/%m/%y}, {hour12(at)}:{at:%M} {half(at, 'पूर्वाह्न', 'अपराह्न')} - ",
    ),
    Form(
        "android-marathi",
        lambda at: (
            f"{at.day}/{at.month}/{at:%y}, {hour12(at)}:{at:%M} ".translate(DEVANAGARI)
            + f"{half(at, 'म.पू.', 'म.उ.')} - "
        ),
    ),
    Form(
        "android-malay",
        lambda at: f"{at:%d/%m/%Y}, {hour12(at)}:{at:%M} {half(at, 'PG', 'PTG')} - ",
    ),
    Form("android-bg", lambda at: f"{at:%d.%m.%y} г., {at:%H:%M} ч. - "),
    Form(
        "android-arabic",
        lambda at: (
            f"{at.day}\u200f/{at.month}\u200f/{at.year}، {hour12(at)}:{at:%M}".translate(ARABIC)
            + f" {half(at, 'ص', 'م')} - "
        ),
    ),
    Form("android-persian", lambda at: f"{at:%Y/%m/%d, %H:%M}".translate(PERSIAN) + " - "),
    Form("android-hindi", lambda at: f"{at:%d/%m/%Y, %H:%M}".translate(DEVANAGARI) + " - "),
    Form("ios-de", lambda at: f"[{at:%d.%m.%y, %H:%M:%S}] ", has_seconds=True),
    Form(
        "ios-us",
        lambda at: (
            f"[{at.month}/{at.day}/{at:%y}, {hour12(at)}:{at:%M:%S}{NNBSP}{half(at, 'AM', 'PM')}] "
        ),
        has_seconds=True,
    ),
    Form("ios-uk", lambda at: f"[{at:%d/%m/%Y, %H:%M:%S}] ", has_seconds=True),
    Form("ios-es", lambda at: f"[{at.day}/{at.month}/{at:%y}, {at:%H:%M:%S}] ", has_seconds=True),
    Form("ios-ru", lambda at: f"[{at:%d.%m.%Y, %H:%M:%S}] ", has_seconds=True),
    Form("ios-fr", lambda at: f"[{at:%d/%m/%Y %H:%M:%S}] ", has_seconds=True),
    Form(
        "ios-kr",
        lambda at: (
            f"[{at.year}. {at.month}. {at.day}. {half(at, '오전', '오후')}"
            f" {hour12(at)}:{at:%M:%S}] "
        ),
        has_seconds=True,
    ),
    Form(
        "ios-tr-12",
        lambda at: f"[{at:%d.%m.%Y} {half(at, 'ÖÖ', 'ÖS')} {hour12(at)}:{at:%M:%S}] ",
        has_seconds=True,
    ),
    Form("ios-it", lambda at: f"[{at:%d/%m/%y, %H:%M:%S}] ", has_seconds=True),
    Form("ios-id", lambda at: f"[{at:%d/%m/%y %H.%M.%S}] ", has_seconds=True),
    Form(
        "ios-fr-ca",
        lambda at: f"[{at:%Y-%m-%d, %H h %M min %S s}] ",
        has_seconds=True,
    ),
    Form("ios-se", lambda at: f"[{at:%Y-%m-%d, %H:%M:%S}] ", has_seconds=True),
    Form("ios-se-short", lambda at: f"[{at:%y-%m-%d, %H:%M:%S}] ", has_seconds=True),
    Form(
        "ios-fi",
        lambda at: f"[{at.day}.{at.month}.{at.year} klo {at.hour}.{at:%M.%S}] ",
        has_seconds=True,
    ),
]
BY_NAME = {form.name: form for form in FORMS}


def written(form: Form, said: Sequence[Said], line_end: str = "\n") -> str:
    """Return the text of a chat's export."""
    return "".join(f"{form.head(at)}{name}: {text}{line_end}" for at, name, text in said)


def chat(
    folder: Path,
    text: str | bytes,
    name: str = "WhatsApp Chat with Anna.txt",
    date_order: DateOrder | None = None,
    timezone: tzinfo = UTC,
) -> Export:
    """Open a text as an export."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return open_export(path, date_order=date_order, timezone=timezone)


def entries_of(folder: Path, text: str | bytes, date_order: DateOrder | None = None) -> list[Entry]:
    """Open a text as an export and read all of it."""
    return list(chat(folder, text, date_order=date_order).entries())
