"""Parts of TensorFlow's test utilities that run every test eagerly, under both libraries.

TensorFlow's own versions run a test in graphs of TensorFlow 1 as well, or only there.
"""

from __future__ import annotations

import itertools
import types
import unittest
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any

from absl.testing import parameterized


def _unchanged(*args: Any, **kwargs: Any) -> Any:
    """Return a decorated function or class, or a decorator that returns it."""
    if args and callable(args[0]):
        return args[0]
    return lambda decorated: decorated


def _skipped(why: str) -> Callable[..., Any]:
    """Return a decorator that skips tests. It may have arguments, such as a reason."""

    def skipped(*args: Any, **kwargs: Any) -> Any:
        decorated = [value for value in args if callable(value)]
        return unittest.skip(why)(decorated[0]) if decorated else unittest.skip(why)

    return skipped


def _device(use_gpu: bool = False) -> Any:
    return nullcontext()


def _permutation(order: Sequence[int]) -> Callable[[Any], Any]:
    def permuted(sizes: Any) -> Any:
        if isinstance(sizes, (list, tuple)):
            return [sizes[axis] for axis in order]
        raise unittest.SkipTest("transposes a tensor with a private function")

    return permuted


UNCHANGED = (
    *("build_as_function_and_v1_graph", "deprecated_graph_mode_only", "disable_asan"),
    *("assert_no_new_pyobjects_executing_eagerly", "assert_no_new_tensors", "disable_msan"),
    *("assert_no_garbage_created", "disable_control_flow_v2", "disable_tfrt", "disable_tsan"),
    *("disable_ubsan", "disable_xla", "disable_mlir_bridge", "enable_control_flow_v2"),
    *("disable_cudnn_autotune", "enable_eager_op_as_function", "disable_eager_op_as_function"),
    *("enable_output_all_intermediates", "enable_nested_function_shape_inference"),
    *("run_all_in_deprecated_graph_mode_only", "run_all_in_graph_and_eager_modes"),
    *("run_all_without_tensor_float_32", "run_deprecated_v1", "run_in_graph_and_eager_modes"),
    *("run_in_async_and_sync_mode", "run_v2_only", "run_without_tensor_float_32"),
    *("with_control_flow_v2", "with_eager_op_as_function", "xla_allow_fallback"),
    *("with_forward_compatibility_horizons", "enable_quantized_dtypes_training"),
    *("also_run_as_tf_function", "no_xla_auto_jit", "add_graph_building_optimization_tests"),
    *("enable_tf_xla_constant_folding", "enable_graph_building_optimization", "with_c_shapes"),
)
SKIPPED = ("run_cuda_only", "run_gpu_only", "run_gpu_or_tpu", "run_v1_only")
FALSE = (
    *("IsBuiltWithNvcc", "IsBuiltWithROCm", "IsBuiltWithXLA", "IsMklEnabled", "is_gpu_available"),
    *("is_asan_enabled", "is_mlir_bridge_enabled", "is_msan_enabled", "is_tsan_enabled"),
    *("is_ubsan_enabled", "is_xla_enabled", "GpuSupportsHalfMatMulAndConv"),
)
TEST_UTIL: dict[str, Any] = {
    **dict.fromkeys(UNCHANGED, _unchanged),
    **{name: _skipped(name) for name in SKIPPED},
    **{name: lambda *args, **kwargs: False for name in FALSE},
    **dict.fromkeys(("device", "force_cpu", "force_gpu", "use_gpu"), _device),
    "NCHWToNHWC": _permutation((0, 2, 3, 1)),
    "NHWCToNCHW": _permutation((0, 3, 1, 2)),
    "deterministic_ops": nullcontext,
    "gpu_device_name": lambda: "",
}
"""Replacements of the names of ``tensorflow.python.framework.test_util``."""


class NamedObject:
    """An object with a name that is part of a test's name."""

    def __init__(self, name: str, obj: Any) -> None:
        self._name = name
        self._obj = obj

    def __getattr__(self, name: str) -> Any:
        return getattr(self._obj, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._obj(*args, **kwargs)

    def __iter__(self) -> Any:
        return iter(self._obj)

    def __repr__(self) -> str:
        return self._name


def combine(**kwargs: Any) -> list[dict[str, Any]]:
    """Return all combinations of the arguments, each of which is a value or a list of values."""
    values = [v if isinstance(v, list) else [v] for v in kwargs.values()]
    return [dict(zip(kwargs, chosen, strict=True)) for chosen in itertools.product(*values)]


def times(*combined: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the products of lists of combinations."""
    made: list[dict[str, Any]] = [{}]
    for part in combined:
        made = [{**a, **b} for a in made for b in part]
    return made


def _is_eager(combination: dict[str, Any]) -> bool:
    mode, version = combination.get("mode", "eager"), combination.get("tf_api_version", 2)
    return mode == "eager" and version == 2


def generate(combinations: Iterable[dict[str, Any]], *ignored: Any) -> Callable[[Any], Any]:
    """Return a decorator that runs a test, or the tests of a class, once per combination."""
    chosen = [c for c in combinations if _is_eager(c)]
    parameters = [
        {k: v for k, v in c.items() if k not in ("mode", "tf_api_version")} for c in chosen
    ]

    def decorate(decorated: Any) -> Any:
        if isinstance(decorated, type):
            for name, method in list(vars(decorated).items()):
                if name.startswith("test") and callable(method):
                    setattr(decorated, name, decorate(method))
            return decorated
        if not chosen:
            return unittest.skip("runs in graphs of TensorFlow 1 only")(decorated)
        if not any(parameters):
            return decorated
        return parameterized.named_parameters(
            *({"testcase_name": f"_{i}", **p} for i, p in enumerate(parameters))
        )(decorated)

    return decorate


combinations = types.SimpleNamespace(
    NamedObject=NamedObject, combine=combine, generate=generate, times=times
)
"""The names of ``tensorflow.python.framework.combinations``."""
