"""An outage is told in words; a setting's name is for logs and doctor."""

from __future__ import annotations

import pytest

from memory.errors import ModelFailed, StoreUnavailable
from ui.playground.sentences import sentence_of


@pytest.mark.parametrize(
    ("setting", "store"),
    [
        ("RECOLLECT_DATABASE_URL", "The database"),
        ("RECOLLECT_CHROMA_URL", "The search by meaning"),
        ("RECOLLECT_NEO4J_URI", "The store of facts"),
    ],
)
def test_a_store_that_is_away_is_named_in_words(setting: str, store: str) -> None:
    error = StoreUnavailable(setting, "/tmp/x:5432", "the system\nis starting up")
    for told in (sentence_of(error), sentence_of(str(error))):
        assert told.startswith(f"{store} does not answer now.")
        assert "RECOLLECT" not in told
        assert "/tmp" not in told


def test_everything_else_is_said_as_it_is() -> None:
    assert sentence_of(ModelFailed()) == str(ModelFailed())
