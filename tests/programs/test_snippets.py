"""Parts of programs as they stand in answers and articles: what is left out, cut off, or never called."""

from __future__ import annotations

import pytest

from planviz.programs import read_program


def read(text):
    program = read_program(text, None, None, True)
    return program, [(a.name, a.execution.text("optimized")) for a in program.actions]


def columns(action):
    return [a.name for a in action.execution.analyzed.output]


def test_a_line_of_dots_in_a_chain_stands_for_others():
    program, made = read("out = (df\n  .filter(df['a'] > 1)\n  ...\n  .groupBy('b')\n  .count()\n)\nout.show()\n")
    assert program.error is not None
    assert program.error.condition == "SyntaxError"
    assert made[0][1].startswith("Aggregate [b#")


@pytest.mark.parametrize("text", ["df.filter(\n (F.col('a') > 1) &\n F.col('b').isin(['x'])", "x = df.select([\n'a'"])
def test_brackets_that_the_end_leaves_open_are_closed(text):
    program, made = read(text)
    assert program.error is not None
    assert program.error.condition == "SyntaxError"
    assert "Relation spark_catalog.default.df[a#" in made[0][1]


def test_many_open_brackets_are_no_program():
    with pytest.raises(Exception, match="no Python"):
        read_program("df.select(" + "(" * 50_000)


def test_what_zeppelin_shows_is_an_action():
    _, made = read("d = spark.sql('select a from t')\nz.show(d)\n")
    assert [name for name, _ in made] == ["display"]


def test_texts_are_joined_by_text():
    text = "import os\np = os.path.join(base, 'x')\nd = spark.sql(f'SELECT {\", \".join(cols)} FROM t')\nd.show()\n"
    program, made = read(text)
    assert program.error is None
    assert [name for name, _ in made] == ["show"]


def test_a_class_that_nobody_makes_is_read_from_the_method_that_calls_the_others():
    program, made = read(
        "class Job:\n"
        "    def __init__(self, path, out):\n        self.path, self.out = path, out\n"
        "    def load(self):\n        return spark.read.parquet(self.path)\n"
        "    def clean(self, df):\n        return df.filter('v > 1')\n"
        "    def run(self):\n        self.clean(self.load()).write.parquet(self.out)\n"
    )
    assert [name for name, _ in made] == ["write.parquet"]
    assert columns(program.actions[0]) == ["v"]


def test_what_is_fitted_is_a_dataframe_with_the_columns_that_its_stages_read():
    program, _ = read(
        "from pyspark.ml.feature import VectorAssembler\nfrom pyspark.ml.regression import LinearRegression\n"
        "from pyspark.ml import Pipeline\n"
        "va = VectorAssembler(inputCols=['x1', 'x2'], outputCol='features')\n"
        "model = Pipeline(stages=[va, LinearRegression(labelCol='y')]).fit(train)\n"
        "model.transform(test).select('y', 'prediction').show()\n"
    )
    assert [(a.name, columns(a)) for a in program.actions] == [
        ("fit", ["x1", "x2", "y"]),
        ("show", ["y", "prediction"]),
    ]


def test_a_dataframe_that_is_only_kept_is_shown_when_it_is_used():
    _, made = read("d = spark.sql('select a from t')\nd.cache()\nd.count()\n")
    assert [name for name, _ in made] == ["count"]


def test_what_a_loop_makes_and_drops_is_not_shown():
    function = "def f(x):\n    d = spark.table(x)\n    d.write.save('/o')\n    return d\n"
    _, made = read(f"{function}for n in ['a', 'b']:\n    f(n)\n")
    assert [name for name, _ in made] == ["write.save"] * 2


def test_a_column_called_user_is_a_column():
    program, made = read("df.groupBy(F.to_date('ts').alias('d')).agg(F.countDistinct('user')).show()\n")
    assert program.error is None
    assert "count(distinct user#" in made[0][1]


def test_a_dict_over_a_config_that_nobody_knows_has_the_keys_that_are_asked_for():
    program, _ = read(
        "cfg = yaml.safe_load(f)\n"
        "dfs = {name: spark.read.parquet(s['path']) for name, s in cfg['sources'].items()}\n"
        "dfs['orders'].join(dfs['users'], 'id').groupBy('country').count().show()\n"
    )
    assert program.error is None
    (show,) = program.actions
    tables = {p.table.name for p in show.execution.analyzed.walk() if hasattr(p, "table")}
    assert tables == {"<cfg[sources][orders][path]>", "<cfg[sources][users][path]>"}


def test_a_function_that_nobody_knows_is_shown_by_its_name():
    _, made = read(
        "df.groupBy('user').applyInPandas(lib.sessions, schema='user string, n long').show()\n"
        "df.mapInPandas(predict, 'id long, score double').filter('score > 0.5').show()\n"
    )
    assert made[0][1].startswith("FlatMapGroupsInPandas [user#1], sessions(user#1)#")
    assert "MapInPandas predict(user#1)#" in made[1][1]


def test_a_class_of_values_needs_no_import():
    program, _ = read(
        "@dataclass\nclass C:\n    cols: list = field(default_factory=lambda: ['id', 'v'])\n"
        "spark.table('t').select(*C().cols).show()\n"
    )
    assert columns(program.actions[0]) == ["id", "v"]
