"""Messages with what was learned from them. Pure: data in, escaped HTML out."""

from __future__ import annotations

from html import escape

from memory.facts.predicates import key_in_words
from ui.playground.known import Told
from ui.playground.learned import Lesson, Lessons
from ui.playground.render_memory import cut_to, place_html, reader_of, version_html


def learned_part(lessons: Lessons, *, is_latest: bool) -> str:
    """Return a page of messages, each with its facts and what may be done about them."""
    if not lessons.told:
        return (
            "<p class='rc-nothing'>Nothing was said yet. Each message stands here with the facts"
            " that were read from it, and a way to take them back.</p>"
        )
    rows = "".join(map(_lesson, lessons.told))
    pages = "" if is_latest else "<button data-do='page' data-before='0'>Latest</button>"
    if lessons.before:
        pages += f"<button data-do='page' data-before='{lessons.before}'>Earlier</button>"
    return f"<ul class='rc-list'>{rows}</ul><p class='rc-pages'>{pages}</p>"


def _lesson(lesson: Lesson) -> str:
    stored = lesson.said
    text = cut_to(stored.in_full.text) or "(nothing written)"
    short = escape(cut_to(" ".join(text.split()), 60))
    if lesson.act:
        act = (
            "<span class='rc-kind'>Never recalled</span>"
            f"<button data-do='recall' data-act='{escape(lesson.act)}'"
            f" aria-label='Recall again: {short}'>Recall again</button>"
        )
    elif stored.withheld and lesson.kept_out:
        act = "<span class='rc-kind'>Never kept</span>"
    elif stored.withheld:
        act = "<span class='rc-kind'>Kept out of recall</span>"
    else:
        act = (
            f"<button data-do='never' data-uid='{stored.uid}'"
            f" aria-label='Never recall: {short}'>Never recall</button>"
        )
    facts = "".join(map(_read, lesson.holds)) + "".join(
        version_html(told, with_key=True) for told in lesson.past
    )
    learned = f"<ul class='rc-versions'>{facts}</ul>" if facts else ""
    nothing = "" if facts else "<p class='rc-origin'>No fact was read from it.</p>"
    if lesson.kept_out:
        rules = escape(", ".join(rule.name for rule in lesson.kept_out))
        nothing = f"<p class='rc-origin'>Kept out by a rule: {rules}.</p>"
    return (
        f"<li><div class='rc-head'><span>{place_html(stored)}</span>"
        f"<span class='rc-acts'>{act}</span></div>"
        f"<div class='rc-text' dir='auto'>{escape(text)}</div>{learned}{nothing}</li>"
    )


def _read(told: Told) -> str:
    fact = told.fact
    key, value = escape(key_in_words(fact.key)), escape(fact.value)
    return (
        f"<li class='rc-version' data-key='{escape(fact.key)}' data-value='{value}'>"
        f"<span class='rc-key'>{key}</span> <b dir='auto'>{value}</b>"
        f" <span>· {escape(reader_of(fact))}</span>"
        f" <button data-do='forget' aria-label='Undo: {key} {value}'>Undo</button></li>"
    )
