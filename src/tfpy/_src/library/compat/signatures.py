"""Parameters of the functions of `tf.compat.v1` that have other parameters in `tf`.

A signature lists the parameters in their order. `older=newer` is a parameter with another name in
`tf`, and `older=` is a parameter without effect.
"""

from __future__ import annotations


def _each(places: str, names: str, signature: str) -> dict[str, str]:
    """Return the signature of several functions in several namespaces (`.` is `tf.compat.v1`)."""
    found = [place.removesuffix(".") for place in places.split()]
    return {f"{place}.{name}".lstrip("."): signature for place in found for name in names.split()}


_REDUCE = "input_tensor axis keepdims name reduction_indices=axis keep_dims=keepdims"
_COMPARED = "x y data= summarize message name"
_SIGN = "x data= summarize message name"
_SEGMENT = "data indices segment_ids name num_segments sparse_gradient"

SIGNATURES: dict[str, str] = {
    **_each(
        ". math",
        "reduce_all reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min "
        "reduce_prod reduce_sum",
        _REDUCE,
    ),
    **_each(". math", "argmax argmin", "input axis name dimension=axis output_type"),
    **_each(".", "arg_max arg_min", "input dimension=axis output_type name"),
    **_each(
        ". debugging",
        "assert_equal assert_greater assert_greater_equal assert_less "
        "assert_less_equal assert_none_equal",
        _COMPARED,
    ),
    **_each(
        ". debugging",
        "assert_negative assert_non_negative assert_non_positive assert_positive",
        _SIGN,
    ),
    **_each(". debugging", "assert_near", "x y rtol atol data= summarize message name"),
    **_each(
        ". debugging", "assert_rank assert_rank_at_least", "x rank data= summarize= message name"
    ),
    **_each(". debugging", "assert_rank_in", "x ranks data= summarize= message name"),
    **_each(". debugging", "assert_scalar", "tensor name message"),
    "random.stateless_multinomial": "logits num_samples seed output_dtype=dtype name",
    "debugging.assert_all_finite": "t=x msg=message name x message",
    "verify_tensor_all_finite": "t=x msg=message name x message",
    **_each(". math", "bincount", "arr weights minlength maxlength dtype"),
    **_each(". math", "confusion_matrix", "labels predictions num_classes dtype name weights"),
    **_each(
        ". math",
        "count_nonzero",
        "input_tensor=input axis keepdims dtype name reduction_indices=axis keep_dims=keepdims "
        "input",
    ),
    **_each(". nn", "depth_to_space space_to_depth", "input block_size name data_format"),
    **_each(". linalg", "norm", "tensor ord axis keepdims name keep_dims=keepdims"),
    **_each("nn math", "softmax log_softmax", "logits axis name dim=axis"),
    **_each(
        ". strings",
        "reduce_join",
        "inputs axis keep_dims=keepdims separator name reduction_indices=axis keepdims",
    ),
    **_each(". strings", "substr", "input pos len name unit"),
    **_each("sparse", "segment_mean segment_sqrt_n segment_sum", _SEGMENT),
    **_each(".", "sparse_segment_mean sparse_segment_sqrt_n sparse_segment_sum", _SEGMENT),
    "random_poisson": "lam shape dtype seed name",
    "random.poisson": "lam shape dtype seed name",
    "sparse_add": "a b threshold thresh=threshold",
    "sparse.add": "a b threshold thresh=threshold",
    "gfile.Copy": "oldpath=src newpath=dst overwrite",
    **_each("gfile", "Exists Remove Stat", "filename=path"),
    **_each("gfile", "DeleteRecursively IsDirectory ListDirectory MakeDirs MkDir", "dirname=path"),
    "gfile.Glob": "filename=pattern",
    "gfile.Rename": "oldname=src newname=dst overwrite",
    "gfile.Walk": "top in_order=topdown",
    "manip.gather_nd": "params indices name batch_dims bad_indices_policy",
    "convert_to_tensor_or_sparse_tensor": "value dtype name",
    "constant": "value dtype shape name verify_shape=",
    "convert_to_tensor": "value dtype name preferred_dtype=dtype_hint dtype_hint",
    "expand_dims": "input axis name dim=axis",
    "extract_image_patches": "images ksizes=sizes strides rates padding name sizes",
    "image.extract_image_patches": "images ksizes=sizes strides rates padding name sizes",
    "gradients": "ys xs grad_ys name colocate_gradients_with_ops= gate_gradients "
    "aggregation_method stop_gradients unconnected_gradients",
    "hessians": "ys xs name colocate_gradients_with_ops= gate_gradients aggregation_method",
    "image.crop_and_resize": "image boxes box_ind=box_indices crop_size method "
    "extrapolation_value name box_indices",
    "image.resize_bilinear": "images size align_corners name half_pixel_centers",
    "image.resize_nearest_neighbor": "images size align_corners name half_pixel_centers",
    "nn.avg_pool2d": "value=input ksize strides padding data_format name input",
    "nn.conv1d": "value=input filters stride padding use_cudnn_on_gpu= data_format name input "
    "dilations",
    "nn.conv2d": "input filter=filters strides padding use_cudnn_on_gpu= data_format dilations "
    "name filters",
    "manip.batch_to_space_nd": "input block_shape crops name",
    "quantize_v2": "input min_range max_range T mode name round_mode narrow_range axis "
    "ensure_minimum_range",
    "sparse_matmul": "a b transpose_a transpose_b a_is_sparse b_is_sparse name",
    "nn.conv2d_backprop_filter": "input filter_sizes out_backprop strides padding "
    "use_cudnn_on_gpu data_format dilations name",
    "nn.conv2d_backprop_input": "input_sizes filter out_backprop strides padding "
    "use_cudnn_on_gpu data_format dilations name filters=filter",
    **_each(
        "nn",
        "conv3d_backprop_filter conv3d_backprop_filter_v2",
        "input filter_sizes out_backprop strides padding data_format dilations name",
    ),
    "nn.depthwise_conv2d_native": "input filter strides padding data_format dilations name",
    "nn.depthwise_conv2d_native_backprop_filter": "input filter_sizes out_backprop strides "
    "padding data_format dilations name",
    "nn.depthwise_conv2d_native_backprop_input": "input_sizes filter out_backprop strides "
    "padding data_format dilations name",
    "nn.conv3d": "input filter=filters strides padding data_format dilations name filters",
    "nn.conv3d_transpose": "value=input filter=filters output_shape strides padding data_format "
    "name input filters dilations",
    "nn.crelu": "features name axis",
    "nn.depthwise_conv2d": "input filter strides padding rate=dilations name data_format dilations",
    "nn.embedding_lookup_sparse": "params sp_ids sp_weights partition_strategy= name combiner "
    "max_norm allow_fast_lookup",
    "nn.l2_normalize": "x axis epsilon name dim=axis",
    "nn.max_pool_with_argmax": "input ksize strides padding data_format Targmax=output_dtype name "
    "output_dtype include_batch_in_index",
    "nn.moments": "x axes shift name keep_dims=keepdims keepdims",
    "nn.nce_loss": "weights biases labels inputs num_sampled num_classes num_true sampled_values "
    "remove_accidental_hits partition_strategy= name",
    "nn.pool": "input window_shape pooling_type padding dilation_rate=dilations strides name "
    "data_format dilations",
    "nn.safe_embedding_lookup_sparse": "embedding_weights sparse_ids sparse_weights combiner "
    "default_id name partition_strategy= max_norm allow_fast_lookup",
    "nn.sampled_softmax_loss": "weights biases labels inputs num_sampled num_classes num_true "
    "sampled_values remove_accidental_hits partition_strategy= name seed",
    "nn.separable_conv2d": "input depthwise_filter pointwise_filter strides padding "
    "rate=dilations name data_format dilations",
    "nn.softmax_cross_entropy_with_logits": "labels logits dim=axis name axis",
    "nn.softmax_cross_entropy_with_logits_v2": "labels logits axis name dim=axis",
    "nn.sufficient_statistics": "x axes shift keep_dims=keepdims name keepdims",
    "nn.weighted_cross_entropy_with_logits": "labels logits pos_weight name targets=labels",
    "nn.weighted_moments": "x axes frequency_weights name keep_dims=keepdims keepdims",
    "ones_like": "tensor=input dtype name optimize=",
    "zeros_like": "tensor=input dtype name optimize=",
    "reverse_sequence": "input seq_lengths seq_axis batch_axis name seq_dim=seq_axis "
    "batch_dim=batch_axis",
    "shape": "input name out_type",
    "size": "input name out_type",
    "sparse.reduce_max": "sp_input axis keepdims reduction_axes=axis keep_dims=keepdims",
    "sparse.reduce_sum": "sp_input axis keepdims reduction_axes=axis keep_dims=keepdims",
    "sparse_reduce_max": "sp_input axis keepdims reduction_axes=axis keep_dims=keepdims",
    "sparse_reduce_sum": "sp_input axis keepdims reduction_axes=axis keep_dims=keepdims",
    "sparse.split": "keyword_required= sp_input num_split axis name split_dim=axis",
    "sparse_split": "keyword_required= sp_input num_split axis name split_dim=axis",
    "squeeze": "input axis name squeeze_dims=axis",
    "string_to_number": "string_tensor=input out_type name input",
    "strings.length": "input name unit",
    "strings.to_hash_bucket": "string_tensor=input num_buckets name input",
    "strings.to_number": "string_tensor=input out_type name input",
    "string_to_hash_bucket": "string_tensor=input num_buckets name input",
    "transpose": "a perm name conjugate",
}
"""Signatures by the names within `tf.compat.v1`."""
