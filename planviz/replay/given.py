"""What somebody says beside a pasted text: settings of its session, sizes of its tables, the version of Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from planviz.config import OptimizerConfig
from planviz.errors import InputError
from planviz.graph import PlanGraph
from planviz.replay.settings import Setting
from planviz.settings import SETTINGS, known, read_bytes, spark_words
from planviz.versions.model import SettingValue

#: What stands as the evidence of a setting that was given, and of one that an event log tells.
GIVEN = "given"
LOGGED = "the event log says so"


@dataclass(frozen=True)
class Given:
    """Settings by their Spark keys, sizes in bytes by a table's name as `Replay.names` shows it (in any case), and the
    profile; empty for none. `logged` are the keys of settings that nobody gave but the event log."""

    settings: Mapping[str, SettingValue] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    profile: str = ""
    logged: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.settings or self.sizes or self.profile)

    def over(self, found: Iterable[Setting]) -> list[Setting]:
        """The settings that were found, those that were given in their place or behind them."""
        kept = [s for s in found if s.key not in self.settings]
        return kept + [
            Setting(key, value, LOGGED if key in self.logged else GIVEN) for key, value in self.settings.items()
        ]

    def size_of(self, name: str) -> int | None:
        """The size of a table by the name that is shown of it, or by its last part; None where none was given."""
        known = {key.lower(): size for key, size in self.sizes.items()}
        return known.get(name.lower(), known.get(name.lower().rsplit(".", 1)[-1]))


def with_logged(said: Given | None, plans: Iterable[PlanGraph]) -> Given | None:
    """What was said, and of the settings that the event log of these plans tells those that planviz knows."""
    told = known(dict(item for plan in plans for item in plan.settings.items()))
    told = {key: value for key, value in told.items() if said is None or key not in said.settings}
    if not told:
        return said
    said = said or Given()
    return replace(said, settings={**told, **said.settings}, logged=frozenset(told))


def given(
    settings: Mapping[str, object] | None = None, sizes: Mapping[str, int | str] | None = None, profile: str = ""
) -> Given:
    """What was said, checked. Raises InputError for a setting, a size or a profile that there is not."""
    profile = OptimizerConfig.of(profile).profile if profile else ""
    typed = OptimizerConfig().with_settings(dict(settings or {})).settings
    read: dict[str, int] = {}
    for name, size in (sizes or {}).items():
        found = read_bytes(size) if isinstance(size, str) else size
        if found is None or found < 0:
            raise InputError(f"The size of {name} must be written as 1048576, 10MB or 1g, not {size!r}.")
        read[name] = found
    return Given(dict(typed), read, profile)


def given_text(said: Given) -> str:
    """As a short text for an address, the same for the same: `spark.sql.shuffle.partitions=20;size.orders=99`."""
    parts = [f"{key}={spark_words(value)}" for key, value in sorted(said.settings.items())]
    parts += [f"size.{name}={size}" for name, size in sorted(said.sizes.items())]
    return ";".join(parts + ([f"profile={said.profile}"] if said.profile else []))


def given_from(text: str) -> Given:
    """What such a text says. Raises InputError for a part that cannot be read."""
    settings: dict[str, str] = {}
    sizes: dict[str, int | str] = {}
    profile = ""
    for part in filter(None, text.split(";")):
        name, equals, value = part.partition("=")
        if not equals:
            raise InputError(f"{part[:80]}: write it as NAME=VALUE.")
        if name.startswith("size."):
            sizes[name.removeprefix("size.")] = value
        elif name == "profile":
            profile = value
        elif name in SETTINGS:
            settings[name] = value
        else:
            raise InputError(f"{name[:80]} is no setting that planviz knows, and no size.TABLE.")
    return given(settings, sizes, profile)
