"""`tf.losses`: Keras's losses, and weighted losses of TensorFlow.js that Keras does not have.

`tf.compat.v1.losses` contains all of TensorFlow.js's losses.
"""

# Generated from api.toml and the op table by `build.py face`. Edit those instead.

import typing as _typing

from tfpy._src.library.tfjs.losses import (
    absolute_difference as absolute_difference,
    cosine_distance as cosine_distance,
    hinge_loss as hinge_loss,
    huber_loss as huber_loss,
    log_loss as log_loss,
    mean_squared_error as mean_squared_error,
    sigmoid_cross_entropy as sigmoid_cross_entropy,
    softmax_cross_entropy as softmax_cross_entropy,
)
from tfpy._src.library.tfjs.weighting import compute_weighted_loss as compute_weighted_loss

if _typing.TYPE_CHECKING:
    from keras._tf_keras.keras.losses import (
        CTC as CTC,
        KLD as KLD,
        MAE as MAE,
        MAPE as MAPE,
        MSE as MSE,
        MSLE as MSLE,
        BinaryCrossentropy as BinaryCrossentropy,
        BinaryFocalCrossentropy as BinaryFocalCrossentropy,
        CategoricalCrossentropy as CategoricalCrossentropy,
        CategoricalFocalCrossentropy as CategoricalFocalCrossentropy,
        CategoricalGeneralizedCrossEntropy as CategoricalGeneralizedCrossEntropy,
        CategoricalHinge as CategoricalHinge,
        Circle as Circle,
        CosineSimilarity as CosineSimilarity,
        Dice as Dice,
        Hinge as Hinge,
        Huber as Huber,
        KLDivergence as KLDivergence,
        LogCosh as LogCosh,
        Loss as Loss,
        MeanAbsoluteError as MeanAbsoluteError,
        MeanAbsolutePercentageError as MeanAbsolutePercentageError,
        MeanSquaredError as MeanSquaredError,
        MeanSquaredLogarithmicError as MeanSquaredLogarithmicError,
        Poisson as Poisson,
        Reduction as Reduction,
        SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
        SquaredHinge as SquaredHinge,
        Tversky as Tversky,
        binary_crossentropy as binary_crossentropy,
        binary_focal_crossentropy as binary_focal_crossentropy,
        categorical_crossentropy as categorical_crossentropy,
        categorical_focal_crossentropy as categorical_focal_crossentropy,
        categorical_generalized_cross_entropy as categorical_generalized_cross_entropy,
        categorical_hinge as categorical_hinge,
        circle as circle,
        cosine_similarity as cosine_similarity,
        ctc as ctc,
        deserialize as deserialize,
        dice as dice,
        get as get,
        hinge as hinge,
        huber as huber,
        kld as kld,
        kullback_leibler_divergence as kullback_leibler_divergence,
        logcosh as logcosh,
        mae as mae,
        mape as mape,
        mse as mse,
        msle as msle,
        poisson as poisson,
        serialize as serialize,
        sparse_categorical_crossentropy as sparse_categorical_crossentropy,
        squared_hinge as squared_hinge,
        tversky as tversky,
    )
