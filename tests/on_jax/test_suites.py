"""Tests of other folders that cover every public function, op, gradient and fused program.

Here they run on jax. Only a share of them runs unless all are requested.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from ops.test_complex import test_composed, test_elementwise
from ops.test_gradients import (
    test_against_finite_differences,
    test_against_tensorflow,
    test_second_order,
)
from ops.test_linalg import test_qr, test_second_order as test_second_order_of_matrices, test_solve
from surface.test_calls import test_gradients, test_values

import tfpy
from e2e import (
    test_calls as calls,
    test_complex as complex,
    test_composed_ops as composed,
    test_control_flow as control,
    test_function_fusion as fusion,
    test_variable_parts as parts,
)

pytestmark = pytest.mark.share(40)

IMPORTED = (
    *(test_composed, test_elementwise, test_qr, test_solve, test_second_order_of_matrices),
    *(test_against_finite_differences, test_against_tensorflow, test_second_order),
    *(test_gradients, test_values),
)
"""Imported tests, which pytest collects here as well."""


def _cases() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the test cases that browsers run."""
    given: dict[str, Any] = {"tf": tfpy, "backend": "jax"}
    listed = (
        ("call", calls.test_calls, [case for p in calls.NAMESPACES for case in p.values[0]]),
        ("bug", calls.test_bugs_of_tensorflow_js, calls.BUGS),
        ("gradient", calls.test_gradients_that_tensorflow_js_lacks, calls.GRADIENTS),
        ("operation", calls.test_operations_of_tensorflow_js_models, calls.OPERATIONS),
    )
    for kind, test, cases in listed:
        name = "calls" if kind == "call" else "cases"
        for case in cases:
            more = {name: [case], "words": calls.WORDS}
            yield f"{kind}-{case[0]}", partial(inspect.unwrap(test), **given, **more)
    for program in composed.PROGRAMS:
        for compiled in (False, True):
            test = partial(inspect.unwrap(composed.test_program), **given)
            yield f"{program}-{compiled}", partial(test, name=program, compiled=compiled)
    for name in fusion.CASES:
        test = partial(inspect.unwrap(fusion.test_compiled_as_eager), **given)
        yield f"fused-{name}", partial(test, name=name)
    yield (
        "softmax",
        partial(inspect.unwrap(fusion.test_softmax_of_infinities_and_large_numbers), **given),
    )
    for test in (complex.test_spectra, complex.test_complex_tensors_live_on_the_device):
        yield test.__name__, partial(inspect.unwrap(test), **given)
    test = partial(inspect.unwrap(control.test_arrays_that_functions_return), **given)
    yield "returned arrays", test
    for key in parts.KEYS:
        for compiled in (False, True):
            test = partial(inspect.unwrap(parts.test_parts), tfpy, key, "float32")
            yield f"part-{key}-{compiled}", partial(test, compiled)


CASES = dict(_cases())


@pytest.mark.parametrize("name", CASES)
def test_as_in_browsers(name: str) -> None:
    done = CASES[name]()
    if inspect.isawaitable(done):
        asyncio.run(done)  # type: ignore[arg-type]
