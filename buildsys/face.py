"""What is made of tables, the public modules first of all: `python -m buildsys.face [--check]`.

api.toml says which names each public module has and where the engine defines them; a record of the
op table says under which names its primitive is public. From the two come

- ``src/tfpy/<namespace>.py``: names and nothing else (those of ``tf.raw_ops`` are the names of the
  operations in ``_src/formats/raw_ops/``),
- ``src/tfpy/_src/core/primitives.py``: a plain function for each public primitive, with its example
  of ``data/examples.toml``;

from the table of flags, the lists in ``docs/environment.md``; from that of TensorFlow.js's names,
the tables of ``docs/tensorflow_js.md``; from the rooms of the engine, the table and the drawing of
``docs/architecture.md``.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import tomllib
import types
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

from . import flags, rooms, tensorflow_js
from .paths import DATA, ROOT

if TYPE_CHECKING:
    from tfpy._src.compiler.ir.op import Op

TABLE = ROOT / "api.toml"
EXAMPLES = DATA / "examples.toml"
"""What the functions of primitives show, by their names under `tf`."""
PACKAGE = ROOT / "src" / "tfpy"
ENGINE = "tfpy._src"
RAW_OPS = PACKAGE / "_src" / "formats" / "raw_ops"
START = f"""
from {ENGINE}.base.missing_names import explain as _explain
from {ENGINE}.display.tracebacks import hide_frames as _hide_frames
from {ENGINE}.keras_support.keras import LAZY as _LAZY
"""
OPERATION = re.compile(r"^\w+\(\s*[\"']([A-Z]\w*)[(\"']", re.MULTILINE)
"""A call in a module of ``raw`` that enters an operation: of ``op``, or of what enters several."""
NOTICE = "# Made from api.toml and the op table by `build.py face`: change those.\n"


def wanted() -> dict[Path, str]:
    """What the files should hold."""
    ops = _public_ops()
    files = {PACKAGE / "_src" / "core" / "primitives.py": _primitives(ops)}
    table = tomllib.loads(TABLE.read_text())
    for namespace, facts in table.items():
        doc, later = facts.pop("doc"), facts.pop("later", [])
        imports = {f"{ENGINE}.{module}": names for module, names in facts.items()}
        imports[f"{ENGINE}.core.primitives"] = _primitives_in(ops, namespace)
        below = _below(namespace, table)
        imports[_module(namespace)] = [name for name in below if name not in later]
        deferred = {f"{ENGINE}.{m}": imports.pop(f"{ENGINE}.{m}") for m in later if m not in below}
        deferred[_module(namespace)] = [name for name in below if name in later]
        files[_path(namespace, table)] = f'"""{doc}"""\n\n{NOTICE}\n{_import_lines(imports)}'
        if namespace == "tf":
            files[_path(namespace, table)] += START
        if later:
            files[_path(namespace, table)] += _deferred(deferred)
    files[PACKAGE / "__init__.py"] += "_explain(__name__, _LAZY)\n_hide_frames()\n"
    files[PACKAGE / "raw_ops.py"] += _operations()
    files[flags.PAGE] = flags.page()
    files[tensorflow_js.PAGE] = tensorflow_js.page()
    files[rooms.PAGE] = rooms.page()
    files[rooms.DRAWING] = rooms.drawing()
    return files


def _module(namespace: str) -> str:
    return "tfpy" + namespace.removeprefix("tf")


def _below(namespace: str, table: dict[str, Any]) -> list[str]:
    """The namespaces right below one."""
    return [n.rpartition(".")[2] for n in table if n.rpartition(".")[0] == namespace]


def _path(namespace: str, table: dict[str, Any]) -> Path:
    path = PACKAGE.joinpath(*namespace.split(".")[1:])
    return path / "__init__.py" if _below(namespace, table) else path.with_suffix(".py")


def _import_lines(imports: dict[str, list[str]]) -> str:
    """Names as themselves: what a type checker reads as exported."""
    return "".join(
        f"from {module} import {', '.join(f'{name} as {name}' for name in names)}\n"
        for module, names in imports.items()
        if names
    )


def _deferred(imports: dict[str, list[str]]) -> str:
    """Names of a module that are imported when they are touched; type checkers read them."""
    lines = _import_lines(imports).replace("from ", "    from ")
    table = "".join(
        f'    "{name}": "{module if module.startswith(ENGINE) else f"{module}.{name}"}",\n'
        for module, names in imports.items()
        for name in names
    )
    return (
        f"\nimport typing as _typing\nif _typing.TYPE_CHECKING:\n{lines}\n_LATER = {{\n{table}}}\n"
    )


# operations of graphs


def _operations() -> str:
    """A name for each operation that TensorFlow or TensorFlow.js shows.

    The files are read, not imported: they need the modules that are made here.
    """
    texts = [path.read_text() for path in sorted(RAW_OPS.glob("*.py"))]
    names = sorted(name for text in texts for name in OPERATION.findall(text))
    lines = [f'{name} = RECORDS["{name}"].public\n' for name in names]
    source = f"{ENGINE}.formats.raw_ops"
    return f"from {source} import RECORDS\n\n{''.join(lines)}\ndel RECORDS\n"


# primitives


def _public_ops() -> list[Op]:
    """The records with public names, in the table's order.

    The package itself is not imported, so that its modules can be made anew when they are broken.
    """
    if "tfpy" not in sys.modules:
        package = types.ModuleType("tfpy")
        package.__path__ = [str(PACKAGE)]
        sys.modules["tfpy"] = package
    from tfpy._src.compiler.ops import OPS

    return [op for op in OPS.values() if op.public]


def _primitives_in(ops: list[Op], namespace: str) -> list[str]:
    """The names of primitives in a namespace."""
    inside = namespace.removeprefix("tf").lstrip(".")
    paths = [path.rpartition(".") for op in ops for path in op.public]
    return [name for where, _, name in paths if where == inside]


def _function_names(op: Op) -> list[str]:
    """That of its function, and others for the same one."""
    return list(dict.fromkeys(path.rpartition(".")[2] for path in op.public))


def _primitives(ops: list[Op]) -> str:
    head = (
        '"""The public functions of primitives: what a record of the op table says, as Python."""\n'
        f"\n{NOTICE}"
        "\nfrom __future__ import annotations\n"
        f"\nfrom {ENGINE}.core.eager import apply\n"
        f"from {ENGINE}.core.tensor import Tensor\n"
        f"from {ENGINE}.core.typing import TensorLike\n"
        f"from {ENGINE}.compiler.ops import OPS\n"
    )
    examples = tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))
    functions = [_function(op, examples) for op in sorted(ops, key=_function_names)]
    if examples:
        raise ValueError(f"{EXAMPLES.name}: no primitive is called {', '.join(examples)}")
    return head + "".join(functions)


def _function(op: Op, examples: dict[str, str]) -> str:
    """The function of a record, which takes its example out of the table."""
    name, *aliases = _function_names(op)
    parameters = [f"{p}: TensorLike" for p in op.params]
    parameters += [f"{k}: {type(v).__name__} = {_literal(v)}" for k, v in op.defaults.items()]
    parameters.append("name: str | None = None")
    arguments = [f"_{name}", *op.params, *(f"{k}={k}" for k in op.defaults)]
    shown = [examples.pop(path) for path in op.public if path in examples]
    doc = indent(_doc(op, *shown), "    ").lstrip()
    return f"""
_{name} = OPS["{op.name}"]

def {name}({", ".join(parameters)}) -> Tensor:
    \"\"\"{doc}\"\"\"
    return apply({", ".join(arguments)})

{chr(10).join(f"{alias} = {name}" for alias in aliases)}
"""


def _doc(op: Op, example: str = "") -> str:
    """The record's text, and the example; of several lines the last one is empty."""
    text = inspect.cleandoc(op.doc)
    if example:
        shown = indent(f">>> import tfpy as tf\n{example}", "    ")
        text = f"{text}\n\nExample:\n{shown}"
    return f"{text.rstrip()}\n" if "\n" in text else text


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _formatted(code: str) -> str:
    """With imports in order and lines of the usual length."""
    for words in (["check", "--fix-only", "--select=I", "--silent"], ["format", "--silent"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *words, "--stdin-filename=src/tfpy/x.py", "-"],
            input=code, capture_output=True, text=True, check=True, cwd=ROOT,
        )  # fmt: skip
        code = done.stdout
    return code


def main(arguments: list[str]) -> int:
    """Writes the files, or says which are not current; the exit status."""
    files = {p: _formatted(text) if p.suffix == ".py" else text for p, text in wanted().items()}
    stale = {p: code for p, code in files.items() if not p.exists() or p.read_text() != code}
    if "--check" in arguments:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not current: run build.py face")
        return int(bool(stale))
    for path, text in stale.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        print(f"{path.relative_to(ROOT)} written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
