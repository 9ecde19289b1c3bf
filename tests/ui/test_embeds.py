"""Pictures for other pages: of the library's documents and of packed texts, and what they refuse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from planviz.samples import load, samples
from planviz.store import Library, Person
from planviz.store import library as store_library
from planviz.store.terms import Terms
from planviz.store.texts import Text
from planviz.ui import cache, library, links, sharing
from planviz.ui.opened import Source
from tests.ui.test_routes import Client

SQL = "SELECT c_name FROM orders JOIN customer ON o_custkey = c_custkey WHERE o_totalprice > 10"


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    monkeypatch.setenv("PLANVIZ_STORE", str(tmp_path / "library.db"))
    library._library.cache_clear()
    found = library.needed()
    yield found
    found.close()
    library._library.cache_clear()


def test_a_saved_document_has_pictures(store: Library, client: Client) -> None:
    saved = store.save(Text(SQL, "tpch"), "Totals of customers", Terms())
    for format, begins in (("svg", b"<svg"), ("png", b"\x89PNG"), ("html", b"<!doctype html>"), ("json", b"{")):
        answer = client.get(f"/plan/{saved.id}.{format}?theme=dark")
        assert answer.status_code == 200
        assert answer.content.lower().startswith(begins.lower())
        again = client.get(f"/plan/{saved.id}.{format}?theme=dark", {"if-none-match": answer.headers["etag"]})
        assert again.status_code == 304
    assert b"Totals of customers" in client.get(f"/plan/{saved.id}.svg").content
    assert b"Join" in client.get(f"/plan/{saved.id}.svg?stage=optimized").content
    # Framed by any page; it runs its own script in an origin of its own, or none at all.
    html = client.get(f"/plan/{saved.id}.html").headers["content-security-policy"]
    assert "sandbox allow-scripts" in html
    assert "default-src 'none'" in html
    assert "frame-ancestors" not in html


def test_figures_of_rules_joins_and_aggregations(store: Library, client: Client) -> None:
    saved = store.save(Text(SQL, "tpch"), "Totals", Terms())
    assert b"rejected" in client.get(f"/plan/{saved.id}.svg?page=joins&join=1").content
    assert client.get(f"/plan/{saved.id}.png?page=rules&step=2").content.startswith(b"\x89PNG")
    grouped = store.save(Text("SELECT c_nationkey, count(*) FROM customer GROUP BY c_nationkey", "tpch"), "", Terms())
    assert b"Partial Hash Aggregate" in client.get(f"/plan/{grouped.id}.svg?page=aggregations&aggregate=1").content
    for part in (
        "page=aggregations",
        "page=joins&join=9",
        "page=rules&step=999999",
        "page=rules&step=x",
        "stage=nothing",
        "step=99999",
    ):
        assert client.get(f"/plan/{saved.id}.svg?{part}").status_code == 404


def test_one_of_several_queries_has_its_own_figures(client: Client) -> None:
    packed = links.pack("SELECT 1 + 1 AS a FROM VALUES (2) v(b) WHERE b > 1 + 1;\nSELECT order_id FROM orders")
    first, second, whole = (
        client.get(f"/plan/{packed}.svg?page=rules&step=1{query}") for query in ("&query=1", "&query=2", "")
    )
    assert {first.status_code, second.status_code, whole.status_code} == {200}
    assert first.content != second.content == whole.content
    assert b"orders" in client.get(f"/plan/{packed}.svg?query=2").content
    assert b"orders" not in client.get(f"/plan/{packed}.svg?query=1").content


def test_an_older_version_says_that_there_is_a_newer_one(store: Library, client: Client) -> None:
    first = store.save(Text(SQL, "tpch"), "Totals", Terms())
    assert b"is newer" not in client.get(f"/plan/{first.id}.svg").content
    second = store.save(Text(SQL + " ORDER BY 1", "tpch"), "Totals", Terms())
    assert b"version 1; version 2 is newer" in client.get(f"/plan/{first.id}.svg").content
    assert b"is newer" not in client.get(f"/plan/{second.id}.svg").content


def test_a_difference_has_pictures_of_its_own(store: Library, client: Client) -> None:
    first = store.save(Text(SQL, "tpch"), "Totals", Terms())
    second = store.save(Text(SQL.replace("SELECT", "SELECT /*+ BROADCAST(customer) */"), "tpch"), "Totals", Terms())
    link = links.pack(SQL)
    for asked in (f"b={second.id}", f"b={links.pack(SQL + ' ORDER BY 1')}", "settings=profile%3Dspark-3.5", ""):
        for format, begins in (("svg", b"<svg"), ("png", b"\x89PNG"), ("html", b"<!doctype html>"), ("json", b"{")):
            answer = client.get(f"/plan/{first.id}.{format}?page=compare&{asked}")
            assert answer.status_code == 200, answer.text
            assert answer.content.lower().startswith(begins.lower())
    told = client.get(f"/plan/{first.id}.json?page=compare&b={second.id}").content
    assert b"BroadcastHashJoin, builds customer" in told
    picture = client.get(f"/plan/{first.id}.svg?page=compare&b={second.id}").content
    # The stale side says so.
    assert b"version 1; version 2 is newer" in picture
    more = links.pack_pairs([("third", SQL)])
    chain = client.get(f"/plan/{link}.json?page=compare&catalog=tpch&b={links.pack(SQL)}&more={more}").content
    assert b"planviz-diff-chain/1" in chain
    for asked in (
        "b=unknownunknownunknown1",
        "b=1.AAAA",
        "plan_a=nothing",
        f"b={link}&more=1.AAAA",
        "b=../../etc/passwd",
    ):
        assert client.get(f"/plan/{first.id}.svg?page=compare&{asked}").status_code == 404
    assert sharing.picture_path(f"saved={first.id}&catalog=tpch&settings=a%3Db&stage=x", "compare") == (
        f"plan/{first.id}.svg?settings=a%3Db&page=compare"
    )


def test_deleted_is_deleted_from_embeds_too(store: Library, client: Client) -> None:
    saved = store.save(Text(SQL, "tpch"), "Totals", Terms())
    answer = client.get(f"/plan/{saved.id}.svg")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "private, no-cache")
    store.trash([saved.id])
    answer = client.get(f"/plan/{saved.id}.svg")
    assert (answer.status_code, answer.headers["cache-control"]) == (404, "no-store")
    store.restore([saved.id])
    store.delete([saved.id])
    assert client.get(f"/plan/{saved.id}.svg").status_code == 404


def test_deleted_is_closed_for_whoever_had_it_open(store: Library, client: Client) -> None:
    saved = store.save(Text(SQL, "tpch"), "Totals", Terms())
    assert client.get(f"/plan/{saved.id}.svg").status_code == 200
    opened = cache.open_document(SQL, "tpch")
    derived = cache.open_document(SQL, "tpch", "spark-3.5")
    other = cache.open_document(SQL + " ORDER BY 1", "tpch")
    store.trash([saved.id])
    library.delete(store, saved.id)
    assert store.find(saved.id) is None
    for gone in (opened, derived):
        assert client.get(f"/plan/{gone.key}/0.svg").status_code == 404
    assert client.get(f"/plan/{other.key}/0.svg").status_code == 200
    # The workers are told, as of what its sessions have left.
    assert {opened.key, derived.key} <= {*cache.left(lambda session: False)}


def test_opening_an_address_counts_as_opening(store: Library, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = store.remember(Text(SQL, "tpch"))
    later = kept.opened + 29 * 86_400_000
    monkeypatch.setattr(store_library, "now", lambda: later)
    monkeypatch.setattr(library, "now", lambda: later)
    assert client.get(f"/plan/{kept.id}.svg").status_code == 200
    found = store.find(kept.id)
    assert found is not None
    assert found.opened == later
    monkeypatch.setattr(store_library, "now", lambda: later + 2 * 86_400_000)
    assert store.sweep() == 0


def test_a_server_without_accounts_opens_no_document_of_people(store: Library, client: Client) -> None:
    ann = store.of(Person("oidc-ann", "ann@example.com", "Ann"))
    saved = ann.save(Text(SQL, "tpch"), "Ann's", Terms())
    assert client.get(f"/plan/{saved.id}.svg").status_code == 404
    ann.open_by_link(saved.id, True)
    assert client.get(f"/plan/{saved.id}.svg").status_code == 200


@pytest.mark.parametrize("sample", [sample.name for sample in samples()])
def test_every_sample_has_a_picture_by_its_address_alone(sample: str, client: Client) -> None:
    link = links.pack(load(sample))
    if link is None:
        pytest.skip("this sample is too long for an address")
    assert client.get(f"/plan/{link}.svg").status_code == 200


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/plan/unknownunknownunknown1.svg", 404), ("/plan/1.svg", 404), ("/plan/1.AAAA.svg", 404),
        ("/plan/9.AAAA.svg", 404), ("/plan/.svg", 400),
        ("/plan/x.exe", 400), ("/plan/x", 400), ("/plan/x.svg?theme=red", 400), ("/plan/x.svg?page=live", 400),
        ("/plan/x.html?page=joins", 400), ("/plan/'%20OR%201=1;--.svg", 404), ("/plan/%00.svg", 404),
    ],
)  # fmt: skip
def test_what_is_not_there(address: str, status: int, store: Library, client: Client) -> None:
    answer = client.get(address)
    assert answer.status_code == status
    assert answer.text.endswith("\n")
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_links_that_are_damaged_cut_or_bombs_get_a_sentence(store: Library, client: Client) -> None:
    link = links.pack(SQL)
    assert link is not None
    import base64
    import gzip

    bomb = "1." + base64.urlsafe_b64encode(gzip.compress(b"a" * 50_000_000)).rstrip(b"=").decode()
    for damaged in (link[: len(link) // 2], link[:-4] + "____", bomb):
        assert client.get(f"/plan/{damaged}.svg").status_code == 404


def test_without_a_library_an_id_is_unknown(client: Client) -> None:
    answer = client.get("/plan/unknownunknownunknown1.svg")
    assert answer.status_code == 404
    assert "keeps no library" in answer.text


def test_a_long_text_is_kept_for_its_link(store: Library) -> None:
    long = "\n".join(f"SELECT {i} AS column_{hash(str(i))} FROM orders;" for i in range(3_000))
    opened = cache.open_document(long, "tpch")
    assert opened.link() is None
    id = library.remembered(opened, "long")
    assert library.remembered(opened, "long") == id
    source, saved = library.kept(id)
    assert source == Source(long, "tpch")
    assert saved is not None
    assert not saved.is_saved


def test_a_catalogue_of_ones_own_is_kept_with_the_document(store: Library) -> None:
    from planviz.catalog.bundled import bundled_text

    name = cache.keep_catalog(bundled_text("tpch"))
    saved = library.save(cache.open_document(SQL, name), "Totals", ["x"])
    assert library.kept(saved.id)[0] == Source(SQL, name)
    assert store.search(library.Query())[0][0].tags == ("x",)
    assert store.named("Totals").recognised == "SQL query"


def test_what_is_pasted_elsewhere() -> None:
    assert sharing.picture_path("sample=x") == ""
    assert sharing.picture_path("saved=abc&catalog=tpch&stage=optimized") == "plan/abc.svg?stage=optimized"
    packed = sharing.picture_path("plan=1.abc&catalog=tpch&stage=optimized")
    assert packed == "plan/1.abc.svg?stage=optimized&catalog=tpch"
    assert sharing.picture_path("saved=abc&stage=x", "joins") == "plan/abc.svg?page=joins&join=1"
    told = sharing.markdown("a](javascript:x) <b>", "http://h/p.svg?", "http://h/?a")
    assert told == "[![a  javascript:x   b]( http://h/p.svg?)](http://h/?a)".replace("( ", "(")
    assert '"><script>' not in sharing.frame('"><script>', "http://h/p.html?")
    assert "nothing is kept" in sharing.who_can_open("plan=1.a", "http://localhost:8501")
    assert "kept on this server" in sharing.who_can_open("saved=a", "https://plans.example.com")
