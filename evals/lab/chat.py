"""A chat of the lab: cues are played on the real server, and what came of each is a row."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from evals.errors import NothingSaid
from evals.lab.cast import MOST_CHARS, PEOPLE, SPEAKERS, WHO, Cast, Cue, Place
from evals.lab.reasons import Why, code_before_gate, why
from evals.lab.webhooks import ENGINE, Said, Wire
from evals.loops.cases import Expect
from evals.loops.gateways import Gateways, Line
from evals.loops.ledger import LedgerView
from evals.loops.posting import Keys, Webhooks
from evals.loops.process import WorldProcess
from evals.loops.rest import come_to_rest
from evals.loops.scoring import Observed, score
from graph.checkpointer import RecollectSaver
from memory.domain.chats import ChatRef
from nodes.state import Decision

HOUR_S = 3_600.0
_LOOKED_AT = 40
"""Checkpoints of a chat that are looked through for a turn; a turn makes about eight."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What chats are played on: the server, its far end, and ways to look at its stores."""

    world: WorldProcess
    gateways: Gateways
    keys: Keys
    ledger: LedgerView
    saver: RecollectSaver
    tenant: str


@dataclass(frozen=True, slots=True)
class Row:
    """One event and what came of it.

    `who` and `text` tell the event. `taken` is what the webhook was answered, `decision` what the
    gate decided; both empty where there was none. `replies` are the texts that the far end got for
    it, `total` how many it has got in all. `is_wrong`: something was answered that never may be.
    """

    who: str
    text: str
    taken: str
    decision: Decision | None
    why: Why
    replies: tuple[str, ...] = ()
    total: int = 0
    is_wrong: bool = False


@dataclass(frozen=True, slots=True)
class Invariant:
    """What may never happen, counted from what the far end got and what the model was asked."""

    to_ourselves: int
    twice: int

    @property
    def holds(self) -> bool:
        """Whether none of it happened."""
        return not self.to_ourselves and not self.twice


class LabChat:
    """One chat. Its cues are played one after the other, each until the server is at rest.

    `calls` grows by a thread with every answer that is generated, on the whole server.
    """

    def __init__(self, cast: Cast, place: Place, bench: Bench, calls: list[str]) -> None:
        """Connect the chat's account to the far end."""
        self.cast = cast
        self.place = place
        self.bench = bench
        self._calls = calls
        self._calls_before = len(calls)
        self._said: list[Said] = []
        self._unasked: list[Said] = []
        self._echoes: list[str] = []
        self._latest: tuple[str, dict[str, Any]] | None = None
        self._restarts = 0
        self._wire = Wire(cast)
        self._webhooks = Webhooks(bench.world, cast.channel, bench.keys)
        self._line = Line(
            accounts={self.cast.account.name: self.cast.account},
            echo="after" if self.cast.channel == "waha" else "none",
            engine=ENGINE,
            now=self.bench.world.now,
            post=self._echo,
        )
        self.bench.gateways.add(self._line)

    async def play(self, cue: Cue) -> list[Row]:
        """Play a cue and return what came of it: its own row, and one for each echo of a reply.

        Raises:
            NothingSaid: it is about something that was said, and nothing was.
            WorldDied, NotTaken, NeverAtRest: the server did not do its part.
        """
        sent, echoes = len(self._line.sent), len(self._echoes)
        row = await self._played(cue)
        await self._rest()
        replies = tuple(one.text for one in self._line.sent[sent:])
        decision, told = await self._decided(row)
        total = len(self._line.sent)
        # Counted by what the far end got, whatever the server says that it decided.
        is_wrong = bool(replies) and row.said not in self._said
        rows = [
            Row(row.who, row.text, row.status, decision, told, replies, total, is_wrong=is_wrong)
        ]
        rows += [
            Row("Our reply, echoed", "", status, None, why(status or "rejected"), (), total)
            for status in self._echoes[echoes:]
        ]
        return rows

    async def invariant(self) -> Invariant:
        """Count what may never happen, over all that was played."""
        self.bench.world.hear()
        ledger = self.bench.ledger
        accounts = await ledger.threads()
        account = self.cast.account.name
        own = [accounts.get(thread, "") for thread in self._calls[self._calls_before :]]
        expect = Expect(
            answered=tuple(dict.fromkeys(f"{s.chat_id}/{s.message_id}" for s in self._said)),
            unanswered=tuple(f"{s.chat_id}/{s.message_id}" for s in self._unasked),
        )
        told = score(
            expect,
            Observed(
                rows=[row for row in await ledger.rows() if row.account == account],
                replies=[reply for reply in await ledger.replies() if reply.account == account],
                sent=self._line.sent,
                calls=own.count(account),
                restarts=self._restarts,
            ),
        )
        return Invariant(told.loops, told.duplicate_replies)

    def leave(self) -> None:
        """Disconnect its account."""
        self.bench.gateways.remove(self._line)

    async def _played(self, cue: Cue) -> _Posted:
        if cue.who in SPEAKERS:
            return await self._say(cue)
        if cue.who == "hour":
            self.bench.world.advance(HOUR_S)
            return _Posted(WHO["hour"], "", "", code="hour_passed")
        if cue.who == "echo":
            return await self._echo_again()
        if cue.who == "again":
            if self._latest is None:
                raise NothingSaid("Nothing was delivered yet: let somebody say something first.")
            text, event = self._latest
            return _Posted(WHO["again"], text, await self._post(event))
        if not self._said:
            raise NothingSaid("Nobody said anything yet: let a contact say something first.")
        if cue.who == "edit":
            return await self._edit(cue)
        first = self._said[0]
        await self.bench.world.kill()
        self._restarts += 1
        await self.bench.world.start()
        return _Posted(WHO["restart"], first.text, await self._post(first.event))

    async def _say(self, cue: Cue) -> _Posted:
        text = cue.text.strip()[:MOST_CHARS]
        now = self.bench.world.now()
        said = self._wire.said(cue.who, self.place, text, now, is_meant=cue.is_meant)
        is_person = cue.who in PEOPLE or (cue.who == "owner" and self.cast.channel == "telegram")
        # A command of the owner's is answered; what else the phone sends is not.
        is_order = cue.who == "owner" and text.startswith("/")
        (self._said if is_person or is_order else self._unasked).append(said)
        self._latest = (said.text, said.event)
        who = self.cast.person(cue.who).name
        who += {"owner": ", the owner", "bot": ", a bot"}.get(cue.who, "")
        return _Posted(who, said.text, await self._post(said.event), said)

    async def _edit(self, cue: Cue) -> _Posted:
        text = cue.text.strip()[:MOST_CHARS] or f"{self._said[-1].text} (edited)"
        edited = self._wire.edited(self._said[-1], text, self.bench.world.now())
        self._latest = (edited.text, edited.event)
        return _Posted(WHO["edit"], text, await self._post(edited.event))

    async def _echo_again(self) -> _Posted:
        if not self._line.sent:
            raise NothingSaid("The agent sent nothing yet: there is nothing to echo.")
        sent = self._line.sent[-1]
        event = self._wire.echoed(sent)
        self._latest = (sent.text, event)
        return _Posted(WHO["echo"], sent.text, await self._post(event))

    async def _echo(self, account: str, event: dict[str, Any]) -> None:
        del account
        self._echoes.append(await self._post(event))

    async def _post(self, event: dict[str, Any]) -> str:
        body = json.dumps(event, ensure_ascii=False).encode()
        return await self._webhooks.post(self.cast.account.name, body)

    async def _rest(self) -> None:
        await come_to_rest([self._line], self.bench.ledger, self.bench.world.check)

    async def _decided(self, posted: _Posted) -> tuple[Decision | None, Why]:
        """Return what the gate decided about an event, and why; or why it was not asked."""
        if posted.code:
            return None, why(posted.code)
        if posted.said is None or posted.status != "new":
            return None, why(code_before_gate(posted.status, ""))
        rows = await self.bench.ledger.rows()
        own = [
            row
            for row in rows
            if (row.account, row.chat_id, row.message_id)
            == (self.cast.account.name, posted.said.chat_id, posted.said.message_id)
        ]
        turn = own[0].turn_id if own else None
        if turn is None:
            code = code_before_gate(posted.status, own[0].author if own else "")
            return None, why(code or "pending")
        return await self._of_turn(posted.said.chat_id, turn)

    async def _of_turn(self, chat_id: str, turn_id: str) -> tuple[Decision | None, Why]:
        """Return what a turn's state says that was decided; the latest word of it counts."""
        chat = ChatRef(self.bench.tenant, self.cast.channel, self.cast.account.name, chat_id)
        config: Any = {"configurable": {"thread_id": chat.thread_id}}  # Any: LangGraph's config
        async for kept in self.bench.saver.alist(config, limit=_LOOKED_AT):
            turn = kept.checkpoint["channel_values"].get("turn") or {}
            if turn.get("turn_id") == turn_id and "reason" in turn:
                return turn["decision"], why(turn["reason"])
        return None, why("pending")


@dataclass(frozen=True, slots=True)
class _Posted:
    """An event as it was posted; `status`: what the webhook was answered."""

    who: str
    text: str
    status: str
    said: Said | None = None
    code: str = ""
