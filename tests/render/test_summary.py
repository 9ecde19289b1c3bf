"""A plan in a few words: what each line says, and what it must not say."""

from __future__ import annotations

from planviz.catalog.bundled import read_bundled
from planviz.document import open_sql, open_text
from planviz.render.scene import build_scene
from planviz.samples import load
from tests.browser.matrix import PHOTON
from tests.render import made_plans as plans


def short(text: str) -> dict[str, str]:
    document = open_text(text)
    plan = next(p for p in reversed(document.plans) if p.stage != "initial")
    return {word: said for word, said, _ in build_scene(plan).short}


def by_sql(sql: str) -> dict[str, str]:
    graph = open_sql(sql, read_bundled("tpch")).plans[-1]
    return {word: said for word, said, _ in build_scene(graph).short}


def test_estimates_are_marked_and_every_line_names_its_operator() -> None:
    graph = plans.brand_sales()
    scene = build_scene(graph)
    assert [line[0] for line in scene.short] == ["reads", "joins", "moves", "gives"]
    assert scene.short[0][1] == "store_sales, date_dim, item; most from store_sales: ≈288M rows"
    assert scene.nodes["title"][scene.short[0][2]] == "Scan store_sales"
    assert scene.short[2][1] == "3 shuffles and 1 broadcast; up to ≈24M rows at once"


def test_measured_numbers_look_measured() -> None:
    told = short(load("event-log"))
    assert told["gives"] == "270 rows"
    assert "≈" not in "".join(told.values())
    assert told["moves"].startswith("1 shuffle and 1 broadcast, ")


def test_what_a_text_does_not_tell_is_not_said() -> None:
    told = short("== Physical Plan ==\nProject [a#1]\n+- LocalTableScan [a#1]\n")
    assert told == {"reads": "1 source"}


def test_photon_broadcasts_through_a_shuffle() -> None:
    told = short(PHOTON)
    assert told["joins"] == "1 Broadcast Hash"
    assert told["moves"] == "2 shuffles and 1 broadcast"


def test_photon_says_so_below_the_tree_in_the_formatted_mode() -> None:
    told = short(
        "== Physical Plan ==\nPhotonShuffleMapStage (3)\n+- PhotonShuffleExchangeSink (2)\n"
        "   +- PhotonScan parquet  (1)\n\n\n"
        "(1) PhotonScan parquet \nOutput [1]: [a#1]\nReadSchema: struct<a:int>\n\n"
        "(2) PhotonShuffleExchangeSink\nInput [1]: [a#1]\nArguments: SinglePartition\n\n"
        "(3) PhotonShuffleMapStage\nInput [1]: [a#1]\nArguments: EXECUTOR_BROADCAST, [id=#8]\n"
    )
    assert told["moves"] == "1 broadcast"


def test_sources_without_a_name_are_counted() -> None:
    told = short("== Physical Plan ==\nUnion\n:- Range (0, 9, step=1, splits=2)\n+- FileScan orc db.x[a#1]\n")
    assert told["reads"] == "db.x and 1 source without a name"


def test_what_only_formulas_give_is_an_estimate_in_a_sentence_too() -> None:
    told = by_sql("SELECT * FROM lineitem JOIN orders ON l_orderkey = o_orderkey")
    assert told["reads"] == "lineitem, orders; most from lineitem: ≈600M rows"
    assert "(" not in "".join(told.values())


def test_an_estimate_that_nobody_can_believe_is_no_number() -> None:
    told = by_sql("SELECT count(*) FROM lineitem a, lineitem b, lineitem c")
    assert told["joins"].endswith("; no usable estimate")
    assert by_sql("SELECT 1 FROM lineitem a, lineitem b, lineitem c")["gives"] == "no usable estimate"


def test_a_scan_of_files_is_named_by_its_folder_and_one_without_a_path_is_none() -> None:
    scan = "FileScan parquet [a#1] Batched: true, DataFilters: [], Format: Parquet, Location: InMemoryFileIndex{}"
    plan = "== Physical Plan ==\n*(1) Project [a#1]\n+- *(1) " + scan
    assert short(plan.format("(2 paths)[s3://b/sales/orders/day=1, s3://b/sales/orders/day=2]"))["reads"] == "orders"
    assert short(plan.format("(1 paths)[s3:..."))["reads"] == "1 source"


def test_two_rdds_are_two_sources_and_a_reference_to_a_cte_is_none() -> None:
    told = short(
        "== Physical Plan ==\nSortMergeJoin [a#1], [b#2], Inner\n:- Sort [a#1 ASC NULLS FIRST], false, 0\n"
        ":  +- Scan ExistingRDD[a#1]\n+- Sort [b#2 ASC NULLS FIRST], false, 0\n   +- Scan ExistingRDD[b#2]\n"
    )
    assert told["reads"] == "2 sources"
    told = short(
        "== Optimized Logical Plan ==\nWithCTE\n:- CTERelationDef 0, false\n:  +- Relation shop.big[k#1] parquet\n"
        "+- Join Inner, (k#3 = k#5)\n   :- CTERelationRef 0, true, [k#3], false\n"
        "   +- CTERelationRef 0, true, [k#5], false\n"
    )
    assert told["reads"].endswith("big")
