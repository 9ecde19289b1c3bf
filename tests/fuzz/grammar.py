"""SQL out of a grammar: statements over the bundled catalogue `shop` and over tables that nobody knows; most plan."""

from __future__ import annotations

import random

#: Tables of the catalogue `shop` with some of their columns, by what can be done with them.
TABLES = {
    "users": {"number": ("user_id",), "text": ("name",)},
    "orders": {"number": ("order_id", "user_id", "amount"), "text": ("status",)},
}
GUESSED = {"number": ("a", "b", "k"), "text": ("s", "t")}
_JOINS = ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN", "CROSS JOIN")
_SETS = ("UNION ALL", "UNION", "INTERSECT", "EXCEPT", "MINUS ALL")
_AGGREGATES = ("count", "sum", "min", "max", "avg", "stddev", "collect_list", "approx_count_distinct", "any_value")
_NUMBERS = ("abs({0})", "{0} + {1}", "{0} * 2", "{0} % 7", "coalesce({0}, {1})", "greatest({0}, {1}, 3)", "-{0}",
            "CASE WHEN {0} > {1} THEN {0} ELSE 0 END", "if({0} > 1, {1}, NULL)", "cast({0} AS decimal(12, 2))",
            "length(cast({0} AS string))", "{0} & 15", "round({0} / 3.0, 1)", "year(date '2024-02-29') + {0}",
            "element_at(array({0}, {1}), 1)", "hash({0}, {1})", "nullif({0}, {1})")  # fmt: skip
_TEXTS = ("upper({0})", "{0} || '-' || {1}", "substring({0}, 2, 3)", "trim({0})", "concat_ws(',', {0}, {1})",
          "regexp_replace({0}, '[aeiou]+', '_')", "coalesce({0}, 'x')", "lpad({0}, 9, '*')", "split({0}, ',')[0]",
          "get_json_object({0}, '$.a.b')", "translate({0}, 'abc', 'xyz')", "md5({0})",
          "date_format({0}, 'yyyy')")  # fmt: skip
_CONDITIONS = ("{n} > {m}", "{n} = {m}", "{n} <=> NULL", "{n} BETWEEN 1 AND 9", "{n} IN (1, 2, {m})", "{s} LIKE 'a%_'",
               "{s} RLIKE '^(a|b)+$'", "{s} IS NOT NULL", "NOT ({n} < 3)", "startswith({s}, 'x')", "{s} > 'm'",
               "{n} IS DISTINCT FROM {m}", "{s} LIKE ANY ('a%', '%b')", "isnull({s}) OR {n} = 0", "true",
               "1 = 1")  # fmt: skip


class Writer:
    """Writes one statement after the other out of `dice`."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.names = 0

    def statement(self) -> str:
        """A query, some with definitions, sets, an order and a limit."""
        dice, query = self.dice, self.query(0)
        if dice.random() < 0.3:
            definitions = ", ".join(f"c{i} AS ({self.query(1)})" for i in range(dice.randint(1, 3)))
            inner = dice.choice((query, "SELECT * FROM c0", f"SELECT count(*) FROM c0 x, ({query}) y"))
            query = f"WITH {definitions} {inner}"
        if dice.random() < 0.3:
            query += f" ORDER BY 1{dice.choice(('', ' DESC', ' NULLS LAST'))}"
        if dice.random() < 0.3:
            query += f" LIMIT {dice.choice((0, 1, 10, 2147483647))}{dice.choice(('', ' OFFSET 3'))}"
        return query

    def query(self, depth: int) -> str:
        """A SELECT, or two of them under a set operation."""
        if depth < 3 and self.dice.random() < 0.15:
            return f"{self.query(depth + 1)} {self.dice.choice(_SETS)} {self.query(depth + 1)}"
        dice = self.dice
        source, columns = self.source(depth)
        where = f" WHERE {self.condition(columns, depth)}" if dice.random() < 0.6 else ""
        hint = dice.choice(("", "", "", "/*+ BROADCAST(x1) */ ", "/*+ REPARTITION(3) */ ", "/*+ MERGE(x2, x1) */ "))
        kind = dice.random()
        if kind < 0.35:
            keys = [self.column(columns) for _ in range(dice.randint(0, 2))]
            items = [*keys, *(self.aggregate(columns) for _ in range(dice.randint(1, 2)))]
            group = ", ".join(keys)
            group = dice.choice((group, group, f"ROLLUP({group})", f"CUBE({group})")) if keys else ""
            having = " HAVING count(*) > 1" if keys and dice.random() < 0.2 else ""
            selected = ", ".join(f"{item} AS y{i}" for i, item in enumerate(items))
            return f"SELECT {hint}{selected} FROM {source}{where}{f' GROUP BY {group}' if group else ''}{having}"
        items = [self.value(columns, depth) for _ in range(dice.randint(1, 4))]
        if kind < 0.5:
            part, order = self.column(columns), self.column(columns)
            items.append(f"row_number() OVER (PARTITION BY {part} ORDER BY {order})")
        selected = ", ".join(f"{item} AS y{i}" for i, item in enumerate(items))
        return f"SELECT {dice.choice(('', '', '', 'DISTINCT '))}{hint}{selected} FROM {source}{where}"

    def source(self, depth: int) -> tuple[str, dict[str, list[str]]]:
        """What stands in FROM, and its columns."""
        dice = self.dice
        text, columns = self.relation(depth)
        for _ in range(dice.choice((0, 0, 1, 1, 2, 4))):
            kind = dice.choice(_JOINS)
            more, others = self.relation(depth)
            both = {word: columns[word] + others[word] for word in columns}
            on = "" if kind == "CROSS JOIN" else f" ON {columns['number'][0]} = {others['number'][0]}"
            if on and dice.random() < 0.3:
                on += f" AND {self.condition(both, 3)}"
            text += f" {kind} {more}{on}"
            columns = columns if "SEMI" in kind or "ANTI" in kind else both
        if dice.random() < 0.1:
            self.names += 1
            text += f" LATERAL VIEW explode(array(1, 2)) v{self.names} AS e{self.names}"
            columns["number"].append(f"e{self.names}")
        return text, columns

    def relation(self, depth: int) -> tuple[str, dict[str, list[str]]]:
        """One relation under a name of its own, and its columns."""
        dice = self.dice
        self.names += 1
        name = f"x{self.names}"
        if depth < 3 and dice.random() < 0.25:
            _, columns = "", {"number": ["n"], "text": ["t"]}
            inner, below = self.source(depth + 1)
            body = f"SELECT {self.number(below)} AS n, {self.text(below)} AS t FROM {inner}"
            return f"({body}) {name}", {word: [f"{name}.{c}" for c in found] for word, found in columns.items()}
        if dice.random() < 0.1:
            return f"VALUES (1, 'a'), (NULL, 'b') AS {name}(n, t)", {"number": [f"{name}.n"], "text": [f"{name}.t"]}
        table = dice.choice((*TABLES, "w1", "w2"))
        found = TABLES.get(table, GUESSED)
        return f"{table} {name}", {word: [f"{name}.{c}" for c in names] for word, names in found.items()}

    def column(self, columns: dict[str, list[str]]) -> str:
        """A column."""
        return self.dice.choice(columns[self.dice.choice(("number", "text"))])

    def number(self, columns: dict[str, list[str]]) -> str:
        """A number."""
        one, two = (self.dice.choice((*columns["number"], "1", "0", "NULL")) for _ in range(2))
        return self.dice.choice((one, *_NUMBERS)).format(one, two)

    def text(self, columns: dict[str, list[str]]) -> str:
        """A text."""
        one, two = (self.dice.choice((*columns["text"], "'b'", "''")) for _ in range(2))
        return self.dice.choice((one, *_TEXTS)).format(one, two)

    def value(self, columns: dict[str, list[str]], depth: int) -> str:
        """What stands in a select list; sometimes a subquery."""
        if depth < 2 and self.dice.random() < 0.1:
            inner, below = self.relation(2)
            equal = f"{below['number'][0]} = {columns['number'][0]}"
            return f"(SELECT {self.dice.choice(('max', 'count'))}({below['number'][-1]}) FROM {inner} WHERE {equal})"
        return self.number(columns) if self.dice.random() < 0.6 else self.text(columns)

    def aggregate(self, columns: dict[str, list[str]]) -> str:
        """An aggregate."""
        dice = self.dice
        distinct = dice.choice(("", "", "", "DISTINCT "))
        filtered = f" FILTER (WHERE {self.condition(columns, 3)})" if dice.random() < 0.15 else ""
        return f"{dice.choice(_AGGREGATES)}({distinct}{dice.choice(columns['number'])}){filtered}"

    def condition(self, columns: dict[str, list[str]], depth: int) -> str:
        """A condition; sometimes with a subquery."""
        dice, parts = self.dice, []
        for _ in range(dice.choice((1, 1, 2, 3))):
            names = {"n": self.number(columns), "m": self.number(columns), "s": self.text(columns)}
            part = dice.choice(_CONDITIONS).format(**names)
            if depth < 2 and dice.random() < 0.15:
                inner, below = self.relation(2)
                equal = f"{below['number'][0]} = {columns['number'][0]}"
                own = f"SELECT {below['number'][0]} FROM {inner}"
                part = dice.choice(
                    (f"EXISTS ({own} WHERE {equal})", f"{columns['number'][0]} NOT IN ({own})",
                     f"{columns['number'][0]} IN ({own} WHERE {equal})", f"NOT EXISTS ({own} WHERE {equal})")
                )  # fmt: skip
            parts.append(f"({part})")
        return dice.choice((" AND ", " OR ")).join(parts)
