"""`tf.compat.v1.losses`: losses between labels and predictions, with weights."""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

from tfpy._src.library.compat.graphs.collected_losses import (
    absolute_difference as absolute_difference,
    cosine_distance as cosine_distance,
    hinge_loss as hinge_loss,
    huber_loss as huber_loss,
    log_loss as log_loss,
    mean_squared_error as mean_squared_error,
    sigmoid_cross_entropy as sigmoid_cross_entropy,
    softmax_cross_entropy as softmax_cross_entropy,
)
from tfpy._src.library.compat.losses import (
    add_loss as add_loss,
    compute_weighted_loss as compute_weighted_loss,
    get_losses as get_losses,
    get_regularization_loss as get_regularization_loss,
    get_regularization_losses as get_regularization_losses,
    get_total_loss as get_total_loss,
    mean_pairwise_squared_error as mean_pairwise_squared_error,
    sparse_softmax_cross_entropy as sparse_softmax_cross_entropy,
)
from tfpy._src.library.tfjs.weighting import Reduction as Reduction
