"""The settings that change a plan, under their Spark names. The only place that knows their defaults."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from planviz.errors import InputError

#: Defaults of Spark 4.3.
DEFAULTS: dict[str, Any] = {
    "spark.sql.ansi.enabled": True,
    "spark.sql.caseSensitive": False,
    "spark.sql.groupByAliases": True,
    "spark.sql.groupByOrdinal": True,
    "spark.sql.orderByOrdinal": True,
    "spark.sql.session.timeZone": "Etc/UTC",
    "spark.sql.analyzer.maxIterations": 100,
    "spark.sql.optimizer.maxIterations": 100,
    "spark.sql.optimizer.excludedRules": "",
    "spark.sql.optimizer.inSetConversionThreshold": 10,
    "spark.sql.cbo.enabled": False,
    "spark.sql.cbo.joinReorder.enabled": False,
    "spark.sql.cbo.planStats.enabled": False,
    "spark.sql.constraintPropagation.enabled": True,
    "spark.sql.optimizer.collapseProjectAlwaysInline": False,
    "spark.sql.optimizer.replaceExceptWithFilter": True,
    "spark.sql.optimizer.windowGroupLimitThreshold": 1000,
    "spark.sql.optimizer.runtime.bloomFilter.enabled": True,
    "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold": 10737418240,
    "spark.sql.optimizer.runtime.bloomFilter.creationSideThreshold": 10485760,
    "spark.sql.optimizer.runtime.bloomFilter.expectedNumItems": 1000000,
    "spark.sql.optimizer.runtime.bloomFilter.numBits": 8388608,
    "spark.sql.optimizer.runtimeFilter.number.threshold": 10,
    "spark.sql.optimizer.mergeSubplans.filterPropagation.enabled": True,
    "spark.sql.optimizer.mergeSubplans.filterPropagation.symmetricFilterPropagation.enabled": False,
    "spark.sql.optimizer.mergeSubplans.filterPropagation.throughJoin.enabled": False,
    "spark.sql.execution.reuseSubquery": True,
    "spark.sql.crossJoin.enabled": True,
    "spark.sql.autoBroadcastJoinThreshold": 10485760,
    "spark.sql.shuffle.partitions": 200,
}


@dataclass(frozen=True)
class OptimizerConfig:
    """An unchanging set of settings; those not given have Spark's defaults."""

    settings: MappingProxyType[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def of(cls, **settings: Any) -> OptimizerConfig:
        """Settings by name, dots as they are: `OptimizerConfig.of(**{"spark.sql.cbo.enabled": True})`."""
        return cls().with_settings(settings)

    def get(self, key: str) -> Any:
        """A setting's value, or its default; None for a setting that planviz does not know and nobody set."""
        return self.settings.get(key, DEFAULTS.get(key))

    def with_settings(self, settings: dict[str, Any]) -> OptimizerConfig:
        """These settings changed; texts are read as the type of the default. Raises InputError when they cannot be."""
        new = dict(self.settings)
        for key, value in settings.items():
            new[key] = _typed(key, value)
        return OptimizerConfig(MappingProxyType(new))

    @property
    def case_sensitive(self) -> bool:
        """Whether names differ by case."""
        return bool(self.get("spark.sql.caseSensitive"))


_SIZES = {"b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def _typed(key: str, value: Any) -> Any:
    default = DEFAULTS.get(key)
    if not isinstance(value, str) or default is None or isinstance(default, str):
        return value
    text = value.strip().lower()
    if isinstance(default, bool):
        if text in ("true", "false"):
            return text == "true"
        raise InputError(f"{key} must be true or false, not {value!r}.")
    number = text.removesuffix("ib") if text.endswith("ib") else text.removesuffix("b") if text[:-1].isalnum() else text
    scale = _SIZES.get(number[-1:], 1)
    try:
        return int(float(number.rstrip("bkmgt"))) * scale if isinstance(default, int) else float(number)
    except ValueError:
        raise InputError(f"{key} must be a number, not {value!r}.") from None
