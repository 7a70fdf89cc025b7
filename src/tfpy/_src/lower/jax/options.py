"""What XLA is told where its own choice is slower for what tfpy makes."""

from __future__ import annotations

import functools

import jax

_REGIONS = {"xla_cpu_copy_insertion_use_region_analysis": True}
"""A donated array is copied before it is written over only where its old value is still needed. In
training steps, with every Variable donated, JAX 0.10 on two cores took 0.93 (ResNet-50, a
transformer) to 1.0 (MobileNetV2) of the time without."""


@functools.cache
def compiler_options() -> dict[str, bool]:
    """For ``jax.jit``, where the device that computes by default is a CPU."""
    return _REGIONS if jax.default_backend() == "cpu" and _is_known(_REGIONS) else {}


def _is_known(options: dict[str, bool]) -> bool:
    """Whether this version of XLA takes them: options come and go."""
    try:
        jax.jit(lambda x: x, compiler_options=options).lower(0).compile()
    except jax.errors.JaxRuntimeError:
        return False
    return True
