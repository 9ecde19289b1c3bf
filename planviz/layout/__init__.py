"""Where every card of a plan goes."""

from planviz.layout.tidy import tidy

__all__ = ["tidy"]
