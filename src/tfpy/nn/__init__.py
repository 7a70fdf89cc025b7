"""`tf.nn`: activations, convolution, pooling, normalization and losses."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.core.primitives import (
    elu as elu,
    relu as relu,
    relu6 as relu6,
    selu as selu,
    sigmoid as sigmoid,
    softplus as softplus,
    tanh as tanh,
)
from tfpy._src.library.ctc.decoding import (
    ctc_beam_search_decoder as ctc_beam_search_decoder,
    ctc_greedy_decoder as ctc_greedy_decoder,
)
from tfpy._src.library.ctc.labels import (
    collapse_repeated as collapse_repeated,
    ctc_unique_labels as ctc_unique_labels,
)
from tfpy._src.library.ctc.loss import ctc_loss as ctc_loss
from tfpy._src.tensors.array.blocks import (
    depth_to_space as depth_to_space,
    space_to_batch as space_to_batch,
    space_to_depth as space_to_depth,
)
from tfpy._src.tensors.array.sorting import in_top_k as in_top_k, top_k as top_k
from tfpy._src.tensors.math.counting import zero_fraction as zero_fraction
from tfpy._src.tensors.math.statistics import l2_normalize as l2_normalize
from tfpy._src.tensors.nn.activations import (
    crelu as crelu,
    gelu as gelu,
    leaky_relu as leaky_relu,
    log_softmax as log_softmax,
    silu as silu,
    softmax as softmax,
    softsign as softsign,
    swish as swish,
)
from tfpy._src.tensors.nn.convolution import (
    atrous_conv2d as atrous_conv2d,
    conv1d as conv1d,
    conv2d as conv2d,
    conv3d as conv3d,
    convolution as convolution,
    depthwise_conv2d as depthwise_conv2d,
    separable_conv2d as separable_conv2d,
)
from tfpy._src.tensors.nn.embeddings import (
    embedding_lookup as embedding_lookup,
    embedding_lookup_sparse as embedding_lookup_sparse,
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)
from tfpy._src.tensors.nn.layers import bias_add as bias_add, dropout as dropout
from tfpy._src.tensors.nn.losses import (
    compute_average_loss as compute_average_loss,
    l2_loss as l2_loss,
    log_poisson_loss as log_poisson_loss,
    scale_regularization_loss as scale_regularization_loss,
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from tfpy._src.tensors.nn.morphology import dilation2d as dilation2d, erosion2d as erosion2d
from tfpy._src.tensors.nn.normalization import (
    batch_normalization as batch_normalization,
    fused_batch_norm as fused_batch_norm,
    local_response_normalization as local_response_normalization,
    lrn as lrn,
    moments as moments,
    normalize_moments as normalize_moments,
    sufficient_statistics as sufficient_statistics,
    weighted_moments as weighted_moments,
)
from tfpy._src.tensors.nn.pooling import (
    avg_pool as avg_pool,
    avg_pool1d as avg_pool1d,
    avg_pool2d as avg_pool2d,
    avg_pool3d as avg_pool3d,
    max_pool as max_pool,
    max_pool1d as max_pool1d,
    max_pool2d as max_pool2d,
    max_pool3d as max_pool3d,
    pool as pool,
)
from tfpy._src.tensors.nn.pooling_argmax import max_pool_with_argmax as max_pool_with_argmax
from tfpy._src.tensors.nn.transposed_convolution import (
    atrous_conv2d_transpose as atrous_conv2d_transpose,
    conv1d_transpose as conv1d_transpose,
    conv2d_transpose as conv2d_transpose,
    conv3d_transpose as conv3d_transpose,
    conv_transpose as conv_transpose,
)
from tfpy.nn import experimental as experimental

if _typing.TYPE_CHECKING:
    from tfpy._src.keras_support.cell_wrappers import (
        RNNCellDeviceWrapper as RNNCellDeviceWrapper,
        RNNCellDropoutWrapper as RNNCellDropoutWrapper,
        RNNCellResidualWrapper as RNNCellResidualWrapper,
    )
    from tfpy._src.library.candidates.learned import (
        compute_accidental_hits as compute_accidental_hits,
        learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    )
    from tfpy._src.library.candidates.losses import (
        nce_loss as nce_loss,
        sampled_softmax_loss as sampled_softmax_loss,
    )
    from tfpy._src.library.candidates.samplers import (
        all_candidate_sampler as all_candidate_sampler,
        fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    )
    from tfpy._src.library.networks.fractional import (
        fractional_avg_pool as fractional_avg_pool,
        fractional_max_pool as fractional_max_pool,
    )
    from tfpy._src.library.networks.patches import (
        batch_norm_with_global_normalization as batch_norm_with_global_normalization,
        depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
        depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
        with_space_to_batch as with_space_to_batch,
    )
    from tfpy._src.library.networks.ranking import (
        approx_max_k as approx_max_k,
        approx_min_k as approx_min_k,
        isotonic_regression as isotonic_regression,
    )

_LATER = {
    "RNNCellDeviceWrapper": "tfpy._src.keras_support.cell_wrappers",
    "RNNCellDropoutWrapper": "tfpy._src.keras_support.cell_wrappers",
    "RNNCellResidualWrapper": "tfpy._src.keras_support.cell_wrappers",
    "compute_accidental_hits": "tfpy._src.library.candidates.learned",
    "learned_unigram_candidate_sampler": "tfpy._src.library.candidates.learned",
    "nce_loss": "tfpy._src.library.candidates.losses",
    "sampled_softmax_loss": "tfpy._src.library.candidates.losses",
    "all_candidate_sampler": "tfpy._src.library.candidates.samplers",
    "fixed_unigram_candidate_sampler": "tfpy._src.library.candidates.samplers",
    "fractional_avg_pool": "tfpy._src.library.networks.fractional",
    "fractional_max_pool": "tfpy._src.library.networks.fractional",
    "batch_norm_with_global_normalization": "tfpy._src.library.networks.patches",
    "depthwise_conv2d_backprop_filter": "tfpy._src.library.networks.patches",
    "depthwise_conv2d_backprop_input": "tfpy._src.library.networks.patches",
    "with_space_to_batch": "tfpy._src.library.networks.patches",
    "approx_max_k": "tfpy._src.library.networks.ranking",
    "approx_min_k": "tfpy._src.library.networks.ranking",
    "isotonic_regression": "tfpy._src.library.networks.ranking",
}
