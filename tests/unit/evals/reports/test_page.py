"""The page: it says what was measured, loads nothing, and no text breaks out of it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from evals.reports.page import render_page
from evals.reports.page.worst import MOST, worst_cases
from evals.reports.texts import excerpt, printable
from evals.suite.run import Texts
from tests.unit.evals.reports.sample import (
    HOSTILE,
    full,
    hostile_texts,
    item,
    parsed,
    result,
    scores,
    system,
)

VOID = {"meta", "link", "br", "img", "hr", "input"}
LOADING = {"script", "link", "img", "iframe", "object", "embed", "video", "audio", "base", "form"}


class Reader(HTMLParser):
    """Collects what a page holds; complains about tags that do not match."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, tag
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def read(given: dict[str, Any], texts: Texts | None = None) -> Reader:
    reader = Reader()
    reader.feed(render_page(parsed(given), texts or Texts({})))
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def page() -> Reader:
    return read(full(), hostile_texts())


def test_nothing_is_loaded_and_no_script_runs(page: Reader) -> None:
    assert {tag for tag, _ in page.tags} & LOADING == set()
    for _, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        for name in ("src", "href", "xlink:href", "action", "data"):
            assert (attributes.get(name) or "#").startswith("#")
    policy = next(a["content"] for _, a in page.tags if a.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    style = render_page(parsed(full()), Texts({})).split("<style>")[1].split("</style>")[0]
    assert not re.search(r"url\(|@import|https?:", style)


def test_hostile_text_is_shown_as_text(page: Reader) -> None:
    assert "<script>alert(1)</script></style></details></main>" in page.text
    assert "{{ 7*7 }}" in page.text
    assert not re.search("[\x00\x07\u202e\u2066]", "".join(page.words))


def test_every_part_of_a_full_result_is_there(page: Reader) -> None:
    for words in (
        "Is the evidence for a question among what the memory recalls?",
        "Partial. The run was stopped before its end.",
        "1 failed.",
        "Share of the evidence among the first 10 hits.",
        "Evidence found over k",
        "Search times",
        "Growth with size",
        "frac@10 by category",
        "What was looked for",
        "rank 23",
        "What came instead",
        "Violations",
        "ab" * 32,
        "tiny/3/l2",
        "CPython 3.11",
        "recollect eval recall --cases 'my cases.jsonl'",
    ):
        assert words in page.text, words


def test_it_can_be_read_without_seeing_it(page: Reader) -> None:
    tags = page.tags
    assert [tag for tag, _ in tags].count("h1") == 1
    assert [tag for tag, _ in tags].count("caption") == [tag for tag, _ in tags].count("table")
    plots = [a for tag, a in tags if tag == "svg" and a.get("aria-hidden") != "true"]
    assert plots
    assert all(a.get("role") == "img" and a.get("aria-label") for a in plots)
    assert all(a.get("tabindex") == "0" for _, a in tags if a.get("class") == "scroll")
    ids = [a["id"] for _, a in tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"] for tag, a in tags if tag == "a"} <= {f"#{one}" for one in ids}


def test_the_best_of_a_row_is_marked_by_the_metrics_direction() -> None:
    fast, slow = (
        {"metrics": {"mrr": 0.2, "search_ms_p50": 1.0}},
        {"metrics": {"mrr": 0.4, "search_ms_p50": 9.0}},
    )
    html = render_page(parsed(result({"recollect": slow, "bm25": fast})), Texts({}))
    assert re.findall(r'<td class="best">([^<]*)</td>', html) == ["0.400", "1"]


@pytest.mark.parametrize(
    "given",
    [
        result({}),
        result({"recollect": {"metrics": {}}}),
        result({"recollect": {"metrics": {"frac@10": None}, "by": {"category": {"a": {}}}}}),
        result({"only": {"metrics": {"unheard_of": 1.0}}}, suite="unheard of", started="one day"),
        result({"recollect": system(scores(1, 1, 1)) | {"by": {}}}, cases=[], command=""),
    ],
)
def test_a_result_with_little_in_it_is_a_page_as_well(given: dict[str, Any]) -> None:
    assert "How it was measured" in read(given).text


def test_worst_cases_are_few_spread_and_lowest_first() -> None:
    low = {("c", n): 0.0 for n in range(90)}
    found = worst_cases(parsed(result({"recollect": system(low)})), Texts({}))
    assert len(found) == MOST
    by_category = [dict(one.groups)["category"] for one in found]
    assert {by_category.count(value) for value in set(by_category)} == {6, 7}

    mixed = {("c", n): n / 10 for n in range(11)}
    ordered = worst_cases(parsed(result({"recollect": system(mixed)})), Texts({}))
    assert [one.item for one in ordered] == [f"q{n}" for n in range(10)]


def test_among_equals_what_a_baseline_found_comes_first() -> None:
    mine = {("c", n): 0.0 for n in (0, 3, 6)}
    theirs = mine | {("c", 6): 1.0}
    systems = {"recollect": system(mine), "bm25": system(theirs)}
    assert worst_cases(parsed(result(systems)), Texts({}))[0].item == "q6"


def test_where_less_is_better_the_highest_is_the_worst() -> None:
    items = [item("c", n, 1.0) | {"scores": {"pk": n / 10}} for n in range(3)]
    given = result({"recollect": {"metrics": {"pk": 0.1}, "items": items}}, suite="episodes")
    assert [one.item for one in worst_cases(parsed(given), Texts({}))] == ["q2", "q1"]


def test_long_texts_are_cut_and_say_so() -> None:
    assert excerpt("a" * 700) == "a" * 600 + " … (100 more characters)"
    assert printable("a\x00b\ud800c\u202ed") == "a\ufffdb\ufffdc\ufffdd"
    assert printable("\U0001f389 שלום\n\t") == "\U0001f389 שלום\n\t"
    assert HOSTILE[:8] in printable(HOSTILE)


def test_worst_cases_come_by_whatever_an_item_is_scored_by() -> None:
    kinds = {"recall": 0.0, "precision": 0.0, "never_violations": 1.0}
    items = [
        item("c", n, 1.0) | {"scores": {metric: value}, "found": [{"id": "t1", "status": "active"}]}
        for n, (metric, value) in enumerate(kinds.items())
    ]
    good = item("c", 9, 1.0) | {"scores": {"recall": 1.0, "never_violations": 0.0}}
    given = result({"recollect": {"metrics": {}, "items": [*items, good]}}, suite="facts")
    found = worst_cases(parsed(given), Texts({}))
    assert {one.score for one in found} == {"recall 0", "precision 0", "never_violations 1"}
    assert found[0].recalled[0].parts == (("status", "active"),)


def test_what_was_skipped_and_noted_is_said() -> None:
    text = read(result({}, skipped={"mem0": "not installed <b>"}, notes=["rss is a peak"])).text
    assert "mem0 was skipped: not installed <b>" in text
    assert "rss is a peak" in text
