"""``build.py coverage``: the number of ops per backend, and the text of ``docs/ops.md``.

Everything is found by running the calls of ``surface.calls``: on a backend that records their
primitives, on a tape for the gradient, and with each dtype.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from raw import calls as operation_calls
from surface.calls import ALONE, CALLS, dtypes, ours
from surface.evaluation import DTYPES, evaluate, gradients, words
from surface.inventory import BY_NATURE, INVENTORY, groups
from surface.recorder import Run, noted, record, recording

import tfpy
from tfpy._src.compiler.ops import OPS, UNSUPPORTED, Op
from tfpy._src.formats.raw_ops import RECORDS

PAGE = Path(__file__).parents[2] / "docs/ops.md"
PRIMITIVES = {name: op for name, op in OPS.items() if op.is_primitive}
BACKENDS = ("cpu", "wasm", "webgl", "webgpu", "jax")
WAYS = ("native", "composed", "host")

TITLES = {
    "": "tf",
    **{name: f"tf.{name}" for name in sorted({n.rpartition(".")[0] for n in CALLS} - {""})},
}

INTRODUCTION = """\
# Ops

This page lists the public functions that compute tensors. For each backend it shows whether a
function runs on the device or in NumPy and Python, which can be slow because values move between
the device and Python. It also shows which functions have a gradient, and which dtypes they accept.

The page is generated: `python build.py coverage --write` calls each function once and records
what the call does. Other arguments can lead to a different result.

A column with the name of a backend contains one of these words:

- **native**: The call uses at most one kernel of the backend. The kernels of cpu are NumPy
  functions.
- **composed**: The call uses more than one kernel. The values between the kernels stay on the
  device.
- **host**: NumPy or Python computes a part of the call. The result is copied to the device when
  another op uses it there.
- **↩** after a word: Python also reads values during the call, because the size of the result
  depends on them or because they are checked.

The last three columns contain:

- **gradient**: ✓ if `tf.GradientTape` computes a gradient for every float input of the call, and
  (✓) if it does so only for some of them.
- **dtypes**: the dtypes that the call accepts. Most calls are tried with float32, int32, bool and
  complex64.
- **tested against**: the library that computes the expected results in `tests/`. If TensorFlow does
  not have a function, the test composes it from functions that TensorFlow has.

The first table counts the functions with each word:
"""


@dataclass(frozen=True)
class Row:
    """A row of the report, for one public function."""

    name: str
    others: tuple[str, ...]
    run: Run
    gradient: str
    dtypes: tuple[str, ...]
    oracle: str

    def way(self, backend: str) -> str:
        return self.run.way(backend)

    def cells(self) -> list[str]:
        mark = " ↩" if self.run.reads and self.run.on_device else ""
        names = ", ".join(f"`{name}`" for name in (self.name, *self.others))
        ways = [self.way(backend) + mark for backend in BACKENDS]
        return [names, *ways, self.gradient, ", ".join(self.dtypes), self.oracle]


@functools.cache
def rows() -> list[Row]:
    """Return the row of every public function, sorted by name."""
    found = []
    with recording() as recorder:
        for names in groups():
            called = [name for name in names if name in CALLS]
            if called:
                others = tuple(name for name in names if name not in called)
                run = record(recorder, called[0])
                found.append(_row(called[0], others, run))
    return sorted(found, key=lambda row: row.name)


def _row(name: str, others: tuple[str, ...], run: Run) -> Row:
    return Row(name, others, run, _gradient(name), _taken(name), ALONE.get(name, "TensorFlow"))


def _gradient(name: str) -> str:
    try:
        found = [g is not None for g in gradients(tfpy, ours(name))]
    except LookupError:
        return ""
    return "" if not any(found) else "✓" if all(found) else "(✓)"


def _taken(name: str) -> tuple[str, ...]:
    """Return the accepted dtypes of those that are tried, or the dtype of the first tensor."""
    tried = dtypes(name, DTYPES)
    if len(tried) > 1:
        return tuple(dtype for dtype in tried if _takes(name, dtype))
    said = words(tfpy)
    evaluate(ours(name), said)
    return (said.made[0].dtype.name,) if said.made else ()


def _takes(name: str, dtype: str) -> bool:
    try:
        evaluate(ours(name), words(tfpy, dtype))
    except (tfpy.errors.OpError, AttributeError, TypeError, ValueError):
        return False
    return True


# Counts


def way_of(op: Op, backend: str) -> str:
    """Return how a backend computes a primitive."""
    return "host" if op.name in UNSUPPORTED[backend] else "native"


def counts(found: Sequence[Row]) -> list[tuple[str, list[Counter[str]]]]:
    """Return the name of each group of ops, and the number of each way by backend."""
    ways = {name: row for row in found for name in (row.name, *row.others)}
    return [
        (
            f"TensorFlow.js's {len(INVENTORY)} ops",
            [
                Counter(BY_NATURE.get(n) or ways[n].way(backend) for n in INVENTORY.values())
                for backend in BACKENDS
            ],
        ),
        (
            f"all {len(found)} public functions",
            [Counter(row.way(backend) for row in found) for backend in BACKENDS],
        ),
        (
            f"the {len(PRIMITIVES)} primitives",
            [Counter(way_of(op, backend) for op in PRIMITIVES.values()) for backend in BACKENDS],
        ),
    ]


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    """Return a table in Markdown."""
    return [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *lines)]


def _count_lines(found: Sequence[Row]) -> list[list[str]]:
    lines = []
    for title, per_backend in counts(found):
        cells = [" / ".join(str(count[way]) for way in WAYS) for count in per_backend]
        lines.append([title, *cells])
    return lines


def summary(found: Sequence[Row]) -> str:
    """Return the counts as text for a terminal."""
    lines = [["native / composed / host", *BACKENDS], *_count_lines(found)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


# The page


def page(found: Sequence[Row]) -> str:
    """Return the text of ``docs/ops.md``."""
    lines = [INTRODUCTION, *table(["native / composed / host", *BACKENDS], _count_lines(found)), ""]
    head = ["function", *BACKENDS, "gradient", "dtypes", "tested against"]
    for namespace, title in TITLES.items():
        own = [row for row in found if row.name.rpartition(".")[0] == namespace]
        lines += [f"## {title}", "", *table(head, [row.cells() for row in own]), ""]
    return "\n".join([*lines, *_operations(), "", *_host_reasons(), "", *_primitives(), ""])


def ways_on_page() -> dict[str, dict[str, str]]:
    """Return each function's way by backend from the page, grouped by namespace."""
    functions, _, _ = PAGE.read_text(encoding="utf-8").partition("## tf.raw_ops")
    lines = [line for line in functions.splitlines() if line.startswith("| `")]
    found = {}
    for line in lines:
        name, *ways = line.removeprefix("| `").split(" | ")[: 1 + len(BACKENDS)]
        found[name.partition("`")[0]] = dict(
            zip(BACKENDS, (way.split()[0] for way in ways), strict=True)
        )
    return found


def operations() -> dict[str, Run]:
    """Record a call of each operation of ``tf.raw_ops``."""
    with recording() as recorder:
        return {
            name: noted(
                recorder,
                getattr(tfpy.raw_ops, name),
                operation_calls.ours(name).replace(f"tf.raw_ops.{name}(", "call("),
            )
            for name in sorted(operation_calls.SAMPLES)
        }


def _operations() -> list[str]:
    lines = [
        [f"`{name}`", *(run.way(backend) for backend in BACKENDS)]
        for name, run in operations().items()
    ]
    return [
        "## tf.raw_ops",
        "",
        f"`tf.raw_ops` contains {len(RECORDS)} operations of TensorFlow's graphs. Each is",
        "tested against the same operation of TensorFlow. The file",
        "`src/tfpy/_src/formats/raw_ops/absent.py` lists the operations that are not supported,",
        "with reasons. The table does not contain these supported operations:",
        f"{', '.join(f'`{name}`' for name in sorted(operation_calls.ELSEWHERE))}.",
        "",
        *table(["operation", *BACKENDS], lines),
    ]


def _host_reasons() -> list[str]:
    """Return the reasons why primitives are computed on the host."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for name in PRIMITIVES:
        where = [backend for backend in BACKENDS if name in UNSUPPORTED[backend]]
        if where:
            reason = UNSUPPORTED[where[0]][name]
            reasons.setdefault((", ".join(where), reason), []).append(name)
    lines = [
        [", ".join(f"`{n}`" for n in sorted(names)), where, reason]
        for (where, reason), names in sorted(reasons.items())
    ]
    return [
        "## What stays on the host",
        "",
        "There are two reasons why NumPy or Python computes a function:",
        "",
        "- One of the primitives that it consists of has no kernel on the backend. The table lists",
        "  these primitives.",
        "- Python makes the result. This is true if the size of the result depends on the values,",
        "  as in `tf.unique` and in functions of ragged and sparse tensors, and if the result",
        "  contains strings or is drawn in the page.",
        "",
        *table(["primitives", "backends without a kernel", "reason"], lines),
    ]


def _primitives() -> list[str]:
    """Return every primitive by family."""
    families: dict[str, list[str]] = {}
    for name, op in PRIMITIVES.items():
        families.setdefault(op.family, []).append(f"`{name}`" + ("" if op.vjp else "°"))
    return [
        "## Primitives",
        "",
        f"All functions are composed of {len(PRIMITIVES)} primitives. Each one is a record in",
        "`src/tfpy/_src/compiler/ops/`, with a NumPy function that defines its results. Tests",
        "compare every backend with the NumPy function, and the NumPy function with TensorFlow.",
        "Primitives without a gradient are marked with °.",
        "",
        *table(["family", "ops"], [[family, ", ".join(n)] for family, n in families.items()]),
    ]


def main(arguments: Sequence[str]) -> None:
    """Print the counts. With ``--write``, also write the page."""
    found = rows()
    print(summary(found))
    if "--write" in arguments:
        PAGE.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
