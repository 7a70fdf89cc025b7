"""Flags of TensorFlow.js that have no effect in tfpy, with the reasons."""

from __future__ import annotations

_REASONS = {
    "textures always hold four elements per texel": """
        WEBGL_PACK WEBGL_PACK_NORMALIZATION WEBGL_PACK_CLIP WEBGL_PACK_DEPTHWISECONV
        WEBGL_PACK_BINARY_OPERATIONS WEBGL_PACK_UNARY_OPERATIONS WEBGL_PACK_ARRAY_OPERATIONS
        WEBGL_PACK_IMAGE_OPERATIONS WEBGL_PACK_REDUCE WEBGL_PACK_CONV2DTRANSPOSE
        WEBGL_LAZILY_UNPACK
    """,
    "the size of a texture depends only on the number of elements of the tensor": """
        WEBGL_MAX_SIZE_FOR_NARROW_TEXTURE WEBGL_AUTO_SQUARIFY_NARROW_TEXTURE_SHAPE
    """,
    "shapes are always uniforms": "WEBGL_USE_SHAPES_UNIFORMS",
    "uploaded values are always textures, and small constants are part of the shaders":
        "WEBGL_SIZE_UPLOAD_UNIFORM",
    "the sizes of a matrix product or convolution determine its kernel": """
        WEBGL_CONV_IM2COL WEBGL_EXP_CONV WEBGPU_MATMUL_PROGRAM_TYPE
        WEBGPU_USE_NAIVE_CONV2D_TRANSPOSE WEBGPU_USE_NAIVE_CONV2D_DEBUG
        WEBGPU_THRESHOLD_TO_INCREASE_WORKGROUPS_FOR_MATMUL WEBGPU_CONV_SEPARATE_IM2COL_SHADER
    """,
    "the backend needs WebGL2, which always has this feature": """
        WEBGL_BUFFER_SUPPORTED WEBGL_FENCE_API_ENABLED WEBGL_MAX_TEXTURES_IN_SHADER
    """,
    "floats are always read as floats": "WEBGL_DOWNLOAD_FLOAT_ENABLED",
    "tf.math.is_nan tests the bits of the number, which works with all drivers":
        "WEBGL2_ISNAN_CUSTOM",
    "the device computes all ops on its tensors, regardless of their size": """
        TOPK_LAST_DIM_CPU_HANDOFF_SIZE_THRESHOLD TOPK_K_CPU_HANDOFF_THRESHOLD
    """,
    "tf.compile_model compiles before the first call":
        "ENGINE_COMPILE_ONLY WEBGPU_ENGINE_COMPILE_ONLY",
    "tf.time reports the times of kernels": "WEBGPU_USE_PROFILE_TOOL",
    "the browser always copies images directly, on the GPU if possible": "WRAP_TO_IMAGEBITMAP",
    "shapes of nested lists are always checked": "TENSORLIKE_CHECK_SHAPE_CONSISTENCY",
    "nothing is deprecated": "DEPRECATION_WARNINGS_ENABLED",
    "tests use the same code as programs": "IS_TEST",
    "Python's event loop provides timers": "USE_SETTIMEOUTCUSTOM",
    "intermediate results of a model are available as outputs of the call":
        "KEEP_INTERMEDIATE_TENSORS",
    "Keras sorts the layers once, when the model is built": "TOPOLOGICAL_SORT_CACHE_MAX_ENTRIES",
}  # fmt: skip

MEANINGLESS = {name: reason for reason, names in _REASONS.items() for name in names.split()}
"""Name of a flag -> reason why it has no effect."""
