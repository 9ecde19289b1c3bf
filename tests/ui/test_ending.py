"""The server ends soon after it was told to, whatever is under way, and says what is lost."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

PROGRAM = """
import sys, threading
from planviz.__main__ import main
from planviz.ui import cache, ending

def never(*args):
    print("under way", flush=True)
    threading.Event().wait()

cache.open_document = never
ending.PATIENCE = 0.5
sys.exit(main())
"""


@pytest.mark.browser
def test_work_without_end_keeps_no_server_alive() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "serve", "--port", str(port)],
        cwd=Path(__file__).resolve().parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        while "URL" not in (line := server.stdout.readline()):
            assert line or server.poll() is None
        address = f"http://127.0.0.1:{port}/plan"
        asked = threading.Thread(target=lambda: _ask(address), daemon=True)
        asked.start()
        while "under way" not in (line := server.stdout.readline()):
            assert line or server.poll() is None
        server.send_signal(signal.SIGTERM)
        _, said = server.communicate(timeout=60)
    finally:
        server.kill()
    assert server.returncode == 128 + signal.SIGTERM
    assert "is lost" in said


def _ask(address: str) -> None:
    with contextlib.suppress(OSError):
        urllib.request.urlopen(address, data=b"SELECT 1", timeout=60).close()
