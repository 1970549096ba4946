"""Messages with what was learned from them: escaped, and told apart by what keeps them out."""

from __future__ import annotations

from dataclasses import replace
from html import unescape

from memory.domain.chats import StoredMessage
from tests.messages import message
from tests.unit.ui.test_render import HOSTILE, NOW, fact, tags
from ui.playground.known import Told
from ui.playground.learned import Lesson, Lessons
from ui.playground.render_learned import learned_part

SAID = StoredMessage(message(HOSTILE), seq=7, position=1, arrived_at=NOW)


def test_a_message_stands_with_its_facts_and_what_may_be_done() -> None:
    lesson = Lesson(SAID, (Told(fact("home", HOSTILE)),), (Told(fact("pet", "Rex"), why="ended"),))
    html = learned_part(Lessons((lesson,), before=7), is_latest=True)
    assert not tags(html) & {"script", "img"}
    assert unescape(html).count(HOSTILE) >= 3
    assert "data-do='forget'" in html
    assert f"data-do='never' data-uid='{SAID.uid}'" in html
    assert "data-before='7'>Earlier" in html
    assert "Latest" not in html


def test_what_is_kept_out_says_so_and_only_an_act_of_a_person_can_be_undone() -> None:
    html = learned_part(Lessons((Lesson(SAID, act="u1/never"),)), is_latest=False)
    assert "data-do='recall' data-act='u1/never'" in html
    assert "data-before='0'>Latest" in html
    withheld = replace(SAID, message=replace(SAID.message, withheld=True))
    html = learned_part(Lessons((Lesson(withheld),)), is_latest=True)
    assert "Kept out of recall" in html
    assert "data-do='recall'" not in html
