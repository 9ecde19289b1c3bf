from __future__ import annotations

import json

from planviz.cli.main import run


def test_the_list(capsys):
    assert run(["slides"]) == 0
    assert capsys.readouterr().out.split("\n")[0] == "build-side   Which side of a hash join is built"


def test_an_example_has_the_slide_s_numbers_beside_ours(capsys):
    assert run(["slides", "q11-variant"]) == 0

    out = capsys.readouterr().out
    assert "store_sales × date_dim  slide 500,000,000 rows  estimated 578,997,324 rows, 10.8 GiB" in out
    assert "(its place in the picture is inferred)" in out
    assert "c_customer_id is meant" in out


def test_an_example_as_json(capsys):
    assert run(["slides", "build-side", "--format", "json"]) == 0

    off, on = json.loads(capsys.readouterr().out)["sides"]
    assert (off["joins"], on["joins"]) == (["ShuffledHashJoin, BuildRight"], ["ShuffledHashJoin, BuildLeft"])
    assert on["figures"][1]["slide"] == {"rows": 1_000_000, "bytes": 100_000_000}


def test_an_unknown_example(capsys):
    assert run(["slides", "q12"]) == 2
    assert "there are build-side" in capsys.readouterr().err
