"""Every statement about facts goes by its tenant."""

from __future__ import annotations

import re

import pytest

from memory.neo4j import statements
from memory.postgres import facts

_SQL = {
    name: text
    for name, text in vars(facts).items()
    if isinstance(text, str) and re.match(r"\s*(select|insert|update|delete)\b", text)
}
_CYPHER = {
    name: text
    for name, text in vars(statements).items()
    if isinstance(text, str) and re.match(r"\s*(MATCH|UNWIND)\b", text)
}


@pytest.mark.parametrize("name", _SQL)
def test_sql_names_the_tenant(name: str) -> None:
    assert re.search(r"tenant = %|%\(tenant\)s|'facts' \|\| chr\(31\) \|\| %s", _SQL[name])


@pytest.mark.parametrize("name", _CYPHER)
def test_cypher_names_the_tenant_or_starts_at_its_contact(name: str) -> None:
    assert re.search(r"\btenant: \$tenant\b|\bcontact_key: (\$|item)", _CYPHER[name])
    assert len(_SQL) + len(_CYPHER) > 15
