"""Writer of exported programs: functions, Variables and Programs in one file."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from tfpy._src.backends.backend import Backend
from tfpy._src.backends.device import DeviceBackend
from tfpy._src.backends.javascript import bridge
from tfpy._src.base.dtypes import int8
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.base.version import __version__
from tfpy._src.compiler.ir.aval import Aval
from tfpy._src.compiler.lower import (
    wasm as lower_wasm,
    webgl as lower_webgl,
    webgpu as lower_webgpu,
)
from tfpy._src.formats.exported.blocks import STORED, Blocks, Fixed, Json, Programs
from tfpy._src.formats.exported.functions import Exported, exported, input_names, output_names
from tfpy._src.formats.exported.language_models import (
    LanguageModelOptions,
    is_language_model,
    language_model,
)
from tfpy._src.formats.exported.refusals import NotExportable, refusal
from tfpy._src.formats.exported.tensors import TensorFile
from tfpy._src.formats.file_traces import for_file
from tfpy._src.functions.tf_function.concrete import ConcreteFunction
from tfpy._src.functions.trace.extra import Extra
from tfpy._src.tensors.random.sampling import StateFeed
from tfpy._src.tensors.random.streams import beginning
from tfpy._src.tensors.variables.variable import Variable

BACKENDS = ("webgpu", "webgl", "wasm")
"""Backends of pages without Python, in order of preference."""

_TENSOR_BYTES = 2**31 - 1


class _NoDevice:
    """A substitute for a device, for a backend that only lowers."""

    variant = "exported"
    run = None

    def __init__(self) -> None:
        self.limits = {"tensorBytes": _TENSOR_BYTES}


@dataclass(frozen=True)
class DeviceTarget:
    """A class of devices of one backend.

    Attributes:
        backend: Name of the backend.
        lowering: Backend that lowers Graphs for these devices.
        needs: Limits of the runtime that a device must reach (see `web/common/backend.mjs`).
    """

    backend: str
    lowering: Backend
    needs: dict[str, int]


def _backend(name: str, lower: Any, fusing: Any) -> Backend:
    return DeviceBackend(name, cast(bridge.Device, _NoDevice()), lower, fusing)


def _webgpu(tiles: bool) -> DeviceTarget:
    """Return a target for devices with the fewest bindings. It is almost as fast on others."""
    lower = partial(lower_webgpu.lower, max_inputs=lower_webgpu.MIN_INPUTS, tiles=tiles)
    backend = _backend("webgpu", lower, lower_webgpu.WebGPUTarget(lower_webgpu.MIN_INPUTS))
    # As in the Python backend: a software rasterizer on the CPU does not benefit from tiles.
    tiled = {"hardware": 1, "workgroupBytes": lower_webgpu.TILE_BYTES} if tiles else {}
    return DeviceTarget("webgpu", backend, {"inputs": lower_webgpu.MIN_INPUTS, **tiled})


def _webgl(targets: int, block: int) -> DeviceTarget:
    lower = partial(lower_webgl.lower, targets=targets, block=block)
    backend = _backend("webgl", lower, lower_webgl.WebGLTarget())
    return DeviceTarget("webgl", backend, {"targets": targets, "block": block})


def _wasm() -> DeviceTarget:
    return DeviceTarget("wasm", _backend("wasm", lower_wasm.lower, lower_wasm.WasmTarget()), {})


def targets_of(backends: Sequence[str]) -> list[DeviceTarget]:
    """Return the targets of some backends, the most demanding target of each backend first.

    Raises:
        ValueError: If a page without Python does not support a backend.
    """
    if not backends or not {*backends} <= {*BACKENDS}:
        raise ValueError(
            f"tf.export: backends must be some of {', '.join(BACKENDS)}, got {list(backends)!r}"
        )
    return [target for name in BACKENDS if name in backends for target in _TARGETS[name]()]


_TARGETS: dict[str, Callable[[], list[DeviceTarget]]] = {
    "webgpu": lambda: [_webgpu(True), _webgpu(False)],
    "webgl": lambda: [_webgl(8, 1 << 16), _webgl(8, 0), _webgl(4, 0)],
    "wasm": lambda: [_wasm()],
}


VERSION, LANGUAGE_MODEL_VERSION = 1, 2
"""Versions of the file format. Files of language models have Variables without a tensor."""


def write(
    function: Any,
    path: Path,
    signatures: Any,
    backends: Sequence[str] | None,
    options: LanguageModelOptions,
) -> None:
    """Write the file of `tf.export`."""
    targets = targets_of(BACKENDS if backends is None else backends)
    generates = signatures is None and is_language_model(function)
    if not generates and not options.is_default():
        raise ValueError(
            "tf.export: max_length, prefill_lengths and candidates are options of language models "
            "that are exported without signatures"
        )
    with for_file():
        model = language_model(function, options) if generates else None
        functions = (
            _functions(function, signatures)
            if model is None
            else _functions(model.functions, model.signatures)
        )
    tensors = TensorFile()
    state = _State(tensors, () if model is None else model.zeros)
    document: Json = {
        "version": VERSION if model is None else LANGUAGE_MODEL_VERSION,
        "producer": f"tfpy {__version__}",
        "functions": [_described(one, state) for one in functions],
    }
    document["state"] = state.entries
    if model is not None:
        text = json.dumps(model.tokenizer, ensure_ascii=False, separators=(",", ":"))
        facts = {**model.facts, "tokenizer": tensors.add_bytes(text.encode(), "tokenizer")}
        document["language_model"] = facts
    lacks = _lacks(functions, targets)
    if lacks and (backends is not None or lacks.keys() == set(BACKENDS)):
        raise next(iter(lacks.values()))
    for name, error in lacks.items():
        warnings.warn(f"the file has no programs for {name}: {error.message}", stacklevel=3)
    programs = Programs(tensors)
    document["targets"] = [
        _compiled(target, functions, programs, tensors)
        for target in targets
        if target.backend not in lacks
    ]
    document["lacks"] = {name: error.message for name, error in lacks.items()}
    document["programs"] = programs.entries
    tensors.write(path, json.dumps(document, separators=(",", ":"), allow_nan=False))


def _functions(function: Any, signatures: Any) -> list[Exported]:
    if not isinstance(function, Mapping):
        name = getattr(function, "name", None) or getattr(function, "__name__", "function")
        return [exported(str(name), function, signatures)]
    given = {} if signatures is None else signatures
    if not isinstance(given, Mapping) or not given.keys() <= function.keys():
        raise ValueError(
            "tf.export: the signatures of several functions must be a dictionary with the names of "
            "the functions as keys"
        )
    if not function:
        raise ValueError("tf.export: the dictionary of functions is empty")
    return [exported(str(name), f, given.get(name)) for name, f in function.items()]


class _State:
    """Variables and captured tensors, each once, in the order in which the functions read them.

    Args:
        tensors: File of tensors, which stores the values.
        zeros: Variables that are zero when a file is loaded.
    """

    def __init__(self, tensors: TensorFile, zeros: Collection[Variable] = ()) -> None:
        self.entries: list[Json] = []
        self._zeros = {id(variable) for variable in zeros}
        self._tensors = tensors
        self._numbers: dict[int, int] = {}
        self._held: list[Any] = []  # keeps the objects alive, so that no id is reused

    def number(self, extra: Extra) -> int:
        """Return the number of a Variable or tensor that a trace reads."""
        variable = extra.variable
        return self._of_captured(extra) if variable is None else self.of_variable(variable)

    def of_variable(self, variable: Variable) -> int:
        """Add a Variable unless it was added before, and return its number.

        Raises:
            ValueError: If the Variable's shape has open sizes.
        """
        if variable.has_open_shape:
            raise ValueError(
                f"tf.export: the shape of the variable '{variable.name}', {variable.shape}, has "
                "open sizes"
            )
        key, name = id(variable), variable.name.partition(":")[0]
        if key not in self._numbers:
            self._held.append(variable)
            if key in self._zeros:
                return self._add_zeros(key, variable.aval, name)
            self._add(
                key, variable.numpy(), variable.aval, name, trainable=bool(variable.trainable)
            )
        return self._numbers[key]

    def _of_captured(self, extra: Extra) -> int:
        tensor = extra.fetch()
        key = id(tensor.storage)
        if key not in self._numbers:
            self._held.append(tensor.storage)
            self._add(key, tensor.numpy(), tensor.aval, "captured", constant=True)
        return self._numbers[key]

    def _add(self, key: int, array: Any, aval: Aval, name: str, **facts: bool) -> None:
        found = self._tensors.add(array, aval, name)
        self._numbers[key] = len(self.entries)
        self.entries.append({"tensor": found, **facts})

    def _add_zeros(self, key: int, aval: Aval, name: str) -> int:
        """Add a Variable that is zero when a file is loaded, and that the file does not contain."""
        zeros = {"dtype": STORED[aval.dtype], "shape": list(aval.closed.shape)}
        self._numbers[key] = len(self.entries)
        self.entries.append({"tensor": self._tensors.reserve(name), "zeros": zeros})
        return self._numbers[key]


def _described(one: Exported, state: _State) -> Json:
    signatures = []
    for trace in one.traces:
        outputs = [tensor.aval for tensor in trace.results.tensors]
        signatures.append(
            {
                "inputs": _named(input_names(trace), trace.call.avals),
                "outputs": _named(output_names(trace, one.output_names), outputs),
                "reads": [_source(one, trace, extra, state) for extra in trace.extras],
                "assigns": [state.of_variable(variable) for variable in trace.assigned],
            }
        )
    return {"name": one.name, "signatures": signatures}


def _named(names: Sequence[str], avals: Sequence[Aval]) -> list[Json]:
    for name, aval in zip(names, avals, strict=True):
        if aval.dtype not in STORED or aval.dtype.name in ("variant", "int8"):
            raise ValueError(
                f"tf.export: '{name}' has the dtype {aval.dtype.name}; pages without Python "
                "support float32, int32, bool and complex64"
            )
    return [
        {"name": name, "dtype": aval.dtype.name, "shape": list(aval.closed.shape)}
        for name, aval in zip(names, avals, strict=True)
    ]


def _source(one: Exported, trace: ConcreteFunction, extra: Extra, state: _State) -> Json:
    """Return the page's source of an input that is not an argument."""
    if extra.anew is None:
        return {"state": state.number(extra)}
    if not isinstance(extra.anew, StateFeed):
        cause = NotExportable("timestamp", "the page has no clock for it; pass it as an argument")
        raise refusal(one.name, cause, lambda: one.retrace(trace))
    begins = beginning(extra.anew.stream())
    if begins is None:
        return {"random": None}
    words, blocks = begins
    return {"random": list(words), "blocks": blocks}


def _lacks(
    functions: Sequence[Exported], targets: Sequence[DeviceTarget]
) -> dict[str, UnimplementedError]:
    """Return the backends that cannot run the functions, and the reasons.

    The least demanding target of each backend decides.
    """
    found: dict[str, UnimplementedError] = {}
    for name, target in {target.backend: target for target in targets}.items():
        tensors = TensorFile()
        try:
            _compiled(target, functions, Programs(tensors), tensors)
        except UnimplementedError as error:
            found[name] = error
    return found


def _compiled(
    target: DeviceTarget, functions: Sequence[Exported], programs: Programs, tensors: TensorFile
) -> Json:
    blocks = Blocks(target.lowering, programs, tensors)
    made = [[_block(one, trace, blocks) for trace in one.traces] for one in functions]
    return {
        "backend": target.backend,
        "needs": target.needs,
        "blocks": made,
        "adders": blocks.adders(),
    }


def _block(one: Exported, trace: ConcreteFunction, blocks: Blocks) -> Json:
    try:
        return blocks.block(trace.executable, _fixed(trace))
    except NotExportable as cause:
        raise refusal(one.name, cause, lambda: one.retrace(trace)) from None


def _fixed(trace: ConcreteFunction) -> Fixed:
    """Return functions that read the inputs that a page never changes.

    These are captured tensors, and Variables in int8, which a page cannot write.
    """
    first = len(trace.call.avals)
    return {
        first + at: partial(_read, extra)
        for at, extra in enumerate(trace.extras)
        if extra.anew is None and (extra.variable is None or extra.variable.dtype == int8)
    }


def _read(extra: Extra) -> Any:
    return (extra.fetch() if extra.variable is None else extra.variable).numpy()
