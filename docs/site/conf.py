"""Settings for Sphinx; `build.py docs` copies this file next to the pages of docs/ and the API."""

from __future__ import annotations

import builtins
import importlib
import inspect
import re
import sys
import tomllib
from typing import Any

from bs4 import BeautifulSoup
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.ext.napoleon import GoogleDocstring

import tfpy.typing
from buildsys.api_pages import TABLE, homes

REPOSITORY = "https://github.com/tfpy/tfpy/blob/main"
OUTSIDE = re.compile(r"\]\(\.\./([^)]+)\)")
"""Links from a page of docs/ to files elsewhere in the repository."""
SHOWN = {"web/npm/README.md": "npm.md"}
"""Files outside of docs/ that are pages of the documentation."""
SERVED = "examples/notebooks/"
"""A folder that the site also serves."""
TABLES = re.compile(r'<table class="docutils.*?</table>', re.S)
PARAMETERS = re.compile(r"(?<=\(</span>)\s*<dl>(.*?)</dl>", re.S)
WORD = re.compile(r'(?<=<span class="pre">)[^<]+')
BREAK = re.compile(r"(?<=\w{3})[_./:=(,]+(?=\w)")
"""Positions at which a name or an address may be wrapped."""
PRIVATE = re.compile(r' title="tfpy\._src[^"]*"')
"""Tooltips of links with the names of modules that only tfpy imports."""
TYPES = (
    (re.compile(r"TypeAliasForwardRef\('(\w+)'\)"), r"\1"),
    (re.compile(r"<function (\w+)[^>]*>"), r"\1"),
    (re.compile(r"\bDatasetV2\b"), "Dataset"),
    (re.compile(r"\bint \| tuple\[int, int\] \| None"), "int | None"),  # pairs are for graph nodes
    (re.compile(r"\bdtypes\.(?=\w)"), "tf."),
)
"""Patterns of types in signatures as Sphinx writes them, and the replacements."""
KEYWORDS = {
    ("data", "## Use a table from pandas"): "pandas, DataFrame",
    ("environment", "## Browsers"): "browser support",
    ("keras", "## Save and load models"): "save model, load model",
    ("models", "## Load the model"): "load model",
    ("support", "## Browser support"): "browser support, Chrome, Edge, Firefox, Safari",
    ("training", "## Save what was learned"): "save weights, checkpoint",
}
"""Entries of the index, for words that readers search for, by page and heading."""
BUILTINS = frozenset(vars(builtins))
NAME = re.compile(r"(tf(?:\.\w+)+)(\(.*\))?$", re.S)
"""A public name in text, with or without a call."""

project = "tfpy"
copyright = "the tfpy authors"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
exclude_patterns = ["api/README.md"]
suppress_warnings = ["misc.highlighting_failure"]  # pages of HTML with Python inside
html_theme = "furo"
html_title = "tfpy"
templates_path = ["templates"]
html_favicon = "static/icon.svg"
html_static_path = ["static"]
html_css_files = ["run.css"]
html_js_files = [(name, {"type": "module"}) for name in ("run.mjs", "reach.mjs")]
html_js_files.append(("../../opened_as_file.js", {"defer": ""}))  # of the site around docs/
modindex_common_prefix = ["tf."]
html_copy_source = False
html_show_sphinx = False

myst_heading_anchors = 3
myst_url_schemes = {"http": None, "https": None, "mailto": None, "site": "../{{path}}"}
myst_enable_extensions = ["colon_fence"]

autodoc_typehints = "signature"
autodoc_type_aliases = {name: name for name in tfpy.typing.__dict__ if name[0].isupper()}
maximum_signature_line_length = 72
default_role = "code"
autodoc_preserve_defaults = True
autodoc_member_order = "groupwise"
python_display_short_literal_types = True
strip_signature_backslash = True
add_module_names = False
napoleon_use_rtype = False


for _name in tomllib.loads(TABLE.read_text()):
    # the reference uses the names of programs, after `import tfpy as tf`
    sys.modules[_name] = importlib.import_module("tfpy" + _name.removeprefix("tf"))
for _class, _home in homes().items():
    # a class with a different name would be documented as an alias
    if _class is not Any:  # tf.typing.Nest
        _class.__name__ = _home.rpartition(".")[2]
# text before a colon in the docstring of a property is not a type
GoogleDocstring._parse_attribute_docstring = lambda self: self._consume_to_end()
# nor is text before a colon in a description of results
GoogleDocstring._consume_returns_section = lambda self, preprocess_types=False: [
    ("", "", self._dedent(self._consume_to_next_section()))
]


def _link_to_repository(app: Any, name: str, source: list[str]) -> None:
    def address(link: re.Match[str]) -> str:
        if link[1].startswith(SERVED):
            return f"](site:{link[1]})"
        return f"]({SHOWN.get(link[1], f'{REPOSITORY}/{link[1]}')})"

    source[0] = OUTSIDE.sub(address, source[0])


def _add_keywords(app: Any, name: str, source: list[str]) -> None:
    for (page, heading), words in KEYWORDS.items():
        if page == name:
            entries = ", ".join(f"! {word}" for word in words.split(", "))
            begin, line, rest = source[0].partition(f"\n{heading}\n")
            assert line, f"{page} has no {heading}"
            source[0] = f"{begin}{line}\n```{{index}} {entries}\n```\n{rest}"


def _link_to_reference(app: Any, document: nodes.document) -> None:
    """Link names such as `tf.relu(x)` in text to the reference."""
    for literal in list(document.findall(nodes.literal)):
        named = NAME.match(literal.astext())
        if named is None or _is_linked(literal):
            continue
        link = pending_xref(
            "", refdomain="py", reftype="obj", reftarget=named[1], refwarn=False,
            refdoc=app.env.docname, refexplicit=True,
        )  # fmt: skip
        literal.replace_self(link)
        link += literal


def _is_linked(node: nodes.Node) -> bool:
    """Return True if a link contains the node."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, nodes.reference | pending_xref):
            return True
    return False


def _fit(app: Any, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    """Prepare a page for narrow screens: make long names wrap, and label the cells of tables."""
    body = WORD.sub(lambda word: BREAK.sub(r"\g<0><wbr>", word[0]), context.get("body", ""))
    body = PRIVATE.sub("", PARAMETERS.sub(_in_lines, body))
    context["body"] = TABLES.sub(_labeled, body)


def _in_lines(found: re.Match[str]) -> str:
    """Write the parameters of a signature as lines: they are no definition list."""
    return found[1].replace("<dd>", '<span class="tfpy-parameter">').replace("</dd>", "</span>")


def _labeled(found: re.Match[str]) -> str:
    """Add the heads of the columns to the cells of a table."""
    table = BeautifulSoup(found[0], "html.parser")
    heads = [head.get_text() for head in table.select("thead th")]
    for row in table.select("tbody tr"):
        for cell, head in zip(row.find_all("td", recursive=False), heads, strict=False):
            if not cell.get_text(strip=True):
                cell["class"] = "tfpy-empty"
            elif head:
                cell["data-head"] = head
    return str(table)


def _plain_builtins(app: Any, document: nodes.document) -> None:
    """Show built-in types in signatures without links: tf.bool is another type than bool."""
    for reference in list(document.findall(pending_xref)):
        if reference["reftarget"] in BUILTINS:
            reference.replace_self(reference.children)
        elif reference["reftarget"] == "DType":
            reference["reftarget"] = "tf.DType"


def _plain_signature(
    app: Any,
    what: str,
    name: str,
    obj: Any,
    options: Any,
    signature: str | None,
    returns: str | None,
) -> tuple[str | None, str | None]:
    """Show the types of a signature by the names that programs use."""

    def plain(text: str | None) -> str | None:
        for pattern, name in TYPES:
            text = text and pattern.sub(name, text)
        return text

    return plain(signature), plain(returns)


def _describe_name(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    """Describe the parameter `name`, which docstrings omit where it has no effect."""
    if what not in ("function", "method") or "name" not in _parameters(obj):
        return
    fields = [i for i, line in enumerate(lines) if line.startswith(":param ")]
    if any(lines[i].startswith(":param name:") for i in fields):
        return
    after = fields[-1] + 1 if fields else len(lines)
    while after < len(lines) and lines[after].startswith(" "):
        after += 1
    lines[after:after] = [":param name: Has no effect."]


def _parameters(obj: Any) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(obj).parameters)
    except (TypeError, ValueError):
        return ()


def setup(app: Any) -> None:
    """Register the hooks; Sphinx calls this function."""
    app.connect("doctree-read", _plain_builtins)
    app.connect("source-read", _link_to_repository)
    app.connect("source-read", _add_keywords)
    app.connect("doctree-read", _link_to_reference)
    app.connect("autodoc-process-signature", _plain_signature)
    app.connect("autodoc-process-docstring", _describe_name, priority=900)
    app.connect("html-page-context", _fit)
