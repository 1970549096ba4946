"""Bulkheads: how many sends an account may have under way, so that it delays no other's. Pure."""

from __future__ import annotations

from collections import Counter

from memory.domain.work import AccountRef, Room

PORTION = 32
"""Deliveries taken at once; the room is reckoned anew after each portion."""


class Places:
    """Places for the sends of a process: some for each account, many in all.

    While half of all are taken, an account gets one only: the other half is for as many accounts.
    """

    def __init__(self, per_account: int, in_all: int) -> None:
        self._per_account = per_account
        self._in_all = in_all
        self._under_way: Counter[AccountRef] = Counter()

    @property
    def are_all_free(self) -> bool:
        """Whether nothing is under way."""
        return not self._under_way

    @property
    def room(self) -> Room:
        """How many may be taken now."""
        taken = self._under_way.total()
        is_scarce = 2 * taken >= self._in_all
        return Room(
            in_all=min(self._in_all - taken, PORTION),
            per_account=1 if is_scarce else self._per_account,
            under_way=dict(self._under_way),
        )

    def enter(self, account: AccountRef) -> None:
        """Take a place for an account's send."""
        self._under_way[account] += 1

    def leave(self, account: AccountRef) -> bool:
        """Give a place back; tell whether there was none left for the account."""
        room = self.room
        was_full = room.in_all <= 0 or self._under_way[account] >= room.per_account
        self._under_way[account] -= 1
        if not self._under_way[account]:
            del self._under_way[account]
        return was_full
