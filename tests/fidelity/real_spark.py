"""What a real Spark prints of statements; run by the Python of an environment that has that Spark.

Standard input: {"tables": [CREATE TABLE ...], "conf": {KEY: VALUE}, "statements": [SQL]}. The last line of standard
output: {"version", "plans": [{"analyzed", "optimized", "physical"} or {"error": CONDITION}]}, in their order.
"""

import json
import sys
import tempfile

from pyspark.sql import SparkSession

STAGES = {"analyzed": "analyzed", "optimized": "optimizedPlan", "physical": "executedPlan"}


def planned(spark, sql):
    try:
        execution = spark.sql(sql)._jdf.queryExecution()
        return {stage: getattr(execution, method)().toString() for stage, method in STAGES.items()}
    except Exception as error:
        for name in ("getCondition", "getErrorClass"):
            condition = getattr(error, name, lambda: None)()
            if condition:
                return {"error": condition}
        return {"error": type(error).__name__}


def main():
    asked = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.sql.warehouse.dir", folder).config("spark.driver.host", "127.0.0.1")
        for key, value in asked["conf"].items():
            builder = builder.config(key, value)
        spark = builder.getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        for table in asked["tables"]:
            spark.sql(table)
        plans = [planned(spark, sql) for sql in asked["statements"]]
        print(json.dumps({"version": spark.version, "plans": plans}))
        spark.stop()


main()
