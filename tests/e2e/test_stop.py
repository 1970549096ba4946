"""Stopping and failing to start, as a user sees them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from scripts.processes import ROOT
from tests.drivers.serving import HMAC_KEY, Serving
from tests.fakes.openai_server import OpenAIServer, Slow
from tests.fakes.waha_gateway import WahaGateway
from tests.stores import store_environment


def test_a_stop_lets_the_running_turn_finish_and_ends_with_status_0(tmp_path: Path) -> None:
    with WahaGateway(hmac_key=HMAC_KEY) as gateway, OpenAIServer() as model:
        model.script(Slow("Here I am.", 2.0))
        settings = {"RECOLLECT_MODEL": "fake", "OPENAI_BASE_URL": f"{model.url}/v1"}
        with Serving(
            store_environment(tmp_path, is_first_start=True), gateway.url, settings
        ) as server:
            gateway.webhook_url = server.webhook_url
            gateway.deliver("Hello there", "4911@c.us")
            deadline = time.monotonic() + 10
            while not model.calls and time.monotonic() < deadline:
                time.sleep(0.02)
            assert gateway.sent == []
            assert server.stop() == 0
            assert [sent.text for sent in gateway.sent] == ["Here I am."]


def test_a_store_that_is_down_at_start_is_one_line_with_setting_and_address() -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RECOLLECT_")} | {
        "PYTHONPATH": str(ROOT),
        "RECOLLECT_DATABASE_URL": "postgresql://someone:hush@127.0.0.1:9/none",
        "RECOLLECT_CHROMA_URL": "http://127.0.0.1:9",
    }
    command = [sys.executable, "-m", "server", "--port", "0"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    (line,) = done.stderr.strip().splitlines()
    assert "RECOLLECT_DATABASE_URL" in line
    assert "127.0.0.1:9" in line
    assert "hush" not in done.stderr + done.stdout


def test_control_c_stops_an_idle_server_with_status_0(tmp_path: Path) -> None:
    server = Serving(store_environment(tmp_path), "http://127.0.0.1:9")
    server.start()
    assert server.process is not None
    server.process.send_signal(signal.SIGINT)
    assert server.process.wait(20) == 0
    server.process = None
