"""Where the suites' own cases are: beside the source, or where an installation put them."""

from __future__ import annotations

import sys
from pathlib import Path

_SOURCE = Path(__file__).resolve().parents[2] / "datasets"
_INSTALLED = Path(sys.prefix) / "share" / "recollect" / "datasets"


def datasets_folder() -> Path:
    """Return the folder `datasets`: the one of the source tree, else the installed one.

    It may be absent. A folder `datasets` without our schemas is not ours: in site-packages there
    can be another package of that name.
    """
    return _SOURCE if (_SOURCE / "schemas").is_dir() else _INSTALLED


def own_cases(suite: str) -> Path:
    """Return the folder with a suite's own cases, which may be absent."""
    return datasets_folder() / suite
