"""The versions of Spark that planviz plans as, 3.0 to 4.3: one file each, with what differs from the next newer one.

The engine asks `OptimizerConfig.behaviour` for what a version does and never compares versions.
"""

from __future__ import annotations

from collections.abc import Mapping

from planviz.versions import (
    spark_3_0,
    spark_3_1,
    spark_3_2,
    spark_3_3,
    spark_3_4,
    spark_3_5,
    spark_4_0,
    spark_4_1,
    spark_4_2,
    spark_4_3,
)
from planviz.versions.changes import Change, changes_of, undone
from planviz.versions.model import Behaviour, Edit, Profile, Version, profiles_of

#: Every version, the newest first.
VERSIONS: tuple[Version, ...] = (
    spark_4_3.VERSION,
    spark_4_2.VERSION,
    spark_4_1.VERSION,
    spark_4_0.VERSION,
    spark_3_5.VERSION,
    spark_3_4.VERSION,
    spark_3_3.VERSION,
    spark_3_2.VERSION,
    spark_3_1.VERSION,
    spark_3_0.VERSION,
)
PROFILES: dict[str, Profile] = profiles_of(VERSIONS)
#: By profile, what it changed against the next older one.
CHANGES: Mapping[str, tuple[Change, ...]] = changes_of(VERSIONS)

__all__ = ["CHANGES", "PROFILES", "VERSIONS", "Behaviour", "Change", "Edit", "Profile", "Version", "undone"]
