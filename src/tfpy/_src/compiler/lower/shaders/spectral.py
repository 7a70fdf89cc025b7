"""The steps of the Fourier transform: one Stockham pass for each factor of the length."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy._src.base.errors import NotLowerable
from tfpy._src.compiler.ir.kernel import KernelCall
from tfpy._src.compiler.lower.shaders.steps import Params, Steps, inputs_of

LARGEST_FACTOR = 4096
"""Largest number of terms that one output sums."""


def dft(steps: Steps, call: KernelCall, inputs: Sequence[int], output: int) -> None:
    """Add the passes. A large prime factor is one pass of long sums.

    Raises:
        NotLowerable: If a factor is too large.
    """
    p: Params = dict(call.params)
    n, inner = p["n"], p["inner"]
    radices = _factors(n)
    sources = inputs_of(call, inputs)
    flag = "IMAGINARY" if "imag" in sources else "REAL"
    count = p["outer"] * n * inner
    done = 1
    for number, radix in enumerate(radices):
        last = number == len(radices) - 1
        target = output if last else steps.like(output, 2 * count)
        params = {"n": n, "inner": inner, "count": count, "done": done, "radix": radix}
        params["sign"] = p["sign"]
        steps.step("dft", sources, target, params, [flag])
        sources, flag = {"x": target}, "PLANES"
        done *= radix


def _factors(n: int) -> list[int]:
    """Return factors with the product `n`: fours, then primes in ascending order.

    There is at least one.

    Raises:
        NotLowerable: If a factor is too large.
    """
    found = []
    for factor in (4, 2, *range(3, LARGEST_FACTOR, 2)):
        while n > 1 and n % factor == 0:
            found.append(factor)
            n //= factor
    if n > 1:
        raise NotLowerable(f"dft: the length of the transform has the prime factor {n}")
    return found or [1]
