"""`tf.compat.v1.nn`: functions with the arguments of TensorFlow 1."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.compat.casts import (
    dropout as dropout,
    relu_layer as relu_layer,
    xw_plus_b as xw_plus_b,
)
from tfpy._src.library.compat.changed import (
    dilation2d as dilation2d,
    embedding_lookup as embedding_lookup,
    erosion2d as erosion2d,
    space_to_batch as space_to_batch,
)
from tfpy._src.library.compat.graphs.rnn import (
    bidirectional_dynamic_rnn as bidirectional_dynamic_rnn,
    dynamic_rnn as dynamic_rnn,
    static_bidirectional_rnn as static_bidirectional_rnn,
    static_rnn as static_rnn,
)
from tfpy._src.library.compat.networks import (
    avg_pool as avg_pool,
    conv2d_transpose as conv2d_transpose,
    convolution as convolution,
    ctc_beam_search_decoder as ctc_beam_search_decoder,
    ctc_loss as ctc_loss,
    in_top_k as in_top_k,
    max_pool as max_pool,
)
