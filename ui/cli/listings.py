"""`recollect outbox`, `turns` and `audit`: what waits, what failed, what was decided."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from graph.agent import Agent, Failed, Finished
from graph.bootstrap import open_agent, open_stores
from graph.settings import Settings
from memory.domain.work import Delivery, DeliveryStatus, delivery_to_json
from memory.ports.work import Outbox
from ui.cli.terminal import printable
from ui.failures import failed_turns

# What a person has to look at comes first.
_LISTED: tuple[tuple[DeliveryStatus, str], ...] = (
    ("unknown", "sent or not, nobody can know: look into the chat"),
    ("failed", "refused by the channel"),
    ("expired", "could not be sent for too long"),
    ("sending", "on its way"),
    ("queued", "waiting"),
)
_EXCERPT = 60


async def list_outbox(settings: Settings, *, as_json: bool = False) -> None:
    """Write the deliveries that are not sent, by status, a line each.

    As JSON: an object a line, as the API shows it.
    """
    async with open_agent(settings) as agent:
        outbox = agent.stores.memory.outbox
        found = [
            (meaning, await _deliveries(outbox, settings.served_tenants, status))
            for status, meaning in _LISTED
        ]
    for meaning, deliveries in found:
        if deliveries and not as_json:
            _write(f"{deliveries[0].status} ({meaning}): {len(deliveries)}")
        for delivery in deliveries:
            _write(json.dumps(delivery_to_json(delivery)) if as_json else _delivery_line(delivery))
    if as_json:
        return
    if not any(deliveries for _, deliveries in found):
        _write("Nothing is waiting: every reply was sent, or dismissed.")
    elif any(each.status in ("unknown", "failed") for _, some in found for each in some):
        _write("`recollect outbox dismiss ID` puts one aside that you looked at.")


async def dismiss_replies(settings: Settings, delivery_id: int | None) -> int:
    """Put one unknown or failed reply aside, or all of them; return the exit status."""
    ids = None if delivery_id is None else [str(delivery_id)]
    async with open_stores(settings) as stores:
        count = await stores.memory.outbox.dismiss(settings.served_tenants, ids)
    if ids and not count:
        sys.stderr.write(
            f"recollect: no reply {delivery_id} is unknown or failed:"
            " `recollect outbox` lists them.\n"
        )
        return 1
    _write(f"Dismissed: {count}." if count else "No reply is unknown or failed.")
    return 0


async def _deliveries(
    outbox: Outbox, tenants: Sequence[str], status: DeliveryStatus
) -> list[Delivery]:
    return [each for tenant in tenants for each in await outbox.listing(tenant, status)]


def _delivery_line(delivery: Delivery) -> str:
    tried = f"{delivery.attempts} tries" if delivery.attempts != 1 else "1 try"
    at = f", {delivery.attempted_at:%Y-%m-%d %H:%M}" if delivery.attempted_at else ""
    where = f"{delivery.chat.channel}/{delivery.chat.account} {delivery.chat.chat_id}"
    return f"  {delivery.delivery_id}  {where}  {tried}{at}  {_excerpt(delivery.text)}"


async def list_turns(settings: Settings) -> None:
    """Write the failed turns, a line each, oldest first."""
    async with open_agent(settings) as agent:
        failed = await failed_turns(agent)
        for turn in failed:
            where = f"{turn.chat.channel}/{turn.chat.account} {turn.chat.chat_id}"
            at = f"{turn.started_at:%Y-%m-%d %H:%M}"
            _write(f"{turn.turn_id}  {at}  {where}  {_excerpt(turn.reason)}")
        _write("`recollect turns retry ID` tries one again." if failed else "No turn has failed.")


async def retry_one(settings: Settings, turn_id: str) -> int:
    """Try one failed turn again and write its reply; return the exit status."""
    async with open_agent(settings) as agent:
        found = [turn for turn in await failed_turns(agent) if turn.turn_id.startswith(turn_id)]
        if len(found) != 1:
            why = "several failed turns begin" if found else "no failed turn begins"
            sys.stderr.write(f"recollect: {why} with {turn_id}: `recollect turns` lists them.\n")
            return 1
        return await _retry(agent, found[0].turn_id)


async def retry_all(settings: Settings) -> int:
    """Try every failed turn again, oldest first, and write the replies; return the exit status."""
    async with open_agent(settings) as agent:
        failed = await failed_turns(agent)
        if not failed:
            _write("No turn has failed.")
        turns, tenants = agent.stores.memory.turns, agent.stores.settings.served_tenants
        # One that its chat stopped in the midst of is finished with another of the chat.
        statuses = [
            await _retry(agent, turn.turn_id)
            for turn in failed
            if await turns.failed(tenants, turn.turn_id)
        ]
        return max(statuses, default=0)


async def _retry(agent: Agent, turn_id: str) -> int:
    status = 1
    async for event in agent.retry(turn_id):
        # The chat's unfinished turn comes first, so that the last end is this one's.
        if isinstance(event, Failed):
            status = 1
            sys.stderr.write(f"recollect: failed again: {event.reason}\n")
        elif isinstance(event, Finished):
            status = 0
            _write(printable(event.reply) or "Done: there was nothing to answer.")
    return status


async def list_audit(settings: Settings, limit: int) -> None:
    """Write the latest audit lines, newest first."""
    async with open_agent(settings) as agent:
        lines = await agent.stores.memory.audit.listing(settings.tenant, limit)
    for line in lines:
        why = f"  {_excerpt(line.detail)}" if line.detail else ""
        _write(f"{line.at:%Y-%m-%d %H:%M:%S}  {line.kind:<8}{line.outcome}{why}  {line.turn_id}")
    if not lines:
        _write("Nothing was decided that has to be said.")


def _excerpt(text: str) -> str:
    line = " ".join(printable(text).split())
    return line if len(line) <= _EXCERPT else line[: _EXCERPT - 1] + "…"


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
