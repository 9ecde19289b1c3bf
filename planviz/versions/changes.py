"""What each version of Spark changed, one by one: defaults, rules, preparations and behaviour, as data.

Read off the files of the versions, so that it holds all that the engine does otherwise and nothing else: with all
changes of a version undone, its profile is that of the version before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Literal

from planviz.versions.model import Behaviour, Edit, Profile, Version, applied, profiles_of

Kind = Literal["setting", "rule", "batch", "preparation", "behaviour"]


@dataclass(frozen=True)
class Change:
    """One thing that a version does otherwise than the one before it.

    `since` is the profile that has it first. `name` is a setting's key, the Spark name of a rule that is new (kind
    "rule") or stands elsewhere (kind "batch"), of a preparation, or a field of Behaviour. `undo` applied to a profile
    that has the change takes it back.
    """

    since: str
    kind: Kind
    name: str
    undo: Version

    @property
    def before(self) -> object:
        """The default that the older version has; None for what is no setting."""
        return self.undo.settings.get(self.name)


def undone(profile: Profile, changes: Sequence[Change]) -> Profile:
    """A profile without these changes. They are taken back in the order in which the version's file has them."""
    for change in changes:
        if change.kind == "preparation":
            # Several of them may be taken back, so each says only what goes.
            left = profile.behaviour.preparations - {change.name}
            profile = replace(profile, behaviour=replace(profile.behaviour, preparations=left))
        else:
            profile = applied(profile, change.undo)
    return profile


def changes_of(versions: Sequence[Version]) -> Mapping[str, tuple[Change, ...]]:
    """By profile, what it changed against the next older of `versions` (the newest first); nothing for the oldest."""
    profiles = profiles_of(tuple(versions))
    found: dict[str, tuple[Change, ...]] = {versions[-1].name: ()}
    for newer, older in pairwise(versions):
        found[newer.name] = tuple(_changes(profiles[newer.name], profiles[older.name], older))
    return found


def _changes(newer: Profile, before: Profile, older: Version) -> Iterator[Change]:
    for key, value in older.settings.items():
        yield Change(newer.name, "setting", key, Version("", "", settings={key: value}))
    for edit in older.edits:
        yield from _rules(newer.name, edit)
    one, two = newer.behaviour, before.behaviour
    for name in sorted(one.preparations - two.preparations):
        yield Change(newer.name, "preparation", name, Version("", ""))
    for name in (f.name for f in fields(Behaviour) if f.name != "preparations"):
        if getattr(one, name) != getattr(two, name):
            yield Change(newer.name, "behaviour", name, Version("", "", behaviour={name: getattr(two, name)}))


def _rules(since: str, edit: Edit) -> Iterator[Change]:
    """The changes behind one edit of the batches: a rule each where rules only went, else one for all of it."""
    if edit.drop and not edit.put and "*" not in edit.drop:
        for rule in edit.drop:
            yield Change(since, "rule", rule, Version("", "", edits=(replace(edit, drop=(rule,)),)))
        return
    rules = [rule for rule in (*edit.drop, *edit.put) if rule != "*"]
    yield Change(since, "batch", ", ".join(dict.fromkeys(rules or edit.batches)), Version("", "", edits=(edit,)))
