"""The reference's pages, one for each public module: `python -m buildsys.api_pages FOLDER`."""

from __future__ import annotations

import importlib
import inspect
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from .paths import ROOT

TABLE = ROOT / "api.toml"
LEFT_OUT = ("tf.raw_ops",)
"""Operations of TensorFlow's graphs: ops.md has their list."""
INDEX = """\
# Reference

Names, arguments and results are TensorFlow's where TensorFlow has the thing. [ops.md](/ops.md) says
what each backend computes natively.

```{toctree}
:maxdepth: 1
"""


def pages() -> dict[str, str]:
    """The text of each page by its name."""
    namespaces = [name for name in tomllib.loads(TABLE.read_text()) if name not in LEFT_OUT]
    found = {f"{name}.md": _page(name) for name in namespaces}
    entries = "".join(f"{name}\n" for name in namespaces)
    return {**found, "index.md": f"{INDEX}{entries}```\n"}


def _page(namespace: str) -> str:
    module = importlib.import_module("tfpy" + namespace.removeprefix("tf"))
    lines = [f"# {namespace}", "", "```{eval-rst}", *_text(module), ""]
    lines += [f".. py:currentmodule:: {module.__name__}", ""]
    for name in _names(module):
        lines += [*_entry(namespace, name, getattr(module, name)), ""]
    return "\n".join([*lines, "```", ""])


def _text(module: ModuleType) -> list[str]:
    """The module's text without its name, which is the title."""
    text = inspect.cleandoc(module.__doc__ or "")
    return text.rpartition("``: ")[2].splitlines() if text.startswith("``") else text.splitlines()


def _names(module: ModuleType) -> Iterator[str]:
    for name in sorted(vars(module), key=lambda n: (n.lower(), n)):
        if not name.startswith("_") and not inspect.ismodule(getattr(module, name)):
            yield name


def _entry(namespace: str, name: str, thing: object) -> list[str]:
    full = f"{namespace}.{name}"
    if inspect.isclass(thing):
        return [f".. autoclass:: {name}", "   :members:", "   :no-index:"]
    if callable(thing) and inspect.getdoc(thing):
        return [f".. autofunction:: {name}", "   :no-index:"]
    return [f".. py:data:: {full}", "   :no-index:", "", f"   ``{thing!r}``"]


def main(folder: str) -> None:
    """Write the pages."""
    for name, text in pages().items():
        Path(folder, name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
