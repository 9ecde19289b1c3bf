"""A set of settings over a version of Spark, as all of planning takes it; `settings.py` has the settings themselves."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from types import MappingProxyType
from typing import cast

from planviz.errors import InputError
from planviz.settings import DEFAULTS, SETTINGS, typed
from planviz.versions import PROFILES, Behaviour, Edit, Profile
from planviz.versions.model import SettingValue
from planviz.versions.unread import UNREAD, acts_while_running
from planviz.versions.vendors import RUNTIMES, nearest, runtime_of, told_of


@dataclass(frozen=True)
class OptimizerConfig:
    """An unchanging set of settings over a profile; those not given have the profile's defaults.

    `variant` stands in for the profile of that name where a version is asked for that never was, such as 4.0 without
    one of its changes. `runtime` is the vendor's runtime that was asked for, if one was.
    """

    settings: MappingProxyType[str, SettingValue] = field(default_factory=lambda: MappingProxyType({}))
    profile: str = "spark-4.3"
    variant: Profile | None = None
    runtime: str = ""

    @classmethod
    def of(cls, profile: str = "spark-4.3", /, **settings: object) -> OptimizerConfig:
        """Settings by name, dots as they are: `OptimizerConfig.of(**{"spark.sql.cbo.enabled": True})`.

        `profile` may be a version (`3.5`, `3.5.1`) or a vendor's runtime (`databricks-15.4`), which is planned as the
        version that it is built on. Raises InputError for one that is not there and a value that a setting cannot have.
        """
        runtime = runtime_of(profile)
        return cls(profile=profile_of(profile), runtime=runtime.name if runtime else "").with_settings(settings)

    def get(self, key: str) -> SettingValue | None:
        """A setting's value, or its default; None for a setting that planviz does not know and nobody set."""
        if key in self.settings:
            return self.settings[key]
        return self.version.settings.get(key, DEFAULTS.get(key))

    def flag(self, key: str) -> bool:
        """Whether a setting is on."""
        return bool(self.get(key))

    def number(self, key: str) -> int:
        """A whole number or a size in bytes. Raises KeyError for a setting that planviz does not know."""
        return int(self._known(key))

    def ratio(self, key: str) -> float:
        """A number with a fraction. Raises KeyError for a setting that planviz does not know."""
        return float(self._known(key))

    def text(self, key: str) -> str:
        """A text, empty where nobody set one."""
        return str(self.get(key) or "")

    @property
    def parallelism(self) -> int:
        """Into how many partitions `range` is cut: as set, else the cores that `spark.master` gives a local Spark."""
        key = "spark.sql.leafNodeDefaultParallelism"
        return self.number(key) if key in self.settings or self.cores == 0 else self.cores

    @property
    def shuffle_partitions(self) -> int:
        """How many partitions a shuffle makes: under adaptive execution as many as it begins with."""
        begins = "spark.sql.adaptive.coalescePartitions"
        merged = self.flag("spark.sql.adaptive.enabled") and self.flag(f"{begins}.enabled")
        first = self.number(f"{begins}.initialPartitionNum") if merged else 0
        return first or self.number("spark.sql.shuffle.partitions")

    @property
    def cores(self) -> int:
        """The default parallelism as it is set, else the cores that `spark.master` gives a local Spark; 0: unknown."""
        local = re.fullmatch(r"local\[(\d+)\]", self.text("spark.master").strip())
        return self.number("spark.default.parallelism") or (int(local[1]) if local else 0)

    def _known(self, key: str) -> SettingValue:
        value = self.get(key)
        if value is None:
            raise KeyError(key)
        return value

    def with_settings(self, settings: Mapping[str, object]) -> OptimizerConfig:
        """These settings changed; texts are read as the type of the default. Raises InputError when they cannot be."""
        new: dict[str, SettingValue] = dict(self.settings)
        for key, value in settings.items():
            known = SETTINGS.get(key)
            new[key] = cast(SettingValue, value) if known is None else typed(known, value)
        return OptimizerConfig(MappingProxyType(new), self.profile, self.variant, self.runtime)

    def without_settings(self, *names: str) -> OptimizerConfig:
        """These settings as they are unless given."""
        new: dict[str, SettingValue] = {k: v for k, v in self.settings.items() if k not in names}
        return OptimizerConfig(MappingProxyType(new), self.profile, self.variant, self.runtime)

    @property
    def warnings(self) -> list[str]:
        """What a vendor's runtime does otherwise, and a sentence for every setting that planviz does not read."""
        told = [told_of(RUNTIMES[self.runtime])] if self.runtime else []
        return told + [_unknown(key) for key in self.settings if key not in SETTINGS]

    @property
    def version(self) -> Profile:
        """The version of Spark that is planned as."""
        return self.variant or PROFILES[self.profile]

    @property
    def behaviour(self) -> Behaviour:
        """What the version of Spark does that no setting says."""
        return self.version.behaviour

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What the version changes of the optimizer's batches."""
        return self.version.edits

    @property
    def case_sensitive(self) -> bool:
        """Whether names differ by case."""
        return self.flag("spark.sql.caseSensitive")


#: The environment's name for the version that is planned as where nobody says one.
PROFILE_VARIABLE = "PLANVIZ_PROFILE"


def default_profile() -> str:
    """The version or runtime that is planned as where nobody says one. Raises InputError where it is not there."""
    name = os.environ.get(PROFILE_VARIABLE, "").strip()
    if name:
        profile_of(name)
    return name or "spark-4.3"


def profile_of(name: str) -> str:
    """The profile of a name: of itself, of a version (`3.5`, `3.5.1`), of a vendor's runtime (`emr-7.1`).

    Raises InputError for a name that is none of these.
    """
    version = re.fullmatch(r"(?:spark-)?(\d+\.\d+)(?:\.\d+)?", name.strip())
    if version is not None and f"spark-{version[1]}" in PROFILES:
        return f"spark-{version[1]}"
    runtime = runtime_of(name)
    if runtime is not None:
        return runtime.profile
    runtimes = [] if re.match(r"spark|\d", name) else nearest(name)
    vendors = f"; vendors' runtimes: {', '.join(runtimes)}" if runtimes else ""
    raise InputError(f"There is no profile “{name}”; there are {', '.join(PROFILES)}{vendors}.")


@lru_cache(maxsize=4096)  # every query of a script tells of all settings, and looking for the nearest name takes time
def _unknown(key: str) -> str:
    """What to say of a setting that planviz does not read: whether it would change the plan, or what was meant."""
    if key in UNREAD:
        return f"planviz does not read the setting {key}, so that Spark's plan may be another one: {UNREAD[key]}"
    if while_running := acts_while_running(key):
        return f"The setting {key} changes nothing in the plan before it runs: {while_running}"
    near = get_close_matches(key, SETTINGS, 1, 0.8)
    hint = f"did you mean {near[0]}?" if near else "docs/settings.md lists those that do."
    return f"The setting {key} changes nothing in planviz's plans; {hint}"
