"""What has to be known of a file before it is imported: how it is read, and who its person is."""

from __future__ import annotations

from datetime import tzinfo
from pathlib import Path

from channels.exports.errors import ExportError
from channels.exports.export import DateOrder, Export, ExportKind
from channels.exports.opening import open_export
from channels.exports.telegram.account import account_name
from graph.importing.mapping import speakers
from memory.domain.imports import ImportState


def read_export(
    path: Path,
    kind: ExportKind | None,
    order: DateOrder | None,
    zone_name: str,
    zone: tzinfo,
) -> tuple[Export, str]:
    """Return the export and, in words, the options that it was read with.

    Raises:
        UndecidedDates: day and month cannot be told apart, and no order is given.
        ExportError: it cannot be read as a chat, or nobody says anything in it.
    """
    export = open_export(path, kind, date_order=order, timezone=zone)
    if not export.messages:
        raise ExportError(f"{path}: there is not a single message in it.")
    return export, f"--timezone {zone_name}" + (f" --date-order {order}" if order else "")


def told_speaker(export: Export, known: ImportState | None) -> str | None:
    """Return who the memory's person is, as an earlier start or the file tells; None: neither does.

    Empty where it was said before that it is none of them.
    """
    if known is not None:
        return known.speaker
    told = account_name(export.path) if export.kind == "telegram" else ""
    return told if told and told in {each.name for each in speakers(export)} else None
