"""The time zone of this machine, by its name, or one that was named."""

from __future__ import annotations

import os
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memory.errors import RecollectError

_LOCALTIME = Path("/etc/localtime")


class UnknownZone(RecollectError):
    """There is no time zone of that name."""


def zone_named(name: str) -> tuple[str, tzinfo]:
    """Return a zone of the tz database, and its name.

    Raises:
        UnknownZone: there is none of that name.
    """
    try:
        return name, ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UnknownZone(
            f"--timezone {name}: no such time zone; one looks like Europe/Berlin or UTC."
        ) from error


def local_zone() -> tuple[str, tzinfo]:
    """Return this machine's zone, which knows daylight saving; else its present offset from UTC."""
    candidates = [os.environ.get("TZ", "").lstrip(":")]
    if _LOCALTIME.exists():
        candidates.append(str(_LOCALTIME.resolve()).partition("zoneinfo/")[2])
    for name in candidates:
        if name:
            try:
                return zone_named(name)
            except UnknownZone:
                continue
    zone = datetime.now(UTC).astimezone().tzinfo or UTC
    return str(zone), zone
