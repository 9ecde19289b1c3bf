"""SQL that nobody would write: statements mutated token by token, and trees that sqlglot mixes and prints.

    python -m tests.frontend.fuzz [CASES] [SEED] [FILE.json ...]     prints every defect found, with its statement

A JSON file holds lists of statements (or of lists of them) to mutate beside those of the repository.
"""

from __future__ import annotations

import json
import random
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from planviz.catalog import Catalog, read_catalog
from planviz.errors import InputError, PlanTooLarge, PlanvizError
from planviz.execution import Session
from planviz.frontend.lexer import tokenize
from planviz.logical.integrity import broken
from planviz.trees.executor import NotConverged, RuleExecutor
from tests.plans import small_catalog

IGNORE, RAISE = sqlglot.ErrorLevel.IGNORE, sqlglot.ErrorLevel.RAISE
ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "tpcds"
#: Tokens that statements may lack and that matter to the grammar or to a rule.
SPICE = [
    "NULL", "'x'", "1.5", "-1", "99999999999999999999", "1e400", "2147483647", "''", "x'1f'", "interval 1 day", "*",
    "(", ")", ",", ".", ";", "::", "->", "[", "]", "distinct", "all", "not", "in", "is", "between", "like", "exists",
    "over", "filter", "lateral", "unnest", "explode", "rollup", "cube", "union", "except", "intersect", "natural",
    "using", "full", "anti", "semi", "having", "qualify", "window", "limit", "offset", "tablesample", "pivot",
    "unpivot", "with", "recursive", "values", "cast", "array", "map", "struct", "named_struct", "/*", "*/", "--", "`",
    "'", "\"", "é", "\x00", "case", "when", "end", "select", "from", "where", "group by", "order by", "rand()",
    "true", "date '2020-01-01'",
]  # fmt: skip
DIALECTS = ["spark", "databricks", "hive", "spark", "duckdb", "postgres", "snowflake", "bigquery", "tsql", "mysql"]


def statements() -> list[tuple[str, Catalog]]:
    """The repository's statements, and the captured queries where they are at hand, each with its catalogue."""
    small = small_catalog()
    golden = (ROOT / "tests" / "golden" / "statements.txt").read_text(encoding="utf-8")
    found = [(block.split("\n----", 1)[0], small) for block in golden.split("\n====\n")]
    found += [(f.read_text(encoding="utf-8"), small) for f in sorted((ROOT / "sample_queries").glob("*.sql"))]
    if CORPUS.is_dir():
        tpcds = read_catalog(CORPUS / "catalog.json")
        found += [(f.read_text(encoding="utf-8"), tpcds) for f in sorted((CORPUS / "queries").glob("*.sql"))]
    return found


def tokens_of(sql: str) -> list[tuple[str, str]]:
    """The texts of the tokens with their kinds; words where the text is no SQL."""
    try:
        tokens = tokenize(sql)
    except PlanvizError:
        return [(w, "word") for w in sql.split()]
    return list(zip(tokens.texts, tokens.kinds, strict=True))[:-1]


def mutated(sql: str, pool: dict[str, list[str]], rng: random.Random) -> str:
    """The statement after a few edits of its tokens, half of them within a kind, so that the grammar often holds."""
    tokens = tokens_of(sql)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if not tokens:
            break
        i, j = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        kind = tokens[i][1]
        alike = [t for t in tokens if t[1] == kind]
        match rng.randrange(12):
            case 0:
                del tokens[i]
            case 1:
                tokens.insert(i, tokens[i])
            case 2:
                tokens[i], tokens[j] = tokens[j], tokens[i]
            case 3:
                tokens[i] = (rng.choice(SPICE), kind)
            case 4:
                tokens.insert(i, (rng.choice(SPICE), "word"))
            case 5:
                tokens[i:i] = tokens[j : j + rng.randrange(1, 6)]
            case 6 if rng.random() < 0.3:
                tokens = tokens[:i]
            case 7 | 8:
                tokens[i] = (rng.choice(pool[kind]), kind)
            case 9 if kind == "number":
                tokens[i] = (rng.choice(["0", "-1", "1.5", "NULL", "'x'", "99999999999", "true", "1e300", "a"]), kind)
            case _:
                tokens[i] = rng.choice(alike)
    return " ".join(t for t, _ in tokens)


def trees(sources: list[str]) -> list[exp.Expression]:
    """What sqlglot reads of the statements."""
    found: list[exp.Expression] = []
    for sql in sources:
        try:
            found += [t for t in sqlglot.parse(sql, read="spark", error_level=RAISE) if t is not None]
        except (SqlglotError, ValueError, RecursionError, AttributeError, AssertionError):
            continue
    return found


def mixed(forest: list[exp.Expression], rng: random.Random) -> str:
    """One tree with parts of another one in the place of its own, printed in some dialect."""
    tree = rng.choice(forest).copy()
    for _ in range(rng.choice([1, 1, 2, 3])):
        mine, others = list(tree.walk()), list(rng.choice(forest).walk())
        target = rng.choice(mine)
        alike = [o for o in others if type(o) is type(target)] if rng.random() < 0.6 else others
        if target is not tree and alike:
            target.replace(rng.choice(alike).copy())
    try:
        return tree.sql(dialect=rng.choice(DIALECTS), unsupported_level=IGNORE)
    except Exception:  # what sqlglot cannot print is its own affair
        return ""


def cases(count: int, seed: int, more: list[tuple[str, Catalog]] | None = None) -> Iterator[tuple[str, Catalog]]:
    """That many mutated statements with the catalogue of the statement they came from; one seed, one sequence."""
    rng = random.Random(seed)
    sources = statements() + (more or [])
    pool: dict[str, list[str]] = {}
    for text, kind in sorted({t for s, _ in sources for t in tokens_of(s)}):
        pool.setdefault(kind, []).append(text)
    forest = trees([s for s, c in sources if len(s) < 2_000])
    small = sources[0][1]
    for _ in range(count):
        if rng.random() < 0.3:
            yield mixed(forest, rng), small
        else:
            sql, catalog = rng.choice(sources)
            yield mutated(sql, pool, rng), catalog


def plan(sql: str, catalog: Catalog) -> None:
    """Plan every statement of the text up to the optimizer's result.

    Errors that tell what is wrong with the statement are fine; everything else is raised.
    """
    try:
        for outcome in Session(catalog).run(sql):
            if outcome.error is not None:
                raise outcome.error
            if outcome.execution is not None:
                outcome.execution.text("optimized")
    except (InputError, PlanTooLarge):
        return
    except NotConverged as e:
        # The analyzer's limit is Spark's own; a batch of the optimizer must settle.
        if "maxIterations" not in str(e):
            raise


def _more(files: list[str]) -> list[tuple[str, Catalog]]:
    found: list[tuple[str, Catalog]] = []
    for f in files:
        for group in json.loads(Path(f).read_text(encoding="utf-8")):
            group = [group] if isinstance(group, str) else group
            ddl = [s for s in group if s.lstrip()[:6].upper() == "CREATE"]
            session = Session()
            try:
                list(session.run(";\n".join(ddl)))
            except PlanvizError:
                continue
            found += [(s, session.catalog) for s in group if s not in ddl]
    return found


def main() -> None:
    """See the module."""
    count, seed = (int(a) for a in [*sys.argv[1:3], "10000", "1"][:2])
    RuleExecutor.guarded, RuleExecutor.standing = False, (broken,)
    seen: dict[str, int] = {}
    for i, (sql, catalog) in enumerate(cases(count, seed, _more(sys.argv[3:]))):
        try:
            plan(sql, catalog)
        except Exception as e:  # everything that comes out here is a defect
            frames = [f for f in traceback.extract_tb(e.__traceback__) if "planviz" in f.filename]
            where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
            key = f"{type(e).__name__} {where} {str(e)[:150] if isinstance(e, PlanvizError) else str(e)[:60]}"
            seen[key] = seen.get(key, 0) + 1
            if seen[key] == 1:
                print(f"{i}: {key}\n    {sql[:700]!r}", flush=True)
    print(f"{count} cases, {sum(seen.values())} defects of {len(seen)} kinds")


if __name__ == "__main__":
    main()
