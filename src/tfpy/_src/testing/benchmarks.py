"""`tf.test.Benchmark`, the base class of benchmarks."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any

FILTER = "benchmark_filter="
"""Argument of a program that selects the benchmarks that it runs."""

_classes: list[type[Benchmark]] = []


class Benchmark:
    """Base class of benchmarks.

    `tf.test.main` runs the methods of subclasses whose names start with `benchmark` if the program
    has the argument `--benchmark_filter=REGEX`.

    Example:
        >>> import tfpy as tf
        >>> class SumBenchmark(tf.test.Benchmark):
        ...     def benchmark_sum(self):
        ...         self.report_benchmark(iters=10, wall_time=0.5)
        >>> SumBenchmark().benchmark_sum()
        entry {
          name: "SumBenchmark.benchmark_sum"
          iters: 10
          wall_time: 0.5
        }
        <BLANKLINE>

    See also: `tf.time`.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _classes.append(cls)

    @classmethod
    def is_abstract(cls) -> bool:
        """Return True for the base class, and False for subclasses.

        Returns:
            A bool.
        """
        return cls is Benchmark

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: Mapping[str, Any] | None = None,
        name: str | None = None,
        metrics: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        """Print the result of a benchmark.

        Args:
            iters: Number of iterations. Default: not reported.
            cpu_time: Seconds of computation in an iteration. Default: not reported.
            wall_time: Seconds of an iteration. Default: not reported.
            throughput: Megabytes per second. Default: not reported.
            extras: Dict of further numbers and texts. Default: none.
            name: Name of the benchmark. Default: name of the method that calls this one.
            metrics: List of dicts with the keys `name` and `value`, and optionally `min_value` and
                `max_value`. Default: none.

        Raises:
            TypeError: If `extras` is not a dict, or `metrics` is not a list of such dicts.
        """
        lines = [f'name: "{type(self).__name__}.{name or self._calling_method()}"']
        numbers = {
            "iters": iters, "cpu_time": cpu_time, "wall_time": wall_time, "throughput": throughput,
        }  # fmt: skip
        lines += [f"{key}: {_shown(n)}" for key, n in numbers.items() if n is not None]
        lines += [line for extra in _checked(extras).items() for line in _extra(*extra)]
        lines += [line for metric in _checked_list(metrics) for line in _metric(metric)]
        print("\n".join(_block("entry", lines)) + "\n")

    def _calling_method(self) -> str:
        """Return the name of the outermost method of this object that is running."""
        for frame in reversed(inspect.stack(0)):
            if isinstance(frame.frame.f_locals.get("self"), Benchmark):
                return frame.function
        raise ValueError("Unable to determine calling Benchmark class.")


def _checked(extras: Any) -> Mapping[str, Any]:
    if extras is not None and not isinstance(extras, dict):
        raise TypeError(f"report_benchmark: extras must be a dict, not {type(extras).__name__}.")
    return extras or {}


def _checked_list(metrics: Any) -> Sequence[Mapping[str, Any]]:
    if metrics is not None and not isinstance(metrics, list):
        raise TypeError(f"report_benchmark: metrics must be a list, not {type(metrics).__name__}.")
    for metric in metrics or []:
        for key in ("name", "value"):
            if key not in metric:
                raise TypeError(f"report_benchmark: the metric {metric} has no key {key!r}.")
    return metrics or []


def _extra(key: str, value: Any) -> list[str]:
    shown = _shown(value) if isinstance(value, Number) else f'"{value}"'
    kind = "double_value" if isinstance(value, Number) else "string_value"
    return _block("extras", [f'key: "{key}"', *_block("value", [f"{kind}: {shown}"])])


def _metric(metric: Mapping[str, Any]) -> list[str]:
    lines = [f'name: "{metric["name"]}"', f"value: {_shown(metric['value'])}"]
    for bound in ("min_value", "max_value"):
        if bound in metric:
            lines += _block(bound, [f"value: {_shown(metric[bound])}"])
    return _block("metrics", lines)


def _block(name: str, lines: Sequence[str]) -> list[str]:
    return [f"{name} {{", *(f"  {line}" for line in lines), "}"]


def _shown(number: Any) -> str:
    """Return a number as in the text format of Protocol Buffers."""
    return f"{number:.17g}" if float(f"{number:.15g}") != number else f"{number:.15g}"


def run_benchmarks(pattern: str) -> None:
    """Run the benchmarks whose names match a regular expression, or all of them for "all"."""
    found = [
        (kind, name)
        for kind in _classes
        for name in dir(kind)
        if name.startswith("benchmark") and callable(getattr(kind, name))
        if pattern == "all" or re.search(pattern, f"{kind.__module__}.{kind.__name__}.{name}")
    ]
    if not found:
        raise ValueError(f"No benchmarks matched the pattern: '{pattern}'")
    for kind, name in found:
        getattr(kind(), name)()
