"""Scripts of SQL between BEGIN and END: their statements are planned like those of any script."""

from __future__ import annotations

import re
import time

import pytest

from planviz.errors import ParseError
from planviz.execution import Session
from planviz.frontend import parse_script

DDL = "CREATE TABLE t (a INT, b INT) USING parquet;"


def plans(block: str) -> list[str]:
    outcomes = list(Session().run(DDL + block, "optimized"))
    assert not any(o.error for o in outcomes), [str(o.error) for o in outcomes]
    texts = [o.execution.text("optimized") for o in outcomes if o.execution is not None]
    return [re.sub(r"#\d+L?", "", t) for t in texts]


@pytest.mark.parametrize(
    ("block", "wanted"),
    [
        ("BEGIN DECLARE v INT = 5; SELECT a + v AS x FROM t; END", ["Project [(a + 5) AS x]"]),
        ("BEGIN DECLARE v INT; SET v = 2; SET v = v + 1; SELECT v AS x; END", ["Project [3 AS x]"]),
        # Every branch and the body of every loop is read.
        (
            "BEGIN IF (SELECT max(a) FROM t) > 1 THEN SELECT a FROM t; ELSEIF false THEN SELECT b FROM t; "
            "ELSE SELECT 1 AS x; END IF; END",
            ["Project [(scalar-subquery", "Project [a]", "Project [b]", "Project [1 AS x]"],
        ),
        ("BEGIN CASE 1 WHEN 1 THEN SELECT a FROM t; ELSE SELECT b FROM t; END CASE; END", ["Project [a", "Project [b"]),
        ("BEGIN l: LOOP SELECT a FROM t; LEAVE l; END LOOP l; END", ["Project [a"]),
        ("BEGIN REPEAT SELECT a FROM t; UNTIL true END REPEAT; END", ["Project [a"]),
        # DO is no name of the table before it; the row's columns can be named.
        (
            "BEGIN FOR r AS SELECT a FROM t DO SELECT b FROM t WHERE b = r.a; END FOR; END",
            ["Project [a", "Filter (isnotnull(b) AND (b = 1))"],
        ),
        # A block's variables are its own, those of the blocks around it are seen.
        (
            "BEGIN DECLARE v INT = 1; BEGIN DECLARE w INT = v + 1; SELECT w AS x; END; SELECT v AS x; END",
            ["Project [2 AS x", "Project [1 AS x"],
        ),
        ("BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SELECT a FROM t; END; SELECT 1 AS x; END", ["Pro", "Pro"]),
        ("BEGIN EXECUTE IMMEDIATE 'SELECT a FROM t WHERE a > ?' USING 3; END", ["Filter (isnotnull(a) AND (a > 3"]),
    ],
)
def test_statements_of_a_block_are_planned(block: str, wanted: list[str]) -> None:
    found = plans(block)
    assert len(found) == len(wanted), found
    assert all(w in f for f, w in zip(found, wanted, strict=True)), found


@pytest.mark.parametrize(
    ("block", "error_class"),
    [
        ("BEGIN DECLARE v INT; DECLARE v INT; END", "VARIABLE_ALREADY_EXISTS"),
        ("BEGIN SET v = 1; END", "UNRESOLVED_VARIABLE"),
        ("BEGIN BEGIN DECLARE v INT; END; SELECT v; END", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
        ("BEGIN SELECT c FROM t; END", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("BEGIN SELECT 1 END", "PARSE_SYNTAX_ERROR"),
        ("BEGIN SELECT 1;", "PARSE_SYNTAX_ERROR"),
        ("BEGIN SELECT 1; DECLARE v INT; END", "INVALID_VARIABLE_DECLARATION.ONLY_AT_BEGINNING"),
        ("BEGIN DECLARE OR REPLACE v INT; END", "INVALID_VARIABLE_DECLARATION.REPLACE_LOCAL_VARIABLE"),
        ("BEGIN DROP TEMPORARY VARIABLE v; END", "UNSUPPORTED_FEATURE.SQL_SCRIPTING_DROP_TEMPORARY_VARIABLE"),
        ("BEGIN IF 1 THEN SELECT 1; END IF; END", "INVALID_BOOLEAN_STATEMENT"),
        ("BEGIN IF true THEN END IF; END", "PARSE_SYNTAX_ERROR"),
        ("BEGIN LOOP SELECT 1; END LOOP l; END", "END_LABEL_WITHOUT_BEGIN_LABEL"),
        ("BEGIN SIGNAL SQLSTATE '45000'; END", "PARSE_SYNTAX_ERROR"),
        (
            "BEGIN DECLARE CONTINUE HANDLER FOR DIVIDE_BY_ZERO SELECT 1; END",
            "UNSUPPORTED_FEATURE.CONTINUE_EXCEPTION_HANDLER",
        ),
        (
            "BEGIN SELECT 1; DECLARE EXIT HANDLER FOR SQLEXCEPTION SELECT 1; END",
            "INVALID_HANDLER_DECLARATION.WRONG_PLACE_OF_DECLARATION",
        ),
        (
            "BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION, DIVIDE_BY_ZERO SELECT 1; END",
            "INVALID_HANDLER_DECLARATION.INVALID_CONDITION_COMBINATION",
        ),
        ("BEGIN DECLARE EXIT HANDLER FOR SQLSTATE '00000' SELECT 1; END", "INVALID_SQLSTATE"),
        ("BEGIN IF true THEN DECLARE v INT; END IF; END", "INVALID_VARIABLE_DECLARATION.NOT_ALLOWED_IN_SCOPE"),
        ("BEGIN l: LOOP LEAVE m; END LOOP; END", "INVALID_LABEL_USAGE.DOES_NOT_EXIST"),
        ("BEGIN l: LOOP LEAVE l; END LOOP m; END", "LABELS_MISMATCH"),
        ("BEGIN l: BEGIN l: BEGIN SELECT 1; END; END; END", "LABEL_OR_FOR_VARIABLE_ALREADY_EXISTS"),
    ],
)
def test_blocks_are_refused_as_in_spark(block: str, error_class: str) -> None:
    errors = [o.error for o in Session().run(DDL + block) if o.error is not None]
    assert [getattr(e, "error_class", "") for e in errors] == [error_class]


def test_a_block_that_cannot_be_read_ends_where_it_ends() -> None:
    statements = parse_script("BEGIN IF true THEN SELEC 1; END IF; SELECT 2; END; SELECT 3", tolerant=True)
    assert [(s.sql, s.error is not None) for s in statements][1:] == [("SELECT 3", False)]
    assert statements[0].error is not None
    with pytest.raises(ParseError):
        parse_script("BEGIN IF true THEN SELEC 1; END IF; END; SELECT 3")


def test_no_query_of_a_block_is_given_to_a_live_spark() -> None:
    assert not [s for s in parse_script("BEGIN SELECT 1; FOR SELECT 2 DO SELECT 3; END FOR; END") if s.kind == "query"]


@pytest.mark.parametrize("text", ["BEGIN " * 20_000, "BEGIN FOR SELECT 1 DO " * 20_000, "BEGIN IF 1 THEN " * 20_000])
def test_blocks_without_end_are_refused_in_time(text: str) -> None:
    start = time.process_time()
    with pytest.raises(ParseError):
        parse_script(text, tolerant=True)
    assert time.process_time() - start < 5


@pytest.mark.parametrize("begin", ["BEGIN", "BEGIN TRANSACTION", "BEGIN WORK"])
def test_a_transaction_is_no_block(begin: str) -> None:
    outcomes = list(Session().run(f"{begin}; {DDL} SELECT a FROM t; COMMIT;"))
    assert [o.error for o in outcomes] == [None] * 4
    assert [o.statement.kind for o in outcomes if o.execution is not None] == ["query"]


def test_words_that_may_stand_behind_begin() -> None:
    assert [o.error for o in Session().run("BEGIN NOT ATOMIC CASE 1 WHEN 1 THEN SELECT 1; END CASE; END")] == [None]
