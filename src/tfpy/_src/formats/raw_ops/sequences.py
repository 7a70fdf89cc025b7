"""Fused cells of recurrent networks, as in TensorFlow 1, and CTC."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy._src.base.errors import UnimplementedError
from tfpy._src.core import primitives as p
from tfpy._src.core.conversion import convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.derivative import pulled_back
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.formats.raw_ops.sparse import components_of
from tfpy._src.library.ctc import decoding, loss
from tfpy._src.tensors.array.joining import concat, pad, split, stack, unstack
from tfpy._src.tensors.array.static import static_int
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.math.arithmetic import clip_by_value
from tfpy._src.tensors.nn.layers import bias_add

Cell = tuple[Tensor, ...]


def _cell(
    x: Any, cs_prev: Any, h_prev: Any, w: Any, wci: Any, wcf: Any, wco: Any, b: Any, *,
    forget_bias: float, cell_clip: float, use_peephole: bool, order: str = "icfo",
) -> Cell:  # fmt: skip
    """Compute one step; `order` is the order of the gates in the weights."""
    sums = bias_add(matmul(concat([x, h_prev], 1), w), b)
    gates = dict(zip(order, split(sums, 4, 1), strict=True))
    peeps = [cs_prev * wci, cs_prev * wcf] if use_peephole else [0.0, 0.0]
    i = p.sigmoid(gates["i"] + peeps[0])
    f = p.sigmoid(gates["f"] + forget_bias + peeps[1])
    ci = p.tanh(gates["c"])
    cs = ci * i + cs_prev * f
    if cell_clip > 0:
        cs = clip_by_value(cs, -cell_clip, cell_clip)
    o = p.sigmoid(gates["o"] + cs * wco if use_peephole else gates["o"])
    co = p.tanh(cs)
    return i, cs, f, o, ci, co, co * o


def _sequence(
    seq_len_max: Any, x: Any, cs_prev: Any, h_prev: Any, *weights: Any, forget_bias: float = 0.0,
    order: str = "icfo", **attrs: Any,
) -> Cell:  # fmt: skip
    """Compute all steps up to `seq_len_max`; later steps are zero."""
    times, length = convert_to_tensor(x), static_int(seq_len_max)
    found, cs, h = [], convert_to_tensor(cs_prev), convert_to_tensor(h_prev)
    for row in unstack(times[:length]):
        step = _cell(row, cs, h, *weights, forget_bias=forget_bias, order=order, **attrs)
        cs, h = step[1], step[6]
        found.append(step)
    rest = [[0, times.aval.shape[0] - length], [0, 0], [0, 0]]
    return tuple(pad(stack(values), rest) for values in zip(*found, strict=True))


def _gru(x: Any, h_prev: Any, w_ru: Any, w_c: Any, b_ru: Any, b_c: Any) -> Cell:
    sums = bias_add(matmul(concat([x, h_prev], 1), w_ru), b_ru)
    r, u = (p.sigmoid(part) for part in split(sums, 2, 1))
    c = p.tanh(bias_add(matmul(concat([x, h_prev * r], 1), w_c), b_c))
    return r, u, c, (1 - u) * c + u * h_prev


def _greedy(
    inputs: Any, sequence_length: Any, *, merge_repeated: bool, blank_index: int
) -> tuple[Tensor, ...]:
    found, scores = decoding.ctc_greedy_decoder(
        inputs, sequence_length, merge_repeated, blank_index
    )
    return *components_of(found[0]), scores


def _beams(
    inputs: Any, sequence_length: Any, *, beam_width: int, top_paths: int, merge_repeated: bool
) -> tuple[Any, ...]:
    if merge_repeated:
        raise UnimplementedError(None, None, "CTCBeamSearchDecoder: merge_repeated must be False")
    found, scores = decoding.ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths)
    return *map(list, zip(*map(components_of, found), strict=True)), scores


def _ctc(blank: int) -> Callable[..., tuple[Tensor, Tensor]]:
    """Return the CTC loss of sparse labels, with the last or the first class as blank."""

    def both(
        inputs: Any,
        labels_indices: Any,
        labels_values: Any,
        sequence_length: Any,
        *,
        preprocess_collapse_repeated: bool,
        ctc_merge_repeated: bool,
        ignore_longer_outputs_than_inputs: bool,
    ) -> tuple[Tensor, Tensor]:
        if preprocess_collapse_repeated or not ctc_merge_repeated:
            raise UnimplementedError(
                None, None, "CTCLoss supports only the options that tf.nn.ctc_loss uses."
            )
        logits, at = convert_to_tensor(inputs), convert_to_tensor(labels_indices)
        longest = int(at.host_view()[:, 1].max(initial=-1)) + 1
        labels = SparseTensor(at, labels_values, [logits.aval.shape[1], longest])

        def of(x: Tensor) -> Tensor:
            return loss.ctc_loss(labels, x, None, sequence_length, blank_index=blank)

        found = of(logits)
        return found, pulled_back(of, logits, found * 0 + 1)

    return both


op(
    "LSTMBlockCell(x, cs_prev, h_prev, w, wci, wcf, wco, b; forget_bias=1.0, cell_clip=3.0, "
    "use_peephole=False) -> i, cs, f, o, ci, co, h",
    _cell,
)
op(
    "BlockLSTM(seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b; forget_bias=1.0, "
    "cell_clip=3.0, use_peephole=False) -> i, cs, f, o, ci, co, h",
    _sequence,
)
op(
    "BlockLSTMV2(seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b; cell_clip=0.0, "
    "use_peephole=False) -> i, cs, f, o, ci, co, h",
    lambda *inputs, **attrs: _sequence(*inputs, order="ifco", **attrs),
)
op("GRUBlockCell(x, h_prev, w_ru, w_c, b_ru, b_c) -> r, u, c, h", _gru)
op(
    "CTCBeamSearchDecoder(inputs, sequence_length; beam_width, top_paths, "
    "merge_repeated=True) -> decoded_indices*top_paths, decoded_values*top_paths, "
    "decoded_shape*top_paths, log_probability",
    _beams,
)
op(
    "CTCGreedyDecoder(inputs, sequence_length; merge_repeated=False, blank_index=-1) -> "
    "decoded_indices, decoded_values, decoded_shape, log_probability",
    _greedy,
)
op(
    "CTCLoss(inputs, labels_indices, labels_values, sequence_length; "
    "preprocess_collapse_repeated=False, ctc_merge_repeated=True, "
    "ignore_longer_outputs_than_inputs=False) -> loss, gradient",
    _ctc(-1),
)
op(
    "CTCLossV2(inputs, labels_indices, labels_values, sequence_length; "
    "preprocess_collapse_repeated=False, ctc_merge_repeated=True, "
    "ignore_longer_outputs_than_inputs=False) -> loss, gradient",
    _ctc(0),
)
