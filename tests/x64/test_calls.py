"""Every public function with 64-bit dtypes, and its gradients, compared with TensorFlow."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from api.same import compare
from surface.calls import ALONE, CALLS, dtypes, ours, theirs
from surface.evaluation import evaluate, gradients, tensors, words
from surface.test_calls import OTHER_GRADIENT, UP_TO_SIGN

import tfpy

DTYPES = ("float64", "int64", "complex128")
SHARES = {"cpu": 4, "jax": 80}
"""One in this many calls runs on each backend, because jax compiles each call.

With ``--backend jax``, all calls run.
"""

IN_32_BITS = {
    *("ctc_greedy_decoder", "ctc_beam_search_decoder", "ctc_unique_labels", "string_split"),
    *("bytes_split", "split", "unicode_decode", "unicode_decode_with_offsets", "unicode_split"),
    *("unicode_split_with_offsets", "ragged_range", "segment_ids_to_row_splits"),
}
"""Functions that return row splits or indices of sparse tensors, which stay int32."""

ROUNDED = {
    "nn.gelu": "TensorFlow's square root of 2 is float32",
    **{
        f"compat.v1.losses.{name}": "the losses of TensorFlow 1 are computed in float32"
        for name in ("huber_loss", "log_loss", "mean_pairwise_squared_error")
    },
}
OTHER = {
    "step": "an integer of TensorFlow.js's",
    "broadcast_static_shape": "gives no tensor",
    **dict.fromkeys(("euclidean_norm", "math.reduce_euclidean_norm"), "complex, its own test"),
    **dict.fromkeys(("nn.silu", "linalg.tridiagonal_solve"), "complex gradients differ"),
}
COMPARED = [
    (name, dtype)
    for name in CALLS
    if name not in ALONE and name.rpartition(".")[2] not in IN_32_BITS and name not in OTHER
    if not name.startswith(("ragged", "sparse", "sets", "image"))
    for dtype in dtypes(name, DTYPES)
]


def is_narrow(results: Any) -> bool:
    return any(t.dtype.name in ("float32", "complex64") for t in tensors(tf, results))


@pytest.mark.parametrize("part", range(4))
def test_calls(part: int, backend: str, request: pytest.FixtureRequest) -> None:
    """Run a part of all calls, because one test per call would be slower than the calls."""
    share = 1 if request.config.getoption("backend") else SHARES[backend]
    chosen = [
        (name, dtype)
        for name, dtype in COMPARED[part::4]
        if not zlib.crc32(f"{name} {dtype}".encode()) % share
    ]
    for name, dtype in chosen:
        try:
            wanted = evaluate(theirs(name), words(tf, dtype))
        except Exception:  # TensorFlow rejects the dtype
            continue
        bound = 1e-5 if name in ROUNDED or is_narrow(wanted) else 1e-11
        mine = evaluate(ours(name), words(tfpy, dtype))
        if name in UP_TO_SIGN:
            pairs = ((tfpy, mine), (tf, wanted))
            mine, wanted = ([abs(t) for t in tensors(lib, r)] for lib, r in pairs)
        compare(mine, wanted, bound, f"{name} of {dtype}")
        if name not in UP_TO_SIGN | set(OTHER_GRADIENT) and dtype != "int64":
            check_gradients(name, dtype)


def check_gradients(name: str, dtype: str) -> None:
    try:
        wanted = gradients(tf, theirs(name), dtype)
    except LookupError:
        return
    for mine, theirs_ in zip(gradients(tfpy, ours(name), dtype), wanted, strict=True):
        if theirs_ is None:
            continue
        array = tf.convert_to_tensor(theirs_).numpy()
        assert mine.numpy().dtype == array.dtype, name
        narrow = array.dtype in (np.float32, np.complex64) or name in ROUNDED
        bound = 2e-4 if narrow else 1e-9
        np.testing.assert_allclose(mine.numpy(), array, bound, bound, err_msg=f"{name} of {dtype}")
