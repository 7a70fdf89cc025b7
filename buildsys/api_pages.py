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
    homes: dict[type, str] = {}
    found = {f"{name}.md": _page(name, homes) for name in namespaces}
    entries = "".join(f"{name}\n" for name in namespaces)
    return {**found, "index.md": f"{INDEX}{entries}```\n"}


def _page(namespace: str, homes: dict[type, str]) -> str:
    """``homes``: the name under which each class is described, which is its first one."""
    module = importlib.import_module("tfpy" + namespace.removeprefix("tf"))
    lines = [f"# {namespace}", "", "```{eval-rst}", *_text(module), ""]
    lines += [f".. py:module:: {namespace}", ""]
    for name in _names(module):
        thing, full = getattr(module, name), f"{namespace}.{name}"
        home = homes.setdefault(thing, full) if inspect.isclass(thing) else full
        lines += [*(_entry(name, thing) if home == full else _alias(name, home)), ""]
    return "\n".join([*lines, "```", ""])


def _text(module: ModuleType) -> list[str]:
    """The module's text without its name, which is the title."""
    text = inspect.cleandoc(module.__doc__ or "")
    return text.rpartition("``: ")[2].splitlines() if text.startswith("``") else text.splitlines()


def _names(module: ModuleType) -> Iterator[str]:
    for name in sorted(dir(module), key=lambda n: (n.lower(), n)):
        if not name.startswith("_") and not inspect.ismodule(getattr(module, name)):
            yield name


def _entry(name: str, thing: object) -> list[str]:
    if inspect.isclass(thing):
        return [f".. autoclass:: {name}", "   :members:"]
    if callable(thing) and inspect.getdoc(thing):
        return [f".. autofunction:: {name}"]
    return [f".. py:data:: {name}", "", f"   ``{thing!r}``"]


def _alias(name: str, home: str) -> list[str]:
    return [f".. py:class:: {name}", "", f"   Another name of :py:class:`{home}`."]


def main(folder: str) -> None:
    """Write the pages."""
    for name, text in pages().items():
        Path(folder, name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
