"""The browser's modules, put together into one script."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from planviz.render.web import ELEMENTS, script, without_comments


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


@pytest.mark.parametrize("element", ELEMENTS)
def test_no_comment_with_a_line_of_its_own_is_sent(element: str) -> None:
    """Explanations and types are for those who read the sources: browsers would fetch them for nothing."""
    joined = script(element).split("\n", 1)[1]  # the first line says where the sources are
    assert "/**" not in joined
    assert not re.search(r"^\s*//", joined, re.MULTILINE)


def test_what_looks_like_a_comment_within_code_stays() -> None:
    source = """// About it.
/** @param {string} a */
const at = "https://example.org/**/x"; // where it is
/**
 * @param {number} b
 * @returns {number}
 */
function two(b) {
  const c = /** @type {number} */ (b);
  return c / 2; /* here */
}
"""
    assert without_comments(source) == (
        'const at = "https://example.org/**/x"; // where it is\n'
        "function two(b) {\n  const c = (b);\n  return c / 2; /* here */\n}\n"
    )
