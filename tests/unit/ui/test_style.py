"""One sheet for all views: none may style what another one draws."""

from __future__ import annotations

import re
from itertools import combinations

from ui.playground.style import FRAME_CSS, OF_VIEWS

# What stands in every view is styled by the frame, and placed by a view.
SHARED = {"rc-said", "rc-receipt", "rc-missing"}


def test_no_class_is_styled_by_two_views() -> None:
    named = [set(re.findall(r"\.(rc-[\w-]+)", css)) for css in (FRAME_CSS, *OF_VIEWS)]
    assert all(named)
    assert [
        one & other - SHARED for one, other in combinations(named, 2) if one & other - SHARED
    ] == []
