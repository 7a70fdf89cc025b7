"""Samplers of classes, distances, orders and sounds, for the training data of estimators."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy._src.core import primitives as p
from tfpy._src.core.conversion import constant, convert_to_tensor, host_values
from tfpy._src.core.tensor import Tensor
from tfpy._src.formats.raw_ops.records import op
from tfpy._src.library.candidates import learned, samplers
from tfpy._src.library.networks.ranking import isotonic_regression
from tfpy._src.library.strings.edit_distance import edit_distance
from tfpy._src.tensors.array.making import cast
from tfpy._src.tensors.array.reshaping import transpose
from tfpy._src.tensors.array.sorting import top_k
from tfpy._src.tensors.composite.sparse_tensor import SparseTensor
from tfpy._src.tensors.linalg.products import matmul
from tfpy._src.tensors.math.reductions import reduce_sum
from tfpy._src.tensors.signal import spectrograms

Array = np.ndarray[Any, Any]


def _candidates(sample: Any) -> Any:
    """Return an operation that draws classes with a pair of seeds."""
    return lambda true_classes, seed, seed2, **attrs: sample(
        true_classes, **attrs, seed=(seed, seed2)
    )


def _distance(*parts: Any, normalize: bool) -> Tensor:
    both = SparseTensor(*parts[:3]), SparseTensor(*parts[3:])
    return edit_distance(*both, normalize)


def _nearest(points: Any, centers: Any, k: Any) -> tuple[Tensor, Tensor]:
    """Return the nearest centers of each point and the squares of their distances."""
    x, c = convert_to_tensor(points), convert_to_tensor(centers)
    squares = reduce_sum(x * x, 1, keepdims=True) + reduce_sum(c * c, 1)
    found = p.maximum(squares - 2.0 * matmul(x, c, transpose_b=True), 0.0)
    count = min(int(host_values(k)), c.aval.shape[0])
    lowest, places = top_k(-found, count)
    return cast(places, "int64"), -lowest


def _isotonic(input: Any, output_dtype: Any) -> Any:
    return isotonic_regression(cast(input, output_dtype))


def _spectrogram(input: Any, window_size: int, stride: int, magnitude_squared: bool) -> Tensor:
    sound = transpose(convert_to_tensor(input), [1, 0])
    found = p.abs(spectrograms.stft(sound, window_size, stride))
    return found * found if magnitude_squared else found


# Mel-frequency cepstral coefficients, as in TensorFlow's core/kernels/mfcc_mel_filterbank.cc


def _mel(hertz: Any) -> Any:
    return 1127.0 * np.log1p(np.asarray(hertz, np.float64) / 700.0)


def _filters(bins: int, rate: float, low: float, high: float, channels: int) -> Array:
    """Return the weight [bins, channels] of each frequency in each channel."""
    start, span = _mel(low), _mel(high) - _mel(low)
    centers = start + span / (channels + 1) * np.arange(1, channels + 2)
    step = 0.5 * rate / (bins - 1)
    first, last = int(1.5 + low / step), int(high / step)
    weights = np.zeros([bins, channels])
    for i in range(first, min(last + 1, bins)):
        mel = _mel(i * step)
        channel = int(np.searchsorted(centers[:channels], mel)) - 1
        below = centers[channel] if channel >= 0 else start
        part = (centers[channel + 1] - mel) / (centers[channel + 1] - below)
        if channel >= 0:
            weights[i, channel] = part
        if channel + 1 < channels:
            weights[i, channel + 1] = 1.0 - part
    return weights


def _coefficients(
    spectrogram: Any,
    sample_rate: Any,
    upper_frequency_limit: float,
    lower_frequency_limit: float,
    filterbank_channel_count: int,
    dct_coefficient_count: int,
) -> Tensor:
    power = convert_to_tensor(spectrogram)
    count, rate = filterbank_channel_count, float(host_values(sample_rate))
    weights = _filters(
        power.aval.shape[-1], rate, lower_frequency_limit, upper_frequency_limit, count
    )
    bands = matmul(p.sqrt(power), constant(weights.astype(np.float32)))
    angles = np.outer(np.arange(count) + 0.5, np.arange(dct_coefficient_count)) * np.pi / count
    cosines = np.sqrt(2.0 / count) * np.cos(angles)
    return matmul(p.log(p.maximum(bands, 1e-12)), constant(cosines.astype(np.float32)))


op(
    "AllCandidateSampler(true_classes; num_true, num_sampled, unique, seed=0, seed2=0) -> "
    "sampled_candidates, true_expected_count, sampled_expected_count",
    _candidates(samplers.all_candidate_sampler),
    stateful=True,
)
op(
    "FixedUnigramCandidateSampler(true_classes; num_true, num_sampled, unique, range_max, "
    'vocab_file="", distortion=1.0, num_reserved_ids=0, num_shards=1, shard=0, unigrams=[], '
    "seed=0, seed2=0) -> sampled_candidates, true_expected_count, sampled_expected_count",
    _candidates(samplers.fixed_unigram_candidate_sampler),
    stateful=True,
)
op(
    "LearnedUnigramCandidateSampler(true_classes; num_true, num_sampled, unique, range_max, "
    "seed=0, seed2=0) -> sampled_candidates, true_expected_count, sampled_expected_count",
    _candidates(learned.learned_unigram_candidate_sampler),
    stateful=True,
)
op(
    "LogUniformCandidateSampler(true_classes; num_true, num_sampled, unique, range_max, "
    "seed=0, seed2=0) -> sampled_candidates, true_expected_count, sampled_expected_count",
    _candidates(samplers.log_uniform_candidate_sampler),
    stateful=True,
)
op(
    "ThreadUnsafeUnigramCandidateSampler(true_classes; num_true, num_sampled, unique, "
    "range_max, seed=0, seed2=0) -> sampled_candidates, true_expected_count, "
    "sampled_expected_count",
    _candidates(learned.learned_unigram_candidate_sampler),
    stateful=True,
)
op(
    "UniformCandidateSampler(true_classes; num_true, num_sampled, unique, range_max, seed=0, "
    "seed2=0) -> sampled_candidates, true_expected_count, sampled_expected_count",
    _candidates(samplers.uniform_candidate_sampler),
    stateful=True,
)
op(
    "ComputeAccidentalHits(true_classes, sampled_candidates; num_true, seed=0, seed2=0) -> "
    "indices, ids, weights",
    lambda true_classes, sampled_candidates, num_true: learned.compute_accidental_hits(
        true_classes, sampled_candidates, num_true
    ),
)

op(
    "EditDistance(hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, "
    "truth_values, truth_shape; normalize=True) -> output",
    _distance,
)
op("IsotonicRegression(input; output_dtype=float32) -> output, segments", _isotonic)
op(
    "NearestNeighbors(points, centers, k) -> nearest_center_indices, nearest_center_distances",
    _nearest,
)

op(
    "AudioSpectrogram(input; window_size, stride, magnitude_squared=False) -> spectrogram",
    _spectrogram,
)
op(
    "Mfcc(spectrogram, sample_rate; upper_frequency_limit=4000.0, lower_frequency_limit=20.0, "
    "filterbank_channel_count=40, dct_coefficient_count=13) -> output",
    _coefficients,
)
