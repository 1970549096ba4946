"""Time zones as columns and statements have them: by name, or an offset the POSIX way."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from memory.text.zones import zone_of

_OFFSET: Final = re.compile(r"([+-])(\d\d):(\d\d)")


def named(zone: tzinfo) -> str:
    """Return a zone as the database reads it: of an offset the POSIX way, west counting up."""
    if isinstance(zone, ZoneInfo):
        return zone.key
    minutes = (zone.utcoffset(None) or timedelta()) // timedelta(minutes=1)
    return f"{'-' if minutes >= 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def read_zone(name: str) -> tzinfo:
    """Return the zone that `named` wrote; UTC of what is none."""
    if match := _OFFSET.fullmatch(name):
        sign, hours, minutes = match.groups()
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        return timezone(offset if sign == "-" else -offset)
    return zone_of(name) or UTC
