"""Whom a command is about, as it was typed: before its name, or behind `--contact`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from ui.cli.terminal import printable

if TYPE_CHECKING:
    from graph.stores import Stores

Whom = Annotated[
    str | None,
    typer.Argument(metavar="[CONTACT]", help="The same as --contact.", show_default=False),
]


def named_once(argument: str | None, option: str | None) -> str | None:
    """Return who was named, in either place.

    Raises:
        BadParameter: two people were named.
    """
    if argument is not None and option is not None and argument.strip() != option.strip():
        raise typer.BadParameter(f"say {argument} or {option}, once", param_hint="--contact")
    return argument if option is None else option


def contact_id_of(name: str) -> str:
    """Return a contact's id: one of a channel is named with it, others sit at this machine."""
    from memory.domain.chats import contact_named

    return contact_named(name)


async def contact_of(stores: Stores, name: str) -> str:
    """Return a contact's id: what is written, where somebody has that id, else one at this machine.

    Where both are known, says so on stderr.
    """
    local = contact_id_of(name)
    exports, tenant = stores.memory.exports, stores.settings.tenant
    if local == name or not await exports.is_known(tenant, name):
        return local
    if await exports.is_known(tenant, local):
        shown, other = printable(name), printable(local)
        sys.stderr.write(
            f"recollect: {shown} and {other} are two contacts: this is {shown}, as written.\n"
        )
    return name
