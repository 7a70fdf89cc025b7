"""Calls of tf.data from which random calls are drawn, with all dtypes and strings."""

from __future__ import annotations

_LENGTHS = "slices(i(4, 6)).map(lambda n: tf.range(n))"
_PARITY = "lambda n: tf.cast(n % 2, tf.int64)"

PIPELINES: dict[str, tuple[str, ...]] = {
    "data.Dataset.batch": (
        "elements(slices(x(5, 2)).batch(2, drop_remainder=False))",
        "elements(slices(s(5)).batch(2, drop_remainder=False))",
        "elements(slices(s(3, 2), x(3)).batch(2))",
        "elements(slices({'a': s(4), 'b': f(4, 2)}).batch(3))",
    ),
    "data.Dataset.padded_batch": (
        "elements(slices(s(5)).padded_batch(2))",
        "elements(slices(x(5)).padded_batch(2, drop_remainder=False))",
        "elements(slices(s(3, 2)).padded_batch(2, [3]))",
        "elements(slices(x(3, 2)).padded_batch(2, [4]))",
        "elements(slices(s(4), i(5, 4)).padded_batch(3, ([], [])))",
        "elements(slices(s(3, 2)).padded_batch(2, [3], padding_values='-'))",
        f"elements({_LENGTHS}.padded_batch(2))",
        "elements(slices(i(4, 5)).map(lambda n: tf.fill([n], 'a')).padded_batch(2))",
        "elements(slices(s(4)).batch(3).padded_batch(2))",
    ),
    "data.Dataset.bucket_by_sequence_length": (
        "elements(slices(s(6)).bucket_by_sequence_length(tf.strings.length, [1, 3], [2, 2, 2]))",
        f"elements({_LENGTHS}.bucket_by_sequence_length(tf.size, [1, 3], [2, 1, 2]))",
    ),
    "data.Dataset.ragged_batch": (
        f"elements({_LENGTHS}.ragged_batch(2))",
        "elements(slices(s(5, 2)).ragged_batch(2, drop_remainder=False))",
        "elements(slices(i(4, 4)).map(lambda n: tf.fill([n], 'a')).ragged_batch(3))",
    ),
    "data.Dataset.unbatch": (
        "elements(slices(x(3, 2)).unbatch())",
        "elements(slices(s(2, 3), x(2, 3)).unbatch())",
        "elements(slices(s(5)).batch(2).unbatch())",
    ),
    "data.Dataset.window": (
        "elements(slices(x(5)).window(2, 1, 1, drop_remainder=False))",
        "elements(slices(s(5)).window(3, 2, 1))",
        "elements(slices(s(4)).window(2).flat_map(lambda w: w.batch(2)))",
    ),
    "data.Dataset.take": (
        "elements(slices(s(5)).skip(1).take(2).repeat(2))",
        "elements(slices(x(5, 2)).shard(2, 1))",
        "elements(slices(x(4)).concatenate(slices(x(3))))",
        "elements(tf.data.Dataset.zip((slices(s(3)), slices(x(4)))))",
    ),
    "data.Dataset.map": (
        "elements(slices(s(4)).map(tf.strings.length))",
        "elements(slices(x(3, 2)).map(lambda r: (r, tf.shape(r))))",
        "elements(slices(f(4)).filter(lambda r: r > 0.5))",
        "elements(slices(f(4, 2)).scan(0.0, lambda s, r: (s + r[0], s)))",
        "slices(f(5)).reduce(0.0, lambda s, r: s + r)",
        "elements(slices(x(4, 2)).interleave(lambda r: slices(r), 2, 1))",
        "elements(slices(x(3, 2)).flat_map(lambda r: slices(r)))",
        "elements(slices(x(5)).enumerate())",
        "elements(slices(i(3, 6)).unique())",
    ),
    "data.Dataset.group_by_window": (
        f"elements(slices(i(3, 7)).group_by_window({_PARITY}, lambda k, g: g.batch(2), 2))",
        "elements(slices(s(4)).batch(2).map(lambda r: tf.strings.join([r, r])))",
    ),
    "data.Dataset.from_tensors": (
        "elements(tf.data.Dataset.from_tensors(s(2, 2)))",
        "elements(tf.data.Dataset.from_tensors((x(2), s())))",
        "elements(tf.data.Dataset.range(-1, 5, 2).batch(2))",
    ),
}
"""Calls by the name of the function that they test."""
