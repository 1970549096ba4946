"""What is built into a wheel: every file that the packages read, and folders nowhere."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from memory.errors import OWN

ROOT = Path(__file__).resolve().parents[2]
SETUPTOOLS: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"][
    "setuptools"
]
PACKAGES = [each.removesuffix("*") for each in SETUPTOOLS["packages"]["find"]["include"]]


@pytest.mark.parametrize("pattern", [p for each in SETUPTOOLS["data-files"].values() for p in each])
def test_a_pattern_of_data_files_matches_files_alone(pattern: str) -> None:
    # A folder among them ends the build.
    matched = list(ROOT.glob(pattern))
    assert matched
    assert [each.name for each in matched if not each.is_file()] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_whatever_lies_beside_the_modules_of_a_package_is_packaged(package: str) -> None:
    patterns = SETUPTOOLS["package-data"].get(package, [])
    packaged = {path for pattern in patterns for path in (ROOT / package).glob(pattern)}
    beside = {
        path
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert beside - packaged == set()


def test_the_place_of_a_fault_is_looked_for_in_every_package() -> None:
    assert set(PACKAGES) == OWN
