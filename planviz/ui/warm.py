"""Imported by the process that workers are forked from: modules, bundled catalogues and rules are ready in each.

A small query is planned and drawn on the way, which fills what is made once.
"""

from __future__ import annotations

import gc
from multiprocessing import spawn

import planviz.ui.aggregations
import planviz.ui.cardinality
import planviz.ui.compare
import planviz.ui.history
import planviz.ui.live_report
import planviz.ui.reasons
import planviz.ui.rules  # noqa: F401
from planviz.catalog.bundled import NAMES, read_bundled
from planviz.document import open_text
from planviz.ui import cache, joins, rules, views

_QUERY = "SELECT o.status, count(*) FROM orders o JOIN users u ON o.user_id = u.user_id WHERE u.tier = 'x' GROUP BY 1"


def _warm() -> None:
    for name in NAMES:
        read_bundled(name)
    opened = cache.open_document(_QUERY, "shop")
    views.workbench(opened, views.first_plan(opened), None)
    rules.data(opened, None, [], [])
    joins.data(opened, None, "")
    open_text("== Physical Plan ==\n*(1) Range (0, 10, step=1, splits=2)\n")
    cache.forget_all()
    gc.collect()
    gc.freeze()


# A worker runs functions by the names of their modules. The server's main module, which multiprocessing would run once
# more in every worker, is at any moment the page that Streamlit runs.
spawn._fixup_main_from_path = spawn._fixup_main_from_name = lambda main: None  # type: ignore[attr-defined]

_warm()
