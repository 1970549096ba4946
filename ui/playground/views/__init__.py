"""The views of the console: each one tab, about the person who is chosen at the left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import gradio as gr
from gradio.components import Component


class View(Protocol):
    """One tab of the page. `name` stands in its address, `title` on its tab."""

    name: str
    title: str

    def draw(self, contact: gr.State) -> list[Component]:
        """Put the view on the page and wire what happens on it; return what `show` fills.

        `contact` holds the id of the person who is chosen.
        """
        ...

    async def show(self, contact_id: str) -> list[Any]:  # Any: a value for each component
        """Return what the view shows of a contact, one value for each component of `draw`.

        Raises:
            RecollectError: a store does not answer.
        """
        ...


@runtime_checkable
class Addressed(Protocol):
    """A view whose parts have addresses of their own: a day, somebody in the graph."""

    async def show_at(self, contact_id: str, address: Mapping[str, str]) -> list[Any]:
        """Return what the view shows of a contact where the address' parameters lead."""
        ...
