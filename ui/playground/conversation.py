"""A contact's conversation with the agent, from the stores and the room to the chat view."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from graph.agent import LOOKED_BACK, Agent
from memory.domain.chats import Actor, ChatRef, StoredMessage, local_contact, message_uid
from memory.domain.facts import Fact
from memory.domain.open_loops import Loop
from memory.errors import RecollectError
from memory.policy.rules import Pause, scopes_of
from nodes.window import Answered, last_answer
from ui.failures import failed_turns
from ui.playground import render
from ui.playground.people import LOCAL, channel_of, name_of
from ui.playground.render import Step
from ui.playground.retold import asked, prompt_again, searched_again
from ui.playground.room import Job, Room
from ui.playground.sentences import sentence_of
from ui.playground.views.chat_html import Action, Line, lines_html, read_only_html
from ui.playground.views.receipt_html import features_html, flow_html, more_html, prompt_html
from ui.receipt import Explained, latest_receipts

HISTORY = 60
_ACTORS = {Actor.OWNER: "the owner", Actor.AUTOMATION: "another program", Actor.SYSTEM: "system"}

Shown = list[Any]  # Any: one value for each component that is shown anew, in their order


@dataclass(frozen=True, slots=True)
class Kept:
    """What the stores hold of a conversation; `error` where they could not be asked.

    `failed`: why a turn failed, by its id. `before`: what stood where an answer was given again, by
    its uid. `facts` are those that hold, `told` all there were. `due`: what is due, or overdue.
    """

    history: list[StoredMessage] = field(default_factory=list)
    receipts: dict[str, Explained] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    before: dict[str, list[str]] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)
    told: list[Fact] = field(default_factory=list)
    paused: dict[str, list[Pause]] = field(default_factory=dict)
    due: list[Loop] = field(default_factory=list)
    error: str = ""


class Conversation:
    """One contact's conversation, as the page shows it."""

    def __init__(self, agent: Agent, contact_id: str, room: Room) -> None:
        self.agent = agent
        self.contact_id = contact_id
        self.name = name_of(contact_id)
        self.chat: ChatRef = agent.local_chat(self.name)
        self.room = room
        self.kept = Kept()

    @property
    def is_here(self) -> bool:
        """Whether one may write as this contact: others are answered on their own channel."""
        return self.contact_id.startswith(LOCAL)

    async def read(self) -> None:
        """Read anew what the stores hold; where they do not answer, what was read stays."""
        try:
            self.kept = await self._read()
        except RecollectError as error:
            before = self.kept
            self.kept = Kept(
                before.history,
                before.receipts,
                before.failed,
                before.before,
                error=sentence_of(error),
            )

    async def go_on(self) -> None:
        """Let the turn go on that an end of the program left unfinished.

        One that failed, or that somebody stopped, is for whoever reads its reason to try again.
        """
        last = self.kept.history[-1].turn_id if self.kept.history else None
        if not self.is_here or self.room.jobs or self.kept.error or last in self.kept.failed:
            return
        try:
            if await self.agent.stores.saver.is_unfinished(self.chat.thread_id):
                self.room.resume()
        except RecollectError as error:
            self.kept = replace(self.kept, error=sentence_of(error))

    async def became(self, ids: list[str]) -> tuple[list[str], list[str]]:
        """Return which of the messages that a page sent are settled, and which nobody has.

        Settled is what the ledger has, and what somebody discarded. While anything is on its way
        none is missing: a turn that goes on may bring it in.

        Raises:
            StoreUnavailable: the ledger does not answer.
        """
        if not ids:
            return [], []
        uids = {message_uid(self.chat, each): each for each in ids}
        held = {
            each.uid
            for each in await self.agent.stores.memory.ledger.messages(self.chat.tenant, list(uids))
        }
        settled = [each for uid, each in uids.items() if uid in held or uid in self.room.over]
        here = {job.uid for job in self.room.jobs}
        missing = [each for uid, each in uids.items() if each not in settled and uid not in here]
        return settled, [] if self.room.is_busy else missing

    async def stamp(self) -> str:
        """Return what tells whether a page is as it should be, at the cost of one row.

        Raises:
            StoreUnavailable: the ledger does not answer.
        """
        return self._stamp(await self._history(1), "")

    def shown(self, focus: str = "") -> Shown:
        """Return the chat, and the panels of the reply `focus`, else of the newest."""
        return [self.lines(), *self.panels(focus)]

    def lines(self) -> str:
        """Return the conversation: what is kept, what is on its way, the reply being written."""
        kept, room = self.kept, self.room
        jobs = {job.uid: job for job in room.jobs if job.message}
        last = self.answered_last()
        lines = [
            self._line(each, jobs.get(each.uid), may_repeat=bool(last and last.reply is each))
            for each in kept.history
        ]
        stored = {each.uid for each in kept.history}
        lines += [_job_line(job) for uid, job in jobs.items() if uid not in stored]
        if room.has_draft and room.replaced_uid not in stored:
            at = next((i for i, line in enumerate(lines) if line.is_waiting), len(lines))
            lines.insert(at, self._draft())
        return lines_html(
            lines,
            self.contact_id,
            self._stamp(kept.history, kept.error),
            is_busy=room.is_busy,
            notice=kept.error,
            mine=local_contact(self.agent.stores.settings.contact),
            tenant=self.chat.tenant,
            has_earlier=len(kept.history) == HISTORY,
            due=kept.due,
        )

    def answered_last(self) -> Answered | None:
        """Return the answer that can be given again; None while there is none."""
        may_be = self.is_here and not self.room.jobs and not self.kept.error
        return last_answer(self.kept.history[-LOOKED_BACK:]) if may_be else None

    def panels(self, focus: str = "") -> Shown:
        """Return what stands beside the chat: memories, more of them, facts, path."""
        kept = self.kept
        shown = kept.receipts.get(focus) or next(iter(kept.receipts.values()), None)
        facts = render.facts_html(kept.facts, self.name, kept.told)
        receipt = shown.receipt if shown else None
        return [
            flow_html(receipt) + render.recalled_html(shown.memories if shown else (), receipt),
            more_html(receipt.reply_uid if receipt else ""),
            render.pauses_html(kept.paused) + facts,
            self.path(shown if focus else None),
        ]

    async def dug(self, what: str, reply_uid: str) -> str:
        """Return the features, or the prompt, of a reply; what cannot be told is said so.

        Raises:
            RecollectError: a store does not answer.
        """
        explained = self.kept.receipts.get(reply_uid)
        question = asked(explained.receipt, self.kept.history) if explained else None
        if explained is None or question is None:
            return more_html(reply_uid, "<p class='rc-missing'>Its message is out of sight.</p>")
        receipt, history = explained.receipt, self.kept.history
        if what == "features":
            inner = features_html(await searched_again(self.agent, receipt, question))
        else:
            inner = prompt_html(await prompt_again(self.agent, receipt, question, history))
        return more_html(reply_uid, inner)

    def path(self, of: Explained | None = None) -> str:
        """Return the path of a reply's turn, or of the one that runs or ran last."""
        newest = of or next(iter(self.kept.receipts.values()), None)
        passed = [Step(node) for node in (newest.receipt.nodes if newest else ())]
        return render.path_html(passed if of else self.room.steps or passed)

    def write(self) -> Shown:
        """Return whether one may write here, and what is said where one may not."""
        note = "" if self.is_here else read_only_html(channel_of(self.contact_id))
        return [self.is_here, note]

    async def _read(self) -> Kept:
        stores = self.agent.stores
        tenant = self.chat.tenant
        history = await self._history(HISTORY)
        chat = self.chat if self.is_here or not history else history[-1].message.chat
        now = stores.clock()
        loops = await stores.memory.open_loops.listed(tenant, contact_id=self.contact_id)
        changed = [each.uid for each in history if each.changes and each.message.from_me]
        return Kept(
            history,
            await latest_receipts(self.agent, chat, HISTORY),
            {
                turn.turn_id: sentence_of(turn.reason)
                for turn in await failed_turns(self.agent, chat)
            },
            await stores.memory.replies.before(tenant, changed),
            await stores.memory.facts.active(tenant, self.contact_id),
            await stores.memory.facts.history(tenant, self.contact_id),
            await self._paused(history),
            [loop for loop in loops if loop.mark(now)],
        )

    async def _paused(self, history: list[StoredMessage]) -> dict[str, list[Pause]]:
        """Return the pauses that last in this contact's chats, by the chats' scopes."""
        chats = [self.chat] if self.is_here else [each.message.chat for each in history]
        now, pauses = self.agent.stores.clock(), self.agent.stores.memory.pauses
        found = {
            scope: await pauses.lasting(self.chat.tenant, scope, now)
            for scope in dict.fromkeys(scopes_of(chat)[1] for chat in chats)
        }
        return {scope: lasting for scope, lasting in found.items() if lasting}

    async def _history(self, limit: int) -> list[StoredMessage]:
        ledger = self.agent.stores.memory.ledger
        if self.is_here:
            return await ledger.since(self.chat, 0, limit)
        return await ledger.page(self.chat.tenant, self.contact_id, None, limit)

    def _stamp(self, history: list[StoredMessage], error: str) -> str:
        last = f"{history[-1].seq}.{history[-1].changes}" if history else "0"
        # A page that could not be drawn whole is drawn anew as soon as the ledger answers.
        return f"{self.room.version}.{last}{'!' * bool(error)}"

    def _draft(self, day: date | None = None) -> Line:
        stop: tuple[Action, str] = ("stop", "")
        return Line(self.room.written, is_agent=True, is_writing=True, actions=[stop], day=day)

    def _line(self, stored: StoredMessage, job: Job | None, *, may_repeat: bool) -> Line:
        message = stored.in_full
        if self.room.has_draft and stored.uid == self.room.replaced_uid:
            return self._draft(message.sent_at.date())
        is_agent = message.actor is not Actor.CONTACT
        explained = self.kept.receipts.get(stored.uid)
        reason = "" if is_agent else self.kept.failed.get(stored.turn_id or "", "")
        actions: list[tuple[Action, str]] = []
        note = f"No answer: {reason.rstrip('.')}." if reason else ""
        if reason and self.is_here:
            tried = any(each.turn_id == stored.turn_id for each in self.room.jobs)
            actions = [] if tried else [("again", stored.turn_id or "")]
        if job and job.state == "unsent":
            note, actions = f"No answer: {job.reason.rstrip('.')}.", [("resend", job.uid)]
        if may_repeat:
            actions = [("anew", stored.turn_id or "")]
        if self.room.told[0] == stored.uid:
            note = self.room.told[1]
        return Line(
            message.text,
            is_agent=is_agent,
            uid=stored.uid,
            receipt=explained.line if explained else "",
            day=message.sent_at.date(),
            note=note,
            actions=actions,
            before=self.kept.before.get(stored.uid, ()),
            by=_ACTORS.get(message.actor, ""),
            sent_as="" if is_agent else message.message_id,
        )


def _job_line(job: Job) -> Line:
    line = Line(
        job.message.text if job.message else "",
        sent_as=job.message.message_id if job.message else "",
    )
    if job.state == "unsent":
        actions: list[tuple[Action, str]] = [("resend", job.uid), ("drop", job.uid)]
        return replace(line, note=f"Not sent: {job.reason.rstrip('.')}.", actions=actions)
    if job.state == "waiting":
        drop: list[tuple[Action, str]] = [("drop", job.uid)]
        note = "Waiting for the reply before it"
        return replace(line, note=note, actions=drop, is_waiting=True)
    return line
