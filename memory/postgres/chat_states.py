"""What goes on in a chat, in one statement: every reply waits for it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime
from typing import Any, Final

from typing_extensions import override

from memory.domain.chats import ChatRef
from memory.policy.rules import scopes_of
from memory.ports.chat_states import ChatState, ChatStates, Retold
from memory.postgres.open_loops import IS_OPEN, loop_of
from memory.postgres.pauses import pause_of
from memory.postgres.pool import Pool
from memory.postgres.rows import storable

SHOWN_CHARS: Final = 80
"""So much is told of what is open."""

_TOLD: Final = "json_build_object('uid', e.first_uid, 'at', e.began_at, 'text', e.summary->>'text')"
# A pause holds whether or not the chat has a row.
_STATE: Final = f"""
select
  (select json_agg({_TOLD} order by e.began_at desc, e.first_seq desc) from (
     select first_uid, began_at, first_seq, summary from episodes where session_id = s.session_id
     order by began_at desc, first_seq desc limit %(episodes)s) e) as episodes,
  (select json_agg(l order by l.due nulls last, l.said_at, l.uid, l.kind) from (
     select l.uid, l.kind, l.speaker, l.by_whom, l.content, l.said_at, l.zone, l.due,
       l.confidence, s.thread_id, m.anchor, m.contact_id
     from open_loops l join messages m on m.uid = l.uid
     where l.session_id = s.session_id and {IS_OPEN}
     order by l.due nulls last, l.said_at, l.uid, l.kind limit %(loops)s) l) as loops,
  (select json_agg({_TOLD}) from messages m join episodes e
     on (e.session_id, e.began_at, e.first_seq) = (m.session_id, m.created_at, m.seq)
   where m.tenant = %(tenant)s and m.uid = any(%(over)s::uuid[])
     and not e.is_open and e.summary is not null) as over,
  (select json_agg(p order by p.began_at) from (
     select kind, began_at, ends_at from pauses
     where tenant = %(tenant)s and scope = %(scope)s
       and (ends_at is null or ends_at > %(now)s)) p) as pauses
from (values (1)) given
left join sessions s on s.tenant = %(tenant)s and s.thread_id = %(thread)s
"""


class PostgresChatStates(ChatStates):
    """`ChatStates` on the tables of episodes, open loops and pauses."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @override
    async def of(
        self, chat: ChatRef, now: datetime, episodes: int, loops: int, over: Collection[str] = ()
    ) -> ChatState:
        keys = {
            "tenant": chat.tenant,
            "thread": chat.thread_id,
            "scope": storable(scopes_of(chat)[-1]),
            "now": now,
            "episodes": episodes,
            "loops": loops,
            "over": list(over),
        }
        async with self._pool.connection() as connection:
            row = await (await connection.execute(_STATE.encode(), keys)).fetchone()
        if row is None:
            return ChatState()
        return ChatState(
            episodes=[_retold(each) for each in row["episodes"] or ()],
            loops=[loop_of(_timed(each), SHOWN_CHARS) for each in row["loops"] or ()],
            over=[_retold(each) for each in row["over"] or ()],
            pauses=[pause_of(_timed(each)) for each in row["pauses"] or ()],
        )


def _retold(told: dict[str, Any]) -> Retold:  # Any: JSON
    return Retold(told["uid"], datetime.fromisoformat(told["at"]), told["text"] or "")


def _timed(row: dict[str, Any]) -> dict[str, Any]:  # Any: JSON
    """Return a row with its moments and days read, of which JSON has texts."""
    moments = {name: row[name] for name in ("said_at", "began_at", "ends_at") if row.get(name)}
    due = {"due": date.fromisoformat(row["due"])} if row.get("due") else {}
    return {**row, **{name: datetime.fromisoformat(at) for name, at in moments.items()}, **due}
