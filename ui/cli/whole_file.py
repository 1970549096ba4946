"""A file that is there when it is whole: written beside, and renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from memory.errors import RecollectError


class CannotWrite(RecollectError):
    """A file cannot be written."""


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a file to write, its owner's alone, that takes the name at the end, if nothing failed.

    Whoever is killed meanwhile leaves a hidden file beside, with `.part` at its end.

    Raises:
        CannotWrite: there is no such folder, no room, or no leave to write.
    """
    beside: Path | None = None
    try:
        number, made = tempfile.mkstemp(".part", f".{path.name[:80]}.", path.parent)
        beside = Path(made)
        with os.fdopen(number, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
        beside = None
    except OSError as error:
        raise CannotWrite(f"--out: {path} cannot be written ({error.strerror})") from error
    finally:
        if beside is not None:
            with suppress(OSError):
                beside.unlink()
