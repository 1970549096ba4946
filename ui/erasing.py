"""Erasing a person at this machine: from every store, and what was typed in its terminal."""

from __future__ import annotations

from graph.stores import Stores
from memory.domain.chats import local_contact
from memory.domain.erasures import AskedBy, Erasure
from memory.embedded import default_data_dir
from memory.errors import RecollectError
from memory.trust.erasure import erase
from ui.cli.history import drop_history


class TypedLeft(RecollectError):
    """What was typed in the terminal could not be removed."""


async def erase_here(stores: Stores, contact_id: str, asked_by: AskedBy) -> Erasure:
    """Erase a person; return the receipt. Of somebody at this machine what was typed goes, too.

    The file does not say whose a line is: all of it goes.

    Raises:
        UnknownContact: nothing is kept of them.
        ErasureBusy: a turn runs in one of their chats; nothing was changed.
        StoreUnavailable: the ledger's database cannot be reached; nothing was changed.
        TypedLeft: they are erased, and the file is still there.
    """
    settings = stores.settings
    receipt = await erase(stores.memory, stores.projector, settings.tenant, contact_id, asked_by)
    if contact_id.startswith(local_contact("")):
        try:
            drop_history(settings.data_dir or default_data_dir())
        except OSError as error:
            raise TypedLeft(
                f"erased, but what was typed in the terminal is left: remove {error.filename}"
            ) from error
    return receipt
