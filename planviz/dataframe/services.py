"""What hangs on a session beside DataFrames: settings, the views, the context (PySpark: spark.conf, ...)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self

from planviz.catalog.tables import GLOBAL_TEMP
from planviz.dataframe.rdd import RDD
from planviz.errors import PlanvizError
from planviz.types import quote

if TYPE_CHECKING:
    from planviz.dataframe.session import SparkSession


class RuntimeConfig:
    """`spark.conf`: settings by name."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session

    def set(self, key: str, value: object) -> None:
        """Let a setting count from now on; one that planviz does not read is kept, too."""
        text = str(value).lower() if isinstance(value, bool) else str(value)
        self.session.config = self.session.config.with_settings({str(key): text})

    def get(self, key: str, default: object = None) -> object:
        """The value of a setting."""
        found = self.session.config.get(str(key))
        if isinstance(found, bool):
            return str(found).lower()
        return default if found is None else str(found)

    def unset(self, key: str) -> None:
        """Let a setting have the value again that the session began with."""
        begun = self.session.begun_with.settings
        plain = self.session.config.without_settings(str(key))
        self.session.config = plain.with_settings({key: begun[key]}) if key in begun else plain

    def isModifiable(self, key: str) -> bool:
        """Whether a setting may be changed while the session lives."""
        return str(key).startswith("spark.sql.")


class SessionCatalog:
    """`spark.catalog`: temporary views and caches."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session

    def dropTempView(self, viewName: str) -> bool:
        """Forget a view; whether there was one."""
        found = self.session.catalog.view((viewName,)) is not None
        if found:
            self.session.catalog = self.session.catalog.without((viewName,))
        return found

    def dropGlobalTempView(self, viewName: str) -> bool:
        """Forget a view of the database `global_temp`; whether there was one."""
        parts = (GLOBAL_TEMP, viewName)
        found = self.session.catalog.view(parts) is not None
        if found:
            self.session.catalog = self.session.catalog.without(parts)
        return found

    def tableExists(self, tableName: str, dbName: str | None = None) -> bool:
        """Whether there is a table or view."""
        return self.session.table_exists(tuple(([dbName] if dbName else []) + tableName.split(".")))

    def cacheTable(self, tableName: str, storageLevel: object = None) -> None:
        """Keep the rows of a table."""
        self.session.sql(f"CACHE TABLE {tableName}")

    def uncacheTable(self, tableName: str) -> None:
        """Forget the rows of a table."""
        self.session.sql(f"UNCACHE TABLE {tableName}")

    def isCached(self, tableName: str) -> bool:
        """Whether the rows of a table are kept."""
        return any(c.cached.name == tableName for c in self.session.caches.caches)

    def clearCache(self) -> None:
        """Forget all rows that are kept."""
        self.session.caches.clear()

    def refreshTable(self, tableName: str) -> None:
        """Look at a table's files again."""

    def setCurrentDatabase(self, dbName: str) -> None:
        """Take names without a database to be of this one."""
        self.session.sql(f"USE {quote(dbName)}")


class SparkContext:
    """`spark.sparkContext`: rows that a program hands over."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session

    def parallelize(self, c: object, numSlices: int | None = None) -> RDD:
        """The elements of a list as an RDD."""
        return RDD(self.session, list(c) if isinstance(c, Iterable) else None)

    def textFile(self, name: object, minPartitions: int | None = None, use_unicode: bool = True) -> RDD:
        """The lines of a file."""
        return RDD(self.session)

    wholeTextFiles = sequenceFile = binaryFiles = newAPIHadoopRDD = hadoopFile = pickleFile = textFile

    def emptyRDD(self) -> RDD:
        """No rows."""
        return RDD(self.session, [])

    def range(self, start: int, end: int | None = None, step: int = 1, numSlices: int | None = None) -> RDD:
        """Numbers."""
        return RDD(self.session)

    def setLogLevel(self, logLevel: str) -> None:
        """How much is logged."""

    def setCheckpointDir(self, dirName: str) -> None:
        """Where checkpoints are kept."""

    def setJobGroup(self, *given: object, **named: object) -> None:
        """A name for jobs."""

    setJobDescription = setLocalProperty = addPyFile = addFile = stop = setJobGroup


class Builder:
    """`SparkSession.builder`: settings of the session that `getOrCreate` gives."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session

    def config(self, key: object = None, value: object = None, **named: object) -> Self:
        """A setting, which counts in the session; `map` has several."""
        several = named.get("map")
        if isinstance(several, dict):
            for name, given in several.items():
                self.config(name, given)
        if isinstance(key, str) and value is not None:
            try:
                self.session.conf.set(key, value)
                self.session.begun_with = self.session.config
            except PlanvizError as e:
                self.session.warnings.append(str(e))
        return self

    def appName(self, name: object) -> Self:
        """A name for the application; plans do not show it."""
        return self

    def master(self, master: object) -> Self:
        """Where it runs: a local Spark has as many cores as its master says, into which `range` is cut."""
        return self.config("spark.master", master) if isinstance(master, str) else self

    remote = appName

    def enableHiveSupport(self) -> Self:
        """With Hive's catalogue."""
        return self

    def getOrCreate(self) -> SparkSession:
        """The session."""
        return self.session

    create = getOrCreate
