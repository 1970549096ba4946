"""What is drawn of a chat of the lab."""

from __future__ import annotations

from evals.lab.chat import Invariant, Row
from evals.lab.reasons import why
from ui.playground.views.lab_html import Course, course_html, scenes_html

ASKED = Row(
    "Ana", "six <b>times</b> seven?", "new", "respond", why("addressed"), ("42 & no more",), 1
)
MACHINE = Row("Quizzer, a bot", "hi", "new", None, why("automation"), (), 1)


def test_an_empty_lab_says_what_it_is_for() -> None:
    assert "Nothing was played yet" in course_html(Course())


def test_a_row_tells_who_the_decision_the_reason_and_what_went_out() -> None:
    html = course_html(Course("Two bots meet", [ASKED, MACHINE], Invariant(0, 0)))
    assert "0 answers to ourselves, 0 twice" in html
    assert "what the far end got: 1 message<" in html
    assert "six &lt;b&gt;times&lt;/b&gt; seven?" in html
    assert "It mentions the agent, or replies to it. <code>addressed</code>" in html
    assert "webhook: new · gate: respond" in html
    assert "<q dir='auto'>42 &amp; no more</q>" in html
    assert "webhook: new · the gate was not asked" in html
    assert html.count("Nothing went out.") == 1
    assert "rc-lab-wrong" not in html
    assert "rc-lab-broken" not in html


def test_what_is_wrong_is_marked_in_its_row_and_above() -> None:
    wrong = Row("A bot", "hi", "new", "respond", why("addressed"), ("hi", "hi"), 3, is_wrong=True)
    html = course_html(Course("", [ASKED, wrong], Invariant(1, 2)))
    assert "1 answers to ourselves, 2 twice" in html
    assert "rc-lab-broken" in html
    assert html.count("rc-lab-wrong") == 1
    assert "This may never be answered." in html
    assert "3 in all" in html


def test_a_notice_is_an_alert_and_being_busy_a_status() -> None:
    assert "<p class='rc-notice' role='alert'>Cut &lt;off&gt;" in course_html(
        Course(notice="Cut <off>")
    )
    assert "role='status'>Playing" in course_html(Course(notice="Playing …", is_busy=True))


def test_what_comes_with_no_webhook_has_no_words_about_one() -> None:
    hour = Row("Nobody: an hour passes", "", "", None, why("hour_passed"))
    html = course_html(Course(rows=[hour]))
    assert "No webhook" in html
    assert "Nothing went out" not in html
    assert "webhook: " not in html


def test_scenes_are_buttons_with_their_names() -> None:
    html = scenes_html([("a'b", "Two <bots>", "meet")])
    assert "data-scene='a&#x27;b'" in html
    assert "Two &lt;bots&gt;<small>meet</small>" in html
