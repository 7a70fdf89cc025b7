"""Public objects that tests of older versions import from other private modules.

TensorFlow moves functions between its private modules. The table lists the old places, so that
tests of these versions run with the installed TensorFlow.
"""

from __future__ import annotations

import importlib
from contextlib import suppress
from typing import Any

SAME = {
    "data.ops.dataset_ops": "data: Options",
    "framework.ops": ": IndexedSlices Tensor register_tensor_conversion_function",
    "ops.array_ops": ": stack unstack",
    "ops.control_flow_ops": "compat.v1: Assert case cond switch_case while_loop",
    "ops.control_flow_v2_toggles": "compat.v1.experimental: output_all_intermediates",
    "ops.nn_impl": "nn: compute_average_loss scale_regularization_loss",
    "ops.random_ops": "image: random_crop stateless_random_crop",
    "ops.stateful_random_ops": "random: Algorithm",
    "ops.variable_scope": "compat.v1: disable_resource_variables enable_resource_variables "
    "resource_variables_enabled",
    "ops.variables": "compat.v1: is_variable_initialized",
    "tpu.tpu_strategy_util": "tpu.experimental: initialize_tpu_system",
}
"""A public module and names in it, by the private module that had them under the same names."""
RENAMED = {
    "framework.ops.convert_to_tensor_v2_with_dispatch": "convert_to_tensor",
    "framework.ops.disable_tensor_equality": "compat.v1.disable_tensor_equality",
    "framework.ops.enable_tensor_equality": "compat.v1.enable_tensor_equality",
    "ops.bincount_ops.sparse_bincount": "sparse.bincount",
    "ops.control_flow_ops.while_loop_v2": "while_loop",
    "ops.variable_scope.variable": "compat.v1.Variable",
    "ops.variables.VariableV1": "compat.v1.Variable",
}
"""Public names by the private name."""


def moved() -> dict[str, str]:
    """Return the public names of the objects, by the private name."""
    found = dict(RENAMED)
    for module, text in SAME.items():
        public, _, names = text.partition(":")
        found |= {f"{module}.{n}": f"{public}.{n}".removeprefix(".") for n in names.split()}
    return found


def restore() -> None:
    """Add the objects to the modules of TensorFlow that had them."""
    for private, public in moved().items():
        module, _, name = f"tensorflow.python.{private}".rpartition(".")
        with suppress(ImportError, AttributeError):
            found: Any = importlib.import_module("tensorflow")
            for part in public.split("."):
                found = getattr(found, part)
            owner = importlib.import_module(module)
            if name not in vars(owner):
                setattr(owner, name, found)
