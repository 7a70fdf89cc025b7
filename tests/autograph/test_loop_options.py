"""Options of loops."""

from __future__ import annotations

from typing import Any

import pytest
from api.same import same


@same
def test_maximum_iterations(lib: Any) -> Any:

    @lib.function
    def endless(x: Any) -> Any:
        i = lib.constant(0)
        while i < 100:
            lib.autograph.experimental.set_loop_options(maximum_iterations=4)
            i += 1
            x = x * 2.0
        return i, x

    @lib.function
    def over_range(n: Any) -> Any:
        total = lib.constant(0)
        for i in lib.range(n):
            lib.autograph.experimental.set_loop_options(maximum_iterations=3)
            total += i
        return total

    five, two = lib.constant(5), lib.constant(2)
    return endless(lib.constant(1.0)), over_range(five), over_range(two)


@pytest.mark.filterwarnings("ignore:tf.function .* runs op by op")
@same
def test_maximum_iterations_of_loops_that_python_runs(lib: Any) -> Any:
    unknown = lib.TensorShape([None])

    @lib.function
    def grown(n: Any) -> Any:
        i, found = lib.constant(0), lib.zeros([0], lib.int32)
        while i < n:
            lib.autograph.experimental.set_loop_options(
                shape_invariants=[(found, unknown)], maximum_iterations=3
            )
            found = lib.concat([found, [i]], 0)
            i += 1
        return found

    @lib.function
    def over_rows(x: Any) -> Any:
        found = lib.zeros([0], lib.int32)
        for row in x:
            lib.autograph.experimental.set_loop_options(
                shape_invariants=[(found, unknown)], maximum_iterations=lib.constant(2)
            )
            inner = lib.constant(0)
            while inner < row:
                lib.autograph.experimental.set_loop_options(maximum_iterations=4)
                inner += 1
            if inner > 90:
                break
            found = lib.concat([found, [inner]], 0)
        return found

    rows = lib.constant([2, 9, 3, 4])
    return grown(lib.constant(9)), grown(lib.constant(2)), over_rows(rows), over_rows(rows[:1])


@pytest.mark.filterwarnings("ignore:tf.function .* runs op by op")
@same
def test_while_loop_keeps_the_structure_of_its_variables(lib: Any) -> Any:
    @lib.function
    def doubled(n: Any, kind: Any) -> Any:
        shapes = kind([lib.TensorShape([]), lib.TensorShape([None])])
        return lib.while_loop(
            lambda i, x: i < n,
            lambda i, x: (i + 1, lib.concat([x, x], 0)),
            kind([0, lib.ones([1])]),
            shape_invariants=shapes,
        )

    found = [doubled(lib.constant(3), kind) for kind in (list, tuple)]
    return found, [type(result).__name__ for result in found]
