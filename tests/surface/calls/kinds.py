"""Calls of ``tf.random``, ``tf.ragged``, ``tf.sparse`` and ``tf.strings``."""

from __future__ import annotations

SPARSE = "tf.sparse.from_dense(tf.where(b(3, 4), f(3, 4), 0.0))"
RAGGED = "tf.RaggedTensor.from_row_splits(f(5), [0, 2, 2, 5])"
SEED = "(1, 2)"
WORDS = "t(['a b', 'c', '', 'déf g'])"
TRIPLE = "t([[0, 1], [2, 0]]), t([5.0, 6.0]), t([4, 3])"

CALLS = {
    # random
    "random.uniform": "[3, 4], seed=5",
    "random.all_candidate_sampler": "[[1], [2]], 1, 5, True",
    "random.uniform_candidate_sampler": "[[1], [2]], 1, 4, True, 10, seed=5",
    "random.learned_unigram_candidate_sampler": "[[1], [2]], 1, 4, True, 10, seed=5",
    "nn.compute_accidental_hits": "[[1], [2]], [5, 2, 1], 1",
    "random.log_uniform_candidate_sampler": "[[1], [2]], 1, 4, True, 10, seed=5",
    "random.fixed_unigram_candidate_sampler": (
        "[[1], [2]], 1, 3, True, 4, unigrams=[1.0, 2.0, 3.0, 4.0], seed=5"
    ),
    "random.normal": "[3, 4], seed=5",
    "random.truncated_normal": "[3, 4], seed=5",
    "random.gamma": "[3], f(2), seed=5",
    "random.poisson": "[3], t([1.5, 20.0]), seed=5",
    "random.categorical": "f(2, 3), 5, seed=5",
    "random.shuffle": "x(5, 2), seed=5",
    "random.stateless_uniform": f"[3, 4], {SEED}",
    "random.stateless_normal": f"[3, 4], {SEED}",
    "random.stateless_truncated_normal": f"[3, 4], {SEED}",
    "random.stateless_gamma": f"[3, 2], {SEED}, f(2)",
    "random.stateless_poisson": f"[3, 2], {SEED}, t([1.5, 20.0])",
    "random.stateless_binomial": f"[3, 2], {SEED}, t([5.0, 50.0]), t([0.5, 0.2])",
    "random.stateless_categorical": f"f(2, 3), 5, {SEED}",
    "random.fold_in": f"{SEED}, 3",
    "random.split": f"{SEED}, 3",
    "random.experimental.stateless_shuffle": f"x(5, 2), {SEED}",
    "random.experimental.index_shuffle": "3, (1, 2), 9",
    # ragged
    "ragged.constant": "[[1, 2], [], [3]]",
    "ragged.range": "t([2, 0, 5])",
    "ragged.boolean_mask": "f(2, 3), b(2, 3)",
    "ragged.map_flat_values": f"tf.square, {RAGGED}",
    "ragged.stack": f"[{RAGGED}, {RAGGED}]",
    "ragged.row_splits_to_segment_ids": "t([0, 2, 2, 5])",
    "ragged.segment_ids_to_row_splits": "t([0, 0, 2, 2, 2])",
    "ragged.stack_dynamic_partitions": "f(4), t([1, 0, 1, 2]), 3",
    "ragged.cross": "[tf.ragged.constant([['a'], ['b', 'c']]), t([['x', 'y'], ['z', 'w']])]",
    "ragged.cross_hashed": "[tf.ragged.constant([['a'], ['b', 'c']]), t([[1, 2], [3, 4]])], 99",
    "ragged_fill_empty_rows": "tf.constant([0, 2, 2], tf.int64), f(3), 4, 7.0",
    "ragged_fill_empty_rows_grad": "tf.constant([0, 2], tf.int64), f(4)",
    "ragged_gather": (
        "[t([0, 2, 2, 5])], f(5), t([2, 0]), 1",
        "(lambda r: {'output_nested_splits': r[0], 'output_dense_values': r[1]})("
        "tf.raw_ops.RaggedGather(params_nested_splits=[[0, 2, 2, 5]], "
        "params_dense_values=f(5), indices=[2, 0], OUTPUT_RAGGED_RANK=1))",
    ),
    "ragged_range": (
        "t([1, 5]), t([4, 3]), t([1, -1])",
        "(lambda r: {'rt_nested_splits': r[0], 'rt_dense_values': r[1]})("
        "tf.raw_ops.RaggedRange(starts=[1, 5], limits=[4, 3], deltas=[1, -1]))",
    ),
    "ragged_tensor_to_tensor": (
        "[-1, -1], f(5), 0.5, [[0, 2, 2, 5]], ['ROW_SPLITS']",
        "tf.raw_ops.RaggedTensorToTensor(shape=[-1, -1], values=f(5), default_value=0.5, "
        "row_partition_tensors=[[0, 2, 2, 5]], row_partition_types=['ROW_SPLITS'])",
    ),
    # sparse
    "sparse.from_dense": "tf.where(b(3, 4), f(3, 4), 0.0)",
    "sparse.to_dense": SPARSE,
    "sparse.eye": "3, 4",
    "sparse.add": f"{SPARSE}, {SPARSE}",
    "sparse.concat": f"1, [{SPARSE}, {SPARSE}]",
    "sparse.expand_dims": f"{SPARSE}, 1",
    "sparse.map_values": f"tf.square, {SPARSE}",
    "sparse.mask": "tf.IndexedSlices(f(3, 2), tf.constant([4, 1, 2])), [1]",
    "sparse.maximum": f"{SPARSE}, {SPARSE}",
    "sparse.minimum": f"{SPARSE}, {SPARSE}",
    "sparse.reduce_max": f"{SPARSE}, 1",
    "sparse.reduce_sum": f"{SPARSE}, 1",
    "sparse.reorder": SPARSE,
    "sparse.reset_shape": f"{SPARSE}, [4, 5]",
    "sparse.reshape": f"{SPARSE}, [2, 6]",
    "sparse.retain": "tf.sparse.from_dense(f(1, 3)), [True, False, True]",
    "sparse.slice": f"{SPARSE}, [0, 1], [2, 2]",
    "sparse.sampled_addmm": "t([[0, 1], [1, 0]]), f(2), t([2, 2]), f(2, 3), f(3, 2), 0.5, 2.0",
    "sparse.softmax": SPARSE,
    "sparse.sparse_dense_matmul": f"{SPARSE}, f(4, 2)",
    "sparse.split": f"{SPARSE}, 2, 1",
    "sparse.to_indicator": "tf.sparse.from_dense(t([[1, 2], [0, 3]])), 4",
    "sparse.transpose": SPARSE,
    "sparse.fill_empty_rows": f"{SPARSE}, 7.0",
    "sparse.bincount": "i(5, 9)",
    "sparse.segment_sum": "f(4, 2), t([0, 2, 3]), t([0, 0, 1])",
    "sparse.segment_mean": "f(4, 2), t([0, 2, 3]), t([0, 0, 1])",
    "sparse.segment_sqrt_n": "f(4, 2), t([0, 2, 3]), t([0, 0, 1])",
    "sparse.sparse_segment_sum": (
        "f(4, 2), t([0, 2, 3]), t([0, 0, 1])",
        "tf.sparse.segment_sum(f(4, 2), t([0, 2, 3]), t([0, 0, 1]))",
    ),
    "sparse.sparse_segment_mean": (
        "f(4, 2), t([0, 2, 3]), t([0, 0, 1])",
        "tf.sparse.segment_mean(f(4, 2), t([0, 2, 3]), t([0, 0, 1]))",
    ),
    "sparse.sparse_fill_empty_rows": (
        f"{TRIPLE}, 7.0",
        "(lambda r: {'output_indices': r[0], 'output_values': r[1], 'empty_row_indicator': r[2], "
        "'reverse_index_map': r[3]})(tf.raw_ops.SparseFillEmptyRows(indices=[[0, 1], [2, 0]], "
        "values=[5.0, 6.0], dense_shape=[4, 3], default_value=7.0))",
    ),
    "sparse.sparse_reshape": (
        "t([[0, 1], [2, 0]]), t([4, 3]), t([2, -1])",
        "(lambda r: {'output_indices': r[0], 'output_shape': r[1]})(tf.raw_ops.SparseReshape("
        "input_indices=[[0, 1], [2, 0]], input_shape=[4, 3], new_shape=[2, -1]))",
    ),
    "sparse_to_dense": (
        "t([[0, 1], [2, 0]]), f(2), t([4, 3]), 7.0",
        "tf.compat.v1.sparse_to_dense([[0, 1], [2, 0]], [4, 3], f(2), 7.0)",
    ),
    "sparse.cross": "[t([['a', 'b']]), t([[1, 2]])]",
    "sparse.cross_hashed": "[t([['a', 'b']]), t([[1, 2]])], 100",
    # sets
    "sets.intersection": "i(5, 2, 4), i(5, 2, 3)",
    "sets.union": "i(5, 2, 4), i(5, 2, 3)",
    "sets.difference": "i(5, 2, 4), i(5, 2, 3)",
    "edit_distance": (
        "tf.sparse.from_dense(t([[1, 2], [0, 3]])), tf.sparse.from_dense(t([[1, 3], [2, 3]]))"
    ),
    "sets.size": "tf.sparse.from_dense(i(3, 2, 4))",
    # strings
    "as_string": "f(3), precision=3",
    "strings.lower": WORDS,
    "strings.upper": WORDS,
    "strings.strip": WORDS,
    "strings.length": WORDS,
    "strings.bytes_split": WORDS,
    "strings.join": f"[{WORDS}, 'x'], '-'",
    "strings.reduce_join": f"{WORDS}, separator='-'",
    "strings.unsorted_segment_join": f"{WORDS}, t([1, 0, 1, 0]), 2",
    "strings.split": WORDS,
    "strings.substr": f"{WORDS}, 0, 1",
    "strings.regex_full_match": f"{WORDS}, '[a-c].*'",
    "strings.regex_replace": f"{WORDS}, '[a-c]', 'x'",
    "strings.format": "'{} and {}', [f(2), t([1, 2])]",
    "strings.ngrams": "t(['a', 'b', 'c']), 2",
    "strings.to_hash_bucket": f"{WORDS}, 100",
    "strings.to_hash_bucket_fast": f"{WORDS}, 100",
    "strings.to_hash_bucket_strong": f"{WORDS}, 100, [1, 2]",
    "strings.to_number": "t(['1.5', '-2'])",
    "strings.unicode_decode": f"{WORDS}, 'UTF-8'",
    "strings.unicode_decode_with_offsets": f"{WORDS}, 'UTF-8'",
    "strings.unicode_encode": "t([[97, 233]]), 'UTF-8'",
    "strings.unicode_split": f"{WORDS}, 'UTF-8'",
    "strings.unicode_split_with_offsets": f"{WORDS}, 'UTF-8'",
    "strings.unicode_script": "t([97, 955])",
    "strings.unicode_transcode": f"{WORDS}, 'UTF-8', 'UTF-16-BE'",
    "strings.static_regex_replace": (
        f"{WORDS}, '[a-c]', 'x'",
        f"tf.strings.regex_replace({WORDS}, '[a-c]', 'x')",
    ),
    "strings.string_n_grams": (
        "t(['a', 'b', 'c']), t([0, 2, 3]), '-', [2], 'L', 'R', 1, False",
        "(lambda r: {'n_grams': r[0], 'n_grams_splits': r[1]})(tf.raw_ops.StringNGrams("
        "data=['a', 'b', 'c'], data_splits=[0, 2, 3], separator='-', ngram_widths=[2], "
        "left_pad='L', right_pad='R', pad_width=1, preserve_short_sequences=False))",
    ),
    "strings.string_split": (
        "t(['a b', 'c']), ' '",
        "(lambda r: {'indices': r[0], 'values': r[1], 'shape': r[2]})(tf.raw_ops.StringSplit("
        "input=['a b', 'c'], delimiter=' '))",
    ),
}

FLOATS = (
    "as_string",
    "sparse.segment_mean",
    "sparse.segment_sqrt_n",
    "sparse.segment_sum",
    "sparse.sparse_segment_mean",
    "sparse.sparse_segment_sum",
    "sparse_to_dense",
    "strings.format",
)
