"""The conversion of compiled Graphs to blocks, which the page's runner executes step by step.

`docs/program_files.md` describes the form. A block is a plan of `executor/plan.py` in JSON. It
contains Programs that run on the device, control flow that the page runs, and numbers that it
computes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfpy._src.backends.backend import Backend
from tfpy._src.base import dtypes
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.ir.evaluate import evaluate
from tfpy._src.compiler.ir.graph import Eqn, Graph, single_equation
from tfpy._src.compiler.ir.op import OPS, UNSUPPORTED
from tfpy._src.compiler.lower.program import Program
from tfpy._src.compiler.passes.pipeline import optimize
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.exported.refusals import NotExportable
from tfpy._src.formats.exported.scalars import NoScalar, scalars
from tfpy._src.formats.exported.tensors import TensorFile
from tfpy._src.functions.control.cond import CondRun
from tfpy._src.functions.control.loop_run import LoopRun
from tfpy._src.functions.executor.control_op import Runner
from tfpy._src.functions.executor.device_step import DeviceStep
from tfpy._src.functions.executor.executable import Executable
from tfpy._src.functions.executor.host_shadow import Mirror
from tfpy._src.functions.executor.plan import Plan
from tfpy._src.functions.executor.steps import ControlStep, HostStep
from tfpy._src.functions.trace.trace import Trace
from tfpy._src.tensors.array import joining

Json = dict[str, Any]
Fixed = Mapping[int, Callable[[], Any]]
"""Functions that return the values of inputs that never change."""

STORED = {
    dtypes.float32: "float32",
    dtypes.int32: "int32",
    dtypes.bool: "bool",
    dtypes.complex64: "complex64",
    dtypes.variant: "list",
    dtypes.int8: "int8",
}
"""Dtypes that values in a page can have, with their names in the file."""


class Programs:
    """The Programs of a file, without duplicates, and their constants.

    Args:
        tensors: File of tensors, which stores the constants.
    """

    def __init__(self, tensors: TensorFile) -> None:
        self.entries: list[Json] = []
        self._tensors = tensors
        self._numbers: dict[tuple[str, bytes], int] = {}

    def add(self, program: Program) -> int:
        """Add a Program unless an equal one exists, and return its number."""
        key = text, constants = program.to_json(), program.constant_bytes()
        if key not in self._numbers:
            self._numbers[key] = len(self.entries)
            entry: Json = {"document": json.loads(text)}
            if constants:
                entry["constants"] = self._tensors.add_bytes(constants)
            self.entries.append(entry)
        return self._numbers[key]


class Blocks:
    """A generator of the blocks for a target.

    Args:
        lowering: Backend that lowers Graphs for the target.
        programs: Programs of the file.
        tensors: File of tensors, which stores the constants.
    """

    def __init__(self, lowering: Backend, programs: Programs, tensors: TensorFile) -> None:
        self._lowering = lowering
        self._programs = programs
        self._tensors = tensors
        self._items: set[Aval] = set()  # avals of the items of lists, flattened
        self._adds_lists = False

    def block(self, executable: Executable, fixed: Fixed | None = None) -> Json:
        """Return the block of a compiled Graph.

        Args:
            executable: The compiled Graph.
            fixed: For positions of inputs that never change, functions that return their values.

        Raises:
            NotExportable: If an op needs Python.
        """
        plan, results = executable.plan_for(self._lowering)
        known = {plan.graph.inputs[at]: read for at, read in (fixed or {}).items()}
        return _Block(self, plan, known).made([plan.graph.outputs[i] for i in results])

    def adders(self) -> dict[str, int]:
        """Return the Programs that add list items, by dtype and number of elements."""
        if not self._adds_lists:
            return {}
        sums = {f"{STORED[a.dtype]}/{a.size}": _sum_graph(a) for a in self._items}
        return {key: self.program(graph) for key, graph in sums.items()}

    def program(self, graph: Graph) -> int:
        """Add the Program of a Graph and return its number."""
        return self.add(self._lowering.lower(optimize(graph, self._lowering.target)).program)

    def add(self, program: Program | None) -> int:
        """Add a Program and return its number."""
        assert program is not None
        return self._programs.add(program)

    def add_constant(self, array: Any, aval: Aval) -> str:
        """Add a constant and return its name in the file."""
        return self._tensors.add_constant(array, aval)

    def why_not(self, op: str) -> str:
        """Return the reason why an op runs in Python."""
        reason = UNSUPPORTED[self._lowering.name].get(op)
        return reason or f"{self._lowering.name} has no kernel for these shapes and dtypes"

    def note_item(self, aval: Aval) -> None:
        """Record the aval of an item of a list."""
        if aval.dtype != dtypes.variant:
            self._items.add(Aval((aval.size,), aval.dtype))

    def note_sum(self) -> None:
        """Record that the file adds lists."""
        self._adds_lists = True


def _sum_graph(aval: Aval) -> Graph:
    return single_equation(OPS["add"], [aval, aval], ())


def _traced(avals: Sequence[Aval], function: Callable[..., Any]) -> Graph:
    """Trace a function from tensors to a list of tensors."""
    trace = Trace("list")
    with trace.taken():
        given = [trace.argument(aval, "x") for aval in avals]
        trace.graph.outputs = [trace.value_of(t) for t in function(*given)]
    return trace.graph


class _Block:
    """A block that is being built. Its values get new numbers."""

    def __init__(self, blocks: Blocks, plan: Plan, fixed: Fixed) -> None:
        self._blocks, self._fixed = blocks, fixed
        self._plan = plan
        self._graph = plan.graph
        self._numbers: dict[int, int] = {}
        self._values: list[list[Any]] = []
        self._steps: list[Json] = []
        self._constants: list[list[Any]] = []

    def made(self, outputs: Sequence[int]) -> Json:
        """Build the block and return it."""
        inputs = [self._define(v) for v in self._graph.inputs]
        for step in self._plan.steps:
            if isinstance(step, DeviceStep):
                self._device(step)
            elif isinstance(step, ControlStep):
                self._control(step)
            else:
                self._host(step)
        return {
            "inputs": inputs,
            "outputs": [self._value(v) for v in outputs],
            "values": self._values,
            "constants": self._constants,
            "steps": self._steps,
        }

    def _host(self, step: HostStep) -> None:
        """Compute values that depend only on inputs that never change, and add them as constants.

        Values that are larger than these inputs are not added: they would be weights in int4 that
        are unpacked.

        Raises:
            NotExportable: If other values are computed by NumPy.
        """
        graph = step.graph
        given, made = (
            sum(graph.avals[v].closed.size * graph.avals[v].dtype.size for v in values)
            for values in (graph.inputs, graph.outputs)
        )
        lasts = self._fixed.keys() >= {*graph.inputs} and step.lasting == {*graph.outputs}
        if not lasts or not 0 < made <= given:
            op = graph.eqns[0].op.name
            raise NotExportable(op, self._blocks.why_not(op))
        arrays = evaluate(graph, [self._fixed[v]() for v in graph.inputs])
        for value, array in zip(graph.outputs, arrays, strict=True):
            self._constant(value, array)

    # Values

    def _new(self, aval: Aval) -> int:
        if aval.dtype not in STORED:
            raise NotExportable(aval.dtype.name, "pages have no values of this dtype")
        self._values.append([STORED[aval.dtype], aval.size])
        return len(self._values) - 1

    def _define(self, value: int) -> int:
        self._numbers[value] = self._new(self._graph.avals[value])
        return self._numbers[value]

    def _value(self, value: int) -> int:
        """Return the number of a value. A constant is added when it is first used."""
        if value not in self._numbers:
            self._constant(value, self._graph.constants[value])
        return self._numbers[value]

    def _constant(self, value: int, array: Any) -> None:
        number = self._define(value)
        name = self._blocks.add_constant(array, self._graph.avals[value])
        self._constants.append([number, name])

    def _step(self, op: str, inputs: Sequence[int], outputs: Sequence[int], **facts: Any) -> None:
        self._steps.append({"op": op, "inputs": list(inputs), "outputs": list(outputs), **facts})

    # Programs

    def _device(self, step: DeviceStep) -> None:
        given = [self._value(v) for v in step.inputs]
        if step.prelude is not None:
            weights = [given[i] for i in step.weights]
            graph = step.prelude.graph
            made = [self._new(graph.avals[v]) for v in graph.outputs]
            number = self._blocks.add(step.prelude.compiled.program)
            self._step("program", weights, made, program=number, cached=True)
            given += made
        inputs = [given[i] for i in step.read]
        outputs = [self._define(v) for v in step.outputs]
        if not outputs:
            return
        facts: Json = {"program": self._blocks.add(step.main.compiled.program)}
        if step is self._plan.steps[-1] and self._plan.donations:
            facts["donated"] = [step.read.index(at) for _, at in self._plan.donations]
        self._step("program", inputs, outputs, **facts)

    # Control flow

    def _control(self, step: ControlStep) -> None:
        for mirror in step.mirrors:
            self._known(mirror)
        for eqn, runner in step.equations:
            self._equation(step.graph, eqn, runner)

    def _known(self, mirror: Mirror) -> None:
        """Let the page compute a small value if possible. Otherwise it reads the device's value."""
        places = {v: i for i, v in enumerate(mirror.inputs)}
        try:
            (expression,) = scalars(mirror.graph, mirror.values, places)
        except NoScalar:
            return
        inputs = [self._value(v) for v in mirror.inputs]
        self._step("known", inputs, [], value=expression, of=self._value(mirror.values[0]))

    def _equation(self, graph: Graph, eqn: Eqn, runner: Runner) -> None:
        attrs, name = dict(eqn.attrs), eqn.op.name
        inputs = [self._value(v) for v in eqn.inputs]
        facts: Json = {}
        if isinstance(runner, CondRun):
            name = "cond"
            facts["branches"] = [self._blocks.block(branch) for branch in runner.branches]
        elif isinstance(runner, LoopRun):
            name, facts = "while", self._loop(runner)
        elif name in _LISTS:
            facts = _LISTS[name](self._blocks, [graph.avals[v] for v in eqn.inputs], attrs)
        else:
            raise NotExportable(name, "it calls Python, like tf.print, tf.py_function or an assert")
        self._step(name, inputs, [self._define(v) for v in eqn.outputs], **facts)

    def _loop(self, runner: LoopRun) -> Json:
        facts: Json = {"body": self._blocks.block(runner.body), "state": runner.state}
        counted = self._counted(runner)
        if counted is None:
            return facts | {"test": self._blocks.block(runner.test)}
        return facts | {"counted": counted}

    def _counted(self, runner: LoopRun) -> Json | None:
        """Return the loop's counters as expressions if they determine the number of iterations."""
        mirror = runner.mirror
        if mirror.test is None:
            return None

        def expressions(part: Mirror, graph: Graph) -> list[Any]:
            return scalars(part.graph, part.values, {v: graph.inputs.index(v) for v in part.inputs})

        try:
            (goes_on,) = expressions(mirror.test, runner.test.graph)
            next_state = expressions(mirror.step, runner.body.graph)
        except NoScalar:
            return None
        return {
            "test": goes_on,
            "starts": mirror.needed,
            "state": mirror.state,
            "next": next_state,
        }


# Lists


def _make(blocks: Blocks, avals: Sequence[Aval], attrs: Json) -> Json:
    for aval in avals:
        blocks.note_item(aval)
    return {"places": list(attrs["places"]), "length": attrs["length"]}


def _set(blocks: Blocks, avals: Sequence[Aval], attrs: Json) -> Json:
    blocks.note_item(avals[2])
    return {"limit": attrs["limit"]}


def _nothing(blocks: Blocks, avals: Sequence[Aval], attrs: Json) -> Json:
    return {}


def _add(blocks: Blocks, avals: Sequence[Aval], attrs: Json) -> Json:
    blocks.note_sum()
    return {}


def _stack(blocks: Blocks, avals: Sequence[Aval], attrs: Json) -> Json:
    def stacked(*items: Tensor) -> list[Tensor]:
        return [joining.stack(items)]

    count, item = attrs["count"], attrs["aval"].closed
    number = blocks.program(_traced([item] * count, stacked))
    return {"program": number, "count": count, "item": [STORED[item.dtype], item.size]}


def _unstack(blocks: Blocks, avals: Sequence[Aval], attrs: Json) -> Json:
    aval = avals[0].closed
    item = Aval(aval.shape[1:], aval.dtype)
    blocks.note_item(item)
    facts: Json = {"count": aval.shape[0], "item": [STORED[item.dtype], item.size]}
    if aval.shape[0]:
        facts["program"] = blocks.program(_traced([aval], joining.rows_of))
    return facts


_LISTS: dict[str, Callable[[Blocks, Sequence[Aval], Json], Json]] = {
    "list_make": _make,
    "list_set": _set,
    "list_clear": _nothing,
    "list_get": _nothing,
    "list_add": _add,
    "list_stack": _stack,
    "list_unstack": _unstack,
}
