"""Well-formed JSON events with some of their parts taken out or replaced, for fuzzing."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st


@st.composite
def spoiled(draw: st.DrawFn, events: Sequence[Any], values: st.SearchStrategy[Any]) -> Any:
    """Draw one of the events with up to three parts, at any depth, removed or replaced."""
    event: Any = copy.deepcopy(draw(st.sampled_from(events)))
    for _ in range(draw(st.integers(1, 3))):
        paths = _paths(event)[1:]
        if not paths:
            return event
        *parents, last = draw(st.sampled_from(paths))
        target = event
        for key in parents:
            target = target[key]
        if isinstance(target, dict) and draw(st.booleans()):
            del target[last]
        else:
            target[last] = draw(values)
    return event


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    children: list[tuple[Any, Any]] = list(value.items()) if isinstance(value, dict) else []
    if isinstance(value, list):
        children = list(enumerate(value))
    return [path, *(found for key, child in children for found in _paths(child, (*path, key)))]
