"""What `recollect init` asks about facts in Neo4j, and what becomes of the answers."""

from __future__ import annotations

import getpass
import io
import sys

import pytest

from tests.contract.facts.test_neo4j import neo4j_server
from ui.cli.init_answers import Given, asked_for, values_of

ASKED = "Keep facts in Neo4j rather than in Postgres?"
REST = Given(channel="web", model="none", database_url="postgresql://x", chroma_url="http://x")


def answered(monkeypatch: pytest.MonkeyPatch, *lines: str, given: Given = REST) -> dict[str, str]:
    """Return the settings of who types these lines, secrets among them."""
    typed = io.StringIO("".join(f"{line}\n" for line in lines))
    monkeypatch.setattr(sys, "stdin", typed)
    monkeypatch.setattr(getpass, "getpass", lambda _: typed.readline().rstrip("\n"))
    values = values_of(asked_for(given))
    assert typed.read() == ""
    return {name: value for name, value in values.items() if "NEO4J" in name}


def test_facts_stay_in_postgres_where_nobody_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert answered(monkeypatch, "") == {}
    assert capsys.readouterr().err == f"{ASKED} y or n [n]: "


def test_what_does_not_answer_is_one_line_and_asked_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = ["bolt://127.0.0.1:9", "example.org", "bolt://127.0.0.1:port"]
    lines = [line for uri in bad for line in ("y", uri, "ann", "s3cret")]
    assert answered(monkeypatch, *lines, "n") == {}
    said = capsys.readouterr().err
    assert said.count(ASKED) == len(bad) + 1
    assert said.count("RECOLLECT_NEO4J_URI: cannot reach ") == len(bad)
    # What was typed before is offered again, but for the password.
    assert "Its address [bolt://127.0.0.1:9]: " in said
    assert "Its user [ann]: " in said
    assert "s3cret" not in said


@pytest.mark.neo4j
def test_a_server_that_lets_one_in_is_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    uri, user, password = neo4j_server()
    assert answered(monkeypatch, "y", uri, user, password or "any") == {
        "RECOLLECT_NEO4J_URI": uri,
        "RECOLLECT_NEO4J_USER": user or "neo4j",
        "RECOLLECT_NEO4J_PASSWORD": password or "any",
    }


def test_only_the_password_of_a_given_server_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    given = Given("web", "none", database_url="x", chroma_url="x", neo4j_uri="bolt://graph")
    assert answered(monkeypatch, "pw", given=given) == {
        "RECOLLECT_NEO4J_URI": "bolt://graph",
        "RECOLLECT_NEO4J_PASSWORD": "pw",
    }
