"""Small event logs made for tests: the events of Spark that a catalogue of executions takes from."""

from __future__ import annotations

import json
import struct

import pyarrow

SQL = "org.apache.spark.sql.execution.ui.SparkListener"
BEGAN = 1_790_000_000_000


def scan(name="Scan parquet ", id=1):
    metrics = [{"name": "number of output rows", "accumulatorId": id, "metricType": "sum"}]
    return {"nodeName": name, "simpleString": f"{name}t", "children": [], "metadata": {}, "metrics": metrics}


def plan(*children, name="Filter", id=9):
    made = scan(name, id)
    return {**made, "children": list(children)}


def event(name, **fields):
    return json.dumps({"Event": name, **fields}, separators=(",", ":"))


def head():
    return [
        event("SparkListenerLogStart", **{"Spark Version": "4.3.0"}),
        event(
            "SparkListenerApplicationStart", **{"App Name": "reports", "App ID": "app-1", "Timestamp": 1, "User": "u"}
        ),
        event("SparkListenerTaskEnd", **{"Stage ID": 0}),
    ]


def execution(number=0, shape=None, rows=42, error="", job=None):
    """The events of one execution: start, a job of one stage with its sums, end."""
    job = number if job is None else job
    shape = shape or plan(scan(id=number * 10 + 1), id=number * 10 + 2)
    result = "JobFailed" if error else "JobSucceeded"
    sums = [
        {"ID": number * 10 + 2, "Name": "number of output rows", "Value": str(rows), "Metadata": "sql"},
        {"ID": number * 10 + 1, "Name": "number of output rows", "Value": "100", "Metadata": "sql"},
        {"ID": 7001, "Name": "internal.metrics.shuffle.read.localBytesRead", "Value": 30},
        {"ID": 7002, "Name": "internal.metrics.shuffle.read.remoteBytesRead", "Value": 12},
        {"ID": 7003, "Name": "internal.metrics.diskBytesSpilled", "Value": 5},
    ]
    return [
        event(f"{SQL}SQLExecutionStart", executionId=number, rootExecutionId=number, description=f"query {number}",
              physicalPlanDescription="", sparkPlanInfo=shape, time=BEGAN + number * 1000, queryId=f"q-{number}"),
        event("SparkListenerJobStart", **{"Job ID": job, "Stage Infos": [], "Stage IDs": [job],
              "Properties": {"spark.sql.execution.id": str(number)}}),
        event("SparkListenerStageCompleted", **{"Stage Info": {"Stage ID": job, "Stage Attempt ID": 0,
              "Number of Tasks": 8, "Accumulables": sums}}),
        event("SparkListenerJobEnd", **{"Job ID": job, "Job Result": {"Result": result}}),
        event(f"{SQL}SQLExecutionEnd", executionId=number, time=BEGAN + number * 1000 + 250, errorMessage=error),
    ]  # fmt: skip


def text(*executions, first=0):
    """A whole log; `executions` are lists of events, or a number of plain ones."""
    if len(executions) == 1 and isinstance(executions[0], int):
        executions = [execution(first + number) for number in range(executions[0])]
    return "".join(f"{line}\n" for line in [*head(), *(line for made in executions for line in made)])


def packed(data, codec):
    """The bytes as Spark's codecs write them."""
    if codec in ("zstd", "gzip"):
        sink = pyarrow.BufferOutputStream()
        with pyarrow.CompressedOutputStream(sink, codec) as stream:
            for at in range(0, len(data), 5000):
                stream.write(data[at : at + 5000])
                stream.flush()
        return sink.getvalue().to_pybytes()
    blocks = [data[at : at + 5000] for at in range(0, len(data), 5000)]
    if codec == "lz4":
        made = [pyarrow.Codec("lz4_raw").compress(b, asbytes=True) for b in blocks]
        frames = [
            b"LZ4Block" + struct.pack("<BIII", 0x25, len(m), len(b), 0) + m for b, m in zip(blocks, made, strict=True)
        ]
        return b"".join(frames) + b"LZ4Block" + struct.pack("<BIII", 0x15, 0, 0, 0)
    if codec == "lzf":
        return b"".join(lzf(b) for b in blocks)
    made = [pyarrow.Codec("snappy").compress(b, asbytes=True) for b in blocks]
    return b"\x82SNAPPY\x00" + struct.pack(">II", 1, 1) + b"".join(struct.pack(">I", len(m)) + m for m in made)


def lzf(block):
    """A block of compress-lzf: what occurred up to 8 KB before is told by its distance and length."""
    out, plain, at, seen = bytearray(), bytearray(), 0, {}

    def spell():
        for begin in range(0, len(plain), 32):
            run = plain[begin : begin + 32]
            out.extend([len(run) - 1, *run])
        plain.clear()

    while at < len(block):
        before = seen.get(block[at : at + 3])
        seen[block[at : at + 3]] = at
        length = 0
        if before is not None and at - before <= 8192:
            while length < 264 and at + length < len(block) and block[before + length] == block[at + length]:
                length += 1
        if length < 3:
            plain.append(block[at])
            at += 1
            continue
        spell()
        distance = at - before - 1
        short = min(length - 2, 7)
        out.append(short << 5 | distance >> 8)
        if short == 7:
            out.append(length - 9)
        out.append(distance & 255)
        at += length
    spell()
    return b"ZV\x01" + struct.pack(">HH", len(out), len(block)) + bytes(out)
