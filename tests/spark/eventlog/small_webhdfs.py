"""As much of a name node's web interface as a catalogue needs: files in memory, for one test."""

from __future__ import annotations

import json
from contextlib import contextmanager
from urllib.parse import parse_qs, unquote, urlsplit

from tests.spark.eventlog.small_server import StoreHandler, serving

_ROOT = "/webhdfs/v1"


class SmallHdfs:
    """`files` by path, and the `users` that asked."""

    def __init__(self):
        self.files = {}
        self.users = set()


@contextmanager
def serve():
    """A server, and its host and port."""
    store = SmallHdfs()
    with serving(_Handler, store) as place:
        yield store, place


class _Handler(StoreHandler):
    store: SmallHdfs

    def parse_request(self):
        if not super().parse_request():
            return False
        split = urlsplit(self.path)
        self.name = "/" + unquote(split.path).removeprefix(_ROOT).strip("/")
        self.query = {name.lower(): values[0] for name, values in parse_qs(split.query).items()}
        self.store.users.add(self.query.get("user.name", ""))
        return True

    def json(self, value, status=200):
        self.answer(status, json.dumps(value).encode(), Content_Type="application/json")

    def missing(self):
        text = f"File does not exist: {self.name}"
        self.json({"RemoteException": {"exception": "FileNotFoundException", "message": text}}, 404)

    def status(self, path):
        name = path.rsplit("/", 1)[-1]
        if path in self.store.files:
            return {"pathSuffix": name, "type": "FILE", "length": len(self.store.files[path]), "modificationTime": 1}
        if any(file.startswith(path.rstrip("/") + "/") for file in self.store.files):
            return {"pathSuffix": name, "type": "DIRECTORY", "length": 0, "modificationTime": 1}
        return None

    def do_GET(self):
        operation, found = self.query["op"].upper(), self.status(self.name)
        if found is None:
            self.missing()
        elif operation == "GETFILESTATUS":
            self.json({"FileStatus": found | {"pathSuffix": ""}})
        elif operation == "LISTSTATUS":
            folder = self.name.rstrip("/") + "/"
            below = {folder + file[len(folder) :].split("/")[0] for file in self.store.files if file.startswith(folder)}
            self.json({"FileStatuses": {"FileStatus": [self.status(path) for path in sorted(below)]}})
        else:
            begin = int(self.query.get("offset", 0))
            data = self.store.files[self.name][begin:]
            self.answer(200, data[: int(self.query.get("length", len(data)))])

    def do_PUT(self):
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        operation = self.query["op"].upper()
        if operation == "CREATE" and "noredirect" not in self.query and "data" not in self.query:
            place = f"http://{self.headers['Host']}{self.path}&data=true"
            self.answer(307, Location=place)
        elif operation == "CREATE":
            self.store.files[self.name] = data
            self.answer(201)
        elif operation == "RENAME":
            target = "/" + self.query["destination"].strip("/")
            for file in [f for f in self.store.files if f == self.name or f.startswith(self.name + "/")]:
                self.store.files[target + file[len(self.name) :]] = self.store.files.pop(file)
            self.json({"boolean": True})
        else:
            self.json({"boolean": True})

    def do_POST(self):
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if "data" in self.query:
            self.store.files[self.name] = self.store.files.get(self.name, b"") + data
            self.answer(200)
        else:
            self.answer(307, Location=f"http://{self.headers['Host']}{self.path}&data=true")

    def do_DELETE(self):
        gone = [file for file in self.store.files if file == self.name or file.startswith(self.name + "/")]
        for file in gone:
            del self.store.files[file]
        self.json({"boolean": bool(gone)})
