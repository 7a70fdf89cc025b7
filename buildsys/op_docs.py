"""The docstrings of the functions that `face.py` generates from op records.

A record's `doc` is a summary line and, where needed, more paragraphs. Elementwise records omit the
sections `Args`, `Returns` and `Raises`: these are derived here from the record's shape and dtype
rule. Other records write the sections in their `doc`. Examples and the paragraphs "See also" are in
`data/examples.toml`.
"""

from __future__ import annotations

import inspect
from textwrap import fill, indent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfpy._src.base.dtypes import DType
    from tfpy._src.compiler.ir.op import Op

_WIDTH = 92
"""Width of a section, which is indented twice."""


def docstring(op: Op, example: str = "") -> str:
    """Return the docstring of a record's public function.

    Args:
        op: Record with public names.
        example: Lines of code, and optionally a paragraph that begins with "See also:".
    """
    text = inspect.cleandoc(op.doc)
    parts = [text]
    if op.family == "elementwise":
        parts += _sections(op)
    if example:
        code, see, siblings = example.partition("See also:")
        parts += [_section("Example", f">>> import tfpy as tf\n{code}"), see + siblings]
    text = "\n\n".join(part.rstrip() for part in parts if part)
    return f"{text}\n" if "\n" in text else text


def _section(title: str, text: str) -> str:
    return f"{title}:\n{indent(text, '    ')}"


def _sections(op: Op) -> list[str]:
    """Return the sections `Args`, `Returns` and `Raises` of an elementwise record."""
    results = _result_dtypes(op)
    first, *others = op.params
    sparse = ", or a `tf.SparseTensor`" if op.laws.sparse and not others else ""
    error = "tf.errors.InvalidArgumentError"
    kept = f" If `{first}` is sparse, so is the result." if sparse else ""
    operands = [f"{first}: {_kinds(set(results))} tensor{sparse}."]
    operands += [
        f"{name}: Tensor of the dtype of `{first}`. The shapes of `{first}` and `{name}` must be "
        "broadcastable."
        for name in others
    ]
    refused = (
        "dtype is not supported, if the dtypes differ, or if the shapes are not broadcastable"
        if others
        else f"dtype of `{first}` is not supported"
    )
    return [
        _section("Args", "\n".join(operands)),
        _section("Returns", fill(_result(first, bool(others), results) + kept, _WIDTH)),
        _section("Raises", fill(f"{error}: If the {refused}.", _WIDTH, subsequent_indent="    ")),
    ]


def _result_dtypes(op: Op) -> dict[DType, DType]:
    """Map each dtype of operands that the record accepts to the dtype of the result."""
    from tfpy._src.base.errors import OpError
    from tfpy._src.compiler.ir.aval import Aval
    from tfpy._src.compiler.ops.families import infer

    results: dict[DType, DType] = {}
    for dtype in infer.ANY:
        try:
            result = op.infer(*[Aval((), dtype)] * len(op.params), **op.defaults)
        except OpError:
            continue
        results[dtype] = result.dtype
    return results


def _kinds(dtypes: set[DType]) -> str:
    """Name a set of dtypes by their kinds: "Float, integer or complex"."""
    from tfpy._src.base.dtypes import COMPLEX, string
    from tfpy._src.compiler.ops.families.infer import BOOL, FLOAT, INTEGER, UNSIGNED

    kinds = {
        "float": FLOAT,
        "integer": INTEGER,
        "signed integer": INTEGER - UNSIGNED,
        "complex": frozenset(COMPLEX),
        "bool": BOOL,
        "string": frozenset((string,)),
    }
    found = []
    for kind, members in kinds.items():
        if members <= dtypes:
            found.append(kind)
            dtypes = dtypes - members
    if dtypes:
        raise ValueError(f"no kind contains the dtypes {dtypes}")
    *rest, last = found
    return (f"{', '.join(rest)} or {last}" if rest else last).capitalize()


def _result(first: str, several: bool, results: dict[DType, DType]) -> str:
    """Describe the result by the shapes and dtypes of the operands."""
    shape = "the shape that results from broadcasting" if several else f"the shape of `{first}`"
    changed = {dtype: result for dtype, result in results.items() if dtype != result}
    if not changed:
        if several:
            return f"Tensor of the dtype of `{first}`, with {shape}."
        return f"Tensor of the shape and dtype of `{first}`."
    if len(names := {result.name for result in results.values()}) == 1:
        return f"{names.pop().capitalize()} tensor of {shape}."
    if all(dtype.is_complex for dtype in changed):
        return (
            f"Tensor of {shape}. It has the dtype of `{first}`, or the dtype of the real part if "
            f"`{first}` is complex."
        )
    raise ValueError(f"no text describes the result dtypes {results}")
