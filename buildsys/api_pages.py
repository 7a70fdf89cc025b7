"""The pages of the API reference, one per public module: `python -m buildsys.api_pages FOLDER`."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import indent
from types import ModuleType

from .paths import DATA, ROOT

TABLE = ROOT / "api.toml"
PACKAGE_MEMBERS = DATA / "package_members.toml"
LEFT_OUT = ("tf.raw_ops",)
"""Modules without a page. The operations of TensorFlow's graphs are listed in ops.md."""
TYPES = "tf.typing"
"""The namespace of type aliases."""
ENGINE = ROOT / "src" / "tfpy" / "_src"
INDEX = """\
# Reference

Names, arguments and results are TensorFlow's for everything that TensorFlow has. Programs begin
with `import tfpy as tf`. The entries use these terms:

- A *backend* is the part of tfpy that computes: `cpu` (NumPy), `wasm`, `webgl`, `webgpu` or `jax`.
  [Ops](/ops.md) lists the functions that each backend computes itself.
- `TensorLike`, `DTypeLike`, `ShapeLike` and other types in signatures are described in
  [tf.typing](tf.typing.md). A `TensorLike` is a tensor or a value that can be converted to one,
  such as a number, a list or a NumPy array.
- Unless the environment variable `TFPY_ENABLE_X64` is set, `tf.int64` and `tf.float64` are other
  names of `tf.int32` and `tf.float32`.

`tf.keras` is the package [Keras](/keras.md). `tf.raw_ops` contains [operations of TensorFlow's
graphs](/ops.md).

| module | contents |
| --- | --- |
"""
TITLE = re.compile(r"`[\w.]+`: ")
SENTENCE = re.compile(r".*?\.(?=\s|$)", re.S)


def namespaces() -> list[str]:
    """Return the public modules that have a page."""
    return sorted(name for name in tomllib.loads(TABLE.read_text()) if name not in LEFT_OUT)


@cache
def homes() -> dict[type, str]:
    """Return the name under which each class is described: the first, but tf.compat last.

    NumPy's classes have their own reference.
    """
    found: dict[type, str] = {}
    for namespace in sorted(namespaces(), key=lambda name: name.startswith("tf.compat")):
        module = _module(namespace)
        for name in _names(module):
            thing = getattr(module, name)
            if inspect.isclass(thing) and thing.__module__ != "numpy":
                found.setdefault(thing, f"{namespace}.{name}")
    return found


def pages() -> dict[str, str]:
    """Return the text of each page by its name."""
    described = homes()
    found = {f"{name}.md": _page(name, described) for name in namespaces() if name != TYPES}
    found[f"{TYPES}.md"] = _types_page(TYPES)
    return {**found, "index.md": _index()}


def _index() -> str:
    names = namespaces()
    rows = "".join(f"| [{name}]({name}.md) | {summary(name)} |\n" for name in names)
    tree = ":maxdepth: 1\n:hidden:\n" + "".join(f"{name}\n" for name in names)
    return f"{INDEX}{rows}\n```{{toctree}}\n{tree}```\n"


def summary(namespace: str) -> str:
    """Return the sentence that describes a module in the index."""
    sentence = SENTENCE.match(" ".join(_text(_module(namespace))))
    if sentence is None:
        raise ValueError(f"The docstring of {namespace} does not begin with a sentence.")
    return sentence[0]


def package_members(thing: type) -> set[str]:
    """Return the members of a public class that only tfpy uses."""
    from tfpy._src.base import members  # for the other commands, tfpy need not be importable
    from tfpy._src.core import operand

    name = homes().get(thing, "")
    found = {*tomllib.loads(PACKAGE_MEMBERS.read_text()).get(name, ())}
    found |= members.package_members(thing)
    if issubclass(thing, operand.Operand):
        kinds = inspect.getmembers(thing, lambda kind: isinstance(kind, operand.AbsentAttribute))
        found |= {name for name, _ in kinds}
    return found


def _module(namespace: str) -> ModuleType:
    return importlib.import_module("tfpy" + namespace.removeprefix("tf"))


def _page(namespace: str, described: dict[type, str]) -> str:
    module = _module(namespace)
    lines = [f"# {namespace}", "", "```{eval-rst}", *_text(module), ""]
    lines += [f".. py:module:: {namespace}", ""]
    for name in _names(module):
        thing, full = getattr(module, name), f"{namespace}.{name}"
        home = described.get(thing, full) if inspect.isclass(thing) else full
        lines += [*(_entry(name, thing) if home == full else _alias(name, home)), ""]
    return "\n".join([*lines, "```", ""])


def _text(module: ModuleType) -> list[str]:
    """Return the docstring of a module without its name, the title of the page."""
    text = TITLE.sub("", inspect.cleandoc(module.__doc__ or ""), count=1)
    return (text[:1].upper() + text[1:]).splitlines()


def _names(module: ModuleType) -> Iterator[str]:
    from tfpy._src.base.missing_names import own_names

    for name in sorted(own_names(module), key=lambda n: (n.lower(), n)):
        if not inspect.ismodule(getattr(module, name)):
            yield name


def _entry(name: str, thing: object) -> list[str]:
    if inspect.isclass(thing) and thing.__module__ == "numpy":
        return [f".. py:data:: {name}", "", f"   ``numpy.{thing.__name__}``"]
    if inspect.isclass(thing):
        others = [c.__name__ for c in thing.__mro__ if not c.__module__.startswith("tfpy.")]
        lines = [f".. autoclass:: {name}", "   :members:"]
        lines += [f"   :inherited-members: {', '.join(others)}"]
        slots = {slot for c in thing.__mro__ for slot in getattr(c, "__slots__", ())}
        text = inspect.getdoc(thing) or ""  # a section "Attributes" describes slots
        left_out = {slot for slot in slots if f"    {slot}: " in text} | package_members(thing)
        if left_out:
            lines += [f"   :exclude-members: {', '.join(sorted(left_out))}"]
        return lines
    if callable(thing) and inspect.getdoc(thing):
        return [f".. autofunction:: {name}"]
    return [f".. py:data:: {name}", "", f"   ``{thing!r}``"]


def _types_page(namespace: str) -> str:
    """Return the page of type aliases, which are described where they are defined."""
    lines = [f"# {namespace}", "", "```{eval-rst}", *_text(_module(namespace)), ""]
    lines += [f".. py:module:: {namespace}", ""]
    for module, names in tomllib.loads(TABLE.read_text())[namespace].items():
        if module == "doc":
            continue
        tree = ast.parse((ENGINE / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
        for alias, text in zip(tree.body, tree.body[1:], strict=False):
            if isinstance(alias, ast.AnnAssign) and ast.unparse(alias.target) in names:
                assert alias.value is not None
                lines += [f".. py:type:: {ast.unparse(alias.target)}"]
                value = _PublicNames().visit(alias.value)
                lines += [f"   :canonical: {ast.unparse(value)}", ""]
                described = inspect.cleandoc(ast.literal_eval(ast.unparse(text)))
                lines += [*indent(described, "   ").splitlines(), ""]
    return "\n".join([*lines, "```", ""])


class _PublicNames(ast.NodeTransformer):
    """Replaces names of tfpy's classes in type aliases by their public names."""

    def visit_Name(self, node: ast.Name) -> ast.Name:
        is_class = inspect.isclass(vars(_module("tf")).get(node.id))
        return ast.Name(f"tf.{node.id}") if is_class else node


def _alias(name: str, home: str) -> list[str]:
    return [f".. py:class:: {name}", "", f"   Another name of :py:class:`{home}`."]


def main(folder: str) -> None:
    """Write the pages into a folder."""
    for name, text in pages().items():
        Path(folder, name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
