"""Random programs: their structure, their text, and their execution by a library."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

NARROW = {"int64": "int32", "float64": "float32", "complex128": "complex64"}
"""TensorFlow's dtypes that are narrower in tfpy."""


def _helpers() -> dict[str, str]:
    """Return the text of each function of helpers.py, without annotations, by its name."""
    tree = ast.parse(Path(__file__).with_name("helpers.py").read_text())
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
    return {node.name: ast.unparse(node) for node in functions}


HELPERS = _helpers()


def used_helpers(text: str) -> list[str]:
    """Return the helpers that a text calls, and those that these call, in their order."""
    used: set[str] = set()
    waiting = [text]
    while waiting:
        text = waiting.pop()
        called = {name for name in HELPERS if re.search(rf"\b{name}\(", text)} - used
        waiting += [HELPERS[name] for name in called]
        used |= called
    return [helper for name, helper in HELPERS.items() if name in used]


class Ref(NamedTuple):
    """A tensor in a statement's result: ``v3[0].values`` is ``Ref(3, "[0].values")``."""

    statement: int
    path: str = ""

    def __str__(self) -> str:
        return f"v{self.statement}{self.path}"


@dataclass(frozen=True)
class Given:
    """A statement that creates a tensor from an array."""

    array: Array

    def __str__(self) -> str:
        return f"tf.constant({literal(self.array)})"


@dataclass(frozen=True)
class Call:
    """A statement that computes. ``$0``, ``$1``... in the text are its operands."""

    name: str
    """Name of the public function or the operator, used to look up bounds."""
    text: str
    operands: tuple[Ref, ...]

    def __str__(self) -> str:
        return filled(self.text, [str(ref) for ref in self.operands])


Statement = Given | Call


@dataclass(frozen=True)
class Program:
    """Statements in order. Each reads earlier ones."""

    statements: tuple[Statement, ...]

    def without(self, gone: int) -> Program:
        """Return the program without a statement and the statements that read it."""
        kept: dict[int, int] = {}
        statements: list[Statement] = []
        for number, statement in enumerate(self.statements):
            if isinstance(statement, Call):
                if number == gone or any(ref.statement not in kept for ref in statement.operands):
                    continue
                operands = tuple(Ref(kept[r.statement], r.path) for r in statement.operands)
                statement = Call(statement.name, statement.text, operands)
            elif number == gone:
                continue
            kept[number] = len(statements)
            statements.append(statement)
        return Program(tuple(statements))

    def unread(self) -> list[int]:
        """Return the computed statements that no other statement reads: the program's results."""
        read = {r.statement for s in self.statements if isinstance(s, Call) for r in s.operands}
        calls = [i for i, s in enumerate(self.statements) if isinstance(s, Call)]
        return [i for i in calls if i not in read]

    def __str__(self) -> str:
        """Return the program as Python. Only its first line differs between the libraries."""
        body = [f"v{i} = {statement}" for i, statement in enumerate(self.statements)]
        return "\n".join(
            [
                "import tfpy as tf  # or: import tensorflow as tf",
                "import numpy as np",
                "from numpy import inf, nan",
                *used_helpers("\n".join(body)),
                *body,
                *(f"print(v{i})" for i in self.unread()),
            ]
        )


def filled(text: str, operands: Sequence[str]) -> str:
    """Return a call's text with its operands inserted."""
    return re.sub(r"\$(\d+)", lambda found: operands[int(found[1])], text)


def literal(array: Array) -> str:
    """Return an array as Python source that evaluates to the same bits."""
    if array.dtype.kind == "O":
        return repr(array.tolist())
    kind = f"np.{array.dtype}" if array.dtype.kind != "V" else f"tf.{array.dtype}.as_numpy_dtype"
    if array.size == 0:
        return f"np.zeros({array.shape}, {kind})"
    if array.dtype.kind == "c":
        parts = np.stack([array.real, array.imag], -1)
        return f"np.array({parts.tolist()!r}, np.float32).view(np.complex64)[..., 0]"
    if array.dtype == np.bool_:
        return repr(array.tolist())
    return f"np.array({array.tolist()!r}, {kind})"


class Library:
    """TensorFlow or tfpy, with the names that programs use."""

    def __init__(self, lib: Any) -> None:
        self.lib = lib
        self.names: dict[str, Any] = {"tf": lib, "np": np, "inf": np.inf, "nan": np.nan}
        exec("\n\n".join(HELPERS.values()), self.names)

    def given(self, array: Array) -> Any:
        """Return the tensor of an array."""
        return self.lib.constant(array.tolist() if array.dtype.kind == "O" else array)

    def call(self, call: Call, operands: Sequence[Any]) -> Any:
        """Return the result of a call, of any type."""
        names = {f"_{i}": value for i, value in enumerate(operands)}
        text = filled(call.text, list(names))
        return eval(text, {**self.names, **names})

    def run(
        self,
        program: Program,
        given: Mapping[int, Any],
        changed: Callable[[Call, Sequence[Any], Any], Any],
    ) -> list[Any]:
        """Return all results of a program, each passed through `changed`.

        Args:
            program: The program.
            given: Tensors of the program's arrays by statement number.
            changed: Function of a call, its operands and its result.
        """
        results: list[Any] = []
        for number, statement in enumerate(program.statements):
            if isinstance(statement, Given):
                results.append(given[number])
            else:
                operands = [self.find(results[r.statement], r.path) for r in statement.operands]
                results.append(changed(statement, operands, self.call(statement, operands)))
        return results

    @staticmethod
    def find(result: Any, path: str) -> Any:
        """Return the tensor at a path of a result."""
        return eval(f"result{path}", {"result": result}) if path else result

    def leaves(self, result: Any, path: str = "") -> dict[str, Any]:
        """Return the tensors of a result by path, and None where a result has no tensor."""
        lib = self.lib
        if isinstance(result, lib.RaggedTensor):
            parts = {".flat_values": result.flat_values}
            splits = enumerate(result.nested_row_splits)
            return {
                f"{path}{k}": v
                for k, v in {**parts, **{f".nested_row_splits[{i}]": s for i, s in splits}}.items()
            }
        if isinstance(result, lib.SparseTensor):
            return {f"{path}.{p}": getattr(result, p) for p in ("indices", "values", "dense_shape")}
        if isinstance(result, lib.IndexedSlices):
            return {f"{path}.{p}": getattr(result, p) for p in ("indices", "values")}
        if isinstance(result, dict):
            items = [(f"[{key!r}]", value) for key, value in result.items()]
        elif isinstance(result, list | tuple):
            items = [(f"[{i}]", value) for i, value in enumerate(result)]
        else:
            return {path: result} if result is None or lib.is_tensor(result) else {}
        return {k: v for step, value in items for k, v in self.leaves(value, path + step).items()}


def array_of(tensor: Any) -> Array | None:
    """Return a tensor's values in tfpy's dtype, with strings as objects."""
    if tensor is None:
        return None
    values = tensor.numpy()
    if tensor.dtype.name == "string":
        return np.array(values, object)
    array = np.asarray(values)
    return array.astype(NARROW.get(array.dtype.name, array.dtype.name))
