"""The texts of what a saved result names: its JSON holds none, the case files do."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import file_digest
from pathlib import Path

from evals.reports.saved import SavedResult
from evals.suite.registry import SUITES
from evals.suite.run import Texts


def texts_of(result: SavedResult, paths: Sequence[Path]) -> tuple[Texts, int]:
    """Return the texts of case files, and how many of the files are not those that ran.

    Raises:
        BadInputError: a file cannot be read, or holds no cases of the suite.
    """
    suite = SUITES.get(result.suite)
    if suite is None or suite.texts is None or not paths:
        return Texts({}), 0
    files = suite.load(paths, None)
    unknown = {file.sha256 for file in files} - {case.sha256 for case in result.cases}
    return suite.texts(files), len(unknown)


def own_case_files(result: SavedResult) -> list[Path]:
    """Return those of a suite's own case files that ran, to the byte; never what a result names."""
    suite = SUITES.get(result.suite)
    if suite is None or suite.own_cases is None:
        return []
    ran = {case.sha256 for case in result.cases}
    return [path for path in sorted(suite.own_cases.glob("*.jsonl")) if _sha256(path) in ran]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
