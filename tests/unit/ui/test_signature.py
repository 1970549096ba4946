"""The offline responder's signature is taken off, and nothing else."""

from __future__ import annotations

import pytest

from graph.models.offline.frames import FRAMES
from ui.cli.signature import NOTICE, Unsigned, unsigned


@pytest.mark.parametrize("language", FRAMES)
def test_signature_of_every_language_is_taken_off(language: str) -> None:
    assert unsigned(f"Lisbon.\n{FRAMES[language].signature}") == "Lisbon."


def test_what_only_begins_like_a_signature_stays() -> None:
    for reply in ("Lisbon.\n— offline", "one line", f"{NOTICE}\nas you said", "— a dash\n"):
        assert unsigned(reply) == reply


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_a_reply_in_pieces_is_shown_without_its_signature(size: int) -> None:
    for reply in ("One.\nTwo — three.\n— four", "Lisbon.", "First.\n\n- a\n- b"):
        signed = f"{reply}\n{NOTICE}"
        unsigning = Unsigned()
        pieces = [signed[at : at + size] for at in range(0, len(signed), size)]
        assert "".join(map(unsigning.feed, pieces)) == reply
