"""The parameters and results of a trace, in TensorFlow's printed form."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy._src.core.operand import FieldRecord
from tfpy._src.core.tensor import Tensor
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.variables.variable import Variable


@dataclass(frozen=True)
class Parameter:
    """A parameter of one trace. `value` is a nest of tensors, specs and Python values."""

    name: str
    kind: Any
    value: Any


def parameters_of(signature: inspect.Signature, arguments: Mapping[str, Any]) -> list[Parameter]:
    """Return a parameter for each argument, with `*args` and `**kwargs` unpacked."""
    kinds = {name: parameter.kind for name, parameter in signature.parameters.items()}
    spreads = inspect.Parameter.VAR_POSITIONAL in kinds.values()
    found: list[Parameter] = []
    for name, value in arguments.items():
        kind = kinds[name]
        if kind is inspect.Parameter.VAR_POSITIONAL:
            positional = inspect.Parameter.POSITIONAL_ONLY
            found += [Parameter(f"{name}_{i}", positional, v) for i, v in enumerate(value)]
        elif kind is inspect.Parameter.VAR_KEYWORD:
            keyword = inspect.Parameter.KEYWORD_ONLY
            found += [Parameter(k, keyword, v) for k, v in value.items()]
        elif spreads and kind is inspect.Parameter.POSITIONAL_OR_KEYWORD:
            found.append(Parameter(name, inspect.Parameter.POSITIONAL_ONLY, value))
        else:
            found.append(Parameter(name, kind, value))
    return found


def structured(parameters: Sequence[Parameter]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return positional and keyword arguments with named specs in place of tensors."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    specs = [(p, _named(p.value, p.name)) for p in parameters]
    positional = tuple(spec for p, spec in specs if p.kind is not keyword)
    return positional, {p.name: spec for p, spec in specs if p.kind is keyword}


def _named(value: Any, name: str) -> Any:
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype, name)
    if isinstance(value, TensorSpec):
        return TensorSpec(value.shape, value.dtype, value.name or name)
    if isinstance(value, FieldRecord):
        return value.__spec__()
    if isinstance(value, Mapping):
        return {k: _named(v, f"{name}_{k}") for k, v in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_named(getattr(value, k), f"{name}_{k}") for k in value._fields))
    if isinstance(value, list | tuple):
        return type(value)(_named(v, f"{name}_{i}") for i, v in enumerate(value))
    return value


def lines(parameters: Sequence[Parameter], result: Any, captures: Mapping[int, str]) -> str:
    """Describe the inputs, the output and the captures of a trace, one per line."""
    aliases: dict[int, int] = {}
    taken = [f"  {p.name} ({p.kind.name}): {_type_text(p.value, aliases)}" for p in parameters]
    given = f"  {_type_text(result, aliases)}"
    captured = [f"  {number}: {text}" for number, text in captures.items()] or ["  None"]
    return "\n".join(["Input Parameters:", *taken, "Output Type:", given, "Captures:", *captured])


def one_line(parameters: Sequence[Parameter], result: Any) -> str:
    """Return e.g. `(x: TensorSpec(…), /, *, k: Literal[1]) -> TensorSpec(…)`."""
    aliases: dict[int, int] = {}
    return f"({', '.join(_declared(parameters, aliases))}) -> {_type_text(result, aliases)}"


def _declared(parameters: Sequence[Parameter], aliases: dict[int, int]) -> Iterator[str]:
    kinds = [p.kind for p in parameters]
    first, keyword = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.KEYWORD_ONLY
    for at, parameter in enumerate(parameters):
        if parameter.kind is keyword and keyword not in kinds[:at]:
            yield "*"
        yield f"{parameter.name}: {_type_text(parameter.value, aliases)}"
        if parameter.kind is first and first not in kinds[at + 1 :]:
            yield "/"


def _type_text(value: Any, aliases: dict[int, int]) -> str:
    """Return the type of a value as text.

    Args:
        value: Tensor, spec, Variable, nest or Python value.
        aliases: Numbers of the Variables that were printed before.
    """
    if isinstance(value, Tensor):
        return repr(TensorSpec(value.shape, value.dtype))
    if isinstance(value, TensorSpec):
        return repr(value)
    if isinstance(value, Variable):
        alias = aliases.setdefault(value.number, len(aliases))
        return (
            f"VariableSpec(shape={value.shape}, dtype={value.dtype!r}, "
            f"trainable={value.trainable}, alias_id={alias})"
        )
    if isinstance(value, FieldRecord):
        return repr(value.__spec__())
    if isinstance(value, Mapping):
        return _pairs("Dict", value, aliases)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _pairs(type(value).__name__, dict(zip(value._fields, value, strict=True)), aliases)
    if isinstance(value, list | tuple):
        items = ", ".join(_type_text(item, aliases) for item in value)
        return f"{'List' if isinstance(value, list) else 'Tuple'}[{items}]"
    return f"Literal[{value!r}]"


def _pairs(kind: str, values: Mapping[Any, Any], aliases: dict[int, int]) -> str:
    items = (f"[{k!r}, {_type_text(v, aliases)}]" for k, v in values.items())
    return f"{kind}[{', '.join(items)}]"
