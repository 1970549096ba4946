"""The API speaks for one tenant, and pages what waits and what failed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.integration.server.conftest import Start
from tests.integration.server.running import Running
from tests.integration.server.sending import reply

pytestmark = pytest.mark.anyio

ACME = "acme"


async def _of(app: Running, tenant: str, *chats: str) -> None:
    """Let a tenant have a reply to each chat, and a failed turn."""
    stores = app.service.agent.stores
    theirs = replace(stores, settings=stores.settings.model_copy(update={"tenant": tenant}))
    for chat in chats:
        await reply(theirs, "sales", chat)
    (turn, *_) = await stores.memory.turns.in_state(tenant, "done")
    await app.rows("update turns set state = 'failed' where turn_id = %s returning 1", turn.turn_id)


async def test_nothing_of_another_tenant_is_told(start: Start) -> None:
    async with start(with_worker=False, RECOLLECT_TENANTS=f"waha/sales={ACME}") as app:
        assert ACME in app.service.settings.served_tenants
        await _of(app, ACME, "4911@c.us")
        for path in ("deliveries", "deliveries?status=queued", "turns", "receipts", "contacts"):
            answer = await app.http.get(f"/{path}")
            assert answer.json()[path.partition("?")[0]] == [], path
        (filed,) = await app.rows("select turn_id from turns")
        assert (await app.http.get(f"/receipts/{filed['turn_id']}")).status_code == 404
        assert (await app.http.delete("/contacts/waha:4911@c.us")).status_code == 404


async def test_what_is_not_sent_is_paged_and_so_are_turns(start: Start) -> None:
    async with start(with_worker=False) as app:
        tenant = app.service.settings.tenant
        await _of(app, tenant, *(f"491{n}@c.us" for n in range(5)))
        first = (await app.http.get("/deliveries", params={"limit": 3})).json()
        assert [each["chat_id"] for each in first["deliveries"]] == [
            f"491{n}@c.us" for n in range(3)
        ]
        assert {each["status"] for each in first["deliveries"]} == {"queued"}
        rest = (await app.http.get("/deliveries", params={"after": first["next_after"]})).json()
        assert [each["chat_id"] for each in rest["deliveries"]] == ["4913@c.us", "4914@c.us"]
        assert rest["next_after"] is None
        unknown = (await app.http.get("/deliveries?status=unknown")).json()
        assert unknown == {"deliveries": [], "next_after": None}
        assert len((await app.http.get("/turns")).json()["turns"]) == 1
        seen: list[str] = []
        page = (await app.http.get("/turns?state=done&limit=3")).json()
        while page["next_after"]:
            seen += [each["turn_id"] for each in page["turns"]]
            after = {"state": "done", "limit": 3, "after": page["next_after"]}
            page = (await app.http.get("/turns", params=after)).json()
        seen += [each["turn_id"] for each in page["turns"]]
        assert len(seen) == len(set(seen)) == 4


async def test_health_answers_a_probe_by_head(start: Start) -> None:
    async with start(with_worker=False) as app:
        answer = await app.http.head("/health")
        assert (answer.status_code, answer.content) == (200, b"")
