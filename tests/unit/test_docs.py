"""The docs name what exists: every requirement, file, test, setting and link."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graph.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "docs/requirements.md"
LINKED = [
    path
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
    if ".venv" not in path.parts
]
COUNTS = {"G": 6, "W": 7, "N": 15, "T": 8, "L": 6, "C": 9, "X": 8}

_CODE = re.compile(r"`([^`\n]+)`")
_ROW = re.compile(r"^\| ([A-Z]\d+) \|", re.MULTILINE)
_TEST = re.compile(r"\btest_\w+(?!\w*\.py)\b")
_FILE = re.compile(r"(?:[\w.-]+/)+[\w.-]*|[\w-]+\.(?:toml|json|md)")
_LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)")
_IMAGE = re.compile(r'(?:src|srcset)="(?!https?:)([^"]+)"')
_SETTING = re.compile(r"^\| `(RECOLLECT_\w+)` \|", re.MULTILINE)
_TOP = {path.name for path in ROOT.iterdir()}
# Owned by other documents than those that describe this repository's files.
_ELSEWHERE = ("requirements/", ".venv/")


def _defined_tests() -> set[str]:
    names: set[str] = set()
    for path in (ROOT / "tests").rglob("*.py"):
        names.update(re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8")))
    return names


def _code_of(path: Path) -> list[str]:
    return _CODE.findall(path.read_text(encoding="utf-8"))


def _named_files(path: Path) -> set[str]:
    found = {code for code in _code_of(path) if _FILE.fullmatch(code)}
    return {
        name for name in found if name.split("/")[0] in _TOP and not name.startswith(_ELSEWHERE)
    }


def test_every_requirement_has_exactly_one_row() -> None:
    expected = sorted(f"{letter}{n + 1}" for letter, count in COUNTS.items() for n in range(count))
    assert sorted(_ROW.findall(REQUIREMENTS.read_text(encoding="utf-8"))) == expected


@pytest.mark.parametrize("path", LINKED, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_and_test_that_is_named_exists(path: Path) -> None:
    missing = {name for name in _named_files(path) if not (ROOT / name).exists()}
    tests = {name for code in _code_of(path) if "/" not in code for name in _TEST.findall(code)}
    assert missing | (tests - _defined_tests()) == set()


def test_requirements_name_many_files_and_tests() -> None:
    text = REQUIREMENTS.read_text(encoding="utf-8")
    assert len(_named_files(REQUIREMENTS)) > 30
    assert len(set(_TEST.findall(text))) > 50


@pytest.mark.parametrize("path", LINKED, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_relative_link_resolves(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    links = [*_LINK.findall(text), *_IMAGE.findall(text)]
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_the_readme_lists_every_setting_and_no_other() -> None:
    rows = _SETTING.findall((ROOT / "docs/settings.md").read_text(encoding="utf-8"))
    prefix = Settings.model_config["env_prefix"]
    settings = {
        f"{prefix}{name}".upper()
        for name, field in Settings.model_fields.items()
        if field.validation_alias is None
    }
    assert sorted(rows) == sorted(settings)


def _newest_run(sets: str) -> dict[str, Any]:  # Any: JSON
    """Return the systems of the newest run of blind sets; of one day, of the newest set."""
    files = sorted((ROOT / "datasets").glob(f"{sets}/runs.json"))
    runs = [run for file in files for run in json.loads(file.read_text("utf-8"))]
    _, newest = max((run["date"], number) for number, run in enumerate(runs))
    systems: dict[str, Any] = runs[newest]["systems"]
    return systems


def test_the_readme_tells_the_newest_figures_of_blind_sets() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    facts, recall = _newest_run("facts/blind*"), _newest_run("recall/blind*")
    with np.load(ROOT / "memory/minilm/reader.npz") as weights:
        version = json.loads(weights["about"].tobytes())["version"]
    shipped = facts[version if version in facts else "reader"]
    english, rules = (each["by"]["lang"]["en"] for each in (shipped, facts["rules"]))
    kinds = recall["recollect"]["by"]["category"]
    for pair in (
        (english["recall"], english["precision"]),
        (rules["recall"], rules["precision"]),
        (kinds["single"]["frac@10"], kinds["list"]["frac@10"]),
    ):
        assert " / ".join(f"{figure:.3f}".removeprefix("0") for figure in pair) in readme


def test_every_decision_is_listed_once_and_in_order() -> None:
    folder = ROOT / "docs/adr"
    listed = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text("utf-8"))
    assert listed == sorted(path.name for path in folder.glob("[0-9]*.md"))
