"""Every public function in a function with open sizes: static shapes and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from api.same import compare
from surface.calls import ALONE, CALLS, ours, theirs
from surface.evaluation import Words, evaluate, tensors, words

import tfpy
from tfpy._src.base.errors import NotTraceableError

FINER = (
    *("boolean_mask", "dynamic_partition", "math.segment_sum", "math.segment_prod"),
    *("math.segment_max", "math.segment_min", "math.segment_mean", "sparse.segment_sum"),
    *("sparse.segment_mean", "sparse.segment_sqrt_n", "sparse.sparse_segment_sum"),
    *("sparse.sparse_segment_mean", "sparse.mask", "nn.conv1d_transpose", "nn.conv2d_transpose"),
    *("nn.conv_transpose", "nn.atrous_conv2d_transpose", "nn.dilation2d", "nn.erosion2d"),
    *("image.rot90", "image.adjust_hue", "image.adjust_saturation", "image.random_hue"),
    *("image.random_saturation", "image.stateless_random_hue", "linalg.cross"),
    *("image.stateless_random_saturation", "linalg.tridiagonal_matmul", "signal.rfft3d"),
    *("signal.irfft3d", "nn.embedding_lookup_sparse"),
    *(f"quantization.fake_quant_with_min_max_vars_per_channel{of}" for of in ("", "_gradient")),
)
"""Functions with a known size that TensorFlow leaves open, implied by constants or the op."""

COARSER = (
    *("reverse_sequence", "nn.conv1d", "nn.conv2d", "nn.conv3d", "nn.depthwise_conv2d"),
    *("fused.conv2d", "fused.depthwise_conv2d", "linalg.tensor_diag_part", "linalg.solve"),
    *("linalg.triangular_solve", "linalg.banded_triangular_solve", "linalg.cholesky_solve"),
    *("image.transform", "random.stateless_gamma"),
)
"""Functions with an open size that TensorFlow knows.

The other operand has the size, or it does not depend on the size of the filter, which is open in
this test, because of padding.
"""

ELSEWHERE = {
    "linalg.experimental.conjugate_gradient": "the size of the operator is known",
    "browser.to_pixels": "reads values",
    "browser.to_pixels_async": "reads values",
    "eig": "eigenvectors have either sign",
    "linalg.eigh": "eigenvectors have either sign",
    "linalg.gram_schmidt": "as many vectors as there are: the result is made in Python",
    "nn.atrous_conv2d": "TensorFlow's refuses open sizes",
    "signal.inverse_mdct": "TensorFlow's refuses open sizes",
    "nn.fractional_avg_pool": "the regions are drawn in Python, for the sizes of each call",
    "nn.fractional_max_pool": "the regions are drawn in Python, for the sizes of each call",
    "ragged_fill_empty_rows": "the rows of a constant say how many values there are",
    "ragged.map_flat_values": "the splits of a constant say how many values there are",
    "ragged.stack": "the splits of a constant say how many values there are",
    "ragged_gather": "the splits of a constant say how many values there are",
    "ragged_tensor_to_tensor": "the splits of a constant say how many values there are",
    "basic_lstm_cell": "composed of TensorFlow's functions there, which fit each other's sizes",
}
"""Functions for which the test is not meaningful."""


UNSOLVED = ("reshape", "nn.conv2d_transpose", "nn.atrous_conv2d_transpose", "nn.ctc_loss")
"""Functions for which no concrete sizes are found if all are open, because several must match."""


class Given(Words):
    """Words with tensors that are arguments of a function."""

    def __init__(self, lib: Any, arguments: Sequence[Any]) -> None:
        super().__init__(lib, "float32")
        self._arguments = iter(arguments)

    def _kept(self, array: Any) -> Any:
        self.inputs.append(next(self._arguments))
        return self.inputs[-1]


def traced(lib: Any, text: str, axes: slice) -> tuple[Any, list[np.ndarray[Any, Any]]]:
    """Return the concrete function of a call with these axes open, and arrays for its inputs."""
    said = words(lib)
    evaluate(text, said)
    arrays = [t.numpy() for t in said.inputs]

    def program(*arguments: Any) -> Any:
        lib.random.set_seed(1)
        return tensors(lib, evaluate(text, Given(lib, arguments)))

    specs = []
    for array in arrays:
        shape: list[int | None] = list(array.shape)
        shape[axes] = [None] * len(shape[axes])
        specs.append(lib.TensorSpec(shape, array.dtype.name))
    return lib.function(program, autograph=False).get_concrete_function(*specs), arrays


NAMES = [name for name in CALLS if name not in {*ALONE, *ELSEWHERE}]


@pytest.mark.filterwarnings("ignore:tf.function")
@pytest.mark.parametrize("axes", [slice(1), slice(None)], ids=["first", "all"])
@pytest.mark.parametrize("name", NAMES)
def test_shapes_and_values(name: str, axes: slice) -> None:
    try:
        theirs_, arrays = traced(tf, theirs(name), axes)
    except Exception as error:
        if isinstance(error, ValueError) and "Cannot infer" in str(error):
            with pytest.raises(ValueError, match="Cannot infer"):
                traced(tfpy, ours(name), axes)
        return
    if not any(array.ndim for array in arrays):
        return
    if axes == slice(None) and name in UNSOLVED:
        return
    try:
        mine, _ = traced(tfpy, ours(name), axes)
        outputs = mine.outputs
    except NotTraceableError:
        return
    shapes = [str(t.shape) for t in outputs], [str(t.shape) for t in theirs_.outputs]
    if name not in (*FINER, *COARSER):
        assert shapes[0] == shapes[1]
    results = [c(*map(lib.constant, arrays)) for lib, c in ((tfpy, mine), (tf, theirs_))]
    compare(list(results[0]), list(results[1]), 1e-4, name)
