"""Foreign text on a page: what no document may hold is made visible, what is long is cut."""

from __future__ import annotations

import re

# XML 1.0 allows no other control characters, no lone surrogates and neither of the two last code
# points; marks that turn the writing direction would reach beyond the text that they stand in.
# Source: https://www.w3.org/TR/xml/#charsets and Unicode Technical Report 36, section 2.6.
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
LONGEST = 600
"""Characters of one text that a page shows."""


def printable(text: str) -> str:
    """Return the text with every character that a document cannot carry shown as U+FFFD."""
    return _FORBIDDEN.sub("\ufffd", text)


def excerpt(text: str, longest: int = LONGEST) -> str:
    """Return a printable text of bounded length, which says when something was cut off."""
    whole = printable(text)
    if len(whole) <= longest:
        return whole
    return f"{whole[:longest].rstrip()} … ({len(whole) - longest:,} more characters)"
