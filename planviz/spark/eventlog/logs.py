"""Which event logs there are under a path: one file each, or a folder of rolling parts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from planviz.errors import InputError

if TYPE_CHECKING:
    from pyarrow import fs

_PART = re.compile(r"events_(\d+)_")
_STATUS = "appstatus_"
_IN_PROGRESS = ".inprogress"
_COMPACT = ".compact"
_HADOOP_S3 = re.compile("^s3[an]://")
#: How names of variables begin that file systems far away look at.
_VARIABLES = {
    "s3": ("AWS_",),
    "gs": ("GOOGLE_APPLICATION_CREDENTIALS",),
    "gcs": ("GOOGLE_APPLICATION_CREDENTIALS",),
    "abfs": ("AZURE_",),
    "abfss": ("AZURE_",),
    "webhdfs": ("HADOOP_USER_NAME",),
    "swebhdfs": ("HADOOP_USER_NAME",),
    "hdfs": ("HADOOP_", "CLASSPATH", "ARROW_LIBHDFS_DIR", "LD_LIBRARY_PATH"),
}
_S3_CONF = {
    "spark.hadoop.fs.s3a.access.key": "AWS_ACCESS_KEY_ID",
    "spark.hadoop.fs.s3a.secret.key": "AWS_SECRET_ACCESS_KEY",
    "spark.hadoop.fs.s3a.session.token": "AWS_SESSION_TOKEN",
    "spark.hadoop.fs.s3a.endpoint.region": "AWS_DEFAULT_REGION",
    "spark.hadoop.fs.s3a.endpoint": "AWS_ENDPOINT_URL",
}
_WITHOUT_HADOOP = (
    " hdfs:// needs Hadoop on this machine (HADOOP_HOME, libhdfs and JAVA_HOME); webhdfs://HOST:9870/... needs only "
    "the name node's web address."
)
#: What lies beside logs and is none.
_HIDDEN = (".", "_")


@dataclass(frozen=True)
class Log:
    """A log: the path it is known by, its files in order, their bytes together, and whether its application runs on.

    `fault` says why it cannot be read at all, "" when it can.
    """

    path: str
    files: tuple[str, ...]
    size: int
    in_progress: bool = False
    fault: str = ""

    @property
    def name(self) -> str:
        """What it is known by: its path, which loses `.inprogress` when its application ends."""
        return self.path.removesuffix(_IN_PROGRESS)


def find_logs(paths: list[str]) -> list[Log]:
    """All logs under the paths: local ones, webhdfs://, or URIs that pyarrow knows (hdfs://, s3://, gs://, file://).

    Raises InputError for a path that does not exist or cannot be reached.
    """
    found: dict[str, Log] = {}
    for path in paths:
        for log in _logs_of(path):
            # A log that is about to lose its `.inprogress` may be there under both names.
            if log.name not in found or not log.in_progress:
                found[log.name] = log
    return list(found.values())


def _logs_of(path: str) -> Iterator[Log]:
    from pyarrow import fs

    files, inner = filesystem(path)
    try:
        info = files.get_file_info(inner)
        if info.type == fs.FileType.NotFound:
            raise InputError(f"{path}: there is no such file or folder. Name an event log or a folder of them.")
        if info.type == fs.FileType.File:
            yield Log(path, (path,), info.size, info.path.endswith(_IN_PROGRESS))
            return
        prefix = path[: len(path) - len(inner)] if "://" in path else ""
        found = False
        for log in _folder(files, inner.rstrip("/"), prefix):
            found = True
            yield log
        if not found:
            yield Log(path, (), 0, fault="there is no event log in this folder")
    except OSError as error:
        raise InputError(f"{path}: cannot be listed ({error}).") from None


def filesystem(path: str) -> tuple[fs.FileSystem, str]:
    """The file system of a path or URI, and the path in it. Raises InputError for a URI that is not known."""
    import pyarrow
    from pyarrow import fs

    if "://" not in path:
        return fs.LocalFileSystem(), str(Path(path).absolute())
    if path.startswith(("webhdfs://", "swebhdfs://")):
        return _web(path)
    try:
        made: tuple[fs.FileSystem, str] = fs.FileSystem.from_uri(_HADOOP_S3.sub("s3://", path))
    except (pyarrow.ArrowInvalid, OSError) as error:
        why = str(error).splitlines()[0]
        more = _WITHOUT_HADOOP if path.startswith("hdfs://") else ""
        raise InputError(f"{path}: cannot be reached ({why}).{more}") from None
    return made


def _web(path: str) -> tuple[object, str]:
    """HDFS over HTTP, which needs nothing of Hadoop on this machine; the user is that of HADOOP_USER_NAME."""
    from fsspec.implementations.webhdfs import WebHDFS
    from pyarrow import fs

    found = urlsplit(path)
    secure = found.scheme == "swebhdfs"
    if not found.hostname:
        raise InputError(f"{path}: names no host. Write webhdfs://HOST:9870/folder.")
    files = WebHDFS(
        found.hostname,
        found.port or (9871 if secure else 9870),
        user=os.environ.get("HADOOP_USER_NAME"),
        use_https=secure,
        skip_instance_cache=True,
        use_listings_cache=False,
    )
    return fs.PyFileSystem(fs.FSSpecHandler(files)), unquote(found.path) or "/"


def environment_for(paths: list[str], environment: Mapping[str, str], conf: Mapping[str, str]) -> dict[str, str]:
    """The variables that file systems of these paths take keys and addresses from: of an environment, and of Spark's
    settings for S3. Empty for paths of this machine; Spark's process is given nothing else."""
    schemes = {_HADOOP_S3.sub("s3://", path).split("://")[0] for path in paths if "://" in path}
    names = tuple(name for scheme in schemes for name in _VARIABLES.get(scheme, ()))
    found = {name: value for name, value in environment.items() if names and name.startswith(names)}
    if "s3" in schemes:
        found |= {name: conf[key] for key, name in _S3_CONF.items() if key in conf}
    return found


def part_name(file: str) -> str:
    """The name of a log's file, which stays when its application ends."""
    return file.rsplit("/", 1)[-1].removesuffix(_IN_PROGRESS)


def _folder(files: fs.FileSystem, folder: str, prefix: str) -> Iterator[Log]:
    from pyarrow import fs

    entries = [
        entry
        for entry in sorted(files.get_file_info(fs.FileSelector(folder)), key=lambda entry: entry.path)
        if not entry.base_name.startswith(_HIDDEN)
    ]
    parts = [e for e in entries if e.type == fs.FileType.File and _PART.match(e.base_name)]
    if parts:
        running = any(e.base_name.startswith(_STATUS) and e.base_name.endswith(_IN_PROGRESS) for e in entries)
        yield _rolling(prefix + folder, parts, prefix, running)
        return
    for entry in entries:
        if entry.type == fs.FileType.Directory:
            yield from _folder(files, entry.path, prefix)
        elif not entry.base_name.startswith(_STATUS):
            path = prefix + entry.path
            yield Log(path, (path,), entry.size, entry.base_name.endswith(_IN_PROGRESS))


def _rolling(path: str, parts: list[fs.FileInfo], prefix: str, in_progress: bool) -> Log:
    """The parts by number; a compacted part stands for all up to its own number."""

    def number(part: fs.FileInfo) -> int:
        match = _PART.match(part.base_name)
        return int(match[1]) if match else 0

    ordered = sorted(parts, key=lambda part: (number(part), part.base_name.endswith(_COMPACT)))
    compacted = [at for at, part in enumerate(ordered) if part.base_name.endswith(_COMPACT)]
    kept = ordered[compacted[-1] :] if compacted else ordered
    first = number(kept[0])
    gaps = [n for n, part in enumerate(kept, first) if number(part) != n]
    fault = f"its part {gaps[0]} is missing" if gaps or (first > 1 and not compacted) else ""
    if fault and not gaps:
        fault = f"its parts before {first} are missing"
    return Log(path, tuple(prefix + p.path for p in kept), sum(p.size for p in kept), in_progress, fault)
