"""What `recollect datasets list` shows."""

from __future__ import annotations

from collections.abc import Iterator

from evals.converters.upstreams import UPSTREAMS
from evals.suite.own_cases import datasets_folder
from evals.suite.registry import SUITES


def own_lines() -> Iterator[str]:
    """Yield what our own cases are: files, cases, and what they ask or do, by suite."""
    folder = datasets_folder()
    yield f"Our own, in {folder} (CC0 1.0):"
    found = False
    for name, suite in SUITES.items():
        paths = sorted(suite.own_cases.glob("*.jsonl")) if suite.own_cases else []
        for file in suite.load(paths, None) if paths else ():
            found = True
            yield f"  {name:<10} {file.count:>5,} cases {file.items:>7,} items  {file.path}"
    if not found:
        yield "  none here: they come with the source tree; or give --cases FILE"


def upstream_lines() -> Iterator[str]:
    """Yield what others have published, how to get and convert it."""
    yield "Others, for you to fetch under their own terms:"
    for one in UPSTREAMS.values():
        yield ""
        yield f"  {one.name}: {one.title}, for recollect eval {one.suite}"
        yield f"    measures  {one.measures}"
        yield f"    licence   {one.licence}"
        yield f"    get it    {one.where}"
        yield f"    convert   recollect datasets convert {one.name} SOURCE --out FILE.jsonl"
        yield f"    SOURCE    {one.source}"
