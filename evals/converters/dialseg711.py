"""DialSeg711: 711 dialogues put together from shorter ones, so that topics have known borders.

Sources: https://github.com/xyease/TADAM (text: `call_id_N`, then a topic's number and an
utterance a line), https://github.com/lxing532/Dialogue-Topic-Segmenter (JSON: utterances and
lengths of segments), and a folder of text files whose segments are divided by a line of `=`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from pathlib import Path

from evals.converters.dialogs import files
from evals.converters.reading import Left, Part, Row, Unfit, Upstream, fit, read_json, read_text

_CALL = re.compile(r"call_id_(\S+)")
_RULE = re.compile(r"={8,}")
_DEFAULT_SET = "test"


class _Dialogue(Part):
    dial_id: str
    utterances: list[str]
    segments: list[int]
    set: str = _DEFAULT_SET


def convert(source: Path, left: Left) -> Iterator[Row]:
    """Yield a case for each dialogue, from any of the three forms."""
    del left
    if not source.is_dir() and source.suffix == ".json":
        yield from _from_json(source)
        return
    for path in files(source, "*.txt"):
        text = read_text(path)
        if _CALL.match(text.lstrip()):
            yield from _from_calls(text)
        elif any(_RULE.fullmatch(line.strip()) for line in text.split("\n")):
            yield _from_rules(path.stem, text)
        else:
            raise Unfit(f"{path.name}: neither call_id_... nor a line of =")


def _from_json(source: Path) -> Iterator[Row]:
    for number, one in enumerate(fit(list[_Dialogue], read_json(source), "")):
        if sum(one.segments) != len(one.utterances) or min(one.segments, default=0) < 1:
            raise Unfit(f"{number}.segments: lengths do not add up to the utterances")
        borders = list(accumulate(one.segments))[:-1]
        yield _case(one.dial_id, one.set, one.utterances, borders)


def _from_calls(text: str) -> Iterator[Row]:
    name = ""
    topics: list[str] = []
    texts: list[str] = []
    for number, line in enumerate([*text.split("\n"), "call_id_end"], start=1):
        if call := _CALL.fullmatch(line.strip()):
            if texts:
                borders = [i for i, (a, b) in enumerate(pairwise(topics), start=1) if a != b]
                yield _case(name, _DEFAULT_SET, texts, borders)
            name, topics, texts = call[1], [], []
        elif line.strip():
            topic, space, said = line.partition(" ")
            if not space or not topic.isdigit():
                raise Unfit(f"line {number}: expected a topic's number and an utterance")
            topics.append(topic)
            texts.append(said.rstrip("\r"))


def _from_rules(name: str, text: str) -> Row:
    texts: list[str] = []
    borders: list[int] = []
    for line in (one.strip() for one in text.split("\n")):
        if _RULE.fullmatch(line):
            borders.append(len(texts))
        elif line:
            texts.append(line)
    return _case(name, _DEFAULT_SET, texts, [one for one in borders if 0 < one < len(texts)])


def _case(name: str, which: str, texts: Iterable[str], borders: list[int]) -> Row:
    return {
        "case_id": f"dialseg_711-{name}",
        "set": which,
        "turns": [{"id": str(i), "text": text} for i, text in enumerate(texts)],
        "boundaries": list(dict.fromkeys(borders)),
    }


DIALSEG711 = Upstream(
    name="dialseg711",
    title="DialSeg711",
    suite="episodes",
    measures="where a dialogue turns to another topic",
    where="https://github.com/lxing532/Dialogue-Topic-Segmenter (data/eval/dialseg_711.json)"
    " or https://github.com/xyease/TADAM",
    licence="none stated",
    source="dialseg_711.json, en_dataset_reference_2.txt, or a folder of text files",
    convert=convert,
)
