"""Spark's own servers on this machine, for tests: a standalone cluster and a Spark Connect server. They end surely."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from planviz.spark.java import find_java
from tests.lanes import JVM

#: Seconds that a server may take to start.
START = 240
_CONNECT = "org.apache.spark.sql.connect.service.SparkConnectServer"


def free_port() -> int:
    """A port that nothing listens at."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def cluster(workers: int = 2) -> Iterator[str]:
    """A master with workers of one core each, on the loopback; its URL."""
    with ExitStack() as servers:
        folder = Path(servers.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        port = free_port()
        url = f"spark://127.0.0.1:{port}"
        common = ["--host", "127.0.0.1", "--webui-port", "0"]
        deploy = "org.apache.spark.deploy"
        master = [f"{deploy}.master.Master", *common, "--port", str(port)]
        servers.enter_context(_server("spark-class", master, folder / "master", "elected leader"))
        for number in range(workers):
            own = folder / f"worker-{number}"
            worker = [f"{deploy}.worker.Worker", *common, "--cores", "1", "--memory", "700m", "-d", str(own), url]
            servers.enter_context(_server("spark-class", worker, own, "Successfully registered"))
        yield url


@contextmanager
def connect_server(token: str | None = None) -> Iterator[tuple[str, int]]:
    """A Spark Connect server on the loopback; its URL and the id of its process group."""
    port = free_port()
    conf = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.ui.enabled": "false",
        "spark.sql.reflect.allowList": "^$",
        **({"spark.connect.authenticate.token": token} if token else {}),
    }
    options = [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
    arguments = ["--master", "local[1]", "--class", _CONNECT, *options, "spark-internal"]
    with ExitStack() as servers:
        folder = Path(servers.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        pid = servers.enter_context(_server("spark-submit", arguments, folder, "Spark Connect server started"))
        yield f"sc://localhost:{port}/;token={token}" if token else f"sc://localhost:{port}", pid


@contextmanager
def _server(program: str, arguments: list[str], folder: Path, ready: str) -> Iterator[int]:
    """A program of Spark's, started; back when its log says that it is ready."""
    import pyspark

    home = Path(pyspark.__file__).parent
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [home / "bin" / program, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            cwd=folder,
            env=_environment(home, folder, "200m" if program == "spark-class" else "700m"),
            start_new_session=True,
        )
    try:
        _wait(process, log, ready)
        yield process.pid
    finally:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)


def _environment(home: Path, folder: Path, memory: str) -> Mapping[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": os.environ.get("HOME", "/"),
        "JAVA_HOME": str(find_java().home),
        "SPARK_HOME": str(home),
        "SPARK_CONF_DIR": str(folder),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_HOSTNAME": "localhost",
        "SPARK_LOCAL_DIRS": str(folder),
        "SPARK_DAEMON_MEMORY": memory,
        "SPARK_DAEMON_JAVA_OPTS": JVM,
        "SPARK_SUBMIT_OPTS": JVM,
    }


def _wait(process: subprocess.Popen[bytes], log: Path, ready: str) -> None:
    give_up = time.monotonic() + START
    while time.monotonic() < give_up:
        text = log.read_text(encoding="utf-8", errors="replace")
        if ready in text:
            return
        if process.poll() is not None:
            break
        time.sleep(0.2)
    raise TimeoutError(f"a server of Spark did not start: {text[-2000:]}")
