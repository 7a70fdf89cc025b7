"""Generate the public modules and the tables of the documentation.

Usage: `python -m buildsys.face [--check]`

`api.toml` lists the names of each public module and the modules of the engine that define them. A
record of the op table lists the public names of its primitive. From both come

- `src/tfpy/<namespace>.py`: names and nothing else. The names of `tf.raw_ops` are the names of the
  operations in `_src/formats/raw_ops/`.
- `src/tfpy/_src/core/primitives.py`: a plain function for each public primitive, with its example
  from `data/examples.toml`.

Other tables generate the lists in `docs/environment.md` (flags), the tables in
`docs/tensorflow_js.md` (TensorFlow.js names), the table and drawing in `docs/architecture.md`
(rooms of the engine), and the table of speed in `README.md`. `.gitattributes` marks the generated
files, so that reviews hide their differences.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
import types
from collections.abc import Collection, Iterable
from itertools import chain
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

from . import flags, op_docs, rooms, speed, tensorflow_js, tensorflow_names
from .paths import DATA, ROOT

if TYPE_CHECKING:
    from tfpy._src.compiler.ir.op import Op

TABLE = ROOT / "api.toml"
EXAMPLES = DATA / "examples.toml"
"""Examples of the functions of primitives, by their names under `tf`."""
PACKAGE = ROOT / "src" / "tfpy"
ENGINE = "tfpy._src"
RAW_OPS = PACKAGE / "_src" / "formats" / "raw_ops"
START = f"""
from {ENGINE}.base.missing_names import explain as _explain
from {ENGINE}.display.tracebacks import hide_frames as _hide_frames
from {ENGINE}.keras_support.keras import LAZY as _LAZY
from {ENGINE}.keras_support.on_import import install as _install_keras
"""
END = """\
_explain(__name__, _LAZY)
_hide_frames()
_install_keras()
"""
V1 = "tf.compat.v1"
V1_START = f"""
from {ENGINE}.base.missing_names import explain as _explain
from {ENGINE}.library.compat.names import LAZY as _LAZY
"""
V1_END = "_explain(__name__, _LAZY)\n"
"""The end of `tf.compat.v1`, which is imported on first access, after the end of `tf` has run."""
KERAS = "keras._tf_keras.keras"
KERAS_MODULES = f"""
if _typing.TYPE_CHECKING:
    from {KERAS.rpartition(".")[0]} import keras as keras
    from {KERAS} import (
        initializers as initializers, metrics as metrics, optimizers as optimizers
    )
"""
"""Modules of Keras that `keras_support.keras` imports on first access, for type checkers."""
OPERATION = re.compile(r"^\w+\(\s*[\"']([A-Z]\w*)[(\"']", re.MULTILINE)
"""A call in a module of `raw_ops` that registers an operation, or several operations."""
ATTRIBUTES = ROOT / ".gitattributes"
ELSEWHERE = (
    *("package-lock.json", "docs/ops.md", "docs/promises.md", "docs/gallery/*.webp"),
    *("docs/figures/waves.json", "tests/on_jax/strategies.json"),
)
"""Files that other commands generate, in addition to the lock files in `requirements`."""
NOTICE = "# Generated from api.toml and the op table by `build.py face`. Edit those instead.\n"


def wanted() -> dict[Path, str]:
    """Return the expected content of every generated file."""
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
        if namespace == V1:
            files[_path(namespace, table)] += V1_START
        if later:
            files[_path(namespace, table)] += _deferred(deferred)
        if namespace == "tf":
            files[_path(namespace, table)] += KERAS_MODULES
        if namespace == V1:
            files[_path(namespace, table)] += V1_END
        if namespace == "tf.losses":
            own = [*chain.from_iterable(facts.values())]
            files[_path(namespace, table)] += _keras_losses(own)
    files[PACKAGE / "__init__.py"] += END
    files[PACKAGE / "raw_ops.py"] += _operations()
    modules = {namespace: files[_path(namespace, table)] for namespace in table} | {
        tensorflow_names.RAW_OPS: files[PACKAGE / "raw_ops.py"]
    }
    files[tensorflow_names.PAGE] = tensorflow_names.page(modules)
    files[flags.PAGE] = flags.page()
    files[tensorflow_js.PAGE] = tensorflow_js.page()
    files[rooms.PAGE] = rooms.page()
    files[rooms.DRAWING] = rooms.drawing()
    files[speed.PAGE] = speed.page()
    complete = [path for path in files if path.suffix != ".md"]  # pages have other text as well
    files[ATTRIBUTES] = _attributes(complete)
    return files


def _attributes(made_here: Iterable[Path]) -> str:
    """Return `.gitattributes`, which marks generated files."""
    locks = [file.with_suffix(".txt") for file in (ROOT / "requirements").glob("*.in")]
    names = {path.relative_to(ROOT).as_posix() for path in (*made_here, *locks)}
    head = "# Reviews hide the differences of these generated files. Made by `build.py face`."
    marked = (f"/{name} linguist-generated" for name in sorted(names | {*ELSEWHERE}))
    return "\n".join((head, *marked, ""))


def _module(namespace: str) -> str:
    return "tfpy" + namespace.removeprefix("tf")


def _below(namespace: str, table: dict[str, Any]) -> list[str]:
    """Return the namespaces directly below a namespace."""
    return [n.rpartition(".")[2] for n in table if n.rpartition(".")[0] == namespace]


def _path(namespace: str, table: dict[str, Any]) -> Path:
    path = PACKAGE.joinpath(*namespace.split(".")[1:])
    return path / "__init__.py" if _below(namespace, table) else path.with_suffix(".py")


def _import_lines(imports: dict[str, list[str]]) -> str:
    """Return import lines of the form `name as name`, which type checkers treat as exports."""
    return "".join(
        f"from {module} import {', '.join(f'{name} as {name}' for name in names)}\n"
        for module, names in imports.items()
        if names
    )


def _deferred(imports: dict[str, list[str]]) -> str:
    """Return code that imports names on first access, and eagerly for type checkers."""
    lines = _import_lines(imports).replace("from ", "    from ")
    table = "".join(
        f'    "{name}": "{module if module.startswith(ENGINE) else f"{module}.{name}"}",\n'
        for module, names in imports.items()
        for name in names
    )
    return (
        f"\nimport typing as _typing\nif _typing.TYPE_CHECKING:\n{lines}\n_LATER = {{\n{table}}}\n"
    )


def _keras_losses(own: Collection[str]) -> str:
    """Return code that imports the losses of Keras for type checkers, except the `own` names.

    Keras's module is parsed, because its import takes seconds.
    """
    spec = importlib.util.find_spec("keras")
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin).parent.joinpath(*KERAS.split(".")[1:], "losses", "__init__.py")
    lines = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ImportFrom)]
    names = {alias.asname or alias.name for line in lines for alias in line.names} - {*own}
    imported = ", ".join(f"{name} as {name}" for name in sorted(names))
    return (
        "\nimport typing as _typing\nif _typing.TYPE_CHECKING:\n"
        f"    from {KERAS}.losses import {imported}\n"
    )


# operations of graphs


def _operations() -> str:
    """Return a line for each public operation of TensorFlow or TensorFlow.js.

    The files are parsed, not imported, because they import generated modules.
    """
    texts = [path.read_text() for path in sorted(RAW_OPS.glob("*.py"))]
    names = sorted(name for text in texts for name in OPERATION.findall(text))
    lines = [f'{name} = RECORDS["{name}"].public\n' for name in names]
    source = f"{ENGINE}.formats.raw_ops"
    return f"from {source} import RECORDS\n\n{''.join(lines)}\ndel RECORDS\n"


# primitives


def _public_ops() -> list[Op]:
    """Return the records with public names, in the order of the table.

    The package itself is not imported, so that broken generated modules can be regenerated.
    """
    if "tfpy" not in sys.modules:
        package = types.ModuleType("tfpy")
        package.__path__ = [str(PACKAGE)]
        sys.modules["tfpy"] = package
    from tfpy._src.compiler.ops import OPS

    return [op for op in OPS.values() if op.public]


def _primitives_in(ops: list[Op], namespace: str) -> list[str]:
    """Return the names of primitives in a namespace."""
    inside = namespace.removeprefix("tf").lstrip(".")
    paths = [path.rpartition(".") for op in ops for path in op.public]
    return [name for where, _, name in paths if where == inside]


def _function_names(op: Op) -> list[str]:
    """Return the name of the record's function and its aliases."""
    return list(dict.fromkeys(path.rpartition(".")[2] for path in op.public))


def _primitives(ops: list[Op]) -> str:
    head = (
        '"""The public functions of primitives."""\n'
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
        raise ValueError(f"{EXAMPLES.name}: there is no primitive named {', '.join(examples)}")
    return head + "".join(functions)


def _function(op: Op, examples: dict[str, str]) -> str:
    """Return the function of a record, and remove its example from `examples`."""
    name, *aliases = _function_names(op)
    parameters = [f"{p}: TensorLike" for p in op.params]
    parameters += [f"{k}: {type(v).__name__} = {_literal(v)}" for k, v in op.defaults.items()]
    parameters.append("name: str | None = None")
    arguments = [f"_{name}", *op.params, *(f"{k}={k}" for k in op.defaults)]
    shown = [examples.pop(path) for path in op.public if path in examples]
    doc = indent(op_docs.docstring(op, *shown), "    ").lstrip()
    return f"""
_{name} = OPS["{op.name}"]

def {name}({", ".join(parameters)}) -> Tensor:
    \"\"\"{doc}\"\"\"
    return apply({", ".join(arguments)})

{chr(10).join(f"{alias} = {name}" for alias in aliases)}
"""


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _formatted(code: str) -> str:
    """Return the code with sorted imports and wrapped lines."""
    for words in (["check", "--fix-only", "--select=I", "--silent"], ["format", "--silent"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *words, "--stdin-filename=src/tfpy/x.py", "-"],
            input=code, capture_output=True, text=True, check=True, cwd=ROOT,
        )  # fmt: skip
        code = done.stdout
    return code


def main(arguments: list[str]) -> int:
    """Write the files, or print the outdated ones. Return the exit status."""
    files = {p: _formatted(text) if p.suffix == ".py" else text for p, text in wanted().items()}
    stale = {p: code for p, code in files.items() if not p.exists() or p.read_text() != code}
    if "--check" in arguments:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is out of date. Run build.py face.")
        return int(bool(stale))
    for path, text in stale.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        print(f"{path.relative_to(ROOT)} written")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
