"""What bodies under way may hold together, and how long they may take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from planviz.ui import room
from planviz.ui.room import Room

POST: Scope = {"type": "http", "method": "POST", "path": "/plan", "headers": []}


async def reads_all(scope: Scope, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"read"})


def sender(*parts: bytes, then: Callable[[], Coroutine[Any, Any, None]] | None = None) -> Receive:
    """A body in parts, the last of which never comes where `then` waits."""
    left = list(parts)

    async def receive() -> Message:
        if not left and then is not None:
            await then()
        more = bool(left[1:]) or then is not None
        return {"type": "http.request", "body": left.pop(0) if left else b"", "more_body": more}

    return receive


def _ran(asked: Coroutine[Any, Any, Any]) -> Any:
    """In a thread of its own: the browser tests leave an event loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, asked).result()


async def status(of: Room, receive: Receive) -> int:
    told: list[Message] = []

    async def send(message: Message) -> None:
        told.append(message)

    await of(POST, receive, send)
    return int(told[0]["status"])


def test_large_bodies_have_room_for_so_many_bytes_and_small_ones_always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "ROOM", 3_000)
    monkeypatch.setattr(room, "SMALL", 100)

    async def asked() -> tuple[Any, ...]:
        under = Room(reads_all)
        finished = asyncio.Event()

        async def unfinished() -> None:
            await finished.wait()

        half = [asyncio.ensure_future(status(under, sender(b"x" * 1_400, then=unfinished))) for _ in range(2)]
        for _ in range(20):
            await asyncio.sleep(0)
        held = under.bytes
        large, small = await status(under, sender(b"x" * 500)), await status(under, sender(b"x" * 90))
        for each in half:
            each.cancel()
        await asyncio.gather(*half, return_exceptions=True)
        return held, large, small, under.bytes, await status(under, sender(b"x" * 500))

    assert _ran(asked()) == (2_800, 503, 200, 0, 200)


def test_a_body_that_does_not_arrive_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "PATIENCE", 0.01)

    async def asked() -> tuple[int, int]:
        under = Room(reads_all)

        async def never() -> None:
            await asyncio.Event().wait()

        return await status(under, sender(b"half", then=never)), under.bytes

    assert _ran(asked()) == (408, 0)


def test_the_wait_for_who_asked_to_leave_has_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """`Request.is_disconnected` receives once more after the body: that is no body that is late."""

    monkeypatch.setattr(room, "PATIENCE", 0.01)

    async def leaves(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(receive(), 0.05)
        await reads_all(scope, sender(b""), send)

    async def asked() -> int:
        async def never() -> None:
            await asyncio.Event().wait()

        first = [{"type": "http.request", "body": b"all", "more_body": False}]

        async def receive() -> Message:
            if not first:
                await never()
            return first.pop()

        return await status(Room(leaves), receive)

    assert _ran(asked()) == 200


def test_what_is_there_is_read_however_late_the_server_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that had no time for half a minute told requests without a body that they had not arrived."""
    monkeypatch.setattr(room, "PATIENCE", 0.01)

    async def late(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(0.05)
        await reads_all(scope, receive, send)

    assert _ran(status(Room(late), sender(b"all"))) == 200


def test_an_answer_that_has_begun_is_not_answered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is sent while somebody waits for the end of the connection: nothing is to be said of that."""
    monkeypatch.setattr(room, "PATIENCE", 0.01)
    told: list[Message] = []

    async def sends(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        told.append(await receive())
        await send({"type": "http.response.body", "body": b"file"})

    async def asked() -> None:
        async def receive() -> Message:
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: Message) -> None:
            told.append(message)

        await Room(sends)(POST, receive, send)

    _ran(asked())
    assert [message["type"] for message in told] == ["http.response.start", "http.disconnect", "http.response.body"]
