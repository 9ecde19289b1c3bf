"""As much of an S3 server as a catalogue needs: objects in memory, for one test."""

from __future__ import annotations

import io
from contextlib import contextmanager
from urllib.parse import parse_qs, unquote, urlsplit
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from tests.spark.eventlog.small_server import StoreHandler, serving

_MOMENT = "2026-11-22T02:00:00.000Z"


class SmallS3:
    """`objects` by bucket/key, and the `keys` that requests were signed with."""

    def __init__(self):
        self.objects = {}
        self.keys = set()
        self.uploads = {}


@contextmanager
def serve():
    """A server, and its address."""
    store = SmallS3()
    with serving(_Handler, store) as place:
        yield store, f"http://{place}"


class _Handler(StoreHandler):
    store: SmallS3

    def parse_request(self):
        if not super().parse_request():
            return False
        split = urlsplit(self.path)
        self.name = unquote(split.path).strip("/")
        self.query = {name: values[0] for name, values in parse_qs(split.query, keep_blank_values=True).items()}
        signed = self.headers.get("Authorization", "")
        self.store.keys.add(signed.partition("Credential=")[2].partition("/")[0])
        return True

    def xml(self, text):
        self.answer(200, f'<?xml version="1.0" encoding="UTF-8"?>{text}'.encode(), Content_Type="application/xml")

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        else:
            data = self._chunks(self.rfile)
        if "x-amz-decoded-content-length" in self.headers:
            data = self._chunks(io.BytesIO(data))
        return data

    def _chunks(self, stream):
        data = b""
        while size := int(stream.readline().split(b";")[0], 16):
            data += stream.read(size)
            stream.readline()
        while stream.readline().strip():
            pass
        return data

    def do_HEAD(self):
        found = self.store.objects.get(self.name)
        if "/" in self.name and found is None:
            self.answer(404)
        elif found is None:
            self.answer(200)
        else:
            self.answer(200, found, Last_Modified="Sun, 22 Nov 2026 02:00:00 GMT", ETag='"1"')

    def do_GET(self):
        if "list-type" in self.query or "/" not in self.name:
            self.list()
            return
        found = self.store.objects.get(self.name)
        if found is None:
            self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
            return
        begin, end = 0, len(found)
        if wanted := self.headers.get("Range"):
            first, _, last = wanted.removeprefix("bytes=").partition("-")
            begin, end = int(first), min(int(last) + 1 if last else end, end)
            place = f"bytes {begin}-{end - 1}/{len(found)}"
            self.answer(206, found[begin:end], Content_Range=place, ETag='"1"')
        else:
            self.answer(200, found, ETag='"1"')

    def list(self):
        bucket, prefix, mark = self.name, self.query.get("prefix", ""), self.query.get("delimiter", "")
        files, folders = [], set()
        for name, data in sorted(self.store.objects.items()):
            of, _, key = name.partition("/")
            if of != bucket or not key.startswith(prefix):
                continue
            rest = key[len(prefix) :]
            if mark and mark in rest:
                folders.add(prefix + rest.split(mark)[0] + mark)
            else:
                files.append((key, len(data)))
        entries = "".join(
            f"<Contents><Key>{escape(key)}</Key><Size>{size}</Size><LastModified>{_MOMENT}</LastModified></Contents>"
            for key, size in files
        )
        entries += "".join(
            f"<CommonPrefixes><Prefix>{escape(folder)}</Prefix></CommonPrefixes>" for folder in sorted(folders)
        )
        count = f"<KeyCount>{len(files) + len(folders)}</KeyCount><IsTruncated>false</IsTruncated>"
        self.xml(f"<ListBucketResult><Name>{bucket}</Name>{count}{entries}</ListBucketResult>")

    def do_PUT(self):
        data = self.body()
        if source := self.headers.get("x-amz-copy-source"):
            self.store.objects[self.name] = self.store.objects[unquote(source).strip("/")]
            self.xml(f"<CopyObjectResult><LastModified>{_MOMENT}</LastModified><ETag>1</ETag></CopyObjectResult>")
        elif "partNumber" in self.query:
            self.store.uploads[self.query["uploadId"]][int(self.query["partNumber"])] = data
            self.answer(200, ETag='"1"')
        else:
            if "/" in self.name:
                self.store.objects[self.name + ("/" if self.path.split("?")[0].endswith("/") else "")] = data
            self.answer(200, ETag='"1"')

    def do_POST(self):
        data = self.body()
        if "uploads" in self.query:
            number = str(len(self.store.uploads) + 1)
            self.store.uploads[number] = {}
            self.xml(f"<InitiateMultipartUploadResult><UploadId>{number}</UploadId></InitiateMultipartUploadResult>")
        elif "uploadId" in self.query:
            parts = self.store.uploads.pop(self.query["uploadId"])
            self.store.objects[self.name] = b"".join(part for _, part in sorted(parts.items()))
            self.xml("<CompleteMultipartUploadResult><ETag>1</ETag></CompleteMultipartUploadResult>")
        else:
            for key in ElementTree.fromstring(data).iter():
                if key.tag.endswith("Key"):
                    self.store.objects.pop(f"{self.name}/{key.text}", None)
            self.xml("<DeleteResult></DeleteResult>")

    def do_DELETE(self):
        self.store.objects.pop(self.name, None)
        self.store.objects.pop(f"{self.name}/", None)
        self.answer(204)
