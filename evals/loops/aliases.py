"""Names of its own for every order, so that many orders of a case share a server unmixed.

Accounts are renamed (`atelier` becomes `atelier.17`, a bot gets another id), and so are people and
groups on WhatsApp: who is behind a hidden id is known to a whole process, and one order must not
learn it from another.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from evals.loops.cases import Account, Expect, LoopCase

FIRST_BOT_ID = 7_100_000_000
_BOTS_PER_ORDER = 10
_JID = re.compile(r"(\d{11,})(?:[:.]\d+)?@(?:c\.us|lid|s\.whatsapp\.net|g\.us|newsletter)")
_KEPT_TAIL = 6
_KEPT_HEAD = 2


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook of one order: to which account, and the body as text."""

    account: str
    body: str


@dataclass(frozen=True, slots=True)
class Alias:
    """A case under the names of one order. `accounts` are in the order of the case's."""

    accounts: tuple[str, ...]
    mine: tuple[Account, ...]
    deliveries: tuple[Delivery, ...]
    expect: Expect
    lists: dict[str, tuple[str, ...]]


class Renamer:
    """Makes the aliases of one case. `number` is unique in a run, `slot` in a world."""

    def __init__(self, case: LoopCase) -> None:
        self._case = case
        self._names = [account.name for account in case.accounts]
        self._texts = [self._marked(step.deliver, step.to) for step in case.deliveries]
        fixed = json.dumps(
            [
                [account.model_dump() for account in case.accounts],
                case.expect.model_dump(),
                case.settings.model_dump(include={"owner", "known_bots", "blocked"}),
            ]
        )
        self._fixed = fixed
        self._numbers = _numbers(case, [fixed, *(body for _, body in self._texts)])
        alternatives = "|".join(sorted(self._numbers, key=len, reverse=True))
        self._pattern = re.compile(rf"(?<!\d)(?:{alternatives})(?!\d)") if alternatives else None

    def alias(self, number: int, slot: int) -> Alias:
        """Return the case as the order with this number plays it."""
        case = self._case
        names = self._account_names(number)
        digits = self._digits(number, slot)
        bodies = []
        for index, body in self._texts:
            text = self._renamed(body, digits)
            bodies.append(Delivery(names[index], text.replace(_marker(index), names[index])))
        accounts, expect, lists = json.loads(self._renamed(self._fixed, digits))
        renamed = Expect.model_validate(expect | {"answered": [], "unanswered": []})
        ids = {
            field: tuple(self._id(one, names) for one in expect[field])
            for field in ("answered", "unanswered")
        }
        mine = [Account.model_validate(one) for one in accounts]
        if case.channel == "waha":
            mine = [
                one.model_copy(update={"session": name})
                for one, name in zip(mine, names, strict=True)
            ]
        return Alias(
            accounts=tuple(names),
            mine=tuple(mine),
            deliveries=tuple(bodies),
            expect=renamed.model_copy(update=ids),
            lists={name: tuple(one) for name, one in lists.items()},
        )

    def _marked(self, event: Any, to: int | str | None) -> tuple[int, str]:  # Any: a webhook's JSON
        """Return which account a delivery goes to, and its body with that name marked."""
        index = self._names.index(str(to)) if to is not None else 0
        if self._case.channel == "waha" and isinstance(event, dict):
            session = event.get("session")
            if isinstance(session, str) and session in self._names:
                index = self._names.index(session)
                event = event | {"session": _marker(index)}
        return index, json.dumps(event, ensure_ascii=False)

    def _account_names(self, number: int) -> list[str]:
        if self._case.channel == "waha":
            return [f"{name}.{number}" for name in self._names]
        first = FIRST_BOT_ID + number * _BOTS_PER_ORDER
        return [str(first + index) for index in range(len(self._names))]

    def _digits(self, number: int, slot: int) -> dict[str, str]:
        if self._case.channel == "telegram":
            return dict(zip(self._names, self._account_names(number), strict=True))
        return {
            one: one[:_KEPT_HEAD]
            + str(slot).zfill(len(one) - _KEPT_HEAD - _KEPT_TAIL)
            + one[-_KEPT_TAIL:]
            for one in self._numbers
        }

    def _renamed(self, text: str, digits: dict[str, str]) -> str:
        if self._pattern is None:
            return text
        return self._pattern.sub(lambda match: digits[match[0]], text)

    def _id(self, expected: str, names: list[str]) -> str:
        """Rename the account in an expected id `account/chat/id`; the rest is renamed already."""
        parts = expected.split("/")
        if len(parts) == 3 and parts[0] in self._names:
            parts[0] = names[self._names.index(parts[0])]
        return "/".join(parts)


def _marker(index: int) -> str:
    return f"@@account {index}@@"


def _numbers(case: LoopCase, texts: list[str]) -> list[str]:
    """Return the digits that differ between orders; none if they could not be told apart."""
    if case.channel == "telegram":
        return [account.name for account in case.accounts]
    found = sorted({match[1] for text in texts for match in _JID.finditer(text)})
    forms = {(len(one), one[:_KEPT_HEAD], one[-_KEPT_TAIL:]) for one in found}
    return found if len(forms) == len(found) else []
