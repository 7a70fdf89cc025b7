"""Detection of JAX and its devices without importing JAX."""

from __future__ import annotations

import os
from importlib.util import find_spec

from tfpy._src.backends.backend import BackendSkipped
from tfpy._src.base.missing_packages import remedy

_MEND = 'tf.set_backend("jax") or the variable TFPY_BACKEND=jax uses it anyway'
_PLUGINS = ("jax_cuda", "jax_rocm", "libtpu", "jax_metal")
"""Prefixes of the packages with which JAX finds GPUs and TPUs."""


def check_installed() -> None:
    """Raise BackendSkipped if JAX is not installed."""
    try:
        found = find_spec("jax")
    except ImportError:  # an import hook may raise it
        found = None
    if found is None:
        raise BackendSkipped(f"the package jax is not installed. {remedy('jax')}")


def why_not() -> str:
    """Return why jax is not chosen automatically; empty if JAX finds a GPU or TPU."""
    try:
        check_installed()
    except BackendSkipped as skipped:
        return str(skipped)
    if not has_plugin():
        return f"JAX is installed for the CPU alone; {_MEND}"
    try:
        import jax

        platform = jax.default_backend()
    except Exception as error:
        return f"JAX does not start: {error}"
    return f"JAX sees no GPU or TPU; {_MEND}" if platform == "cpu" else ""


def has_plugin() -> bool:
    """Return True if JAX may find a GPU or TPU. Otherwise it computes on the CPU."""
    if os.environ.get("JAX_PLATFORMS") == "cpu":
        return False
    from importlib.metadata import distributions

    names = (found.metadata["Name"] or "" for found in distributions())
    return any(name.lower().replace("-", "_").startswith(_PLUGINS) for name in names)
