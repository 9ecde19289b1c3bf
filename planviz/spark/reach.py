"""Whether a Spark Connect server answers, before a client is made: the client itself would try for minutes."""

from __future__ import annotations

import re
import socket
import ssl
import time
from urllib.parse import urlsplit

from planviz.errors import SparkUnreachable
from planviz.spark.secrets import without_secrets

PORT = 15002
#: A client's greeting in HTTP/2 (RFC 9113, 3.4): the preface and an empty SETTINGS frame.
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
_SETTINGS = 4


def is_connect(master: str) -> bool:
    """Whether an address is one of Spark Connect (`sc://host:port/;options`)."""
    return master.startswith("sc://")


def is_loopback(master: str) -> bool:
    """Whether everything of a Spark runs on this machine, so that nothing has to be reached from elsewhere."""
    if master.startswith("local"):
        return True
    return re.match(r"spark://(localhost|127\.[\d.]+|\[::1\])(:\d+)?$", master) is not None


def address(master: str) -> str:
    """Host and port of a Spark Connect address, to be shown; empty for any other master."""
    return "{}:{}".format(*_parts(master)[:2]) if is_connect(master) else ""


def check(url: str, seconds: float = 4.0) -> None:
    """Return when a server that speaks HTTP/2, as Spark Connect does, answers at `sc://host:port`.

    Takes at most `seconds`, beside the look-up of the name. Raises SparkUnreachable with what is wrong: no such host,
    nothing listens, it does not answer, it is something else.
    """
    host, port, secure = _parts(url)
    where, give_up = f"{host}:{port}", time.monotonic() + seconds
    try:
        with socket.create_connection((host, port), seconds) as plain:
            plain.settimeout(_left(give_up))
            if secure:
                context = ssl.create_default_context()
                context.set_alpn_protocols(["h2"])
                with context.wrap_socket(plain, server_hostname=host):
                    return
            plain.sendall(_GREETING)
            answer = _first(plain, 9, give_up)
    except socket.gaierror:
        raise SparkUnreachable(
            f"There is no host {host}. The address is sc://host:port, such as sc://localhost:{PORT}."
        ) from None
    except TimeoutError:
        raise SparkUnreachable(
            f"{where} does not answer within {seconds:g} s. Is the Spark Connect server up?"
        ) from None
    except ssl.SSLError as error:
        why = getattr(error, "verify_message", "") or error.reason or "no TLS is spoken there"
        raise SparkUnreachable(
            f"{where} gives no safe connection ({why}). Is it use_ssl=true there, and its certificate known here?"
        ) from None
    except OSError as error:
        raise SparkUnreachable(
            f"Nothing answers at {where} ({error.strerror or error}). Start the server with start-connect-server.sh, "
            "or correct the address."
        ) from None
    if len(answer) < 9 or answer[3] != _SETTINGS:
        raise SparkUnreachable(f"What listens at {where} is no Spark Connect server: it does not speak HTTP/2.")


def _parts(url: str) -> tuple[str, int, bool]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or PORT
    except ValueError:
        host, port = None, 0
    if not host:
        raise SparkUnreachable(f"{without_secrets(url)} is no address of Spark Connect: write sc://host:port.")
    options = url.lower()
    # A client that has a token talks in secret, and in plain text only to its own machine.
    return host, port, "use_ssl=true" in options or ("token=" in options and host != "localhost")


def _first(connection: socket.socket, size: int, give_up: float) -> bytes:
    """The first bytes of what comes, fewer when the other side ends."""
    found = b""
    while len(found) < size and (more := connection.recv(size - len(found))):
        found += more
        connection.settimeout(_left(give_up))
    return found


def _left(give_up: float) -> float:
    return max(give_up - time.monotonic(), 0.01)
