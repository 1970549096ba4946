"""What a failure tells the owner holds nobody's words."""

from __future__ import annotations

import errno
import json
import re

import psycopg
import pytest

from graph.retry import is_outage
from memory.errors import ModelFailed, StoreUnavailable, fault_of, reason_of
from memory.recall.block import read_block

SECRET = "the secret words"


class _RefusedError(Exception):
    status_code = 401


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ValueError(SECRET), "ValueError"),
        (KeyError(SECRET), "KeyError"),
        (json.JSONDecodeError(SECRET, SECRET, 0), "JSONDecodeError"),
        (psycopg.errors.UniqueViolation(SECRET), "UniqueViolation (SQLSTATE 23505)"),
        (_RefusedError(SECRET), "_RefusedError (HTTP 401)"),
        (ModelFailed("One line of ours.\nAnd another."), "One line of ours."),
    ],
)
def test_a_reason_names_the_failure_and_quotes_nothing(error: Exception, reason: str) -> None:
    assert reason_of(error) == reason
    assert not is_outage(error)


def test_a_fault_names_the_innermost_line_of_ours_and_quotes_nothing() -> None:
    with pytest.raises(json.JSONDecodeError) as ours:
        read_block(SECRET)
    assert re.fullmatch(r"JSONDecodeError at memory\.recall\.block:\d+", fault_of(ours.value))
    with pytest.raises(json.JSONDecodeError) as theirs:
        json.loads(SECRET)
    assert re.fullmatch(r"JSONDecodeError at json\.decoder:\d+", fault_of(theirs.value))
    assert fault_of(KeyError(SECRET)) == "KeyError"
    assert fault_of(OSError(errno.EACCES, SECRET, SECRET)) == "PermissionError (Permission denied)"


def test_only_what_says_so_may_pass() -> None:
    assert is_outage(StoreUnavailable("RECOLLECT_CHROMA_URL", "there", "no answer"))
    assert not is_outage(TimeoutError())
