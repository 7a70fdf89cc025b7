"""Names of `tf.compat.v1` that are functions of TensorFlow 2 under other names."""

from __future__ import annotations


def _words(text: str) -> list[str]:
    return text.split()


def _in(namespace: str, newer: str, names: str) -> dict[str, str]:
    """Return the entries of names that only move to another namespace."""
    return {
        f"{namespace}.{name}".lstrip("."): f"{newer}.{name}".lstrip(".") for name in _words(names)
    }


_QUEUES = "FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue"

MOVED = {
    **{
        name: f"math.{name}"
        for name in _words(
            "acos acosh add_n angle asin asinh atan atan2 atanh betainc bincount ceil "
            "confusion_matrix conj cos cosh cumprod cumsum digamma erf erfc exp expm1 "
            "floor floordiv floormod igamma igammac imag is_finite is_inf is_nan "
            "is_non_decreasing is_strictly_increasing lbeta lgamma log log1p log_sigmoid "
            "logical_and logical_not logical_or logical_xor polygamma real reciprocal "
            "rint rsqrt segment_max segment_mean segment_min segment_prod segment_sum sin "
            "sinh squared_difference top_k unsorted_segment_max unsorted_segment_mean "
            "unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n "
            "unsorted_segment_sum zeta accumulate_n invert_permutation"
        )
    },
    **{
        name: f"linalg.{name}"
        for name in _words("cholesky cholesky_solve cross norm qr svd trace logdet")
    },
    **{
        f"matrix_{name}": f"linalg.{theirs}"
        for name, theirs in {
            "band_part": "band_part",
            "determinant": "det",
            "diag": "diag",
            "diag_part": "diag_part",
            "inverse": "inv",
            "set_diag": "set_diag",
            "solve": "solve",
            "solve_ls": "lstsq",
            "square_root": "sqrtm",
            "transpose": "matrix_transpose",
            "triangular_solve": "triangular_solve",
        }.items()
    },
    **{name: f"signal.{name}" for name in ["fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d"]},
    **{
        f"random_{name}": f"random.{name}"
        for name in _words("gamma normal poisson shuffle uniform")
    },
    **{
        f"sparse_{name}": f"sparse.{name}"
        for name in _words(
            "add fill_empty_rows mask maximum minimum reorder reset_shape reshape retain "
            "slice softmax split to_indicator transpose"
        )
    },
    **{f"decode_{name}": f"io.decode_{name}" for name in ["base64", "compressed", "csv", "raw"]},
    **{
        name: f"io.{name}"
        for name in _words(
            "encode_base64 matching_files parse_tensor read_file serialize_tensor "
            "write_file parse_example parse_single_example FixedLenFeature VarLenFeature "
            "FixedLenSequenceFeature SparseFeature"
        )
    },
    **{
        f"assert_{name}": f"debugging.assert_{name}"
        for name in _words(
            "equal greater greater_equal integer less less_equal near negative "
            "non_negative non_positive none_equal positive proper_iterable rank "
            "rank_at_least rank_in same_float_dtype scalar type"
        )
    },
    **{name: name for name in ["equal", "not_equal", "less", "greater"]},
    "check_numerics": "debugging.check_numerics",
    "count_nonzero": "math.count_nonzero",
    "depth_to_space": "nn.depth_to_space",
    "diag": "linalg.tensor_diag",
    "diag_part": "linalg.tensor_diag_part",
    "div_no_nan": "math.divide_no_nan",
    "extract_image_patches": "image.extract_patches",
    "global_norm": "linalg.global_norm",
    "is_numeric_tensor": "debugging.is_numeric_tensor",
    "lin_space": "linspace",
    "mod": "math.floormod",
    "py_func": "numpy_function",
    "random_crop": "image.random_crop",
    "reduce_join": "strings.reduce_join",
    "regex_replace": "strings.regex_replace",
    "reverse_v2": "reverse",
    "self_adjoint_eig": "linalg.eigh",
    "self_adjoint_eigvals": "linalg.eigvalsh",
    "space_to_depth": "nn.space_to_depth",
    "sparse_tensor_dense_matmul": "sparse.sparse_dense_matmul",
    "sparse_tensor_to_dense": "sparse.to_dense",
    "string_join": "strings.join",
    "string_strip": "strings.strip",
    "string_to_hash_bucket_fast": "strings.to_hash_bucket_fast",
    "string_to_number": "strings.to_number",
    "substr": "strings.substr",
    "tensor_scatter_add": "tensor_scatter_nd_add",
    "tensor_scatter_sub": "tensor_scatter_nd_sub",
    "tensor_scatter_update": "tensor_scatter_nd_update",
    "truncated_normal": "random.truncated_normal",
    "verify_tensor_all_finite": "debugging.assert_all_finite",
    "where_v2": "where",
    **_in("debugging", "math", "is_finite is_inf is_nan is_non_decreasing is_strictly_increasing"),
    **_in("io", "io", "matching_files"),
    **_in("manip", "", "gather_nd reshape reverse roll scatter_nd space_to_batch_nd tile"),
    **_in(
        "nn",
        "random",
        "all_candidate_sampler fixed_unigram_candidate_sampler "
        "learned_unigram_candidate_sampler log_uniform_candidate_sampler "
        "uniform_candidate_sampler",
    ),
    **_in(
        "spectral",
        "signal",
        "dct fft2d fft3d idct ifft2d ifft3d irfft irfft2d irfft3d rfft rfft2d rfft3d fft ifft",
    ),
    **_in(
        "",
        "quantization",
        "fake_quant_with_min_max_args fake_quant_with_min_max_args_gradient "
        "fake_quant_with_min_max_vars fake_quant_with_min_max_vars_gradient "
        "fake_quant_with_min_max_vars_per_channel "
        "fake_quant_with_min_max_vars_per_channel_gradient",
    ),
    **{
        f"gfile.{old}": f"io.gfile.{new}"
        for old, new in {
            "Copy": "copy",
            "DeleteRecursively": "rmtree",
            "Exists": "exists",
            "FastGFile": "GFile",
            "GFile": "GFile",
            "Glob": "glob",
            "IsDirectory": "isdir",
            "ListDirectory": "listdir",
            "MakeDirs": "makedirs",
            "MkDir": "mkdir",
            "Open": "GFile",
            "Remove": "remove",
            "Rename": "rename",
            "Stat": "stat",
            "Walk": "walk",
        }.items()
    },
    **{f"sets.set_{name}": f"sets.{name}" for name in _words("difference intersection size union")},
    **{
        name: f"version.{name}"
        for name in _words(
            "COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER "
            "GRAPH_DEF_VERSION_MIN_PRODUCER VERSION"
        )
    },
    **_in("", "quantization", "dequantize quantize quantized_concat"),
    "quantize_v2": "quantization.quantize",
    **_in("", "queue", _QUEUES),
    **_in("io", "queue", _QUEUES.removeprefix("FIFOQueue ")),
    **{
        f"initializers.{name}": f"compat.v1.{name}_initializer"
        for name in ("global_variables", "local_variables", "variables")
    },
    "initializers.tables_initializer": "compat.v1.tables_initializer",
    "decode_json_example": "io.decode_json_example",
    "dimension_at_index": "compat.dimension_at_index",
    "parallel_stack": "parallel_stack",
    "random.get_seed": "compat.v1.get_seed",
    "random.stateless_multinomial": "random.stateless_categorical",
    "NotDifferentiable": "no_gradient",
    "NoGradient": "no_gradient",
    "OpError": "errors.OpError",
    "QUANTIZED_DTYPES": "dtypes.QUANTIZED_DTYPES",
    "arg_max": "argmax",
    "arg_min": "argmin",
    "convert_to_tensor_or_sparse_tensor": "convert_to_tensor",
    "dtypes.as_string": "strings.as_string",
    "image.extract_image_patches": "image.extract_patches",
    "manip.batch_to_space_nd": "batch_to_space",
    "nn.conv2d_backprop_filter": "raw_ops.Conv2DBackpropFilter",
    "nn.conv2d_backprop_input": "raw_ops.Conv2DBackpropInput",
    "nn.conv3d_backprop_filter": "raw_ops.Conv3DBackpropFilterV2",
    "nn.conv3d_backprop_filter_v2": "raw_ops.Conv3DBackpropFilterV2",
    "nn.depthwise_conv2d_native": "raw_ops.DepthwiseConv2dNative",
    "nn.depthwise_conv2d_native_backprop_filter": "raw_ops.DepthwiseConv2dNativeBackpropFilter",
    "nn.depthwise_conv2d_native_backprop_input": "raw_ops.DepthwiseConv2dNativeBackpropInput",
    "image.resize_image_with_crop_or_pad": "image.resize_with_crop_or_pad",
    "image.transpose_image": "image.transpose",
    "linalg.transpose": "linalg.matrix_transpose",
    "nn.avg_pool_v2": "nn.avg_pool",
    "nn.ctc_beam_search_decoder_v2": "nn.ctc_beam_search_decoder",
    "nn.ctc_loss_v2": "nn.ctc_loss",
    "nn.max_pool_v2": "nn.max_pool",
    "nn.softmax_cross_entropy_with_logits_v2": "nn.softmax_cross_entropy_with_logits",
    "saved_model.Builder": "compat.v1.saved_model.builder.SavedModelBuilder",
    "saved_model.load_v2": "saved_model.load",
    "saved_model.experimental.save": "saved_model.save",
    "sparse.merge": "compat.v1.sparse_merge",
    "sparse.reduce_max_sparse": "compat.v1.sparse_reduce_max_sparse",
    "sparse.reduce_sum_sparse": "compat.v1.sparse_reduce_sum_sparse",
    "sparse.matmul": "sparse.sparse_dense_matmul",
    "sparse_matmul": "raw_ops.SparseMatMul",
    "sparse_reduce_max": "sparse.reduce_max",
    "sparse_reduce_sum": "sparse.reduce_sum",
    "sparse_segment_mean": "sparse.segment_mean",
    "sparse_segment_sqrt_n": "sparse.segment_sqrt_n",
    "sparse_segment_sum": "sparse.segment_sum",
    "train.match_filenames_once": "io.match_filenames_once",
    "string_to_hash_bucket": "strings.to_hash_bucket",
    "string_to_hash_bucket_strong": "strings.to_hash_bucket_strong",
}
"""Names of `tf.compat.v1`, and the names of the same functions in `tf`."""

NAMESPACES = (
    *(
        "",
        "compat",
        "data",
        "debugging",
        "dtypes",
        "errors",
        "gfile",
        "image",
        "initializers",
        "io",
    ),
    *("io", "linalg", "manip", "math", "nn", "ragged", "random", "saved_model", "sets", "sparse"),
    *("spectral", "strings", "train"),
)
"""Namespaces of `tf.compat.v1` whose other names are those of `tf`."""
SEPARATE = frozenset(("initializers",))
"""Namespaces that contain none of the names of the namespace in `tf`."""
OUTSIDE = frozenset(("compat", "as_tensorflow", "export", "time"))
"""Names of `tf` that `tf.compat.v1` does not have, or defines itself."""
