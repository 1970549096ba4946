"""Turns and what was decided of them, beside a ledger in dictionaries."""

from __future__ import annotations

from collections.abc import Sequence

from memory.domain.chats import ChatRef, Message
from memory.domain.recalls import (
    Filed,
    Receipt,
)
from memory.domain.work import AuditLine
from tests.fakes.ledger import MemoryLedger


class MemoryTurns:
    """The receipts of ended turns."""

    def __init__(self, ledger: MemoryLedger) -> None:
        self._ledger = ledger

    async def receipts(self, chat: ChatRef, limit: int) -> list[Receipt]:
        return [filed.receipt for filed in self._filed() if filed.chat == chat][:limit]

    async def filed(
        self, tenant: str, limit: int, *, chat: str = "", turn_id: str = ""
    ) -> list[Filed]:
        return [
            filed
            for filed in self._filed()
            if filed.chat.tenant == tenant
            and chat in ("", filed.chat_name)
            and turn_id in ("", filed.receipt.turn_id)
        ][:limit]

    def _filed(self) -> list[Filed]:
        return [
            Filed(receipt, replies[-1].chat, replies[-1].contact_id)
            for replies, receipt, _ in reversed(self._ledger.finished.values())
            if receipt is not None
        ]


class MemoryAudit:
    """Lines, each once for its turn."""

    def __init__(self) -> None:
        self.lines: list[AuditLine] = []

    async def write(self, lines: Sequence[AuditLine]) -> None:
        known = {(x.turn_id, x.kind, x.outcome, x.detail) for x in self.lines}
        self.lines += [x for x in lines if (x.turn_id, x.kind, x.outcome, x.detail) not in known]


class NoEchoes:
    """An outbox from which nothing was sent."""

    async def match_echo(self, message: Message) -> bool:
        return False
