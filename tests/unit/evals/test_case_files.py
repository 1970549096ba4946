"""Reading case files: encodings, line ends, wrong files, long lines, odd times."""

import codecs
import json
import tracemalloc
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from evals import cli
from evals.errors import BadInputError
from evals.recall.cases import load_cases
from evals.suite import case_files


def case(name: str = "c1", *times: str | None) -> dict[str, Any]:
    turns = [
        {"id": f"t{i}", "session_id": "s", "role": "user", "text": "hi", "timestamp": time}
        for i, time in enumerate(times or (None,))
    ]
    return {"case_id": name, "turns": turns, "questions": []}


def wrong(content: bytes, folder: Path, name: str = "cases.jsonl") -> str:
    path = folder / name
    path.write_bytes(content)
    with pytest.raises(BadInputError) as caught:
        load_cases([path])
    said = str(caught.value)
    assert "\n" not in said
    assert said.startswith(str(path))
    return said.removeprefix(str(path))


LINE = json.dumps(case()).encode()
OTHER = json.dumps(case("c2")).encode()


@pytest.mark.parametrize(
    "content",
    [
        LINE,
        LINE + b"\r\n" + OTHER + b"\r\n",
        codecs.BOM_UTF8 + LINE + b"\n",
        b"\n \t\r\n" + LINE + b"\n\n" + OTHER,
    ],
)
def test_line_ends_empty_lines_and_a_byte_order_mark_do_not_matter(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_bytes(content)
    (file,) = load_cases([path])
    assert file.count == 1 + (OTHER in content)
    assert file.sha256 == sha256(content).hexdigest()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", ": no case in it"),
        (b" \n\r\n", ": no case in it"),
        (LINE + b"\n" + b"\xff" + OTHER, ", line 2: is not UTF-8 (column 1)"),
        (LINE + b"\n" + OTHER.replace(b'"hi"', b'"h\xe4"'), ", line 2: is not UTF-8"),
        (LINE + b"\n" + OTHER.replace(b'"hi"', b'"h\x00"'), ", line 2: has a NUL byte"),
        ("{}".encode("utf-16"), ": looks like UTF-16; save it as UTF-8"),
        (LINE[:40] + b"\n" + LINE[40:], ", line 1: Invalid JSON: EOF while parsing"),
        (LINE.replace(b'"hi"', b'"\\ud800"'), ", line 1: Invalid JSON"),
        (LINE.replace(b'"t0"', b'"\\u0000"'), ", line 1: turns.0.id: "),
        (b"[" * 500, ": looks like a JSON array"),
        (json.dumps([case()], indent=2).encode(), ": looks like a JSON array: one object a line"),
        (json.dumps([case()]).encode(), ": looks like a JSON array: one object a line"),
        (LINE + b"\n[]\n", ", line 2: Input should be an object"),
        (LINE + b"\n" + LINE, ", line 2: case_id 'c1' is used twice"),
        (b"PAR1\x15\x04", ": looks like a Parquet file"),
        (b"\x1f\x8b\x08\x00", ": looks like a gzip archive"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_line_and_reason(
    content: bytes, said: str, tmp_path: Path
) -> None:
    assert wrong(content, tmp_path).startswith(said)


def test_cases_of_another_suite_are_recognized(tmp_path: Path) -> None:
    line = {"case_id": "x", "lang": "en", "turns": [], "checks": []}
    said = wrong(json.dumps(line).encode(), tmp_path)
    assert said.startswith(": looks like a case file of facts: this suite reads others")
    own = {"case_id": "x", "turns": [], "questions": []}
    assert ", line 1: turns: " in wrong(json.dumps(own).encode(), tmp_path)


def test_an_upstream_file_is_named_with_the_command_that_converts_it(tmp_path: Path) -> None:
    content = b'[{"sample_id": "c", "qa": [{"question": "?", "evidence": ["D1:3"]}]}]'
    said = wrong(content, tmp_path, "lo co.json")
    assert said.startswith(": looks like LoCoMo's own file, not cases: recollect datasets convert")
    assert f"locomo '{tmp_path}/lo co.json' --out FILE.jsonl" in said


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        load_cases([tmp_path])


def test_times_may_be_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(case("c1", None, "2026-01-01T10:00:00", None)))
    assert load_cases([path])[0].count == 1
    assert capsys.readouterr().err == ""


def test_times_out_of_order_are_said_once_a_file_and_kept_as_they_stand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cases.jsonl"
    good = case("a", "2026-01-01T10:00:00", "2026-01-01T12:30:00+02:00")
    bad = [case(name, "2026-01-01T10:00:00Z", None, "2026-01-01T09:59:00") for name in "bcd"]
    path.write_text("\n".join(json.dumps(one) for one in (good, *bad)))
    (file,) = load_cases([path])
    assert [turn.id for turn in file.cases[1].turns] == ["t0", "t1", "t2"]
    (said,) = capsys.readouterr().err.splitlines()
    assert f"{path}, line 2: turn 't2' of 'b' is earlier than one before it" in said
    assert "(2 more cases like it)" in said


def test_what_is_held_is_the_kept_cases_not_the_file(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    text = "x" * 100_000
    with path.open("w") as file:
        for number in range(200):
            file.write(json.dumps(case(f"c{number}") | {"note": text}) + "\n")
    tracemalloc.start()
    (read,) = load_cases([path], 2)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert read.count == 2
    assert path.stat().st_size > 20_000_000
    assert peak < 3_000_000


def test_a_file_without_line_ends_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(case_files, "MAX_LINE_BYTES", 1000)
    assert wrong(LINE + b" " * 2000, tmp_path).startswith(", line 1: longer than")


def test_every_file_is_checked_before_anything_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_bytes(LINE)
    bad.write_bytes(OTHER + b"\n{}")

    def opened(*_: object, **__: object) -> None:
        raise AssertionError("stores were opened")

    monkeypatch.setattr("evals.recall.suite.workspace", opened)
    assert cli.main(["recall", "--cases", str(good), str(bad)]) == 2
    assert f"{bad}, line 2: case_id: Field required" in capsys.readouterr().err
