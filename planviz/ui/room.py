"""What requests bring is held in memory while it arrives and is worked on: together no more than there is room for.

Anybody may begin to send a hundred texts of the largest size and finish none. A small body always has room.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Bytes that all bodies under way may have together: two of the largest that the box takes.
ROOM = 400_000_000
#: Bytes of a body that always has room.
SMALL = 1_000_000
#: Seconds that a body may take to arrive, and bytes for each of which a second more is given.
PATIENCE, SLOWEST = 30.0, 50_000
#: Seconds that any look at what has arrived may take.
_LEAST = 0.05


class _Refused(Exception):
    """A body is not waited for any longer: `status` and what is said."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Room:
    """The ASGI middleware that counts the bytes of all bodies from their arrival to the answer.

    What finds no room is answered with 503, what does not arrive with 408.
    """

    def __init__(self, app: ASGIApp) -> None:
        """`app` is what stands behind."""
        self.app = app
        self.bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through, or answer in the place of what stands behind."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, mine, arrived, answered = 0.0, 0, False, False

        async def counted() -> Message:
            nonlocal begun, mine, arrived
            if arrived:  # what comes now is that whoever asked has gone
                return await receive()
            # From the first look on: a server that is busy may look late, and finds then what has long been there.
            begun = begun or time.monotonic()
            left = begun + PATIENCE + mine / SLOWEST - time.monotonic()
            try:
                message = await asyncio.wait_for(receive(), max(left, _LEAST))
            except TimeoutError:
                if answered:
                    return {"type": "http.disconnect"}
                raise _Refused(408, "The request did not arrive in time. Send it again.") from None
            size = len(message.get("body", b""))
            mine += size
            self.bytes += size
            arrived = not message.get("more_body", False)
            if mine > SMALL and self.bytes > ROOM and not answered:
                raise _Refused(503, "The server holds as many large texts as it can. Try again in a moment.")
            return message

        async def noted(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            await self.app(scope, counted, noted)
        except _Refused as refused:
            answer = JSONResponse({"message": str(refused), "line": None}, refused.status, {"Connection": "close"})
            await answer(scope, receive, send)
        finally:
            self.bytes -= mine
