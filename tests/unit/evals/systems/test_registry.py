"""Which systems there are, and what is said about one that is not installed."""

import pytest

from evals.cli import main
from evals.errors import BadInputError
from evals.suite.registry import SUITES
from evals.systems.registry import PEERS, Peer, demand, installed, is_target
from tests.unit.evals.test_cli import CASES


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(PEERS, "mem0", Peer("x:X", ("no_mem0", "json"), ("mem0ai", "json")))
    return "mem0"


def test_an_absent_system_is_named_with_what_to_install(absent: str) -> None:
    ready, lacking = installed([absent, "chroma"])
    assert ready == ["chroma"]
    assert lacking == {absent: "mem0ai is not installed: pip install mem0ai"}
    with pytest.raises(BadInputError, match="--system mem0: mem0ai is not installed"):
        demand([absent])


def test_two_absent_packages_are_installed_at_once() -> None:
    peer = Peer("x:X", ("no_a", "no_b"), ("a", "b"))
    assert peer.lacks() == "a and b are not installed: pip install a b"
    assert peer.versions() == "a of unknown version, b of unknown version"


def test_an_installed_system_lacks_nothing_and_tells_its_version() -> None:
    assert PEERS["chroma"].lacks() is None
    assert PEERS["chroma"].versions().startswith("chromadb 1.")


@pytest.mark.parametrize("suite", ["peers", "recall"])
def test_asking_for_an_absent_system_ends_with_2(
    suite: str, absent: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([suite, "--cases", str(CASES), "--system", absent]) == 2
    assert "pip install mem0ai" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["a:B", "a.b:C", "a:B.C"])
def test_a_class_of_a_module_is_a_system(name: str) -> None:
    assert is_target(name)
    assert SUITES["peers"].takes(name)
    assert SUITES["recall"].takes(name)
    assert not SUITES["latency"].takes(name)


@pytest.mark.parametrize("name", ["a", "a:", ":B", "a:b:c", "a b:C", "./a.py:C", ""])
def test_anything_else_is_not(name: str) -> None:
    assert not is_target(name)


def test_an_unknown_system_is_answered_with_the_known_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["peers", "--cases", str(CASES), "--system", "magic"]) == 2
    said = capsys.readouterr().err
    assert all(name in said for name in ("recollect", *PEERS, "module:Class"))
