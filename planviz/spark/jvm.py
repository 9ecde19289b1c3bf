"""The JVM from Python: Scala's collections and objects, over py4j."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: An object of the JVM behind py4j's proxy, which answers to whatever its class in the JVM has.
JavaObject: TypeAlias = Any


def jvm_of(session: SparkSession) -> JavaObject:
    """The JVM of a classic session; one of Spark Connect has none."""
    return session._jvm


def module(package: object, name: str) -> JavaObject:
    """A Scala object: `module(jvm.org.apache.spark.sql.execution, "QueryExecution")`."""
    return getattr(getattr(package, f"{name}$"), "MODULE$")


def items(jvm: JavaObject, collection: object) -> list[JavaObject]:
    """The elements of a Scala Seq or Iterable."""
    return list(jvm.scala.jdk.javaapi.CollectionConverters.asJava(collection))


def entries(jvm: JavaObject, mapping: object) -> list[tuple[JavaObject, JavaObject]]:
    """Keys and values of a Scala Map."""
    found = jvm.scala.jdk.javaapi.CollectionConverters.asJava(mapping).entrySet()
    return [(entry.getKey(), entry.getValue()) for entry in found]


def optional(option: JavaObject) -> JavaObject:
    """The value of a Scala Option, None for None."""
    return option.get() if option.isDefined() else None


def class_name(jvm: object, value: JavaObject) -> str:
    """A JVM object's class without its package: `FileSourceScanExec`."""
    return str(value.getClass().getName()).rsplit(".", 1)[-1]


def estimate(plan: JavaObject) -> list[int | None]:
    """Rows (None: unknown) and bytes that Spark expects of a logical plan, exact.

    Numbers of any size: they cross as text, for py4j cuts a BigInt to 64 bits.
    """
    size, rows, _ = str(plan.stats().productIterator().mkString("|")).split("|", 2)
    return [int(rows[5:-1]) if rows.startswith("Some(") else None, int(size)]
