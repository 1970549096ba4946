"""Long replies: every text stands on its own and nothing is lost. Examples and properties."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from channels.markup import render
from channels.markup.borders import hard_cut, text_cut

LIMIT = 4096
CHANNELS = ["waha", "telegram"]
ALLOWED = {"b", "i", "s", "code", "pre", "blockquote", "a"}
NUMBER = re.compile(r"\A\(\d+/\d+\)\s")


class Page(HTMLParser):
    """Reads one text as strictly as Telegram does."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.shown = ""
        self.code: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED
        assert tag not in self.open
        assert not {"code", "a"} & set(self.open)
        if tag == "pre":
            self.code.append("")
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.shown += data
        if "pre" in self.open:
            self.code[-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment came through")

    def handle_decl(self, decl: str) -> None:
        raise AssertionError("a declaration came through")


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def shown(text: str, channel: str) -> str:
    return Page(text).shown if channel == "telegram" else text


def check(texts: tuple[str, ...], channel: str) -> None:
    """Check what holds for any reply: limits, balance, numbers."""
    for at, text in enumerate(texts, start=1):
        seen = shown(text, channel)
        assert units(seen) <= LIMIT
        assert seen.strip()
        if len(texts) > 2:
            assert re.match(rf"\({at}/{len(texts)}\)\s", text)


def words(texts: tuple[str, ...], channel: str) -> list[str]:
    bare = [shown(text, channel) for text in texts]
    return " ".join(NUMBER.sub("", text) if len(texts) > 2 else text for text in bare).split()


def test_two_texts_are_not_numbered_and_three_are() -> None:
    two = render("\n\n".join(["word " * 600] * 2), "waha")
    three = render("\n\n".join(["word " * 600] * 3), "waha")
    assert [text[:4] for text in two] == ["word", "word"]
    assert [text[:10] for text in three] == ["(1/3) word", "(2/3) word", "(3/3) word"]


def test_the_number_leaves_the_start_of_the_line_to_what_needs_it() -> None:
    texts = render("\n\n".join(["```\n" + "a\n" * 1500 + "```"] * 3), "waha")
    assert [text[:9] for text in texts] == ["(1/3)\n```", "(2/3)\n```", "(3/3)\n```"]


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_reply_of_the_limit_is_one_text(channel: str) -> None:
    assert len(render("a" * 4096, channel)) == 1
    assert [len(text) for text in render("a" * 4097, channel)] == [4096, 1]
    assert [units(text) for text in render("😀" * 2049, channel)] == [4096, 2]
    assert len(render("&<" * 2048, "telegram")) == 1


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("count", [3, 10, 100])
def test_the_number_counts_inside_the_limit(channel: str, count: int) -> None:
    texts = render("a" * (LIMIT * count - 1), channel)
    assert len(texts) == count + 1
    assert max(map(units, texts)) == LIMIT
    check(texts, channel)


@pytest.mark.parametrize("channel", CHANNELS)
def test_blocks_are_kept_whole_where_they_fit(channel: str) -> None:
    first, second = "one. " * 500, "two. " * 500
    assert render(f"{first}\n\n{second}", channel) == (first.strip(), second.strip())


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_long_paragraph_is_cut_after_a_sentence(channel: str) -> None:
    head, tail = render("This is a sentence of ours. " * 200, channel)
    assert head.endswith("ours.")
    assert tail.startswith("This")


def test_a_style_that_spans_a_cut_is_closed_and_opened_again() -> None:
    markdown = "**" + ("word " * 1000).strip() + "**"
    for channel, start, end in (("waha", "*w", "d*"), ("telegram", "<b>w", "d</b>")):
        texts = render(markdown, channel)
        assert len(texts) == 2
        assert all(text.startswith(start) and text.endswith(end) for text in texts)


def test_a_list_item_goes_on_without_a_second_bullet() -> None:
    _, second = render("- " + "word " * 1000, "waha")
    assert second.startswith("  word")


def test_a_quote_that_spans_a_cut_is_a_quote_on_both_sides() -> None:
    markdown = "> " + "word " * 1000
    assert all(text.startswith("> word") for text in render(markdown, "waha"))
    assert all(text.startswith("<blockquote>word") for text in render(markdown, "telegram"))


def test_code_longer_than_a_text_is_cut_between_lines_and_fenced_again() -> None:
    lines = [f"    line {number}" for number in range(900)]
    texts = render("```py\n" + "\n".join(lines) + "\n```", "waha")
    assert len(texts) > 2
    found: list[str] = []
    for text in texts:
        body = NUMBER.sub("", text)
        assert body.startswith("```\n")
        assert body.endswith("\n```")
        found += body[4:-4].split("\n")
    assert found == lines


def test_code_keeps_its_language_in_every_text() -> None:
    texts = render("```py\n" + "a = 1\n" * 1000 + "```", "telegram")
    assert all('<pre><code class="language-py">' in text for text in texts)


@pytest.mark.parametrize("channel", CHANNELS)
@pytest.mark.parametrize("joined", ["👩‍👩‍👧‍👦", "e\u0301", "🇩🇪", "👍🏽", "❤️"])
def test_no_character_is_cut_in_two(channel: str, joined: str) -> None:
    for offset in range(4):
        texts = render("x" * offset + joined * 3000, channel)
        bodies = [NUMBER.sub("", text) if len(texts) > 2 else text for text in texts]
        assert all(body.replace(joined, "").strip("x") == "" for body in bodies)


def test_a_wall_of_accents_is_cut_nevertheless() -> None:
    assert hard_cut("\u0301" * 5000, 4096) == 4096


@given(st.text(max_size=200), st.integers(1, 199))
@settings(max_examples=300)
def test_a_cut_leaves_something_on_both_sides(text: str, end: int) -> None:
    if end < len(text):
        assert 1 <= text_cut(text, end) <= end


FRAGMENTS = st.sampled_from(
    [
        *("*", "**", "_", "~~", "`", "```", "\n```py\n", "[", "](", ")", "![", "<", ">", "&amp;"),
        *("\n", "\n\n", "\n> ", "\n- ", "\n  - ", "\n1. ", "\n# ", "|", "\n|-|-|\n", "\\", "    "),
        *(
            "<b>",
            "</pre>",
            "<!--",
            "http://[",
            "\0",
            "\ud800",
            "\u202e",
            "👩‍👩‍👧",
            "日本。",
            "a.b",
            "\t",
        ),
    ]
)
SOUP = st.lists(FRAGMENTS | st.text(max_size=8), max_size=60).map("".join)


@pytest.mark.parametrize("channel", CHANNELS)
@given(markdown=SOUP, times=st.sampled_from([1, 1, 3, 80]))
@settings(max_examples=400, deadline=None)
def test_any_text_gives_valid_texts_and_always_the_same(
    channel: str, markdown: str, times: int
) -> None:
    texts = render(markdown * times, channel)
    check(texts, channel)
    assert texts == render(markdown * times, channel)


@given(markdown=st.text())
@settings(max_examples=300, deadline=None)
def test_any_channel_takes_any_text(markdown: str) -> None:
    for channel in (*CHANNELS, "other"):
        render(markdown, channel)


WORD = st.text("abcxyzäß日", min_size=1, max_size=12)
CELL = st.text("abcxyzäß日", min_size=1, max_size=6)
WORDS = st.lists(WORD, min_size=1, max_size=60).map(" ".join)
STYLED = st.tuples(st.sampled_from(["", "**", "*", "~~", "`"]), WORDS).map(
    lambda pair: f"{pair[0]}{pair[1]}{pair[0]}"
)
PARAGRAPH = st.lists(STYLED, min_size=1, max_size=12).map(" ".join)
BLOCK = st.one_of(
    PARAGRAPH,
    PARAGRAPH.map(lambda text: f"# {text}"),
    PARAGRAPH.map(lambda text: f"> {text}"),
    st.lists(PARAGRAPH, min_size=1, max_size=4).map(
        lambda items: "\n".join(f"- {item}" for item in items)
    ),
    # Wider ones become lines of another order on WhatsApp.
    st.tuples(CELL, CELL, CELL, CELL).map(
        lambda cell: f"| {cell[0]} | {cell[1]} |\n|---|---|\n| {cell[2]} | {cell[3]} |"
    ),
    st.lists(WORDS, min_size=1, max_size=40).map(lambda code: "```\n" + "\n".join(code) + "\n```"),
)
REPLY = st.tuples(st.lists(BLOCK, min_size=1, max_size=6), st.integers(1, 12)).map(
    lambda reply: "\n\n".join(reply[0] * reply[1])
)


@given(markdown=REPLY)
@settings(max_examples=200, deadline=None)
def test_every_word_survives_in_order(markdown: str) -> None:
    expected = re.findall(r"\w+", markdown)
    for channel in CHANNELS:
        texts = render(markdown, channel)
        check(texts, channel)
        found = re.findall(r"[^\W_]+", " ".join(words(texts, channel)))
        assert found == expected


@given(lines=st.lists(WORDS, min_size=1, max_size=150), gaps=st.sampled_from([" ", "\n", "\n\n"]))
@settings(max_examples=200, deadline=None)
def test_plain_text_arrives_word_for_word(lines: list[str], gaps: str) -> None:
    text = gaps.join(line + "." for line in lines)
    for channel in CHANNELS:
        assert words(render(text, channel), channel) == text.split()


@given(
    before=st.integers(0, 5000),
    code=st.lists(st.integers(0, 90), min_size=1, max_size=80),
    after=st.integers(0, 9000),
)
@settings(max_examples=300, deadline=None)
def test_code_that_fits_is_never_cut(before: int, code: list[int], after: int) -> None:
    body = "\n".join("c" * width + ";" for width in code)[:4060]
    markdown = f"{'word ' * (before // 5)}\n\n```\n{body}\n```\n\n{'word ' * (after // 5)}"
    assert sum(f"```\n{body}\n```" in text for text in render(markdown, "waha")) == 1
    found = [code for text in render(markdown, "telegram") for code in Page(text).code]
    assert found == [body]
