"""Types of shapes: their reference systems, what casts there are between them, and what two of them have in common."""

from __future__ import annotations

import pytest

from planviz.errors import AnalysisError, ParseError
from tests.plans import plan_text

GEOG, GEOM = "st_geogfromwkb(X'00')", "st_geomfromwkb(X'00', 4326)"


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        (GEOG, "geography(4326)"),
        (GEOM, "geometry(4326)"),
        ("st_geomfromwkb(X'00')", "geometry(0)"),
        ("st_setsrid(st_geomfromwkb(X'00'), 3857)", "geometry(3857)"),
        ("st_geomfromwkb(X'00', a)", "geometry(any)"),
        (f"{GEOG}::geography(any)", "geography(any)"),
        (f"CAST({GEOG} AS geometry(4326))", "geometry(4326)"),
        (f"CAST({GEOM} AS geography(4326))", "geography(4326)"),
        (f"coalesce({GEOM}, st_geomfromwkb(X'00'))", "geometry(any)"),
        (f"array({GEOG}, {GEOG})", "array<geography(4326)>"),
    ],
)
def test_the_type_of_a_shape(expression, kind):
    assert plan_text(f"SELECT typeof({expression}) AS x FROM t1", "optimized").startswith(f"Project [{kind} AS x#")


@pytest.mark.parametrize(
    "expression",
    [
        "CAST(X'00' AS geometry(4326))",
        f"CAST({GEOG} AS string)",
        f"CAST({GEOG} AS geometry(any))",
        f"CAST({GEOG}::geography(any) AS geography(4326))",
        "CAST(st_geomfromwkb(X'00') AS geography(4326))",
    ],
)
def test_a_cast_that_there_is_not(expression):
    with pytest.raises(AnalysisError) as error:
        plan_text(f"SELECT {expression}")
    assert error.value.error_class == "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION"


def test_a_system_that_there_is_not():
    with pytest.raises(ParseError):
        plan_text(f"SELECT {GEOG}::geography(3857)")


@pytest.mark.parametrize(
    ("expression", "call"),
    [
        ("st_srid(st_geogfromwkb(cast(c AS binary)))", "STUtils.stGeogSrid(static_invoke(STUtils.stGeogFromWKB("),
        (
            "st_asbinary(st_geomfromwkb(cast(c AS binary)))",
            "STUtils.stGeomAsBinary(static_invoke(STUtils.stGeomFromWKB(",
        ),
    ],
)
def test_the_optimizer_calls_the_method_of_the_kind_of_shapes(expression, call):
    assert f"static_invoke({call}" in plan_text(f"SELECT {expression} AS x FROM t1", "optimized")
