"""What a reply's Markdown becomes on each channel, by example."""

from __future__ import annotations

import time

import pytest

from channels.markup import render

WAHA = [
    ("Hello there.", "Hello there."),
    ("**bold** and *italic* and ~~gone~~", "*bold* and _italic_ and ~gone~"),
    ("**bold with *italic* inside**", "*bold with _italic_ inside*"),
    ("use `x = 1` **now `y` too**", "use `x = 1` *now* `y` *too*"),
    ("# Plan **A**", "*Plan A*"),
    ("one\ntwo  \nthree", "one\ntwo\nthree"),
    ("**one\ntwo**", "*one*\n*two*"),
    ("2*3*4 and snake_case_name", "2*3*4 and snake_case_name"),
    ("x**2 + y**2", "x**2 + y**2"),
    ("un**believ**able", "unbelievable"),
    ("**S**WOT", "SWOT"),
    ("**2 * 3**", "2 * 3"),
    ("- a\n- b\n  - c", "- a\n- b\n  - c"),
    ("3. a\n4. b", "3. a\n4. b"),
    ("Do:\n- a\n\nDone.", "Do:\n\n- a\n\nDone."),
    ("- a\n  b", "- a\n  b"),
    ("- [ ] open", "- [ ] open"),
    ("> a\n> b", "> a\n> b"),
    ("> > deep", "> deep"),
    ("[docs](https://x.org/a)", "docs (https://x.org/a)"),
    ('[docs](https://x.org "A title")', "docs (https://x.org)"),
    ("[x.org](https://x.org/)", "https://x.org/"),
    ("<https://x.org>", "https://x.org"),
    ("<me@x.org>", "me@x.org"),
    ("![a cat](https://x.org/c.png)", "a cat (https://x.org/c.png)"),
    ("```py\na = 1\n\n  b\n```", "```\na = 1\n\n  b\n```"),
    ("~~~\na ``` b\n~~~", "```\na `\u200b`\u200b` b\n```"),
    ("1. Run:\n   ```\n   make\n   ```", "1. Run:\n```\nmake\n```"),
    ("| a | bb |\n|---|---|\n| 日本 | 2 |", "```\na    | bb\n-----|---\n日本 | 2\n```"),
    (
        "| Name | What it is |\n|---|---|\n| Ada | *wrote* the first program of all |\n| Bo | |",
        "*Name*: Ada\n*What it is*: _wrote_ the first program of all\n\n*Name*: Bo",
    ),
    ("a\n\n---\n\nb", "a\n\n———\n\nb"),
    ("<b>raw</b> & <br>", "<b>raw</b> & <br>"),
    ("see [1]\n\n[1]: https://x.org", "see [1]\n\n[1]: https://x.org"),
    ("a\0b\ud800\x07c", "a\ufffdb\ufffd c"),
    ("\u202eشكرا **جزيلا**", "\u202eشكرا *جزيلا*"),
]

TELEGRAM = [
    ("a < b & c > d", "a &lt; b &amp; c &gt; d"),
    ("**b** *i* ~~s~~ `c<`", "<b>b</b> <i>i</i> <s>s</s> <code>c&lt;</code>"),
    ("***both***", "<b><i>both</i></b>"),
    ("**a `c` b**", "<b>a </b><code>c</code><b> b</b>"),
    ("# Plan", "<b>Plan</b>"),
    ("2*3*4 and x**2 + y**2", "2*3*4 and x**2 + y**2"),
    ("un**believ**able", "un<b>believ</b>able"),
    ("- a\n- b\n  1. c", "• a\n• b\n  1. c"),
    ("> a\n>\n> b", "<blockquote>a\n\nb</blockquote>"),
    ("> a\n\nb", "<blockquote>a</blockquote>\n\nb"),
    ("[a](https://x.org?a=1&b=2)", '<a href="https://x.org?a=1&amp;b=2">a</a>'),
    ("[**a**](https://x.org)", '<a href="https://x.org"><b>a</b></a>'),
    ("[`a`](https://x.org)", '<a href="https://x.org">a</a>'),
    ("[](https://x.org)", '<a href="https://x.org">https://x.org</a>'),
    ("[a](docs/a.md)", "a (docs/a.md)"),
    ("[a](javascript:alert)", "[a](javascript:alert)"),
    ("![cat](https://x.org/c.png)", '<a href="https://x.org/c.png">cat</a>'),
    (
        "[![cat](https://x.org/c.png)](https://x.org)",
        '<a href="https://x.org">cat</a>',
    ),
    ("```\n<a>\n```", "<pre>&lt;a&gt;</pre>"),
    ("```py x\na\n```", '<pre><code class="language-py">a</code></pre>'),
    ('```"><b>\na\n```', "<pre>a</pre>"),
    ("|a|b|\n|-|-|\n|1|<i>|", "<pre>a | b\n--|----\n1 | &lt;i&gt;</pre>"),
    ("<b>raw</b><script>", "&lt;b&gt;raw&lt;/b&gt;&lt;script&gt;"),
    ("&lt;b&gt; &amp;", "&lt;b&gt; &amp;"),
    ("\\*so\\*", "*so*"),
]


@pytest.mark.parametrize(("markdown", "wire"), WAHA)
def test_whatsapp_shows_markdown_in_its_own_markup(markdown: str, wire: str) -> None:
    assert render(markdown, "waha") == (wire,)


@pytest.mark.parametrize(("markdown", "wire"), TELEGRAM)
def test_telegram_shows_markdown_as_html(markdown: str, wire: str) -> None:
    assert render(markdown, "telegram") == (wire,)


def test_any_other_channel_gets_the_markdown_itself() -> None:
    markdown = "# A\n\n" + "word " * 5000
    assert render(markdown, "cli") == (markdown,)


@pytest.mark.parametrize("channel", ["waha", "telegram", "cli"])
@pytest.mark.parametrize("blank", ["", " \n\t", "\u200b\u2060", "\0"])
def test_a_reply_in_which_nothing_can_be_seen_gives_no_text(channel: str, blank: str) -> None:
    assert render(blank, channel) == ()


@pytest.mark.parametrize("markdown", ["#", "```\n```", "-", "|a|\n|-|", "****", "![]()", "[]()"])
@pytest.mark.parametrize("channel", ["waha", "telegram"])
def test_markdown_without_content_is_not_lost(channel: str, markdown: str) -> None:
    texts = render(markdown, channel)
    assert len(texts) == 1
    assert texts[0].strip()


@pytest.mark.parametrize("opener", [">", "> ", "- ", "1. "])
@pytest.mark.parametrize("channel", ["waha", "telegram"])
def test_text_nested_too_deep_is_sent_as_it_is(channel: str, opener: str) -> None:
    (text,) = render(opener * 60 + "**treasure**", channel)
    assert "**treasure**" in text


HOSTILE = [
    *(
        "[",
        "![",
        "*",
        "_",
        ">",
        "> ",
        "`",
        "~",
        "<",
        "&",
        "|",
        "- ",
        "[](",
        "[a](",
        "*a_ ",
        "a\n\n",
    ),
    *("*_~~", "|a|b\n", "> - ", "\0", "\u202e", "\x1b[", "a**", "👩‍👩‍👧", "\u0301"),
]


@pytest.mark.parametrize("channel", ["waha", "telegram"])
@pytest.mark.parametrize("size", [pytest.param(32_768, marks=pytest.mark.slow), 65_536])
def test_hostile_text_is_rendered_fast(channel: str, size: int) -> None:
    """Each pattern; the limit is generous, the slowest takes about a second and a half."""
    for pattern in HOSTILE:
        started = time.process_time()
        texts = render((pattern * size)[:size], channel)
        assert time.process_time() - started < 5, pattern
        assert texts or pattern in ("\0", "\u202e")


@pytest.mark.parametrize("channel", ["waha", "telegram"])
def test_a_megabyte_of_brackets_is_sent_as_plain_text(channel: str) -> None:
    texts = render("[" * 2**20, channel)
    assert sum(text.count("[") for text in texts) == 2**20


@pytest.mark.parametrize("channel", ["waha", "telegram"])
def test_images_in_images_do_not_exhaust_the_stack(channel: str) -> None:
    assert render("![" * 5000 + "](b)" * 5000, channel)
