"""Time zones as people name them: "Europe/Berlin", "CET", "UTC+2". Pure."""

from __future__ import annotations

import re
from datetime import timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

# Abbreviations are of several zones; that of most people who write them is meant.
_NAMED: Final = {
    "utc": "UTC",
    "gmt": "UTC",
    "cet": "Europe/Berlin",
    "cest": "Europe/Berlin",
    "eet": "Europe/Athens",
    "eest": "Europe/Athens",
    "wet": "Europe/Lisbon",
    "west": "Europe/Lisbon",
    "bst": "Europe/London",
    "msk": "Europe/Moscow",
    "ist": "Asia/Kolkata",
    "jst": "Asia/Tokyo",
    "aest": "Australia/Sydney",
    "aet": "Australia/Sydney",
    "est": "America/New_York",
    "edt": "America/New_York",
    "cst": "America/Chicago",
    "cdt": "America/Chicago",
    "mst": "America/Denver",
    "mdt": "America/Denver",
    "pst": "America/Los_Angeles",
    "pdt": "America/Los_Angeles",
}
_OFFSET: Final = re.compile(r"(?:utc|gmt)\s*([+-])\s*(\d{1,2})(?::?(\d\d))?", re.IGNORECASE)
_MOST_HOURS: Final = 14


@lru_cache(maxsize=1_024)
def zone_of(name: str) -> tzinfo | None:
    """Return the zone that a text names; None where it names none that is known."""
    plain = " ".join(name.split())
    if match := _OFFSET.fullmatch(plain):
        sign, hours, minutes = match.groups()
        offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
        if int(minutes or 0) > 59 or offset > timedelta(hours=_MOST_HOURS):
            return None
        return timezone(-offset if sign == "-" else offset)
    try:
        return ZoneInfo(_NAMED.get(plain.casefold(), plain))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
