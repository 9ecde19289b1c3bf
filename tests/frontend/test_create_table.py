from __future__ import annotations

import pytest

from planviz.catalogs import read
from planviz.errors import InputError
from planviz.execution import Session
from planviz.frontend import parse_script


def created(body):
    (statement,) = parse_script(f"CREATE TABLE t {body}")
    return statement


def test_types_comments_defaults_and_nullability():
    statement = created(
        "(a INT NOT NULL COMMENT 'one, (two)', b DECIMAL(12, 2) DEFAULT (1 + 2), c ARRAY<MAP<STRING, INT>>, "
        "d STRUCT<x: INT COMMENT 'k', y: STRING>, `e f` TIMESTAMP_NTZ, g INTERVAL DAY TO SECOND, h VARCHAR(10), "
        "i CHAR(3), j STRING COLLATE UTF8_LCASE, k BINARY, l TIMESTAMP WITHOUT TIME ZONE, m BIGINT GENERATED ALWAYS AS "
        "(a * 2), n DOUBLE) USING orc"
    )

    assert [(c.name, c.data_type.simple_string) for c in statement.columns] == [
        ("a", "int"), ("b", "decimal(12,2)"), ("c", "array<map<string,int>>"), ("d", "struct<x:int,y:string>"),
        ("e f", "timestamp_ntz"), ("g", "interval day to second"), ("h", "varchar(10)"), ("i", "char(3)"),
        ("j", "string collate UTF8_LCASE"), ("k", "binary"), ("l", "timestamp_ntz"), ("m", "bigint"), ("n", "double"),
    ]  # fmt: skip
    assert [c.name for c in statement.columns if not c.nullable] == ["a"]
    assert statement.provider == "orc"


def test_constraints_are_passed_over_with_a_note():
    catalog = read(
        "CREATE TABLE t (a INT PRIMARY KEY, b INT REFERENCES u (x), c INT, CONSTRAINT pk UNIQUE (a, c), "
        "FOREIGN KEY (c) REFERENCES v (y), CHECK (c > 0), UNIQUE (b))"
    )

    assert [c.name for c in catalog.table(("t",)).columns] == ["a", "b", "c"]
    assert [n.split(" is ")[0] for n in catalog.notes] == [
        "t: PRIMARY of column a", "t: REFERENCES of column b", "t: CONSTRAINT pk", "t: FOREIGN KEY", "t: CHECK",
        "t: UNIQUE",
    ]  # fmt: skip


def test_partitions_of_both_kinds():
    by_name = created("(a INT, p DATE) USING parquet PARTITIONED BY (p)")
    declared = created("(a INT) PARTITIONED BY (p DATE COMMENT 'day, local', q STRING) STORED AS ORC LOCATION '/x'")

    assert (by_name.partition_columns, len(by_name.columns)) == (("p",), 2)
    assert (declared.partition_columns, declared.provider) == (("p", "q"), "orc")
    assert [c.name for c in declared.columns] == ["a", "p", "q"]
    assert "years(...)" in created("(a INT, d DATE) PARTITIONED BY (years(d))").notes[0]


@pytest.mark.parametrize(
    "clauses",
    [
        "ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' ESCAPED BY '^' COLLECTION ITEMS TERMINATED BY '-' "
        "MAP KEYS TERMINATED BY ':' LINES TERMINATED BY '\\n' NULL DEFINED AS '-' STORED AS TEXTFILE",
        "ROW FORMAT SERDE 'x' WITH SERDEPROPERTIES ('a'='b') STORED AS INPUTFORMAT 'i' OUTPUTFORMAT 'o'",
        "SKEWED BY (a) ON (1, 2) STORED AS DIRECTORIES",
        "USING parquet CLUSTERED BY (a) SORTED BY (a DESC) INTO 4 BUCKETS OPTIONS (x 1) COMMENT 'c' LOCATION '/x'",
        "USING delta CLUSTER BY (a) TBLPROPERTIES ('k'='v') DEFAULT COLLATION UTF8_LCASE",
    ],
)
def test_every_clause_of_spark_and_hive_is_known(clauses):
    assert created(f"(a INT) {clauses}").columns


@pytest.mark.parametrize(
    ("sql", "message", "place"),
    [
        ("CREATE TABLE t (\n  a INT,\n  b NUMBR)", "numbr", (3, 5)),
        ("CREATE TABLE t (\n  a INT,\n  A INT)", "COLUMN_ALREADY_EXISTS", (3, 3)),
        ("CREATE TABLE t (\n  a INT\n  b INT)", "',' or ')' was expected", (3, 3)),
        ("CREATE TABLE t (a INT, b", "data type", (1, 25)),
        ("CREATE TABLE t (a INT", "missing ')'", (1, 22)),
        ("CREATE TABLE t (a INT) PARTITIONED BY (z)", "none of the table's columns", (1, 40)),
        ("CREATE TABLE t (a INT DEFAULT)", "Syntax error", (1, 30)),
        ("CREATE TABLE t (a INT, d DATE) USING parquet\nPARTITIOND BY (d)", "near 'PARTITIOND'", (2, 1)),
        ("CREATE TABLE t (a INT, d DATE) USING parquet PARTITIONED (d)", "missing 'BY'", (1, 58)),
        ("CREATE TABLE t (a INT) USNG parquet", "near 'USNG'", (1, 24)),
    ],
)
def test_a_mistake_has_its_place(sql, message, place):
    with pytest.raises(InputError, match="(?i)" + message.replace("(", "\\(").replace(")", "\\)")) as e:
        list(Session().run(sql))

    assert (e.value.line, e.value.column) == place
