"""What the memory view shows where a person is erased: what would go, and then the receipt."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final

from memory.domain.erasures import STAYS, Erasure, probe_line, told

ERASING: Final = (
    "<details class='rc-mem-erase'><summary>Erase this person …</summary>"
    "<div class='rc-mem-gone'></div></details>"
)
"""Stands at the end of the view; what would go is asked for when it is opened."""


def weighed_html(called: str, counts: Mapping[str, int]) -> str:
    """Return what would go with a person, and a form that wants the name typed."""
    return (
        f"<p>This goes for good, from every store:</p>{_list(counts)}"
        f"<p>{escape(STAYS.capitalize())}. It cannot be undone.</p>"
        "<form data-do='erase'><label>"
        f"<span>Type <b dir='auto'>{escape(called)}</b> to erase</span>"
        "<input name='typed' required autocomplete='off'></label>"
        "<button class='rc-mem-last'>Erase</button></form>"
    )


def receipt_html(receipt: Erasure) -> str:
    """Return the receipt of an erasure."""
    return (
        "<section class='rc-mem-receipt' aria-label='Receipt'><h3>Erased</h3>"
        f"{_list(receipt.counts)}<p>{escape(probe_line(receipt).capitalize())}.</p>"
        f"<p>{escape(STAYS.capitalize())}.</p>"
        f"<p>Receipt <code>{escape(receipt.erasure_id)}</code>;"
        " <code>recollect contacts erasures</code> lists it.</p></section>"
    )


def _list(counts: Mapping[str, int]) -> str:
    rows = "".join(f"<li>{escape(name)} <b>{count:,}</b></li>" for name, count in told(counts))
    return f"<ul class='rc-mem-counts'>{rows}</ul>"
