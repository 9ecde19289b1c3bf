"""The JVM from Python: Scala's collections and objects, over py4j."""

from __future__ import annotations

from typing import Any


def module(package: object, name: str) -> Any:
    """A Scala object: `module(jvm.org.apache.spark.sql.execution, "QueryExecution")`."""
    return getattr(getattr(package, f"{name}$"), "MODULE$")


def items(jvm: Any, collection: object) -> list[Any]:
    """The elements of a Scala Seq or Iterable."""
    return list(jvm.scala.jdk.javaapi.CollectionConverters.asJava(collection))


def entries(jvm: Any, mapping: object) -> list[tuple[Any, Any]]:
    """Keys and values of a Scala Map."""
    found = jvm.scala.jdk.javaapi.CollectionConverters.asJava(mapping).entrySet()
    return [(entry.getKey(), entry.getValue()) for entry in found]


def optional(option: Any) -> Any:
    """The value of a Scala Option, None for None."""
    return option.get() if option.isDefined() else None


def class_name(jvm: object, value: Any) -> str:
    """A JVM object's class without its package: `FileSourceScanExec`."""
    return str(value.getClass().getName()).rsplit(".", 1)[-1]


def estimate(plan: Any) -> list[int | None]:
    """Rows (None: unknown) and bytes that Spark expects of a logical plan, exact.

    Numbers of any size: they cross as text, for py4j cuts a BigInt to 64 bits.
    """
    size, rows, _ = str(plan.stats().productIterator().mkString("|")).split("|", 2)
    return [int(rows[5:-1]) if rows.startswith("Some(") else None, int(size)]
