"""Chat histories that other programs exported, read as a stream of messages."""

from channels.exports.errors import ExportError, UndecidedDates
from channels.exports.export import DateOrder, Entry, Export, ExportedChat, ExportKind
from channels.exports.opening import open_export

__all__ = [
    "DateOrder",
    "Entry",
    "Export",
    "ExportError",
    "ExportKind",
    "ExportedChat",
    "UndecidedDates",
    "open_export",
]
