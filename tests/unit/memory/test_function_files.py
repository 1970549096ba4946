"""The files of stored functions: one function each, and every definition known for good."""

from __future__ import annotations

import re

import pytest

from memory.postgres.migrate import migrations
from memory.postgres.stored_functions import stored_functions

FUNCTIONS = stored_functions()
LAST_WITH_FUNCTIONS = 47


def test_every_definition_is_the_newest_of_its_lines() -> None:
    newest = {name: checksums[-1] for name, checksums in FUNCTIONS.released.items()}
    to_append = [
        f"{name} {checksum}"
        for name, checksum in FUNCTIONS.checksums.items()
        if newest.get(name) != checksum
    ]
    assert to_append == [], "append these lines to memory/postgres/functions/checksums.txt"


def test_no_definition_comes_back_in_the_same_words() -> None:
    # The version that had replaced it would take it for one of its own past.
    for name, checksums in FUNCTIONS.released.items():
        assert len(set(checksums)) == len(checksums), name


@pytest.mark.parametrize("name", FUNCTIONS.texts)
def test_a_file_says_what_its_function_does_and_holds_no_other(name: str) -> None:
    comment, _, rest = FUNCTIONS.texts[name].partition("create or replace function ")
    assert all(line.startswith("-- ") for line in comment.splitlines())
    assert comment
    assert rest.startswith(f"{name}(")
    assert not re.search(r"\bcreate (or replace )?function\b", rest)


def test_what_is_said_above_a_function_can_be_put_better_without_applying_it() -> None:
    name = "owe"
    told = {name: f"-- Put better.\n{FUNCTIONS.texts[name].partition(chr(10))[2]}"}
    changed = type(FUNCTIONS)(told, {})
    assert changed.checksums[name] == FUNCTIONS.checksums[name]


def test_migrations_of_today_leave_functions_to_their_files() -> None:
    touching = re.compile(
        r"\b(create (or replace )?function|pg_get_functiondef|alter function)\b", re.IGNORECASE
    )
    touched = {each.number for each in migrations() if touching.search(each.sql)}
    assert max(touched) == LAST_WITH_FUNCTIONS
