"""What is logged of a request that broke holds nothing of what was read."""

from __future__ import annotations

import asyncio
import os
import signal
import socket

import httpx
import pytest
from fastapi import FastAPI

from server.listening import listen

pytestmark = pytest.mark.anyio


async def test_what_an_unforeseen_error_says_is_in_no_log(
    capfd: pytest.CaptureFixture[str],
) -> None:
    app = FastAPI()

    @app.get("/breaks")
    async def breaks() -> None:
        raise ValueError("the secret words")

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    serving = asyncio.create_task(listen(app, "127.0.0.1", port, lambda: None))
    try:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as http:
            async with asyncio.timeout(10):
                while True:
                    try:
                        answer = await http.get("/breaks")
                        break
                    except httpx.ConnectError:
                        await asyncio.sleep(0.05)
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.wait_for(serving, 10)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    assert answer.status_code == 500
    logged = capfd.readouterr().err
    assert "Exception in ASGI application: ValueError at tests." in logged
    assert "secret" not in logged
