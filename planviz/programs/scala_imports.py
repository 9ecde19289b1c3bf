"""What names a Scala text brings in from elsewhere: nobody can know their values, but they are there."""

from __future__ import annotations

import functools
import re

_IMPORT = re.compile(r"^[^\S\n]*import[^\S\n]+([\w.]+)\.(?:\{([^}]*)\}|(\w+|\*))", re.MULTILINE)
_DEFINED = re.compile(r"\b(?:class|trait|object|enum|def|val|var)[^\S\n]+(\w+)")
#: What every Scala text has.
_EVERYWHERE = frozenset(
    [
        "getClass",
        "classOf",
        "System",
        "Thread",
        "Runtime",
        "Predef",
        "sys",
        "math",
        "util",
        "require",
        "com",
        "org",
        "net",
        "io",
        "java",
        "javax",
    ]
)
#: Packages whose names are all known here: a name that they do not have is a mistake.
_KNOWN = ("org.apache.spark.sql.functions", "org.apache.spark.sql.types", "spark.implicits", "scala", "java")


def is_imported(name: str, text: str) -> bool:
    """Whether a name that nothing stands for is imported or defined somewhere in the text (a class may leave a value to
    those that come from it), or may come from a whole package."""
    names, any_name, any_class = _imports(text)
    return name in names or any_name or (any_class and name[:1].isupper())


@functools.lru_cache(maxsize=4)
def _imports(text: str) -> tuple[frozenset[str], bool, bool]:
    """The names of a text's imports and classes; whether any name, or any class, may come from whole packages."""
    names = _EVERYWHERE.union(_DEFINED.findall(text))
    any_name = any_class = False
    for package, several, one in _IMPORT.findall(text):
        for part in several.split(",") if several else [one]:
            last = re.split(r"=>|\bas\b", part)[-1].strip()
            if last not in ("_", "*", "given"):
                names |= {last}
            elif not package.endswith(("implicits", ".functions", ".types")) and not package.startswith(_KNOWN):
                inside = package.startswith("org.apache.spark")
                any_class |= inside
                any_name |= not inside and package not in names
    return frozenset(names), any_name, any_class
