"""The data folder of the embedded stores, made by whoever comes first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memory.embedded.layout import prepare


def test_another_process_may_make_the_folder_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir = Path.mkdir

    def a_moment_late(folder: Path, *arguments: Any, **options: Any) -> None:
        if not folder.exists():
            mkdir(folder, parents=True)
        mkdir(folder, *arguments, **options)

    monkeypatch.setattr(Path, "mkdir", a_moment_late)
    assert prepare(tmp_path / "data").run.is_dir()
