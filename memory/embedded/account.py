"""The account Postgres runs under: it refuses root, so root runs it as `nobody`."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

NOBODY_ID = 65534
"""User and group id of `nobody` where no such user is listed. Source: Linux `overflowuid`."""


class Account(NamedTuple):
    """A user and its group."""

    uid: int
    gid: int


def postgres_account() -> Account | None:
    """Return `nobody` when we are root, else None: Postgres then runs as we do."""
    if os.geteuid() != 0:
        return None
    import pwd

    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        return Account(NOBODY_ID, NOBODY_ID)
    return Account(entry.pw_uid, entry.pw_gid)


def is_listed(account: Account | None) -> bool:
    """Tell whether the account, or our own for None, has an entry in the user database."""
    import pwd

    try:
        pwd.getpwuid(account.uid if account else os.geteuid())
    except KeyError:
        return False
    return True


def can_reach(path: Path, account: Account | None) -> bool:
    """Tell whether the account may enter `path` and every folder above it (mode bits only)."""
    if account is None:
        return True
    real = path.resolve()
    return all(_may_execute(step, account) for step in (real, *real.parents))


def give(path: Path, account: Account | None) -> None:
    """Make the account the owner of one file or folder; nothing to do without an account."""
    if account is not None:
        os.chown(path, account.uid, account.gid)


def _may_execute(path: Path, account: Account) -> bool:
    info = path.stat()
    if info.st_uid == account.uid:
        return bool(info.st_mode & stat.S_IXUSR)
    if info.st_gid == account.gid:
        return bool(info.st_mode & stat.S_IXGRP)
    return bool(info.st_mode & stat.S_IXOTH)
