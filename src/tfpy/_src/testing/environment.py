"""`tf.test.main`, and functions that report what the process can use."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import sys
import tempfile
import unittest
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar, cast, overload

from tfpy._src.backends import registry
from tfpy._src.backends.javascript import bridge
from tfpy._src.base import tracing
from tfpy._src.testing.base import Base, PlainTestCase
from tfpy._src.testing.benchmarks import FILTER, run_benchmarks

Test = TypeVar("Test", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound=type)

_CPUS = ("aarch64", "arm", "ppc", "s390x", "x86")


def main(argv: Sequence[str] | None = None) -> None:
    """Run all tests of the module `__main__`, and exit.

    With the argument `--benchmark_filter=REGEX` the benchmarks whose names match are run instead.
    If the package `absl-py` is installed, its flags are parsed too.

    Args:
        argv: Program name and arguments, such as the name of a test. Default: `sys.argv`.

    Raises:
        SystemExit: When the tests have finished. The code is 0 if all of them passed.

    Example:
        >>> import tfpy as tf
        >>> if __name__ == "__main__":
        ...     tf.test.main()  # doctest: +SKIP

    See also: `tf.test.TestCase`.
    """
    arguments = [*(sys.argv if argv is None else argv)]
    for argument in arguments:
        if argument.lstrip("-").startswith(FILTER):
            run_benchmarks(argument.partition("=")[2])
            return
    if issubclass(Base, PlainTestCase):
        unittest.main(module="__main__", argv=arguments)
        return
    run_tests = import_module("absl.testing.absltest").main
    import_module("absl.app").run(lambda rest: run_tests(argv=rest), argv=arguments)


def disable_with_predicate(pred: Callable[[], object], skip_message: str) -> Callable[[Test], Test]:
    """Create a decorator that skips a test if a condition is true when the test runs.

    Args:
        pred: Function without arguments that returns True if the test must be skipped.
        skip_message: Reason for the report.

    Returns:
        A decorator for methods of a test case.

    Example:
        >>> import tfpy as tf
        >>> class GpuTest(tf.test.TestCase):
        ...     @tf.test.disable_with_predicate(lambda: True, "needs two GPUs")
        ...     def test_two(self):
        ...         self.fail()
        >>> GpuTest("test_two").run().skipped[0][1]
        'needs two GPUs'

    See also: `tf.test.is_gpu_available`.
    """

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def method(self: unittest.TestCase, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return test(self, *args, **kwargs)

        return cast(Test, method)

    return decorate


@overload
def with_eager_op_as_function(cls: Kind, only_as_function: bool = ...) -> Kind: ...


@overload
def with_eager_op_as_function(
    cls: None = None, only_as_function: bool = ...
) -> Callable[[Kind], Kind]: ...


def with_eager_op_as_function(
    cls: Kind | None = None, only_as_function: bool = False
) -> Kind | Callable[[Kind], Kind]:
    """Return a class unchanged, as TensorFlow does.

    Args:
        cls: Test case. If None, return a decorator.
        only_as_function: Has no effect.

    Returns:
        The class, or a decorator that returns its argument.

    Example:
        >>> import tfpy as tf
        >>> @tf.test.with_eager_op_as_function
        ... class AddTest(tf.test.TestCase):
        ...     pass

    See also: `tf.test.TestCase`.
    """
    return (lambda kind: kind) if cls is None else cls


def gpu_device_name() -> str:
    """Return the name of the GPU that computes, or an empty string.

    Returns:
        `"/device:GPU:0"` on the backends webgl and webgpu, and on jax with a GPU. Otherwise `""`.

    Example:
        >>> import tfpy as tf
        >>> bool(tf.test.gpu_device_name()) == tf.test.is_gpu_available()
        True

    See also: `tf.config.list_physical_devices`.
    """
    return "/device:GPU:0" if is_gpu_available() else ""


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Return True if the active backend computes on a GPU.

    Args:
        cuda_only: Has no effect, as in TensorFlow.
        min_cuda_compute_capability: Lowest compute capability of CUDA that is accepted. The GPUs of
            browsers have none. Default: any GPU.

    Returns:
        A bool.

    Example:
        >>> import tfpy as tf
        >>> tf.test.is_gpu_available() == bool(tf.config.list_physical_devices("GPU"))
        True

    See also: `tf.config.list_physical_devices`, `tf.test.gpu_device_name`.
    """
    return registry.active_backend().processor == "GPU" and not min_cuda_compute_capability


def is_built_with_cuda() -> bool:
    """Return False, because no backend of tfpy is compiled with CUDA.

    The backend jax uses CUDA through JAX.

    Returns:
        False.

    Example:
        >>> import tfpy as tf
        >>> tf.test.is_built_with_cuda()
        False

    See also: `tf.test.is_gpu_available`.
    """
    return False


def is_built_with_rocm() -> bool:
    """Return False, because no backend of tfpy is compiled with ROCm.

    Returns:
        False.

    Example:
        >>> import tfpy as tf
        >>> tf.test.is_built_with_rocm()
        False

    See also: `tf.test.is_gpu_available`.
    """
    return False


def is_built_with_gpu_support() -> bool:
    """Return False, because no backend of tfpy is compiled with CUDA or ROCm.

    Returns:
        False.

    Example:
        >>> import tfpy as tf
        >>> tf.test.is_built_with_gpu_support()
        False

    See also: `tf.test.is_gpu_available`.
    """
    return False


def is_built_with_xla() -> bool:
    """Return True, because programs that require XLA run in tfpy.

    Every `tf.function` is compiled, also with `jit_compile=True`. XLA itself compiles them on the
    backend jax.

    Returns:
        True.

    Example:
        >>> import tfpy as tf
        >>> tf.test.is_built_with_xla()
        True

    See also: `tf.function`.
    """
    return True


def is_cpu_target_available(target: str) -> bool:
    """Return True for the kinds of CPUs that TensorFlow supports, on which tfpy runs as well.

    Args:
        target: `"aarch64"`, `"arm"`, `"ppc"`, `"s390x"` or `"x86"`.

    Returns:
        True.

    Raises:
        AssertionError: If `target` is another name.

    Example:
        >>> import tfpy as tf
        >>> tf.test.is_cpu_target_available("aarch64")
        True

    See also: `tf.test.is_built_with_xla`.
    """
    if target not in _CPUS:
        raise AssertionError(f"Unknown CPU target: {target}. Use one of {', '.join(_CPUS)}.")
    return True


@functools.cache
def temporary_folder() -> str:
    """Return the temporary directory of the tests of this process. It is deleted at the end."""
    parent = os.environ.get("TEST_TMPDIR")
    if parent:
        folder = tempfile.mkdtemp(prefix=parent)
    else:
        folder = tempfile.mkdtemp(prefix=Path(sys.argv[0] or "tests").stem)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def get_temp_dir() -> str:
    """Return the temporary directory of the tests of this process.

    The directory is deleted when the program ends. `tf.test.TestCase.get_temp_dir` returns a
    directory for one test.

    Returns:
        Absolute path of the directory.

    Example:
        >>> import os
        >>> import tfpy as tf
        >>> os.path.isdir(tf.compat.v1.test.get_temp_dir())
        True

    See also: `tf.test.TestCase`.
    """
    return temporary_folder()


def sync_devices() -> None:
    """Wait until the device has computed all pending ops, for measurements of time.

    In a page, this requires a browser that can suspend Python. A function that reads a result with
    `await x.data()` waits as well.

    Raises:
        RuntimeError: In a `tf.function`, or if the browser cannot suspend Python.

    Example:
        >>> import tfpy as tf
        >>> y = tf.matmul(tf.ones([8, 8]), tf.ones([8, 8]))
        >>> tf.test.experimental.sync_devices()

    See also: `tf.time`.
    """
    if tracing.inside_function():
        raise RuntimeError(
            "sync_devices() must not be called in a tf.function. Call it where ops run immediately."
        )
    bridge.wait(registry.active_backend().finish(), "read a result with `await x.data()`")
