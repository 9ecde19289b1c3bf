"""Pictures of a plan for other pages: `GET /plan/<what>.svg|png|html|json?stage=&query=&step=&page=&join=&theme=`.

On the page `compare` it is the difference to what `b`, `settings`, `plan_a`, `plan_b`, `literals` and `more` say, as in
the app's own address; `b` may be an id of the library, too.

`query` is the number of one of several queries, `page=aggregations` takes `aggregate`.

`what` is the id of a document of the library, or a packed text, which needs no server's memory (`planviz.ui.links`);
then `catalog` and `profile` say what it is opened with. Whoever has the address sees the picture; on a server with
accounts that of a document alone whose owner opened it to everybody with the address, besides those who may read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planviz.config import OptimizerConfig
from planviz.errors import InputError
from planviz.render.text import one_line
from planviz.store import Person
from planviz.ui import cache, compare, library, links, pictures, queries, views
from planviz.ui.opened import Opened, Source

#: What an address may end with.
FORMATS = ("svg", "png", "html", "json")
#: The pages that have a figure of their own; the others show the plan.
PAGES = ("", "explore", "rules", "joins", "aggregations", "compare")
_THEMES = ("light", "dark")


@dataclass(frozen=True)
class Asked:
    """An address that was understood."""

    what: str
    format: str
    page: str
    theme: str
    query: Mapping[str, str]


def asked(file: str, query: Mapping[str, str]) -> Asked:
    """What an address asks for. Raises InputError for what it cannot ask for."""
    what, _, format = file.rpartition(".")
    page, theme = query.get("page", ""), query.get("theme", "light")
    if format not in FORMATS or not what:
        raise InputError(f"There is no picture of this kind: the address ends with one of {', '.join(FORMATS)}.")
    if page not in PAGES:
        raise InputError(f"There is no such page: write one of {', '.join(PAGES[1:])}.")
    if theme not in _THEMES:
        raise InputError("The theme is light or dark.")
    if page in ("rules", "joins", "aggregations") and format not in ("svg", "png"):
        raise InputError("Figures of rules, joins and aggregations are svg or png.")
    return Asked(what, format, page, theme, query)


def figure(wanted: Asked, person: Person) -> bytes:
    """The picture, as a person may see it.

    Raises InputError for a document that is not there for them, KeyError for a part that it does not have.
    """
    opened, title = _document(wanted, person)
    query = wanted.query
    if wanted.page == "rules":
        opened = queries.alone(opened, queries.first_of(opened, query.get("query", "")) or "")
        return pictures.step(opened, query.get("step", "1"), wanted.format, query.get("view", "split"), wanted.theme)
    if wanted.page == "joins":
        return pictures.join(opened, query.get("join", "1"), wanted.format, query.get("what", "")[:4_000], wanted.theme)
    if wanted.page == "aggregations":
        return pictures.stages(opened, query.get("aggregate", "1"), wanted.format, "", wanted.theme)
    if wanted.page == "compare":
        return compare.exported(opened, _other(opened, query, person), title or "A", wanted.format, wanted.theme)
    plan = queries.first_of(opened, query.get("query", "")) if not query.get("stage") else None
    plan = plan or views.plan_of_address(opened, query.get("stage", ""), query.get("step", ""))
    if plan is None and (query.get("stage") or query.get("step")):
        raise KeyError(query.get("stage") or query.get("step"))
    return pictures.named(opened, plan or views.first_plan(opened), wanted.format, wanted.theme, title)


def _other(opened: Opened, query: Mapping[str, str], person: Person) -> compare.Other:
    """The other side of a comparison; without a word of it what the page would take.

    Raises InputError for a text that is not there, KeyError where only another text would do.
    """
    parts = {name: query[name][:4_000] for name in ("settings", "plan_a", "plan_b") if name in query}
    b, name = query.get("b", ""), one_line(query.get("name_b", ""), 80)
    if not (parts or b):
        found = compare.default_other(opened)
        if found is None:
            raise KeyError("b")
        return found
    text, catalog = None, ""
    if b:
        source, saved = (Source(links.unpack(b), ""), None) if "." in b else library.kept(b, person)
        text, catalog = source.text, source.catalog
        name = name or (saved.name if saved is not None and saved.is_saved else "")
    more = links.unpack_pairs(query["more"]) if "more" in query else ()
    return compare.Other(text, name, numbers=query.get("literals") == "1", catalog=catalog, more=more, **parts)


def _document(wanted: Asked, person: Person) -> tuple[Opened, str]:
    """The document, and the title that stands on its picture."""
    if "." in wanted.what:
        profile, catalog = wanted.query.get("profile", ""), wanted.query.get("catalog", "")
        if profile:
            OptimizerConfig.of(one_line(profile, 60))
        catalog = catalog if cache.is_catalog(catalog) else cache.AUTO
        opened = cache.open_document(links.unpack(wanted.what), catalog, profile)
        return opened, one_line(wanted.query.get("name", ""), 120)
    source, saved = library.kept(wanted.what, person)
    opened = cache.open_document(source.text, source.catalog, source.profile)
    name = saved.name if saved.is_saved else ""
    return opened, " · ".join(part for part in (one_line(name, 120), library.newer_words(saved, person)) if part)
