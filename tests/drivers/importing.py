"""Import a made-up chat in a process of its own: `python -m tests.drivers.importing COUNT`."""

from __future__ import annotations

import sys
from datetime import tzinfo
from pathlib import Path

from channels.exports.export import DateOrder, Export, ExportKind
from graph.settings import load_settings
from tests.fakes.exports import MadeExport, chatter
from ui.cli.importing import ImportRequest, run_import


def main() -> int:
    """Import the first COUNT messages of Anna and Max."""
    made = MadeExport(chatter(int(sys.argv[1])))

    def opener(
        path: Path,
        kind: ExportKind | None = None,
        *,
        date_order: DateOrder | None = None,
        timezone: tzinfo,
    ) -> Export:
        del path, kind, date_order, timezone
        return made

    return run_import(load_settings(), ImportRequest(Path(__file__), speaker="Max"), opener)


if __name__ == "__main__":
    sys.exit(main())
