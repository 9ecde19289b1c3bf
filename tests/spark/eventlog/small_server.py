"""A store behind HTTP on this machine, for one test: what the small S3 and the small HDFS share."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class StoreHandler(BaseHTTPRequestHandler):
    """Base of a protocol: silent, and an answer in one call. `store` is shared by the requests of one server."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Say nothing."""

    def answer(self, status=200, body=b"", **headers):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@contextmanager
def serving(handler, store):
    """host:port of a server whose handlers see `store`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (handler,), {"store": store}))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
