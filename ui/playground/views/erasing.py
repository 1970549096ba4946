"""The part of the memory view in which a person is erased: never by one click."""

from __future__ import annotations

from dataclasses import dataclass

from graph.stores import Stores
from memory.errors import RecollectError
from memory.trust.erasure import extent_of
from ui.erasing import erase_here
from ui.playground.people import name_of
from ui.playground.render_erasing import receipt_html, weighed_html
from ui.playground.views.rules import Answer, Asked


class OtherName(RecollectError):
    """Another name was typed: nothing was erased."""


@dataclass(frozen=True, slots=True)
class ErasingPart:
    """Tells what would go with a person, and erases them where their name is typed."""

    stores: Stores

    async def weigh(self, asked: Asked) -> Answer:
        """Return as `gone` what would go, and the form."""
        tenant, contact_id = self.stores.settings.tenant, asked["contact"]
        extent = await extent_of(self.stores.memory, tenant, contact_id)
        return {"gone": weighed_html(await self._called(contact_id), extent.counts)}

    async def erase(self, asked: Asked) -> Answer:
        """Erase the person, and return the receipt as `html`."""
        contact_id = asked["contact"]
        if asked.get("typed", "").strip() not in (contact_id, await self._called(contact_id)):
            raise OtherName
        receipt = await erase_here(self.stores, contact_id, "page")
        return {"said": "Erased.", "gone": "", "html": receipt_html(receipt)}

    async def _called(self, contact_id: str) -> str:
        tenant = self.stores.settings.tenant
        states = await self.stores.memory.contact_states.of(tenant, [contact_id])
        known = states.get(contact_id)
        return (known.name.strip() if known else "") or name_of(contact_id)
