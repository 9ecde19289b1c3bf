"""SQL whose types fit, so that most of it plans: queries, pipes, writes, scripts and commands over tables of every type."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

from planviz.catalog import Catalog
from planviz.execution import Session

_DEFINED = """
CREATE TABLE t1 (id INT, k BIGINT, name STRING, price DECIMAL(12, 2), d DATE, ts TIMESTAMP, ok BOOLEAN) USING parquet;
CREATE TABLE t2 (id INT, k BIGINT, tag STRING, f DOUBLE, xs ARRAY<INT>, m MAP<STRING, INT>, r STRUCT<x: INT, y: STRING>)
  USING parquet;
CREATE TABLE t3 (id INT, amount DECIMAL(10, 4), day DATE, region STRING) USING parquet PARTITIONED BY (region);
CREATE TABLE t4 (id INT, v VARIANT, bytes BINARY, small SMALLINT) USING parquet;
CREATE VIEW v1 AS SELECT id, name, price * 2 AS twice FROM t1 WHERE ok;
"""
Columns = dict[str, list[str]]
_TABLES: dict[str, dict[str, tuple[str, ...]]] = {
    "t1": {"n": ("id", "k"), "s": ("name",), "c": ("price",), "d": ("d",), "t": ("ts",), "b": ("ok",)},
    "t2": {"n": ("id", "k", "r.x"), "s": ("tag", "r.y"), "c": ("f",), "a": ("xs",), "m": ("m",), "r": ("r",)},
    "t3": {"n": ("id",), "c": ("amount",), "d": ("day",), "s": ("region",)},
    "t4": {"n": ("id", "small"), "v": ("v",), "y": ("bytes",)},
    "v1": {"n": ("id",), "s": ("name",), "c": ("twice",)},
}
_LITERALS = {
    "n": ("1", "0", "-7", "42", "NULL", "2147483647", "3L"), "s": ("'a'", "''", "'x%'", "'it''s'", "NULL", "'2024-01-01'"),
    "c": ("1.5", "0.0", "2.50", "1e3", "NULL", "0.001BD"), "d": ("DATE '2024-02-29'", "current_date()"),
    "t": ("TIMESTAMP '2024-01-01 10:00:00'", "current_timestamp()"), "b": ("true", "false", "NULL"),
    "a": ("array(1, 2, 3)", "sequence(1, 5)", "array()"), "m": ("map('a', 1)", "map('a', 1, 'b', NULL)"),
    "r": ("named_struct('x', 1, 'y', 'b')",), "v": ("parse_json('{\"a\": [1, 2]}')",), "y": ("X'1F'", "to_binary('ab')"),
}  # fmt: skip
#: What makes a value of a kind: `{n}` stands for a value of kind n.
_MADE = {
    "n": ("{n} + {n}", "{n} * 2", "{n} - {n}", "-{n}", "{n} % 7", "{n} & 3", "{n} << 1", "abs({n})", "length({s})",
          "size({a})", "element_at({a}, 1)", "{a}[0]", "{m}['a']", "{r}.x", "year({d})", "datediff({d}, {d})", "hash({s}, {n})",
          "coalesce({n}, {n}, 0)", "nullif({n}, {n})", "CASE WHEN {b} THEN {n} ELSE {n} END", "if({b}, {n}, {n})",
          "CASE {n} WHEN 1 THEN {n} WHEN 2 THEN 3 END", "greatest({n}, {n})", "CAST({s} AS INT)", "TRY_CAST({s} AS BIGINT)",
          "{c}::int", "instr({s}, 'a')", "extract(MONTH FROM {d})", "aggregate({a}, 0, (acc, x) -> acc + x)", "ascii({s})",
          "nvl2({n}, 1, {n})", "bit_count({n})", "crc32({s})", "cardinality({m})", "array_position({a}, 2)", "levenshtein({s}, {s})",
          "variant_get({v}, '$.a[0]', 'int')", "{v}:a::int", "pmod({n}, 5)", "div({n}, 2)", "{n} div 3", "shiftright({n}, 1)"),
    "s": ("upper({s})", "{s} || {s}", "concat({s}, '-', {n})", "substring({s}, 2, 3)", "trim(BOTH 'x' FROM {s})", "lpad({s}, 9, '*')",
          "regexp_replace({s}, '[aeiou]+', '_')", "split({s}, ',')[0]", "coalesce({s}, 'x')", "CAST({n} AS STRING)", "{d}::string",
          "date_format({t}, 'yyyy-MM')", "concat_ws(',', {s}, {s})", "{r}.y", "get_json_object({s}, '$.a')", "md5({s})", "initcap({s})",
          "CASE WHEN {b} THEN {s} ELSE 'no' END", "translate({s}, 'ab', 'xy')", "reverse({s})", "to_json({r})", "format_number({c}, 2)",
          "map_keys({m})[0]", "substring_index({s}, '.', 1)", "{s} COLLATE UNICODE_CI", "typeof({n})", "schema_of_json('{{\"a\": 1}}')",
          "decode({n}, 1, 'one', 'more')", "replace({s}, 'a')", "left({s}, 3)", "soundex({s})", "CAST({s} AS CHAR(5))"),
    "c": ("{c} * {n}", "{c} / 3", "round({c}, 1)", "CAST({n} AS DECIMAL(20, 3))", "{c} + {c}", "{n} / {n}", "sqrt({n})", "try_divide({c}, {n})",
          "{c} % 2", "coalesce({c}, 0)", "ceil({c})", "log(2, {n})", "CAST({s} AS DOUBLE)", "rand(3)", "width_bucket({c}, 0, 9, 3)", "try_sum({c}) OVER ()"),
    "d": ("date_add({d}, {n})", "{d} + INTERVAL 1 DAY", "last_day({d})", "CAST({t} AS DATE)", "trunc({d}, 'MM')", "make_date(2024, 1, {n})",
          "add_months({d}, 1)", "next_day({d}, 'MON')", "to_date({s}, 'yyyy')", "{d} - INTERVAL '1-2' YEAR TO MONTH"),
    "t": ("date_trunc('HOUR', {t})", "{t} + INTERVAL '1 02:03:04' DAY TO SECOND", "to_timestamp({s})", "CAST({d} AS TIMESTAMP)",
          "timestampadd(MONTH, {n}, {t})", "from_utc_timestamp({t}, 'Asia/Tokyo')", "window({t}, '1 hour').start"),
    "b": ("{n} > {n}", "{n} = {n}", "{s} LIKE 'a%'", "{s} RLIKE '^a+$'", "{n} IN (1, 2, {n})", "{n} BETWEEN 1 AND {n}", "{s} IS NOT NULL",
          "NOT {b}", "({b} OR {b})", "({b} AND {b})", "{n} <=> {n}", "{d} < {d}", "exists({a}, x -> x > 1)", "array_contains({a}, {n})",
          "{s} LIKE ANY ('a%', '%b')", "{s} ILIKE '%A_' ESCAPE '/'", "{n} IS DISTINCT FROM {n}", "startswith({s}, 'x')", "isnull({n})",
          "{c} > {n}", "{t} >= {d}", "{s} > {s}", "isnan({c})", "map_contains_key({m}, 'a')", "is_variant_null({v})", "{b} IS NOT TRUE"),
    "a": ("array({n}, {n})", "transform({a}, x -> x + {n})", "filter({a}, (x, i) -> i > 0)", "array_sort({a})", "array_union({a}, {a})",
          "slice({a}, 1, 2)", "sort_array({a}, false)", "map_values({m})", "flatten(array({a}, {a}))", "array_distinct({a})",
          "array_sort({a}, (x, y) -> y - x)", "shuffle({a}, 1)"),
    "m": ("map_filter({m}, (k, v) -> v > 1)", "map_concat({m}, map('z', {n}))", "transform_values({m}, (k, v) -> v + 1)", "str_to_map({s})"),
    "r": ("named_struct('x', {n}, 'y', {s})", "from_json({s}, 'x INT, y STRING')"),
    "v": ("parse_json({s})", "try_parse_json({s})", "to_variant_object({r})"), "y": ("CAST({s} AS BINARY)", "unhex({s})", "aes_encrypt({y}, 'abcdefghijklmnop')"),
}  # fmt: skip
_AGGREGATES = ("count(*)", "count({n})", "sum({n})", "avg({c})", "max({s})", "min({d})", "count(DISTINCT {n})", "sum(DISTINCT {n})",
               "collect_list({s})", "collect_set({n})", "stddev({c})", "approx_count_distinct({s})", "percentile({n}, 0.5)", "first({s}, true)",
               "max_by({s}, {n})", "bool_and({b})", "sum({n}) FILTER (WHERE {b})", "count_if({b})", "listagg(name, ',') WITHIN GROUP (ORDER BY name)",
               "percentile_cont(0.5) WITHIN GROUP (ORDER BY {c})", "mode({n})", "any_value({s})", "corr({c}, {c})", "histogram_numeric({n}, 5)",
               "approx_percentile({c}, array(0.1, 0.9))", "regr_slope({c}, {c})", "bit_or({n})", "kurtosis({c})", "grouping_id()",
               "array_agg({n})", "try_avg({c})", "sum({n}) + max({n}) * 2")  # fmt: skip
_WINDOWS = ("row_number()", "rank()", "dense_rank()", "lag({n}, 1)", "lead({s}, 2, 'z')", "sum({n})", "avg({c})", "ntile(4)", "first_value({s})",
            "count(*)", "percent_rank()", "cume_dist()", "nth_value({n}, 2)", "max({d})", "lag({n}) IGNORE NULLS")  # fmt: skip
_FRAMES = ("", "", " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW", " ROWS UNBOUNDED PRECEDING",
           " RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING", " ROWS BETWEEN 2 FOLLOWING AND 5 FOLLOWING")  # fmt: skip
_JOINS = (
    "JOIN",
    "LEFT JOIN",
    "RIGHT JOIN",
    "FULL OUTER JOIN",
    "LEFT SEMI JOIN",
    "LEFT ANTI JOIN",
    "CROSS JOIN",
    "INNER JOIN LATERAL",
)
_HINTS = ("", "", "", "", "/*+ BROADCAST(x1) */ ", "/*+ REPARTITION(3) */ ", "/*+ MERGE(x2) */ ", "/*+ SHUFFLE_HASH(x1, x2) */ ",
          "/*+ COALESCE(2) */ ", "/*+ REBALANCE */ ")  # fmt: skip


@cache
def tables() -> Catalog:
    """The catalogue of the statements."""
    session = Session()
    for outcome in session.run(_DEFINED):
        assert outcome.error is None, outcome.error
    return session.catalog


class Typed:
    """Writes one statement out of `dice`."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.names = 0

    def chance(self, part: float) -> bool:
        """Whether something comes about that comes about so often."""
        return self.dice.random() < part

    def statement(self) -> str:
        """A statement of any kind, sometimes several."""
        ways: tuple[tuple[float, Callable[[], str]], ...] = (
            (0.62, self.ordered), (0.1, self.piped), (0.06, self.defined), (0.1, self.written), (0.06, self.script), (0.06, self.command),
        )  # fmt: skip
        at = self.dice.random()
        for part, way in ways:
            at -= part
            if at < 0:
                return way()
        return self.ordered()

    # ------------------------------------------------------------------------------- values

    def value(self, kind: str, columns: Columns, depth: int = 0) -> str:
        """A value of a kind."""
        dice = self.dice
        if depth < 3 and dice.random() < (0.45, 0.3, 0.15)[depth]:
            return self.filled(dice.choice(_MADE[kind]), columns, depth + 1)
        if columns.get(kind) and dice.random() < 0.8:
            return dice.choice(columns[kind])
        return dice.choice(_LITERALS[kind])

    def filled(self, form: str, columns: Columns, depth: int) -> str:
        """A form with values in its places."""
        made = form.replace("{{", "\x01").replace("}}", "\x02")
        while (at := made.find("{")) >= 0:
            made = (
                made[:at]
                + self.value(made[at + 1], columns, depth).replace("{", "\x01").replace("}", "\x02")
                + made[at + 3 :]
            )
        return made.replace("\x01", "{").replace("\x02", "}")

    def condition(self, columns: Columns, depth: int) -> str:
        """A condition, sometimes with a subquery."""
        dice = self.dice
        found = [self.value("b", columns, 0) for _ in range(dice.choice((1, 1, 2)))]
        if depth < 2 and dice.random() < 0.12:
            inner, below = self.relation(2)
            mine, theirs = self.value("n", columns, 3), self.value("n", below, 3)
            found.append(
                dice.choice((
                    f"EXISTS (SELECT 1 FROM {inner} WHERE {theirs} = {mine})", f"{mine} IN (SELECT {theirs} FROM {inner})",
                    f"{mine} NOT IN (SELECT {theirs} FROM {inner} WHERE {mine} > {theirs})",
                    f"{mine} > (SELECT avg({theirs}) FROM {inner})",
                    f"NOT EXISTS (SELECT * FROM {inner} WHERE {theirs} = {mine} AND {self.value('b', below, 1)})",
                ))
            )  # fmt: skip
        return dice.choice((" AND ", " AND ", " OR ")).join(found)

    # ------------------------------------------------------------------------------- relations

    def relation(self, depth: int) -> tuple[str, Columns]:
        """One relation under a name of its own, and its columns by kind."""
        dice = self.dice
        self.names += 1
        name, kind = f"x{self.names}", dice.random()
        if depth < 2 and kind < 0.15:
            query, columns = self.select(depth + 1)
            return f"({query}) {name}", {k: [f"{name}.{c}" for c in found] for k, found in columns.items()}
        if kind < 0.2:
            return f"VALUES (1, 'a'), (NULL, 'b') AS {name}(n, s)", {"n": [f"{name}.n"], "s": [f"{name}.s"]}
        if kind < 0.24:
            return dice.choice(
                (f"range(10) {name}", f"explode(array(1, 2)) AS {name}(id)", f"range(0, 9, 2, 3) AS {name}")
            ), {"n": [f"{name}.id"]}
        table = dice.choice(tuple(_TABLES))
        text = table
        if dice.random() < 0.04:
            text += dice.choice(
                (
                    " TABLESAMPLE (10 PERCENT) REPEATABLE (1)",
                    " TABLESAMPLE (5 ROWS)",
                    " TABLESAMPLE (BUCKET 1 OUT OF 4)",
                )
            )
        if dice.random() < 0.03 and table != "v1":
            return f"{text} {name}", {
                "s": [f"{name}._metadata.file_path"],
                "n": [f"{name}._metadata.file_size", f"{name}.id"],
            }
        return f"{text} {name}", {k: [f"{name}.{c}" for c in found] for k, found in _TABLES[table].items()}

    def source(self, depth: int) -> tuple[str, Columns]:
        """What stands in FROM."""
        dice = self.dice
        text, columns = self.relation(depth)
        for _ in range(dice.choice((0, 0, 0, 1, 1, 2))):
            kind = dice.choice(_JOINS)
            if "LATERAL" in kind:
                self.names += 1
                name = f"x{self.names}"
                text += (
                    f" {kind} (SELECT {self.value('n', columns, 1)} AS n, {self.value('s', columns, 2)} AS s) {name}"
                )
                columns = columns | {"n": [*columns.get("n", []), f"{name}.n"]}
                continue
            more, others = self.relation(depth + 1)
            both = {k: [*columns.get(k, []), *others.get(k, [])] for k in {*columns, *others}}
            on = "" if kind == "CROSS JOIN" else f" ON {self.value('n', columns, 3)} = {self.value('n', others, 3)}"
            if on and dice.random() < 0.3:
                on += f" AND {self.value('b', both, 0)}"
            text += f" {kind} {more}{on}"
            columns = columns if "SEMI" in kind or "ANTI" in kind else both
        if columns.get("a") and dice.random() < 0.2:
            self.names += 1
            name = f"e{self.names}"
            text += f" LATERAL VIEW {dice.choice(('', 'OUTER '))}{dice.choice(('explode', 'posexplode'))}({columns['a'][0]}) v{name}"
            text += f" AS {name}" if "posexplode" not in text.rsplit("VIEW", 1)[1] else f" AS p{name}, {name}"
            columns = columns | {"n": [*columns.get("n", []), name]}
        return text, columns

    # ------------------------------------------------------------------------------- queries

    def select(self, depth: int) -> tuple[str, Columns]:
        """A SELECT, and the names of its columns by kind."""
        dice = self.dice
        source, columns = self.source(depth)
        where = f" WHERE {self.condition(columns, depth)}" if dice.random() < 0.6 else ""
        hint = dice.choice(_HINTS)
        if dice.random() < 0.35:
            return self.grouped(source, columns, where, hint)
        given: Columns = {}
        items = []
        for i in range(dice.randint(1, 3)):
            kind = dice.choice(("n", "n", "s", "s", "c", *columns))
            given.setdefault(kind, []).append(f"y{i}")
            items.append(f"{self.value(kind, columns)} AS y{i}")
        more = ""
        if dice.random() < 0.15:
            over = f"(PARTITION BY {self.value('s', columns, 3)} ORDER BY {self.value('n', columns, 3)}{dice.choice(_FRAMES)})"
            if dice.random() < 0.3:
                more, over = f" WINDOW w AS {over}", "w"
            items.append(f"{self.filled(dice.choice(_WINDOWS), columns, 3)} OVER {over} AS z")
        if depth < 2 and dice.random() < 0.06:
            inner, below = self.relation(2)
            items.append(
                f"(SELECT max({self.value('n', below, 3)}) FROM {inner} WHERE {self.value('n', below, 3)} = {self.value('n', columns, 3)}) AS q"
            )
        distinct = "DISTINCT " if dice.random() < 0.08 else ""
        return f"SELECT {hint}{distinct}{', '.join(items)} FROM {source}{where}{more}", given

    def grouped(self, source: str, columns: Columns, where: str, hint: str) -> tuple[str, Columns]:
        """A SELECT with aggregates."""
        dice = self.dice
        kinds = [dice.choice(("n", "s")) for _ in range(dice.choice((0, 1, 1, 2)))]
        keys = [self.value(kind, columns, 2) for kind in kinds]
        items = [f"{key} AS y{i}" for i, key in enumerate(keys)]
        items += [f"{self.filled(dice.choice(_AGGREGATES), columns, 2)} AS g{i}" for i in range(dice.randint(1, 2))]
        listed = ", ".join(keys)
        group = dice.choice(
            (listed, listed, listed, f"ROLLUP ({listed})", f"CUBE ({listed})", f"GROUPING SETS (({listed}), ())", "ALL")
        )
        having = f" HAVING count(*) > {dice.randint(0, 9)}" if keys and dice.random() < 0.2 else ""
        given: Columns = {}
        for i, kind in enumerate(kinds):
            given.setdefault(kind, []).append(f"y{i}")
        return (
            f"SELECT {hint}{', '.join(items)} FROM {source}{where}{f' GROUP BY {group}' if keys else ''}{having}",
            given,
        )

    def query(self) -> str:
        """A SELECT, sets of them, a pivot or a table's own."""
        dice, kind = self.dice, self.dice.random()
        if kind < 0.08:
            one, two = (
                f"SELECT {self.value('n', c, 1)}, {self.value('s', c, 1)} FROM {r}"
                for r, c in (self.relation(1), self.relation(1))
            )
            return f"{one} {dice.choice(('UNION ALL', 'UNION', 'INTERSECT', 'EXCEPT ALL', 'UNION BY NAME'))} {two}"
        if kind < 0.11:
            return dice.choice((
                "SELECT * FROM (SELECT id, region, amount FROM t3) PIVOT (sum(amount) FOR region IN ('a', 'b' AS bb))",
                "SELECT * FROM t1 UNPIVOT INCLUDE NULLS (v FOR what IN (id, k AS kk))", "TABLE t1", "FROM t2 SELECT id, explode(xs)",
                "SELECT * EXCEPT (d) FROM t1", "SELECT t2.r.*, inline(array(r)) FROM t2", "SELECT stack(2, id, k) FROM t1",
                "SELECT x.* FROM t1 x NATURAL JOIN t2", "SELECT * FROM t1 JOIN t2 USING (id, k)", "SELECT id, json_tuple(name, 'a') FROM t1",
                "SELECT variant_explode.* FROM t4, LATERAL variant_explode(v)", "SELECT map_from_arrays(xs, xs), m FROM t2",
            ))  # fmt: skip
        return self.select(0)[0]

    def ordered(self) -> str:
        """A query, some with an order and a limit."""
        dice, text = self.dice, self.query()
        if dice.random() < 0.25:
            text += dice.choice(
                (
                    " ORDER BY 1",
                    " ORDER BY 1 DESC NULLS LAST",
                    " SORT BY 1",
                    " ORDER BY ALL",
                    " DISTRIBUTE BY 1",
                    " CLUSTER BY 1",
                )
            )
        if dice.random() < 0.25:
            text += f" LIMIT {dice.choice((0, 1, 10, 2147483647))}{dice.choice(('', '', ' OFFSET 3'))}"
        return (
            f"{dice.choice(('EXPLAIN ', 'EXPLAIN EXTENDED ', 'EXPLAIN FORMATTED '))}{text}"
            if dice.random() < 0.02
            else text
        )

    def defined(self) -> str:
        """A query with definitions, some of which call themselves."""
        dice = self.dice
        if dice.random() < 0.3:
            step = self.value("n", {"n": ["n"]}, 1)
            return f"WITH RECURSIVE r(n) AS (SELECT {dice.choice(_LITERALS['n'][:4])} UNION ALL SELECT {step} FROM r WHERE n < 5) {dice.choice(('SELECT * FROM r', 'SELECT sum(n) FROM r JOIN t1 ON n = id'))}"
        one, given = self.select(1)
        name = next(iter(given.values()), ["*"])[0]
        use = f"count({name}) AS c" if name == "*" else name
        two = dice.choice((f"SELECT {use} FROM c0", f"SELECT a.{name} FROM c0 a JOIN c0 b ON a.{name} = b.{name}" if name != "*" else "TABLE c0",
                           "SELECT * FROM c0 UNION ALL SELECT * FROM c0", "SELECT count(*) FROM c0, t1"))  # fmt: skip
        return f"WITH c0 AS ({one}) {two}"

    def piped(self) -> str:
        """A query of pipes."""
        dice = self.dice
        table = dice.choice(("t1", "t2", "t3"))
        columns: Columns = {k: list(found) for k, found in _TABLES[table].items()}
        text = dice.choice((f"FROM {table}", f"TABLE {table}", f"SELECT * FROM {table}"))
        for i in range(dice.randint(1, 4)):
            kind = dice.randrange(9)
            if kind == 0:
                text += f" |> WHERE {self.value('b', columns)}"
            elif kind == 1:
                text += f" |> EXTEND {self.value('n', columns)} AS p{i}"
                columns.setdefault("n", []).append(f"p{i}")
            elif kind == 2:
                text += f" |> SET id = {self.value('n', columns, 1)}"
            elif kind == 3:
                text += f" |> ORDER BY {self.value('n', columns, 2)} |> LIMIT {dice.randint(0, 9)}"
            elif kind == 4:
                text += f" |> AS q{i}"
            elif kind == 5:
                text += f" |> LEFT JOIN t4 z{i} ON {self.value('n', columns, 3)} = z{i}.small"
                columns["n"] = [c for c in columns.get("n", []) if c != "id"] or ["small"]
            elif kind == 6:
                text += f" |> UNION ALL ({dice.choice(('FROM t1', 'SELECT * FROM ' + table))})"
            elif kind == 7:
                text += f" |> TABLESAMPLE (10 PERCENT) |> WHERE {self.value('b', columns, 1)}"
            else:
                text += f" |> AGGREGATE sum({self.value('n', columns, 2)}) AS p{i}, count(*) AS c{i} GROUP BY {self.value('s', columns, 3)} AS g{i}"
                columns = {"n": [f"p{i}", f"c{i}"], "s": [f"g{i}"]}
        return text

    # ------------------------------------------------------------------------------- statements

    def written(self) -> str:
        """A statement that writes."""
        dice = self.dice
        query = f"SELECT {self.value('n', {}, 1)}, {self.value('c', {}, 1)}, {self.value('d', {}, 2)}, {self.value('s', {}, 1)}"
        select = self.select(1)[0]
        return dice.choice((
            f"INSERT INTO t3 {query}", f"INSERT OVERWRITE t3 {query} FROM t1", f"INSERT INTO t3 (id, region) SELECT {self.value('n', {})}, 'a'",
            "INSERT OVERWRITE TABLE t3 PARTITION (region = 'a') SELECT id, amount, day FROM t3", "INSERT INTO t3 BY NAME SELECT 'r' AS region, 1 AS id",
            f"CREATE TABLE n1 USING parquet AS {select}", f"CREATE OR REPLACE TEMP VIEW w1 AS {select}; SELECT * FROM w1",
            f"CREATE TABLE n2 USING csv PARTITIONED BY (y0) LOCATION '/tmp/x' AS {select}", f"INSERT OVERWRITE DIRECTORY '/tmp/y' USING parquet {select}",
            f"INSERT INTO t3 REPLACE WHERE id = {self.value('n', {})} {query}", f"CACHE TABLE z1 AS {select}; SELECT count(*) FROM z1",
            f"MERGE INTO t1 a USING t2 b ON a.id = b.id WHEN MATCHED AND {self.value('b', {'n': ['a.k', 'b.k']}, 1)} THEN UPDATE SET k = b.k "
            "WHEN NOT MATCHED THEN INSERT (id, k) VALUES (b.id, b.k) WHEN NOT MATCHED BY SOURCE THEN DELETE",
            f"UPDATE t1 SET k = {self.value('n', {'n': ['id']})} WHERE {self.value('b', {'n': ['id']})}", f"DELETE FROM t1 WHERE {self.value('b', {'n': ['id'], 's': ['name']})}",
            "FROM t1 INSERT INTO t3 SELECT id, price, d, name INSERT OVERWRITE TABLE t3 SELECT id, price, d, 'b' WHERE ok",
            f"CREATE TABLE n3 (a INT DEFAULT {self.value('n', {}, 1)}, b STRING) USING parquet; INSERT INTO n3 (b) VALUES ({self.value('s', {})}); SELECT * FROM n3",
        ))  # fmt: skip

    def script(self) -> str:
        """A script, a variable, a statement in a text."""
        dice, query = self.dice, self.ordered()
        quoted = query.replace("'", "''")
        number = self.value("n", {}, 1)
        body = dice.choice((
            f"{query};", f"DECLARE a INT DEFAULT {number}; SET a = a + 1; SELECT a; {query};",
            f"IF {self.value('b', {}, 1)} THEN {query}; ELSEIF true THEN SELECT 1; ELSE SELECT 2; END IF;",
            f"DECLARE i INT = 0; WHILE i < 3 DO SET i = i + 1; {query}; END WHILE;", f"l: LOOP LEAVE l; END LOOP l; {query};",
            f"FOR row AS {query} DO SELECT 1; END FOR;", f"REPEAT {query}; UNTIL true END REPEAT;",
            f"DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN SELECT 1; END; {query};", f"CASE WHEN {self.value('b', {}, 2)} THEN {query}; ELSE SELECT 3; END CASE;",
            f"BEGIN {query}; END;", f"SIGNAL SQLSTATE '45000'; {query};",
        ))  # fmt: skip
        return dice.choice((
            f"BEGIN {body} END", f"BEGIN {body} END", f"BEGIN inner1: BEGIN {body} END inner1; END", f"EXECUTE IMMEDIATE '{quoted}'",
            f"EXECUTE IMMEDIATE 'SELECT * FROM t1 WHERE id = ? AND name = :n' USING {number}, 'b' AS n",
            f"DECLARE VARIABLE q STRING DEFAULT '{quoted}'; EXECUTE IMMEDIATE q", f"DECLARE VARIABLE v1 INT DEFAULT {number}; SELECT v1, id FROM t1 WHERE k > v1",
            "EXECUTE IMMEDIATE 'EXECUTE IMMEDIATE ''SELECT 1'''", f"SET VAR x = 1; {query}", f"BEGIN EXECUTE IMMEDIATE '{quoted}'; END",
        ))  # fmt: skip

    def command(self) -> str:
        """A statement that is about an object, with a query behind it."""
        dice, query = self.dice, self.ordered()
        return dice.choice((
            f"SET spark.sql.ansi.enabled = {dice.choice(('true', 'false'))}; {query}", f"SET spark.sql.autoBroadcastJoinThreshold = {dice.choice((-1, 0, 10**12))}; {query}",
            f"CREATE FUNCTION f1(a INT, b INT DEFAULT 2) RETURNS INT RETURN a + {self.value('n', {'n': ['a', 'b']}, 1)}; SELECT f1(id) FROM t1",
            "CREATE FUNCTION g1(a INT) RETURNS TABLE (x INT) RETURN SELECT a; SELECT * FROM g1(1), t1", "DESCRIBE TABLE t1", "SHOW TABLES LIKE 't*'",
            "ALTER TABLE t1 ADD COLUMNS (extra INT); SELECT extra FROM t1", "DROP TABLE IF EXISTS t9; TABLE t1", "ANALYZE TABLE t1 COMPUTE STATISTICS FOR ALL COLUMNS",
            f"CREATE VIEW w2 (a) AS SELECT {self.value('n', {}, 1)}; SELECT * FROM w2 JOIN w2 x USING (a)", f"USE CATALOG spark_catalog; {query}",
            f"ALTER TABLE t3 DROP PARTITION (region = 'a'); {query}", f"TRUNCATE TABLE t1; {query}", f"REFRESH TABLE t1; {query}", f"DESCRIBE QUERY {query}",
            "CREATE TEMPORARY VIEW w3 USING csv OPTIONS (path '/x', header true); SELECT * FROM w3", f"COMMENT ON TABLE t1 IS 'x'; {query}",
            f"SELECT * FROM parquet.`/data/x` WHERE a = {self.value('n', {})}", f"{query}; {self.ordered()}", f"({query})", f"-- a comment\n/* and /* more */ */ {query};",
        ))  # fmt: skip
