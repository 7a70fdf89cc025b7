"""Options of loops."""

from __future__ import annotations

from typing import Any

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
