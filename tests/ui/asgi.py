"""A request put to an ASGI application, without a server."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def answered(app: Any, scope: dict[str, Any], body: bytes = b"") -> list[dict[str, Any]]:
    """The messages that an application answers with.

    They come from a thread of its own: the browser tests leave an event loop running in this one.
    """
    told: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        told.append(message)

    async def answer() -> None:
        await app(scope, receive, send)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, answer()).result()
    return told
