"""`recollect datasets`: what it lists, writes and refuses."""

import json
import os
import stat
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from evals.converters.sniffing import TITLES, guess
from evals.converters.upstreams import UPSTREAMS
from evals.suite import own_cases
from tests.unit.evals.converters import upstream
from tests.unit.evals.converters.upstream import saved
from ui.cli.main import app


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["datasets", *map(str, arguments)])


def sources(folder: Path) -> dict[str, Path]:
    """Write one file of every upstream set."""
    emotions = folder / "train.tsv"
    emotions.write_text(upstream.EMOTIONS)
    texts = folder / "train.csv"
    texts.write_text("text,label\nhello,0\n")
    beam = folder / "100K" / "1"
    saved(beam / "probing_questions" / "probing_questions.json", upstream.BEAM_PROBES)
    return {
        "locomo": saved(folder / "locomo10.json", upstream.LOCOMO),
        "longmemeval": saved(folder / "longmemeval_s.json", upstream.LONGMEMEVAL),
        "beam": saved(beam / "chat.json", upstream.BEAM_CHAT),
        "realtalk": saved(folder / "Chat_1_Kim_Lou.json", upstream.REALTALK),
        "dialseg711": saved(folder / "dialseg_711.json", upstream.DIALOGUES),
        "goemotions": emotions,
        "deepset": texts,
    }


def test_the_list_has_every_set_with_licence_and_our_own_with_counts() -> None:
    result = run("list")
    assert result.exit_code == 0
    for one in UPSTREAMS.values():
        assert f"{one.name}: {one.title}, for recollect eval {one.suite}" in result.output
        assert one.licence in result.output
        assert one.where in result.output
    assert "loops         45 cases" in result.output


def test_without_our_folder_the_list_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evals.suite.registry import SUITES, Suite

    async def nothing(*_: object) -> None: ...

    monkeypatch.setitem(
        SUITES, "loops", Suite("", True, (), nothing, own_cases=tmp_path / "absent")
    )
    for name in [name for name, suite in SUITES.items() if suite.own_cases and name != "loops"]:
        monkeypatch.delitem(SUITES, name)
    assert "none here" in run("list").output


def test_the_installed_folder_is_used_where_there_is_no_source_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Another package's folder `datasets`, as it can lie beside an installed `evals`.
    (tmp_path / "datasets").mkdir()
    monkeypatch.setattr(own_cases, "_SOURCE", tmp_path / "datasets")
    monkeypatch.setattr(own_cases, "_INSTALLED", tmp_path / "share")
    assert own_cases.own_cases("loops") == tmp_path / "share" / "loops"


@pytest.mark.parametrize("name", UPSTREAMS)
def test_every_set_converts_and_says_what_next(name: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    result = run("convert", name, sources(tmp_path)[name], "--out", out)
    assert result.exit_code == 0, result.output
    assert f"recollect eval {UPSTREAMS[name].suite} --cases {out}" in result.output
    assert all(json.loads(line) for line in out.read_text().splitlines())


@pytest.mark.parametrize("name", UPSTREAMS)
@pytest.mark.parametrize("given", UPSTREAMS)
def test_a_wrong_source_is_said_to_look_like_what_it_is(
    name: str, given: str, tmp_path: Path
) -> None:
    if name == given:
        return
    out = tmp_path / "out.jsonl"
    out.write_text("as it was")
    result = run("convert", name, sources(tmp_path)[given], "--out", out)
    assert result.exit_code == 2
    said = result.stderr
    assert len(said.splitlines()) == 1
    assert f"(convert {given}); expected: {UPSTREAMS[name].source}" in said
    assert out.read_text() == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


@pytest.mark.parametrize("name", UPSTREAMS)
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"{", b"[]", b"PAR1", b"a\tb\n", b"[1]"])
def test_junk_is_refused_and_writes_nothing(name: str, content: bytes, tmp_path: Path) -> None:
    source = tmp_path / "junk.json"
    source.write_bytes(content)
    result = run("convert", name, source, "--out", tmp_path / "out.jsonl")
    assert result.exit_code == 2, result.output
    assert [path.name for path in tmp_path.iterdir()] == ["junk.json"]


@pytest.mark.parametrize(
    ("source", "out", "said"),
    [
        ("absent.json", "out.jsonl", "no such file"),
        ("locomo10.json", "absent/out.jsonl", "its folder does not exist"),
        ("locomo10.json", ".", "is a folder"),
        ("locomo10.json", "/dev/null", "or a device"),
        ("locomo10.json", "locomo10.json", "is the source"),
        (".", "out.jsonl", "Is a directory"),
    ],
)
def test_paths_that_cannot_be_used_are_refused(
    source: str, out: str, said: str, tmp_path: Path
) -> None:
    saved(tmp_path / "locomo10.json", upstream.LOCOMO)
    result = run("convert", "locomo", tmp_path / source, "--out", tmp_path / out)
    assert result.exit_code == 2
    assert said in result.stderr


def test_an_unknown_name_is_answered_with_the_known_ones(tmp_path: Path) -> None:
    result = run("convert", "nonsense", tmp_path, "--out", tmp_path / "x")
    assert result.exit_code == 2
    assert "'nonsense' is none of locomo, longmemeval, beam" in result.stderr


def test_limit_takes_the_first_lines(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    run("convert", "goemotions", sources(tmp_path)["goemotions"], "--out", out, "--limit", 3)
    assert len(out.read_text().splitlines()) == 3


def test_a_written_file_can_be_read_as_any_new_file(tmp_path: Path) -> None:
    out, other = tmp_path / "out.jsonl", tmp_path / "other"
    run("convert", "locomo", sources(tmp_path)["locomo"], "--out", out)
    other.touch()
    assert stat.S_IMODE(out.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


def test_a_line_that_the_loader_would_refuse_is_never_written(tmp_path: Path) -> None:
    broken = json.loads(json.dumps(upstream.LOCOMO))
    broken[0]["conversation"]["session_2"][0]["dia_id"] = "D1:1"
    source = saved(tmp_path / "locomo10.json", broken)
    result = run("convert", "locomo", source, "--out", tmp_path / "out.jsonl")
    assert result.exit_code == 2
    assert "turn id 'D1:1' is used twice" in result.stderr
    assert not (tmp_path / "out.jsonl").exists()


def test_a_full_disk_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    out = tmp_path / "out.jsonl"
    out.write_text("as it was")
    result = run("convert", "locomo", sources(tmp_path)["locomo"], "--out", out)
    assert result.exit_code == 2
    assert "No space left" in result.stderr
    assert out.read_text() == "as it was"
    assert not list(tmp_path.glob(".*"))


def test_schemas_are_written_and_checked(tmp_path: Path) -> None:
    assert run("schemas", "--out", tmp_path, "--check").exit_code == 1
    assert "recall.schema.json: written" in run("schemas", "--out", tmp_path).output
    assert "up to date" in run("schemas", "--out", tmp_path).output
    assert run("schemas", "--out", tmp_path, "--check").exit_code == 0
    (tmp_path / "file").touch()
    assert run("schemas", "--out", tmp_path / "file" / "x").exit_code == 2


def test_what_a_file_looks_like_knows_every_set() -> None:
    assert set(TITLES) == set(UPSTREAMS)
    assert guess(b"Dear all,\nhow are you?\n") is None
