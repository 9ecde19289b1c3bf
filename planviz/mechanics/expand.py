"""Expand: every row once per projection."""

from __future__ import annotations

from collections.abc import Iterator

from planviz.mechanics.play import Board, Input, Model, Panel, Step, computed, plain, texts
from planviz.physical.operators import ExpandExec


class Expand(Model):
    """Spark: ExpandExec."""

    operator = "Expand"
    about = (
        "Every row is given once per projection: for several distinct aggregates or grouping sets, each copy keeps "
        "the columns of one of them, has nulls for the others, and a number that says whose it is. Rows are multiplied."
    )

    def __init__(self, node: ExpandExec, source: Input) -> None:
        self.node, self.source = node, source
        self.limited(source)
        columns, given = (tuple(a.name for a in x) for x in (source.columns, node.columns))
        super().__init__(
            Board(
                Panel("input", source.name, "input", "table", 0, columns),
                Panel("output", "Output", f"times {len(node.projections)}", "output", 1, given),
            )
        )

    @property
    def title(self) -> str:
        """See Model."""
        return f"Expand to {len(self.node.projections)} rows each"

    @property
    def facts(self) -> list[tuple[str, str]]:
        """See Model."""
        return [(f"Projection {at}", ", ".join(map(plain, one))) for at, one in enumerate(self.node.projections, 1)]

    def steps(self) -> Iterator[Step]:
        """Row by row, projection by projection."""
        for at, part in enumerate(self.lay(self.source, "input")):
            self.output.append([])
            if part:
                self.board.phase(f"Task {at}")
            for item in part:
                self.board["input"].point(item.id)
                for number, projection in enumerate(self.node.projections, 1):
                    values = tuple([computed(e, item.env) for e in projection])
                    self.output[-1].append(values)
                    row = self.board.row(values, (item.id,))
                    self.board["output"].put(row)
                    yield self.board.step(
                        "expand",
                        f"{texts(item.values)} by projection {number}: {texts(values)}.",
                        marks=[("input", item.id, "current"), ("output", row, "new")],
                        links=[("input", item.id, "output", row)],
                    )
        self.board["input"].point(-1)
        yield self.board.step("end", f"{len(self.source.rows)} rows became {sum(map(len, self.output))}.")
