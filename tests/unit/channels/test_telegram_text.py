"""What a Telegram message looks like without its markup, and what the package costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

from channels.telegram.client import plain_text
from tests.fakes.telegram_api import ApiError, read_html


def test_the_library_is_imported_only_where_a_bot_is_used() -> None:
    code = "import sys, channels.telegram.client, channels.telegram.normalize"
    code += "; sys.exit('telegram' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("markup", "words"),
    [
        ("<b>a</b> &lt;b&gt; <tg-spoiler>c</tg-spoiler>", "a <b> c"),
        ('<a href="https://x.example/?a=1&amp;b=2">link</a>', "link"),
        ('<pre><code class="language-py">x &gt; 1</code></pre>', "x > 1"),
        ("1 < 2 and <unknown> stays", "1 < 2 and <unknown> stays"),
        ("<B>loud</B>", "loud"),
    ],
)
def test_words_of_markup(markup: str, words: str) -> None:
    assert plain_text(markup) == words


@pytest.mark.parametrize("markup", ["<b>", "</b>", "<b><i></b></i>", "1 < 2", "<table></table>"])
def test_the_fake_refuses_what_telegram_refuses(markup: str) -> None:
    with pytest.raises(ApiError, match="can't parse entities"):
        read_html(markup)
