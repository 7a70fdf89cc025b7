"""The layers that TensorFlow.js 4.22 computes like Keras, and their arguments.

`LAYERS` has the arguments that TensorFlow.js reads from the configuration of each layer. `FIXED`
has arguments of Keras that TensorFlow.js does not have, with the only value of equal meaning.
"""

from __future__ import annotations

_KERNEL = """
    kernel_initializer kernel_regularizer kernel_constraint
    bias_initializer bias_regularizer bias_constraint
"""
_CONV = (
    f"filters kernel_size strides padding data_format dilation_rate activation use_bias {_KERNEL}"
)
_DEPTHWISE = """
    depth_multiplier depthwise_initializer depthwise_regularizer depthwise_constraint
"""
_POINTWISE = "pointwise_initializer pointwise_regularizer pointwise_constraint"
_BIAS = "bias_initializer bias_regularizer bias_constraint"
_POOL = "pool_size strides padding data_format"
_CELL = f"""
    units activation use_bias recurrent_initializer recurrent_regularizer recurrent_constraint
    dropout recurrent_dropout {_KERNEL}
"""
_RNN = "return_sequences return_state go_backwards stateful unroll"
_BETA_GAMMA = """
    epsilon center scale beta_initializer gamma_initializer beta_regularizer gamma_regularizer
"""

_TABLE = {
    "Activation": "activation",
    "Add": "",
    "AlphaDropout": "rate",
    "Average": "",
    "AveragePooling1D": _POOL,
    "AveragePooling2D": _POOL,
    "AveragePooling3D": _POOL,
    "BatchNormalization": f"""
        axis momentum moving_mean_initializer moving_variance_initializer beta_constraint
        gamma_constraint {_BETA_GAMMA}
    """,
    "Bidirectional": "layer merge_mode",
    "Concatenate": "axis",
    "Conv1D": _CONV,
    "Conv2D": _CONV,
    "Conv2DTranspose": _CONV,
    "Conv3D": _CONV,
    "Conv3DTranspose": _CONV,
    "ConvLSTM2D": f"""
        filters kernel_size strides padding data_format dilation_rate activation
        recurrent_activation use_bias unit_forget_bias recurrent_initializer recurrent_regularizer
        recurrent_constraint dropout recurrent_dropout {_RNN} {_KERNEL}
    """,
    "Cropping2D": "cropping data_format",
    "Dense": f"units activation use_bias {_KERNEL}",
    "DepthwiseConv2D": f"""
        kernel_size strides padding data_format dilation_rate activation use_bias {_DEPTHWISE}
        {_BIAS}
    """,
    "Dot": "axes normalize",
    "Dropout": "rate noise_shape seed",
    "ELU": "alpha",
    "Embedding": """
        input_dim output_dim embeddings_initializer embeddings_regularizer embeddings_constraint
        mask_zero
    """,
    "Flatten": "data_format",
    "GRU": f"{_CELL} recurrent_activation {_RNN}",
    "GRUCell": f"{_CELL} recurrent_activation",
    "GaussianDropout": "rate",
    "GaussianNoise": "stddev",
    "GlobalAveragePooling1D": "data_format",
    "GlobalAveragePooling2D": "data_format",
    "GlobalMaxPooling1D": "data_format",
    "GlobalMaxPooling2D": "data_format",
    "LSTM": f"{_CELL} recurrent_activation unit_forget_bias {_RNN}",
    "LSTMCell": f"{_CELL} recurrent_activation unit_forget_bias",
    "LayerNormalization": f"axis {_BETA_GAMMA}",
    "LeakyReLU": "negative_slope",
    "Masking": "mask_value",
    "MaxPooling1D": _POOL,
    "MaxPooling2D": _POOL,
    "MaxPooling3D": _POOL,
    "Maximum": "",
    "Minimum": "",
    "Multiply": "",
    "PReLU": "alpha_initializer alpha_regularizer alpha_constraint shared_axes",
    "Permute": "dims",
    "RNN": f"cell {_RNN}",
    "ReLU": "max_value",
    "RepeatVector": "n",
    "Rescaling": "scale offset",
    "Reshape": "target_shape",
    "SeparableConv2D": f"""
        filters kernel_size strides padding data_format dilation_rate activation use_bias
        {_DEPTHWISE} {_POINTWISE} {_BIAS}
    """,
    "SimpleRNN": f"{_CELL} {_RNN}",
    "SimpleRNNCell": _CELL,
    "Softmax": "axis",
    "SpatialDropout1D": "rate",
    "StackedRNNCells": "cells",
    "ThresholdedReLU": "theta",
    "TimeDistributed": "layer",
    "UpSampling2D": "size data_format interpolation",
    "ZeroPadding2D": "padding data_format",
}
LAYERS = {kind: arguments.split() for kind, arguments in _TABLE.items()}

FIXED: dict[str, dict[str, object]] = {
    "": {"groups": 1, "keepdims": False, "output_padding": None, "lora_rank": None},
    "GRU": {"reset_after": False},
    "GRUCell": {"reset_after": False},
    "LayerNormalization": {"rms_scaling": False},
    "BatchNormalization": {"synchronized": False, "renorm": False},
    "ReLU": {"negative_slope": 0.0, "threshold": 0.0},
    "RNN": {"zero_output_for_mask": False},
    "UpSampling2D": {"interpolation": "nearest"},
}
"""Required values of arguments, by layer. The key "" applies to all layers."""

RENAMED = {"LeakyReLU": {"negative_slope": "alpha"}}

ACTIVATIONS = {
    "elu": "elu",
    "gelu": "gelu",
    "linear": "linear",
    "log_softmax": "log_softmax",
    "mish": "mish",
    "relu": "relu",
    "relu6": "relu6",
    "selu": "selu",
    "sigmoid": "sigmoid",
    "silu": "swish",
    "softmax": "softmax",
    "softplus": "softplus",
    "softsign": "softsign",
    "swish": "swish",
    "tanh": "tanh",
    "tfpy>gelu_new": "gelu_new",
    "tfpy>hard_sigmoid": "hard_sigmoid",
}
"""TensorFlow.js's names of activations, by Keras's names."""

INITIALIZERS = {
    "Constant", "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "Identity",
    "LecunNormal", "LecunUniform", "Ones", "Orthogonal", "RandomNormal", "RandomUniform",
    "TruncatedNormal", "VarianceScaling", "Zeros",
}  # fmt: skip
SPELLED = {"LecunNormal": "LeCunNormal", "LecunUniform": "LeCunUniform"}
CONSTRAINTS = {"MaxNorm", "MinMaxNorm", "NonNeg", "UnitNorm"}
