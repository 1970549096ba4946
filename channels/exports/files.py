"""Files as they lie on the disk: read in pieces, errors turned into one clear line."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path

from channels.exports.errors import ExportError

_TAKEN = (".json", ".jsonl", ".txt", ".zip")


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what can go wrong with a file or zip into an ExportError."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError) as exc:
        raise ExportError(f"{path}: the zip is damaged or cut off; export the chat again") from exc
    except IsADirectoryError as exc:
        raise ExportError(f"{path}: a folder; give the file in it: {_in_folder(path)}") from exc
    except OSError as exc:
        reason = exc.strerror or "it cannot be read"
        raise ExportError(f"{path}: {reason}; check the path and its permissions") from exc


def _in_folder(path: Path) -> str:
    """Name what may be meant, or what is taken where nothing in the folder may be."""
    try:
        found = sorted(each for each in path.iterdir() if each.suffix.lower() in _TAKEN)
    except OSError:
        found = []
    if not found:
        return "Telegram's result.json, WhatsApp's .txt or .zip, or JSON lines"
    more = f" or one of {len(found) - 1:,} more" if len(found) > 1 else ""
    return f"{found[0]}{more}"


def sha256_of(path: Path) -> str:
    """Return the hash of a file's bytes, in hex. Raises ExportError."""
    with reading(path), path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
