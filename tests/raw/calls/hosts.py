"""Samples: strings, files, random numbers, sparse and ragged tensors, quantized numbers."""

from __future__ import annotations

WORDS = "input=t(['a b', 'c', '', 'déf g'])"
A = "a_indices=[[0, 0], [1, 2]], a_values=f(2), a_shape=[2, 4]"
B = "b_indices=[[0, 0], [1, 3]], b_values=f(2), b_shape=[2, 4]"
LONG = "tf.constant({}, tf.int64)"
SP = "sp_indices=[[0, 0], [1, 2]], sp_values=f(2), sp_shape=[2, 4]"
INPUT = "input_indices=[[0, 0], [1, 2]], input_values=f(2), input_shape=[2, 4]"
SEGMENTS = "data=f(4, 3), indices=[0, 3, 1], segment_ids=[0, 0, 2]"
SETS = "set1_indices=[[0, 0], [0, 1], [1, 0]], set1_values=[1, 2, 3], set1_shape=[2, 2]"
MORE = "set2_indices=[[0, 0], [1, 0]], set2_values=[1, 4], set2_shape=[2, 1]"
CTC = (
    "inputs=f(5, 2, 4), labels_indices=tf.constant([[0, 0], [0, 1], [1, 0]], tf.int64), "
    "labels_values=[1, 2, 1], sequence_length=[5, 4]"
)
KEY = "**(lambda r: dict(key=r[0], counter=r[1], alg=1))(tf.raw_ops.StatelessRandomGetKeyCounter(seed=[7, 9]))"
FAKE = "min=t([-0.5, 0.0]), max=t([0.5, 0.8])"
WAV = "tf.audio.encode_wav(f(8, 1) - 0.5, 8000)"

SAMPLES: dict[str, str | tuple[str, str]] = {
    "AsString": "input=f(3), precision=3",
    "ReduceJoin": "inputs=t([['a', 'b'], ['c', 'd']]), reduction_indices=[1], separator='-', keep_dims=True",
    "RegexFullMatch": f"{WORDS}, pattern='[a-c ]+'",
    "RegexReplace": f"{WORDS}, pattern='[a-c]', rewrite='<\\\\0>', replace_global=False",
    "StaticRegexFullMatch": f"{WORDS}, pattern='[a-c ]+'",
    "StaticRegexReplace": f"{WORDS}, pattern='[a-c]', rewrite='x'",
    "StringFormat": "inputs=[t([1, 2, 3])], template='<{}>', placeholder='{}'",
    "StringJoin": "inputs=[t(['a', 'b']), t(['c', 'd'])], separator='-'",
    "StringLength": f"{WORDS}, unit='UTF8_CHAR'",
    "StringLower": "input=t(['Ab', 'C'])",
    "StringNGrams": "data=t(['a', 'b', 'c', 'd']), data_splits=[0, 3, 4], separator='|', ngram_widths=[2], "
    "left_pad='<', right_pad='>', pad_width=1, preserve_short_sequences=False",
    "StringSplit": f"{WORDS}, delimiter=' '",
    "StringSplitV2": f"{WORDS}, sep=' '",
    "StringStrip": "input=t([' a ', 'b'])",
    "StringToHashBucket": "string_tensor=t(['a', 'b']), num_buckets=99",
    "StringToHashBucketFast": "input=t(['a', 'b']), num_buckets=99",
    "StringToHashBucketStrong": "input=t(['a', 'b']), num_buckets=99, key=[3, 4]",
    "StringToNumber": "string_tensor=t(['1.5', '-2e3'])",
    "StringUpper": "input=t(['Ab', 'C'])",
    "Substr": f"{WORDS.replace(chr(39) + chr(39), chr(39) + 'xy' + chr(39))}, pos=0, len=1",
    "UnicodeDecode": f"{WORDS}, input_encoding='UTF-8'",
    "UnicodeDecodeWithOffsets": f"{WORDS}, input_encoding='UTF-8'",
    "UnicodeEncode": "input_values=[97, 233, 98], input_splits=tf.constant([0, 2, 3], tf.int64), output_encoding='UTF-8'",
    "UnicodeTranscode": f"{WORDS}, input_encoding='UTF-8', output_encoding='UTF-16-BE'",
    "UnsortedSegmentJoin": "inputs=t(['a', 'b', 'c']), segment_ids=[1, 0, 1], num_segments=2, separator='-'",
    "DecodeBase64": "input='aGFsbG8'",
    "DecodePaddedRaw": "input_bytes=t(['abcd', 'e']), fixed_length=4, out_type=tf.uint8",
    "DecodeRaw": "bytes=t(['abcd', 'efgh']), out_type=tf.int32",
    "DecodeWav": f"contents={WAV}",
    "EncodeBase64": "input=t(['hallo', ''])",
    "EncodeWav": "audio=f(8, 1) - 0.5, sample_rate=8000",
    "ReadFile": "=(tf.io.write_file('/tmp/tfpy_raw.txt', 'text'), tf.raw_ops.ReadFile(filename='/tmp/tfpy_raw.txt'))[1]",
    "WriteFile": "=(tf.raw_ops.WriteFile(filename='/tmp/tfpy_raw.txt', contents='more'), tf.io.read_file('/tmp/tfpy_raw.txt'))",
    "Timestamp": "=tf.raw_ops.Timestamp() >= 0.0",
    # random numbers
    "RandomUniform": "shape=[2, 3], dtype=tf.float32, seed=5, seed2=7",
    "RandomStandardNormal": "shape=[2, 3], dtype=tf.float32, seed=5, seed2=7",
    "TruncatedNormal": "shape=[2, 3], dtype=tf.float32, seed=5, seed2=7",
    "RandomUniformInt": "shape=[2, 3], minval=2, maxval=99, seed=5, seed2=7",
    "RandomGamma": "shape=[4], alpha=f(2), seed=5, seed2=7",
    "RandomPoisson": (
        "shape=[4], rate=t([1.5, 20.0]), seed=5, seed2=7",
        "tf.raw_ops.RandomPoissonV2(shape=[4], rate=t([1.5, 20.0]), seed=5, seed2=7, dtype=tf.float32)",
    ),
    "RandomPoissonV2": "shape=[4], rate=t([1.5, 20.0]), seed=5, seed2=7",
    "RandomShuffle": "value=f(5, 2), seed=5, seed2=7",
    "Multinomial": "logits=f(2, 3), num_samples=4, seed=5, seed2=7",
    **dict.fromkeys(
        ("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"),
        "shape=[2, 3], seed=[7, 9]",
    ),
    "StatelessRandomUniformInt": "shape=[2, 3], seed=[7, 9], minval=2, maxval=99",
    "StatelessRandomUniformFullInt": "shape=[2, 3], seed=[7, 9], dtype=tf.int32",
    "StatelessRandomBinomial": "shape=[3, 2], seed=[7, 9], counts=t([5.0, 50.0]), probs=t([0.5, 0.2])",
    "StatelessRandomGammaV2": "shape=[3, 2], seed=[7, 9], alpha=f(2)",
    "StatelessRandomPoisson": "shape=[3, 2], seed=[7, 9], lam=t([1.5, 20.0]), dtype=tf.int32",
    "StatelessMultinomial": "logits=f(2, 3), num_samples=4, seed=[7, 9]",
    "RandomIndexShuffle": "index=3, seed=tf.constant([1, 2, 3], tf.uint32), max_index=9",
    "StatelessRandomGetAlg": "",
    "StatelessRandomGetKeyCounter": "seed=[7, 9]",
    "StatelessRandomGetKeyCounterAlg": "seed=[7, 9]",
    **dict.fromkeys(
        ("StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2"),
        f"shape=[2, 3], {KEY}",
    ),
    "StatelessRandomUniformIntV2": f"shape=[2, 3], minval=2, maxval=99, {KEY}",
    "StatelessRandomUniformFullIntV2": f"shape=[2, 3], dtype=tf.int32, {KEY}",
    "StatelessRandomGammaV3": f"shape=[3, 2], alpha=f(2), {KEY}",
    "StatelessShuffle": f"value=f(5, 2), {KEY}",
    # sparse and ragged tensors
    "SparseAdd": f"{A}, {B}, thresh=0.0",
    "SparseConcat": "indices=[tf.constant([[0, 0]], tf.int64), tf.constant([[1, 1]], tf.int64)], values=[f(1), f(1)], "
    "shapes=[tf.constant([2, 2], tf.int64), tf.constant([2, 3], tf.int64)], concat_dim=1",
    "SparseDenseCwiseAdd": f"{SP}, dense=f(2, 4)",
    "SparseDenseCwiseDiv": f"{SP}, dense=f(2, 4)",
    "SparseDenseCwiseMul": f"{SP}, dense=f(2, 4)",
    "SparseFillEmptyRows": "indices=[[0, 1], [2, 0]], values=f(2), dense_shape=[4, 3], default_value=7.0",
    "SparseReduceMax": f"{INPUT}, reduction_axes=[1]",
    "SparseReduceSum": f"{INPUT}, reduction_axes=[1], keep_dims=True",
    "SparseReduceMaxSparse": f"{INPUT}, reduction_axes=[1]",
    "SparseReduceSumSparse": f"{INPUT}, reduction_axes=[1], keep_dims=True",
    **{
        f"SparseSegment{kind}Grad": "grad=f(3, 2), indices=[0, 3, 1], segment_ids=[0, 0, 2], output_dim0=5"
        for kind in ("Mean", "SqrtN", "Sum")
    },
    "SparseReorder": "input_indices=[[1, 2], [0, 0]], input_values=f(2), input_shape=[2, 4]",
    "SparseReshape": "input_indices=[[0, 0], [1, 2]], input_shape=[2, 4], new_shape=[4, -1]",
    **dict.fromkeys(("SparseSegmentMean", "SparseSegmentSqrtN", "SparseSegmentSum"), SEGMENTS),
    **dict.fromkeys(
        (f"SparseSegment{kind}WithNumSegments" for kind in ("Mean", "SqrtN", "Sum")),
        f"{SEGMENTS}, num_segments=4",
    ),
    "SparseSlice": "indices=[[0, 0], [1, 2]], values=f(2), shape=[2, 4], start=[0, 1], size=[2, 2]",
    "SparseSoftmax": "sp_indices=[[0, 0], [0, 3], [1, 2]], sp_values=f(3), sp_shape=[2, 4]",
    "SparseSparseMaximum": f"{A}, {B}",
    "SparseSparseMinimum": f"{A}, {B}",
    "SparseSplit": "split_dim=tf.constant(1, tf.int64), indices=[[0, 0], [1, 2]], values=f(2), shape=[2, 4], num_split=2",
    "SparseTensorDenseAdd": f"{A}, b=f(2, 4)",
    "SparseTensorDenseMatMul": f"{A}, b=f(4, 3)",
    "SparseToDense": "sparse_indices=[[0, 1], [2, 0]], output_shape=[3, 2], sparse_values=f(2), default_value=7.0",
    "DenseToDenseSetOperation": "set1=t([[1, 2], [3, 4]]), set2=t([[2, 3], [3, 9]]), set_operation='a-b'",
    "DenseToSparseSetOperation": f"set1=t([[1, 2], [3, 4]]), {MORE}, set_operation='union'",
    "SparseToSparseSetOperation": f"{SETS}, {MORE}, set_operation='intersection'",
    "SetSize": "set_indices=[[0, 0], [0, 1], [1, 0]], set_values=[1, 1, 3], set_shape=[2, 2]",
    "RaggedGather": "params_nested_splits=[tf.constant([0, 2, 2, 5], tf.int64)], params_dense_values=f(5), indices=[2, 0], OUTPUT_RAGGED_RANK=1",
    "RaggedRange": "starts=[1, 5], limits=[4, 3], deltas=[1, -1]",
    "RaggedTensorToSparse": "rt_nested_splits=[tf.constant([0, 2, 2, 5], tf.int64)], rt_dense_values=f(5)",
    "RaggedTensorToTensor": "shape=[-1, -1], values=f(5), default_value=0.5, row_partition_tensors=[[0, 2, 2, 5]], row_partition_types=['ROW_SPLITS']",
    "CTCBeamSearchDecoder": "inputs=f(5, 2, 4), sequence_length=[5, 4], beam_width=9, top_paths=2, merge_repeated=False",
    "CTCGreedyDecoder": "inputs=f(5, 2, 4), sequence_length=[5, 4], merge_repeated=True",
    "CTCLoss": CTC,
    "CTCLossV2": (
        f"=tf.raw_ops.CTCLossV2({CTC})[0]",
        "tf.nn.ctc_loss(tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 1], [2, 2]), f(5, 2, 4), None, [5, 4], blank_index=0)",
    ),
    # quantized numbers
    "FakeQuantWithMinMaxArgs": "inputs=f(3, 2) - 0.5, min=-0.3, max=0.4",
    "FakeQuantWithMinMaxArgsGradient": "gradients=f(3, 2), inputs=f(3, 2) - 0.5, min=-0.3, max=0.4",
    "FakeQuantWithMinMaxVars": "inputs=f(3, 2) - 0.5, min=-0.3, max=0.4",
    "FakeQuantWithMinMaxVarsGradient": "gradients=f(3, 2), inputs=f(3, 2) - 0.5, min=-0.3, max=0.4",
    "FakeQuantWithMinMaxVarsPerChannel": f"inputs=f(3, 2) - 0.5, {FAKE}",
    "FakeQuantWithMinMaxVarsPerChannelGradient": f"gradients=f(3, 2), inputs=f(3, 2) - 0.5, {FAKE}",
    "QuantizeAndDequantizeV2": "input=f(3, 2) - 0.5, input_min=-0.3, input_max=0.4, range_given=True",
    "QuantizeAndDequantizeV3": "input=f(3, 2) - 0.5, input_min=-0.3, input_max=0.4, num_bits=6",
    "QuantizeAndDequantizeV4": "input=f(3, 2) - 0.5, input_min=-0.3, input_max=0.4, num_bits=6",
}
