from __future__ import annotations

import pytest

from planviz.catalogs import find
from planviz.errors import InputError


def test_a_misspelt_name_gets_the_nearest():
    with pytest.raises(InputError, match=r"“tpcdss”. Did you mean tpcds"):
        find("tpcdss")


def test_names_files_and_ddl_are_found(tmp_path):
    (tmp_path / "own.sql").write_text("CREATE TABLE t (a INT NOT NULL, b STRING) USING orc;")

    assert find("TPCH").name == "tpch"
    table = find(str(tmp_path / "own.sql")).table(("t",))
    assert table is not None
    assert (table.provider, [c.name for c in table.columns]) == ("orc", ["a", "b"])


def test_ddl_that_cannot_be_read_tells_where(tmp_path):
    (tmp_path / "own.sql").write_text("CREATE TABLE t (a INT);\nCREATE VIEW v AS SELECT nothing FROM t")

    with pytest.raises(InputError, match="line 2"):
        find(str(tmp_path / "own.sql"))
