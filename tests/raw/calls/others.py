"""Samples: batches of matrices, examples, counts, regions of images, containers and samplers."""

from __future__ import annotations

from raw.calls.handles import optimized

MATRICES = "f(2, 3, 3) + tf.eye(3)"
SYMMETRIC = "(lambda a: a + tf.transpose(a, [0, 2, 1]))(f(2, 3, 3))"
CUBE = "f(1, 3, 3, 3, 2)"
LONG = "tf.constant({}, tf.int64)"
RATIONAL = "tf.train.Feature(int64_list=tf.train.Int64List(value={}))"
EXAMPLE = (
    "(lambda n, v: tf.train.Example(features=tf.train.Features(feature={'a': tf.train.Feature("
    "int64_list=tf.train.Int64List(value=n)), 'b': tf.train.Feature(float_list="
    "tf.train.FloatList(value=v))})).SerializeToString())({}, {})"
)
EXAMPLES = (
    f"t([{EXAMPLE.replace('{}, {}', '[1, 2], [0.5]')}, {EXAMPLE.replace('{}, {}', '[3], [1.5]')}])"
)
SEQUENCE = (
    "tf.train.SequenceExample(context=tf.train.Features(feature={'a': tf.train.Feature(int64_list="
    "tf.train.Int64List(value=[1, 2])), 'b': tf.train.Feature(float_list=tf.train.FloatList("
    "value=[0.5]))}), feature_lists=tf.train.FeatureLists(feature_list={'c': tf.train.FeatureList("
    "feature=[tf.train.Feature(int64_list=tf.train.Int64List(value=[n])) for n in (4, 5)])}))"
    ".SerializeToString()"
)
SPARSE = "indices=[[0, 1], [0, 2], [2, 0]], values=[3, 1, 3], dense_shape=[3, 4]"
CROSSED = (
    "indices=[tf.constant([[0, 0], [1, 0]], tf.int64)], values=[t(['a', 'b'])], "
    "shapes=[tf.constant([2, 1], tf.int64)], dense_inputs=[t([['x', 'y'], ['z', 'w']])]"
)
PIXELS = "tf.cast(f(8, 9, 3) * 255.0, tf.uint8)"
JPEG = "tf.io.encode_jpeg(tf.cast(tf.ones([8, 9, 3]) * 90.0, tf.uint8))"
BOXES = "t([[[0.1, 0.2, 0.6, 0.7], [0.0, 0.0, 0.5, 0.5]]])"
LIMITS = "area_range=[0.1, 1.0], aspect_ratio_range=[0.7, 1.4], max_attempts=50"
SAMPLED = "true_classes=tf.constant([[1, 2], [0, 3]], tf.int64), num_true=2, num_sampled=3, unique=True, seed=5, seed2=7"
WINDOW = "ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='VALID'"
ROWS = "indices=[2, 0, 2], grad=f(3, 2)"


def queue(kind: str, *calls: str, more: str = "") -> str:
    """Return calls of a new queue of vectors, with the last results."""
    steps = ", ".join(f"tf.raw_ops.{call}" for call in calls)
    return f"=(lambda h: ({steps},))(tf.raw_ops.{kind}(component_types=[tf.float32], shapes=[[2]]{more}))"


PUT = "QueueEnqueueManyV2(handle=h, components=[f(3, 2)])"
TAKE = "QueueDequeueV2(handle=h, component_types=[tf.float32])"


def mapped(call: str) -> str:
    """Return a call with a map ``h`` of one pair."""
    return (
        f"=(lambda h: tf.raw_ops.{call})(tf.raw_ops.TensorMapInsert(input_handle="
        "tf.raw_ops.EmptyTensorMap(), key=3, value=f(2)))"
    )


def compressed(call: str, x: str = "f(2, 3, 3) - 0.5 + tf.eye(3)") -> str:
    """Return a call with sparse matrices ``h``."""
    return (
        f"=(lambda x: (lambda h: tf.raw_ops.{call})(tf.raw_ops.DenseToCSRSparseMatrix(dense_input="
        f"x, indices=tf.cast(tf.where(x > 0), tf.int64))))({x})"
    )


def dense_again(call: str, x: str = "f(2, 3, 3) - 0.5 + tf.eye(3)") -> str:
    """Return a call with sparse matrices ``h``, the result of which is made dense."""
    return compressed(f"CSRSparseMatrixToDense(sparse_input=tf.raw_ops.{call}, type=tf.float32)", x)


def stacked(call: str) -> str:
    """Return a call with a stack ``h`` of one vector."""
    return (
        "=(lambda h: (tf.raw_ops.StackPushV2(handle=h, elem=f(2)), "
        f"tf.raw_ops.{call}))(tf.raw_ops.StackV2(max_size=3, elem_type=tf.float32))"
    )


def rows(kind: str, arguments: str, slots: int) -> str:
    """Return the values of a variable and of its slots after a step on rows."""
    call = optimized(f"ResourceSparseApply{kind}({arguments}, {ROWS})", slots)
    return call.replace("f(3) +", "f(3, 2) +")


SAMPLES: dict[str, str | tuple[str, str]] = {
    # batches
    "AdjustContrast": (
        "images=f(1, 3, 3, 3), contrast_factor=2.0, min_value=0.2, max_value=0.9",
        "tf.clip_by_value(tf.image.adjust_contrast(f(1, 3, 3, 3), 2.0), 0.2, 0.9)",
    ),
    "BatchCholesky": f"input=(lambda a: tf.matmul(a, a, transpose_b=True))({MATRICES})",
    "CholeskyGrad": f"l=tf.linalg.band_part({MATRICES}, -1, 0), grad=tf.linalg.band_part(f(2, 3, 3), -1, 0)",
    **{
        f"Batch{kind}": ("input=c(2, 2, 4, 4)", f"tf.raw_ops.{kind}(input=c(2, 2, 4, 4))")
        for kind in ("FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D")
    },
    "BatchMatrixBandPart": (
        "input=f(2, 3, 3), num_lower=1, num_upper=0",
        "tf.linalg.band_part(f(2, 3, 3), 1, 0)",
    ),
    "BatchMatrixDeterminant": f"input={MATRICES}",
    "BatchMatrixDiag": ("diagonal=f(2, 3)", "tf.linalg.diag(f(2, 3))"),
    "BatchMatrixDiagPart": ("input=f(2, 3, 3)", "tf.linalg.diag_part(f(2, 3, 3))"),
    "BatchMatrixInverse": f"input={MATRICES}, adjoint=True",
    "BatchMatrixSetDiag": (
        "input=f(2, 3, 3), diagonal=f(2, 3)",
        "tf.linalg.set_diag(f(2, 3, 3), f(2, 3))",
    ),
    "BatchMatrixSolve": f"matrix={MATRICES}, rhs=f(2, 3, 1)",
    "BatchMatrixSolveLs": "matrix=f(2, 4, 3), rhs=f(2, 4, 1), l2_regularizer=tf.constant(0.1, tf.float64)",
    "BatchMatrixTriangularSolve": f"matrix={MATRICES}, rhs=f(2, 3, 1), lower=False",
    "BatchNormWithGlobalNormalizationGrad": (
        "t=f(2, 2, 2, 3), m=f(3), v=f(3), gamma=f(3), backprop=f(2, 2, 2, 3), variance_epsilon=0.01, scale_after_normalization=True",
        "(lambda g: (*g[:3], g[4], g[3]))(d(lambda t, m, v, g, b: tf.nn.batch_normalization(t, m, v, b, g, 0.01) * f(2, 2, 2, 3), f(2, 2, 2, 3), f(3), f(3), f(3), tf.zeros([3])))",
    ),
    **{
        name: (
            f"=tf.abs(tf.raw_ops.{name}(input={SYMMETRIC}))",
            f"(lambda r: tf.abs(tf.concat([r[0][:, None], r[1]], 1)))(tf.linalg.eigh({SYMMETRIC}))",
        )
        for name in ("BatchSelfAdjointEig", "SelfAdjointEig")
    },
    "BatchSelfAdjointEigV2": (
        f"=tf.raw_ops.BatchSelfAdjointEigV2(input={SYMMETRIC}, compute_v=False).e",
        f"tf.linalg.eigvalsh({SYMMETRIC})",
    ),
    "BatchSvd": (
        "=tf.raw_ops.BatchSvd(input=f(2, 3, 2), compute_uv=False).s",
        "tf.linalg.svd(f(2, 3, 2), compute_uv=False)",
    ),
    "Conv3DBackpropFilter": (
        f"input={CUBE}, filter=f(2, 2, 2, 2, 1), out_backprop=f(1, 3, 3, 3, 1), strides=[1] * 5, padding='SAME'",
        f"tf.raw_ops.Conv3DBackpropFilterV2(input={CUBE}, filter_sizes=f(2, 2, 2, 2, 1).shape, out_backprop=f(1, 3, 3, 3, 1), strides=[1] * 5, padding='SAME')",
    ),
    "Conv3DBackpropInput": (
        f"input={CUBE}, filter=f(2, 2, 2, 2, 1), out_backprop=f(1, 3, 3, 3, 1), strides=[1] * 5, padding='SAME'",
        f"tf.raw_ops.Conv3DBackpropInputV2(input_sizes={CUBE}.shape, filter=f(2, 2, 2, 2, 1), out_backprop=f(1, 3, 3, 3, 1), strides=[1] * 5, padding='SAME')",
    ),
    "QuantizeAndDequantize": (
        "input=f(3, 2) - 0.5, input_min=-0.3, input_max=0.4, range_given=True",
        "tf.quantization.quantize_and_dequantize_v2(f(3, 2) - 0.5, -0.3, 0.4, range_given=True)",
    ),
    "TileGrad": (
        "input=f(4, 6), multiples=[2, 3]",
        "tf.reduce_sum(tf.reshape(f(4, 6), [2, 2, 3, 2]), [0, 2])",
    ),
    # special functions
    **dict.fromkeys(
        (
            *("BesselJ0", "BesselJ1", "BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY0"),
            *("BesselY1", "Dawsn", "Expint", "FresnelCos", "FresnelSin", "Spence"),
        ),
        "x=f(3, 4)",
    ),
    # encodings
    "DecodeCSV": "records=t(['1,x,2.5', '3,,4']), record_defaults=[t(0), t('-'), t(0.0)]",
    "DecodeCompressed": "bytes=t([__import__('zlib').compress(b'text')]), compression_type='ZLIB'",
    "DecodeJSONExample": '=tf.io.parse_example(tf.raw_ops.DecodeJSONExample(json_examples=t([\'{"features": {"feature": {"a": {"int64List": {"value": [3]}}}}}\'])), {\'a\': tf.io.FixedLenFeature([], tf.int64)})',
    "Fingerprint": "data=t(['a', 'b']), method='farmhash64'",
    "MatchingFiles": "=(tf.io.write_file('/tmp/tfpy_raw.txt', 'text'), tf.raw_ops.MatchingFiles(pattern='/tmp/tfpy_r*w.txt'))[1]",
    "SerializeTensor": "tensor=f(2, 3)",
    "ParseTensor": "serialized=tf.io.serialize_tensor(f(2, 3)), out_type=tf.float32",
    "SerializeSparse": "=tf.io.deserialize_many_sparse([tf.raw_ops.SerializeSparse(sparse_indices=[[1]], sparse_values=f(1), sparse_shape=[3])], tf.float32)",
    "SerializeManySparse": "=tf.io.deserialize_many_sparse(tf.raw_ops.SerializeManySparse(sparse_indices=[[0, 1], [1, 0]], sparse_values=f(2), sparse_shape=[2, 3]), tf.float32)",
    "DeserializeManySparse": "serialized_sparse=tf.io.serialize_many_sparse(tf.sparse.from_dense(f(2, 2))), dtype=tf.float32",
    "DeserializeSparse": "serialized_sparse=tf.reshape(tf.io.serialize_many_sparse(tf.sparse.from_dense(f(4, 2))), [2, 2, 3]), dtype=tf.float32",
    "ParseExample": f"serialized={EXAMPLES}, names=tf.constant([], tf.string), sparse_keys=['a'], dense_keys=['b'], dense_defaults=[tf.constant([], tf.float32)], sparse_types=[tf.int64], dense_shapes=[[1]]",
    "ParseExampleV2": f"serialized={EXAMPLES}, names=tf.constant([], tf.string), sparse_keys=t(['a']), dense_keys=t(['b', 'd']), ragged_keys=t(['c']), dense_defaults=[tf.constant([], tf.float32), t([7.0])], num_sparse=1, sparse_types=[tf.int64], ragged_value_types=[tf.int64], ragged_split_types=[tf.int32], dense_shapes=[[1], [1]]",
    "ParseSingleExample": f"serialized={EXAMPLES}[0], dense_defaults=[tf.constant([], tf.float32)], num_sparse=1, sparse_keys=['a'], dense_keys=['b'], sparse_types=[tf.int64], dense_shapes=[[1]]",
    "ParseSingleSequenceExample": f"serialized={SEQUENCE}, feature_list_dense_missing_assumed_empty=tf.constant([], tf.string), context_sparse_keys=['a'], context_dense_keys=['b'], feature_list_sparse_keys=[], "
    "feature_list_dense_keys=['c'], context_dense_defaults=[tf.constant([], tf.float32)], debug_name='', context_sparse_types=[tf.int64], feature_list_dense_types=[tf.int64], context_dense_shapes=[[1]], feature_list_dense_shapes=[[1]]",
    # counts, crosses and gradients
    "DenseCountSparseOutput": "values=[[3, 1, 3], [0, 0, 1]], weights=f(2, 3), binary_output=False, maxlength=3",
    "RaggedCountSparseOutput": "splits=tf.constant([0, 2, 3], tf.int64), values=[3, 1, 3], weights=tf.constant([], tf.float32), binary_output=True",
    "SparseCountSparseOutput": "indices=tf.constant([[0, 1], [0, 2], [2, 0]], tf.int64), values=[3, 1, 3], dense_shape=tf.constant([3, 4], tf.int64), weights=f(3), binary_output=False",
    "RaggedBincount": "splits=tf.constant([0, 2, 3], tf.int64), values=[3, 1, 3], size=5, weights=f(3)",
    "SparseBincount": "indices=tf.constant([[0, 1], [0, 2], [2, 0]], tf.int64), values=[3, 1, 3], dense_shape=tf.constant([3, 4], tf.int64), size=3, weights=tf.constant([], tf.float32), binary_output=True",
    "SparseCross": f"{CROSSED}, hashed_output=True, num_buckets=99, hash_key=7, out_type=tf.int64, internal_type=tf.string",
    "SparseCrossV2": f"{CROSSED}, sep='-'",
    "SparseCrossHashed": f"{CROSSED}, num_buckets=99, strong_hash=False, salt=[5, 7]",
    "KMC2ChainInitialization": "distances=f(40), seed=3",
    "KmeansPlusPlusInitialization": "points=[[0.0, 0.0]] * 5 + [[9.0, 9.0]], num_to_sample=2, seed=3, num_retries_per_sample=2",
    "GenerateVocabRemapping": "=(tf.io.write_file('/tmp/tfpy_new.txt', 'c,d,a'.replace(',', chr(10)) + chr(10)), tf.io.write_file('/tmp/tfpy_old.txt', 'a,b,c'.replace(',', chr(10)) + chr(10)), tf.raw_ops.GenerateVocabRemapping(new_vocab_file='/tmp/tfpy_new.txt', old_vocab_file='/tmp/tfpy_old.txt', new_vocab_offset=0, num_new_vocab=3))[2]",
    "LoadAndRemapMatrix": "=tf.raw_ops.LoadAndRemapMatrix(ckpt_path=tf.train.Checkpoint(v=tf.Variable(f(3, 4))).write('/tmp/tfpy_raw_matrix'), old_tensor_name='v/.ATTRIBUTES/VARIABLE_VALUE', row_remapping=tf.constant([2, -1], tf.int64), col_remapping=tf.constant([1, 0, 3, -1], tf.int64), initializing_values=f(5), num_rows=2, num_cols=4)",
    "RaggedCross": (
        f"ragged_values=[t(['a', 'b', 'c'])], ragged_row_splits=[{LONG.format([0, 1, 3])}], sparse_indices=[], sparse_values=[], sparse_shape=[], dense_inputs=[t([['x', 'y'], ['z', 'w']])], "
        "input_order='DR', hashed_output=True, num_buckets=50, hash_key=9, out_values_type=tf.int64, out_row_splits_type=tf.int64"
    ),
    "RaggedFillEmptyRows": f"value_rowids={LONG.format([0, 2, 2])}, values=f(3), nrows={LONG.format(4)}, default_value=7.0",
    "SparseAddGrad": "backprop_val_grad=f(3), a_indices=[[0, 0], [1, 2]], b_indices=[[0, 0], [1, 3]], sum_indices=[[0, 0], [1, 2], [1, 3]]",
    **dict.fromkeys(
        ("SparseFillEmptyRowsGrad", "RaggedFillEmptyRowsGrad"),
        "reverse_index_map=tf.constant([0, 2], tf.int64), grad_values=f(4)",
    ),
    **dict.fromkeys(
        (f"SparseSegment{kind}GradV2" for kind in ("Mean", "SqrtN", "Sum")),
        "grad=f(3, 2), indices=[4, 3, 4], segment_ids=[0, 0, 2], dense_output_dim0=5",
    ),
    "SparseSliceGrad": "backprop_val_grad=f(1), input_indices=[[0, 0], [1, 2]], input_start=[1, 1], output_indices=[[0, 1]]",
    # images
    "DecodeAndCropJpeg": f"contents={JPEG}, crop_window=[1, 2, 4, 5]",
    "ExtractJpegShape": f"contents={JPEG}",
    "DrawBoundingBoxes": f"images=f(1, 8, 9, 3), boxes={BOXES}",
    "DrawBoundingBoxesV2": f"images=f(1, 8, 9, 3), boxes={BOXES}, colors=f(1, 3)",
    **dict.fromkeys(
        ("ExtractGlimpse", "ExtractGlimpseV2"),
        "input=f(2, 8, 9, 1), size=[3, 4], offsets=[[0.1, -0.2], [0.8, 0.5]], noise='zero', uniform_noise=False",
    ),
    "ExtractVolumePatches": "input=f(1, 3, 4, 4, 1), ksizes=[1, 2, 2, 2, 1], strides=[1, 1, 2, 2, 1], padding='VALID'",
    "SampleDistortedBoundingBox": f"image_size=[30, 40, 3], bounding_boxes={BOXES}, seed=5, seed2=7, {LIMITS}",
    "SampleDistortedBoundingBoxV2": f"image_size=[30, 40, 3], bounding_boxes={BOXES}, min_object_covered=0.2, seed=5, seed2=7, {LIMITS}",
    "StatelessSampleDistortedBoundingBox": f"image_size=[30, 40, 3], bounding_boxes={BOXES}, min_object_covered=0.2, seed=[5, 7], {LIMITS}",
    "FusedPadConv2D": "input=f(1, 3, 4, 2), paddings=[[0, 0], [1, 1], [1, 1], [0, 0]], filter=f(2, 2, 2, 3), mode='REFLECT', strides=[1, 1, 1, 1], padding='VALID'",
    "FusedResizeAndPadConv2D": "input=f(1, 3, 4, 2), size=[5, 6], paddings=[[0, 0], [1, 1], [1, 1], [0, 0]], filter=f(2, 2, 2, 3), mode='REFLECT', strides=[1, 1, 1, 1], padding='VALID'",
    "ResizeBicubicGrad": "grads=f(1, 4, 6, 1), original_image=f(1, 2, 3, 1)",
    "ScaleAndTranslateGrad": "grads=f(1, 4, 6, 1), original_image=f(1, 2, 3, 1), scale=[2.0, 2.0], translation=[0.0, 0.0]",
    # pooling
    **{
        f"Fractional{kind}Pool": f"value=f(2, 9, 11, 2), pooling_ratio=[1.0, 1.4, 2.3, 1.0], {how}, deterministic=True, seed=5, seed2=7"
        for kind, how in (("Avg", "overlapping=True"), ("Max", "pseudo_random=True"))
    },
    "FractionalAvgPoolGrad": f"orig_input_tensor_shape={LONG.format([1, 5, 4, 2])}, out_backprop=f(1, 3, 2, 2), row_pooling_sequence={LONG.format([0, 2, 3, 5])}, col_pooling_sequence={LONG.format([0, 2, 4])}, overlapping=True",
    "FractionalMaxPoolGrad": f"=(lambda x, r, c: tf.raw_ops.FractionalMaxPoolGrad(orig_input=x, orig_output=tf.stack([[tf.reduce_max(x[:, a:b, p:q], [1, 2]) for p, q in ((0, 2), (2, 4))] for a, b in ((0, 2), (2, 3), (3, 5))], 0)[None, :, :, 0], "
    f"out_backprop=f(1, 3, 2, 2), row_pooling_sequence=r, col_pooling_sequence=c))(f(1, 5, 4, 2), {LONG.format([0, 2, 3, 5])}, {LONG.format([0, 2, 4])})",
    "MaxPoolGradWithArgmax": f"input=f(2, 4, 4, 1), grad=f(2, 2, 2, 1), argmax={LONG.format([[[[1], [6]], [[8], [15]]]] * 2)}, {WINDOW}",
    "MaxPoolGradGradWithArgmax": (
        f"input=f(2, 4, 4, 1), grad=f(2, 4, 4, 1), argmax={LONG.format([[[[1], [6]], [[8], [15]]]] * 2)}, {WINDOW}",
        f"(f(2, 4, 4, 1), tf.gather(tf.reshape(f(2, 4, 4, 1), [2, 16]), {LONG.format([[[1], [6]], [[8], [15]]])}, axis=1))[1]",
    ),
    "MaxPoolGradGrad": f"=(lambda x: tf.raw_ops.MaxPoolGradGrad(orig_input=x, orig_output=tf.nn.max_pool2d(x, 2, 2, 'VALID'), grad=f(2, 4, 4, 1), {WINDOW}))(f(2, 4, 4, 1))",
    "MaxPoolGradGradV2": f"=(lambda x: tf.raw_ops.MaxPoolGradGradV2(orig_input=x, orig_output=tf.nn.max_pool2d(x, 2, 2, 'VALID'), grad=f(2, 4, 4, 1), {WINDOW}))(f(2, 4, 4, 1))",
    "MaxPool3DGradGrad": "=(lambda x: tf.raw_ops.MaxPool3DGradGrad(orig_input=x, orig_output=tf.nn.max_pool3d(x, 2, 2, 'VALID'), grad=f(1, 4, 4, 4, 1), ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding='VALID'))(f(1, 4, 4, 4, 1))",
    "Conv": "input=f(1, 4, 5, 2), filter=f(2, 2, 2, 3), strides=[1, 1, 1, 1], padding='SAME'",
    # containers
    "FIFOQueueV2": queue("FIFOQueueV2", PUT, TAKE),
    "PaddingFIFOQueueV2": queue("PaddingFIFOQueueV2", PUT, TAKE),
    "PriorityQueueV2": "=(lambda h: (tf.raw_ops.QueueEnqueueManyV2(handle=h, components=[tf.constant([2, 1], tf.int64), f(2, 2)]), tf.raw_ops.QueueDequeueV2(handle=h, component_types=[tf.int64, tf.float32])))"
    "(tf.raw_ops.PriorityQueueV2(component_types=[tf.float32], shapes=[[2]]))",
    "RandomShuffleQueueV2": queue(
        "RandomShuffleQueueV2", PUT, "QueueSizeV2(handle=h)", more=", seed=5, seed2=7"
    ),
    "QueueCloseV2": queue(
        "FIFOQueueV2", PUT, "QueueCloseV2(handle=h)", "QueueIsClosedV2(handle=h)"
    ),
    "QueueDequeueManyV2": queue(
        "FIFOQueueV2", PUT, "QueueDequeueManyV2(handle=h, n=2, component_types=[tf.float32])"
    ),
    "QueueDequeueUpToV2": queue(
        "FIFOQueueV2", PUT, "QueueDequeueUpToV2(handle=h, n=2, component_types=[tf.float32])"
    ),
    "QueueDequeueV2": queue("FIFOQueueV2", PUT, TAKE),
    "QueueEnqueueManyV2": queue("FIFOQueueV2", PUT, TAKE),
    "QueueEnqueueV2": queue("FIFOQueueV2", "QueueEnqueueV2(handle=h, components=[f(2)])", TAKE),
    "QueueIsClosedV2": queue("FIFOQueueV2", "QueueIsClosedV2(handle=h)"),
    "QueueSizeV2": queue("FIFOQueueV2", PUT, "QueueSizeV2(handle=h)"),
    "StackV2": stacked("StackPopV2(handle=h, elem_type=tf.float32)"),
    "StackPushV2": stacked("StackPushV2(handle=h, elem=f(2))"),
    "StackPopV2": stacked("StackPopV2(handle=h, elem_type=tf.float32)"),
    "StackCloseV2": stacked("StackCloseV2(handle=h)"),
    "EmptyTensorMap": "=tf.raw_ops.TensorMapSize(input_handle=tf.raw_ops.EmptyTensorMap())",
    "TensorMapErase": mapped(
        "TensorMapSize(input_handle=tf.raw_ops.TensorMapErase(input_handle=h, key=3, value_dtype=tf.float32))"
    ),
    "TensorMapHasKey": mapped("TensorMapHasKey(input_handle=h, key=4)"),
    "TensorMapInsert": mapped(
        "TensorMapLookup(input_handle=tf.raw_ops.TensorMapInsert(input_handle=h, key=3, value=f(2)), key=3, value_dtype=tf.float32)"
    ),
    "TensorMapLookup": mapped("TensorMapLookup(input_handle=h, key=3, value_dtype=tf.float32)"),
    "TensorMapSize": mapped("TensorMapSize(input_handle=h)"),
    "TensorMapStackKeys": mapped("TensorMapStackKeys(input_handle=h, key_dtype=tf.int32)"),
    # matrices in compressed sparse row format
    "SparseTensorToCSRSparseMatrix": (
        "=tf.raw_ops.CSRSparseMatrixToDense(type=tf.float32, sparse_input="
        "tf.raw_ops.SparseTensorToCSRSparseMatrix(indices=tf.constant([[0, 1], [1, 0]], tf.int64), "
        "values=f(2), dense_shape=tf.constant([2, 3], tf.int64)))"
    ),
    "DenseToCSRSparseMatrix": compressed("SparseMatrixNNZ(sparse_matrix=h)"),
    "SparseMatrixNNZ": compressed("SparseMatrixNNZ(sparse_matrix=h)", "f(3, 3) - 0.5"),
    "CSRSparseMatrixToDense": compressed("CSRSparseMatrixToDense(sparse_input=h, type=tf.float32)"),
    "CSRSparseMatrixToSparseTensor": compressed(
        "CSRSparseMatrixToSparseTensor(sparse_matrix=h, type=tf.float32)"
    ),
    "CSRSparseMatrixComponents": compressed(
        "CSRSparseMatrixComponents(csr_sparse_matrix=h, index=1, type=tf.float32)"
    ),
    "SparseMatrixMatMul": compressed(
        "SparseMatrixMatMul(a=h, b=f(2, 3, 4), transpose_a=True, transpose_output=True)"
    ),
    "SparseMatrixSparseMatMul": dense_again(
        "SparseMatrixSparseMatMul(a=h, b=h, type=tf.float32, adjoint_b=True)"
    ),
    "SparseMatrixTranspose": dense_again("SparseMatrixTranspose(input=h, type=tf.float32)"),
    "SparseMatrixOrderingAMD": compressed("SparseMatrixOrderingAMD(input=h)", "tf.eye(3)"),
    "SparseMatrixSparseCholesky": dense_again(
        "SparseMatrixSparseCholesky(input=h, permutation=[2, 0, 1], type=tf.float32)",
        "tf.eye(3) * 4.0 + f(3, 1)",
    ),
    # quantized numbers
    "QuantizeV2": "input=f(3, 4) - 0.4, min_range=-0.3, max_range=0.4, T=tf.qint8, mode='SCALED'",
    "Dequantize": "input=tf.quantization.quantize(f(3, 4) - 0.4, -0.3, 0.4, tf.quint8)[0], min_range=-0.3, max_range=0.4, mode='MIN_FIRST'",
    "QuantizedConcat": "concat_dim=0, values=[tf.quantization.quantize(f(3), 0.0, 1.0, tf.quint8)[0], tf.quantization.quantize(f(2), 0.0, 0.7, tf.quint8)[0]], input_mins=[0.0, 0.0], input_maxes=[1.0, 0.7]",
    # samplers, distances and sounds
    "AllCandidateSampler": SAMPLED.replace("num_sampled=3", "num_sampled=4"),
    **{
        f"{kind}CandidateSampler": f"{SAMPLED}, range_max=6"
        for kind in ("LearnedUnigram", "LogUniform", "ThreadUnsafeUnigram", "Uniform")
    },
    "FixedUnigramCandidateSampler": f"{SAMPLED}, range_max=5, unigrams=[1.0, 2.0, 1.0, 4.0, 2.0]",
    "ComputeAccidentalHits": "true_classes=tf.constant([[1, 2], [0, 3]], tf.int64), sampled_candidates=tf.constant([3, 5, 1], tf.int64), num_true=2",
    "EditDistance": "hypothesis_indices=[[0, 0], [0, 1]], hypothesis_values=[1, 2], hypothesis_shape=[1, 2], truth_indices=[[0, 0], [0, 1]], truth_values=[1, 3], truth_shape=[1, 2]",
    "IsotonicRegression": "input=f(2, 4)",
    "NearestNeighbors": "points=f(3, 2), centers=f(4, 2), k=tf.constant(2, tf.int64)",
    "AudioSpectrogram": "input=f(40, 2), window_size=12, stride=7, magnitude_squared=True",
    "Mfcc": "spectrogram=f(1, 3, 129), sample_rate=8000, dct_coefficient_count=5, filterbank_channel_count=9, upper_frequency_limit=3500.0",
    # optimizer steps
    "ResourceApplyAdagradDA": optimized(
        "ResourceApplyAdagradDA(var=v.handle, gradient_accumulator=s0.handle, gradient_squared_accumulator=s1.handle, grad=f(3), lr=0.1, l1=0.1, l2=0.2, global_step=tf.constant(3, tf.int64))",
        2,
    ),
    **{
        f"ResourceSparseApply{kind}": rows(kind, arguments, slots)
        for kind, (arguments, slots) in {
            "Adadelta": (
                "var=v.handle, accum=s0.handle, accum_update=s1.handle, lr=0.1, rho=0.9, epsilon=0.01",
                2,
            ),
            "Adagrad": ("var=v.handle, accum=s0.handle, lr=0.1", 1),
            "AdagradDA": (
                "var=v.handle, gradient_accumulator=s0.handle, gradient_squared_accumulator=s1.handle, lr=0.1, l1=0.1, l2=0.2, global_step=tf.constant(3, tf.int64)",
                2,
            ),
            "AdagradV2": ("var=v.handle, accum=s0.handle, lr=0.1, epsilon=0.01", 1),
            "CenteredRMSProp": (
                "var=v.handle, mg=s0.handle, ms=s1.handle, mom=s2.handle, lr=0.1, rho=0.9, momentum=0.8, epsilon=0.01",
                3,
            ),
            "Ftrl": (
                "var=v.handle, accum=s0.handle, linear=s1.handle, lr=0.1, l1=0.1, l2=0.2, lr_power=-0.5",
                2,
            ),
            "FtrlV2": (
                "var=v.handle, accum=s0.handle, linear=s1.handle, lr=0.1, l1=0.1, l2=0.2, l2_shrinkage=0.3, lr_power=-0.5",
                2,
            ),
            "KerasMomentum": (
                "var=v.handle, accum=s0.handle, lr=0.1, momentum=0.9, use_nesterov=True",
                1,
            ),
            "Momentum": (
                "var=v.handle, accum=s0.handle, lr=0.1, momentum=0.9, use_nesterov=True",
                1,
            ),
            "ProximalAdagrad": ("var=v.handle, accum=s0.handle, lr=0.1, l1=0.1, l2=0.2", 1),
            "ProximalGradientDescent": ("var=v.handle, alpha=0.1, l1=0.1, l2=0.2", 0),
            "RMSProp": (
                "var=v.handle, ms=s0.handle, mom=s1.handle, lr=0.1, rho=0.9, momentum=0.8, epsilon=0.01",
                2,
            ),
        }.items()
    },
}
SAMPLES["BatchCholeskyGrad"] = SAMPLES["CholeskyGrad"]

for name, sample in SAMPLES.items():
    if name.startswith("Batch") and isinstance(sample, str):  # removed from TensorFlow's graphs
        SAMPLES[name] = sample, f"tf.raw_ops.{name.removeprefix('Batch')}({sample})"

REFERENCES = """
    FIFOQueue PaddingFIFOQueue RandomShuffleQueue QueueClose QueueDequeue QueueDequeueMany
    QueueDequeueUpTo QueueEnqueue QueueEnqueueMany QueueIsClosed QueueSize PriorityQueue
    StackClose StackPop StackPush
"""
"""Operations on references, which TensorFlow 2 cannot call. Their successors do the same."""

for old in REFERENCES.split():
    sample = SAMPLES[f"{old}V2"]
    assert isinstance(sample, str)
    SAMPLES[old] = sample.replace(f"tf.raw_ops.{old}V2(", f"tf.raw_ops.{old}("), sample[1:]
popped = SAMPLES["StackPopV2"]
assert isinstance(popped, str)
SAMPLES["Stack"] = popped.replace("StackV2(max_size=3, ", "Stack("), popped[1:]
