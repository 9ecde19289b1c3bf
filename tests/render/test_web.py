"""The browser's modules, put together into one script."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from planviz.render.web import ELEMENTS, script


@pytest.mark.parametrize("element", ELEMENTS)
def test_what_a_module_exports_reaches_those_that_import_it(element: str) -> None:
    """A form of export that the joining does not know would be undefined elsewhere, in the browser alone."""
    joined = script(element)
    for name, body in re.findall(r"const \$(\w+) = \(\(\) => \{\n(.*?)\n\}\)\(\);", joined, re.DOTALL):
        source = files("planviz.render.web").joinpath(f"{name}.js").read_text("utf-8")
        given = re.search(r"return \{ (.*) \};$", body)
        assert given is not None, name
        exported = re.findall(
            r"^export (default )?(?:async )?(?:const |class |function )?\*?(\w+)", source, re.MULTILINE
        )
        assert given[1].split(", ") == sorted(
            ["main" if default else word for default, word in exported], key=given[1].split(", ").index
        ), name
        assert len(exported) == len(re.findall(r"^export ", source, re.MULTILINE)), name
