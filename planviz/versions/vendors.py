"""Vendors' runtimes by name: which Spark each is built on, where that is written, and what is known to differ.

A runtime is planned as the version of Spark that it is built on. What a vendor adds is told and not imitated.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, slots=True)
class Runtime:
    """A vendor's release: `name` as it is asked for (databricks-15.4), `title` for people, `spark` the version of
    Apache Spark that it is built on, as its vendor gives it, and the page that says so."""

    name: str
    title: str
    spark: str
    source: str

    @property
    def profile(self) -> str:
        """The profile that it is planned as: spark-3.5."""
        return "spark-" + ".".join(self.spark.split(".")[:2])


@dataclass(frozen=True, slots=True)
class Vendor:
    """A vendor with its releases, the newest first; `differs` says what they do otherwise than Apache Spark."""

    name: str
    title: str
    differs: str
    runtimes: tuple[Runtime, ...]


def _vendor(name: str, title: str, differs: str, *pages: tuple[str, str]) -> Vendor:
    """`pages`: an address, and what stands there as `RELEASE=SPARK` with blanks between; a `*` marks an LTS."""
    found = []
    for source, listed in pages:
        for entry in listed.split():
            release, _, spark = entry.partition("=")
            number = release.rstrip("*")
            found.append(Runtime(f"{name}-{number}", f"{title} {number}{' LTS' * ('*' in release)}", spark, source))
    return Vendor(name, title, differs, tuple(found))


_DATABRICKS = "https://docs.databricks.com/release-notes/runtime"
_EMR = "https://docs.aws.amazon.com/emr/latest/ReleaseGuide/Spark-release-history.html"
_SERVERLESS = "https://docs.aws.amazon.com/emr/latest/EMR-Serverless-UserGuide/release-version-"
_SYNAPSE = "https://learn.microsoft.com/azure/synapse-analytics/spark/apache-spark-"
_CLOUDERA = "https://docs.cloudera.com/"

VENDORS: tuple[Vendor, ...] = (
    _vendor(
        "databricks",
        "Databricks Runtime",
        "Photon runs operators natively and names them Photon…; the optimizer has rules of its own (dynamic file "
        "pruning, range joins, low shuffle merges), and statistics of Delta tables are read by themselves",
        (
            _DATABRICKS,
            "18=4.1.0 17.3*=4.0.0 17.2=4.0.0 17.1=4.0.0 17.0=4.0.0 16.4*=3.5.2 15.4*=3.5.0 14.3*=3.5.0 13.3*=3.4.1 "
            "12.2*=3.3.2 11.3*=3.3.0 10.4*=3.2.1 9.1*=3.1.2",
        ),
        ("https://docs.databricks.com/archive/runtime-release-notes/15.1.html", "15.1=3.5.0"),
        (
            "https://docs.databricks.com/archive/runtime-release-notes/14.x-migration.html",
            "14.2=3.5.0 14.1=3.5.0 14.0=3.5.0",
        ),
    ),
    _vendor(
        "emr",
        "Amazon EMR",
        "the EMR runtime flattens scalar subqueries, applies DISTINCT before INTERSECT, filters joins by bloom filters "
        "and reorders joins by rules of its own",
        (_EMR, "7.10.0=3.5.5 7.9.0=3.5.5 7.8.0=3.5.4"),
        (f"{_SERVERLESS}770.html", "7.7.0=3.5.3"),
        (f"{_SERVERLESS}760.html", "7.6.0=3.5.3"),
        (f"{_SERVERLESS}750.html", "7.5.0=3.5.2"),
        (f"{_SERVERLESS}740.html", "7.4.0=3.5.2"),
        (f"{_SERVERLESS}710.html", "7.1.0=3.5.0"),
        (f"{_SERVERLESS}700.html", "7.0.0=3.5.0"),
        (f"{_SERVERLESS}6150.html", "6.15.0=3.4.1"),
        (f"{_SERVERLESS}6140.html", "6.14.0=3.4.1"),
        (f"{_SERVERLESS}6130.html", "6.13.0=3.4.1"),
        (f"{_SERVERLESS}6120.html", "6.12.0=3.4.0"),
        (f"{_SERVERLESS}680.html", "6.8.0=3.3.0"),
    ),
    _vendor(
        "glue",
        "AWS Glue",
        "its Spark has optimizations of the Glue and EMR teams and readers of its own",
        ("https://docs.aws.amazon.com/glue/latest/dg/migrating-version-50.html", "5.0=3.5.4 4.0=3.3.0"),
        ("https://docs.aws.amazon.com/glue/latest/dg/release-notes.html", "3.0=3.1.1"),
    ),
    _vendor(
        "dataproc",
        "Dataproc image",
        "no rule of its own is known to planviz; defaults of the cluster's properties may differ",
        ("https://cloud.google.com/dataproc/docs/release-notes/service", "3.0=4.0.0"),
        ("https://cloud.google.com/dataproc/docs/concepts/versioning/dataproc-versions", "2.3=3.5 2.2=3.5 2.1=3.3"),
        ("https://cloud.google.com/dataproc/docs/concepts/versioning/dataproc-release-1.0", "2.0=3.1.2"),
    ),
    _vendor(
        "fabric",
        "Microsoft Fabric Runtime",
        "the native execution engine (Gluten over Velox) runs operators natively, and close to a hundred optimizations "
        "of queries are built in",
        (f"{_SYNAPSE}34-runtime", "2.0=4.1"),
        ("https://learn.microsoft.com/fabric/data-engineering/runtime", "1.3=3.5.0 1.2=3.4.1 1.1=3.3.1"),
    ),
    _vendor(
        "synapse",
        "Azure Synapse Runtime",
        "its Spark has optimizations of Azure Synapse",
        (f"{_SYNAPSE}34-runtime", "3.5=3.5 3.4=3.4.1"),
        ("https://learn.microsoft.com/azure/synapse-analytics/spark/runtime-for-apache-spark-lifecycle-and-supportability",
         "3.3=3.3 3.2=3.2 3.1=3.1"),
    ),
    _vendor(
        "cloudera",
        "Cloudera Runtime",
        "no rule of its own is known to planviz",
        (f"{_CLOUDERA}cdp-private-cloud-base/7.3.3/private-release-notes/topics/rt-runtime-component-versions_733.html",
         "7.3.3=3.5.8"),
        (f"{_CLOUDERA}runtime/7.3.2/spark-upgrade/topics/upgrading-spark-3-to-354.html", "7.3.2=3.5.4 7.3.1=3.4.1"),
        (f"{_CLOUDERA}cdp-private-cloud-base/7.1.9/cds-3/topics/upgrading-spark-3-to-354.html", "7.1.9=3.3.2"),
        (f"{_CLOUDERA}cdp-private-cloud-base/7.1.8/cds-3/topics/spark-spark-3-packaging.html", "7.1.8=3.3.0"),
    ),
    _vendor(
        "hdinsight",
        "HDInsight",
        "no rule of its own is known to planviz",
        ("https://learn.microsoft.com/azure/hdinsight/hdinsight-5x-component-versioning", "5.1=3.3.1 5.0=3.1.3"),
    ),
)  # fmt: skip
RUNTIMES: dict[str, Runtime] = {runtime.name: runtime for vendor in VENDORS for runtime in vendor.runtimes}

_ALIASES = {"dbr": "databricks", "cdp": "cloudera", "cdh": "cloudera"}
_NAMED = re.compile(r"([a-z]+)[- _]?v?(\d+(?:\.\d+)*)")


def runtime_of(name: str) -> Runtime | None:
    """The runtime of a name, also as vendors write it: emr-7.1, databricks-15.4-lts, 15.4.x-scala2.12; else None."""
    text = name.strip().lower()
    cluster = re.match(r"(\d+\.\d+)\.x(?:-|$)", text)
    named = re.match(r"()(\d+\.\d+)", text) if cluster else _NAMED.match(text)
    if named is None:
        return None
    vendor = "databricks" if cluster else _ALIASES.get(named[1], named[1])
    for number in (named[2], f"{named[2]}.0", named[2].removesuffix(".0"), ".".join(named[2].split(".")[:2])):
        if f"{vendor}-{number}" in RUNTIMES:
            return RUNTIMES[f"{vendor}-{number}"]
    return None


def vendor_of(runtime: Runtime) -> Vendor:
    """Whose runtime it is."""
    return next(vendor for vendor in VENDORS if runtime in vendor.runtimes)


def title_of(profile: str) -> str:
    """A version or runtime for people: `Spark 3.5`, `Databricks Runtime 15.4 LTS (Spark 3.5)`."""
    runtime = RUNTIMES.get(profile)
    if runtime is None:
        return profile.replace("spark-", "Spark ")
    return f"{runtime.title} ({runtime.profile.replace('spark-', 'Spark ')})"


def told_of(runtime: Runtime) -> str:
    """A sentence: what a runtime is planned as, and what of it is not imitated."""
    vendor, version = vendor_of(runtime), runtime.profile.replace("spark-", "Spark ")
    return (
        f"{runtime.title} is planned as {version}, which it is built on ({runtime.source}). "
        f"Its own changes are not imitated: {vendor.differs}."
    )


def nearest(name: str) -> list[str]:
    """The runtimes that a wrong name may have meant: those of its vendor, those written alike, the newest of each."""
    vendor = _NAMED.match(name.strip().lower())
    same = [n for n in RUNTIMES if vendor is not None and n.startswith(_ALIASES.get(vendor[1], vendor[1]) + "-")]
    return same or get_close_matches(name, RUNTIMES, 3, 0.6) or [v.runtimes[0].name for v in VENDORS]
