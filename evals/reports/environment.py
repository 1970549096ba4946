"""What a run ran on: enough to repeat it, nothing about the person who ran it."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("langgraph", "chromadb", "neo4j", "onnxruntime")
"""Packages whose versions a result names, beside the product's own."""


def version_of(package: str, absent: str = "not installed") -> str:
    """Return the installed version of a package, or `absent`."""
    try:
        return version(package)
    except PackageNotFoundError:
        return absent


def describe_environment() -> dict[str, str]:
    """Return interpreter, platform, processors and the versions of the packages that matter."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": platform.platform(),
        "processors": str(os.cpu_count() or "unknown"),
    } | {package: version_of(package) for package in PACKAGES}
