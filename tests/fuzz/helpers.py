"""Functions that random programs call, written with TensorFlow's names.

A printed program contains the source of the helpers that it uses, so each helper is independent of
this module.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def gradients(function: Any, *inputs: Any) -> Any:
    """Return the gradients of the sum of a function's float results."""
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        results = [y for y in tf.nest.flatten(function(*inputs)) if y.dtype.is_floating]
    found = tape.gradient(results, inputs)
    return [None if g is None else tf.convert_to_tensor(g) for g in found]


def leaves(result: Any) -> Any:
    """Return the tensors of a nest, including the components of ragged and sparse tensors."""
    return [y for y in tf.nest.flatten(result, expand_composites=True) if tf.is_tensor(y)]


def spec(tensor: Any, first: int = 0) -> Any:
    """Return the TensorSpec of a tensor without its first dimensions."""
    return tf.TensorSpec(tensor.shape[first:], tensor.dtype)


def dtypes_of_rows(function: Any, rows: Any, *others: Any) -> Any:
    """Return the dtypes of a function's results for one row."""
    traced = tf.function(lambda *inputs: leaves(function(*inputs)), autograph=False)
    concrete = traced.get_concrete_function(spec(rows, 1), *[spec(other) for other in others])
    return [y.dtype for y in concrete.structured_outputs]


def mapped(function: Any, rows: Any, *others: Any) -> Any:
    """Apply a function to each row in a compiled map_fn."""
    found = dtypes_of_rows(function, rows, *others)

    def run(rows: Any, *others: Any) -> Any:
        return tf.map_fn(
            lambda row: leaves(function(row, *others)), rows, fn_output_signature=found
        )

    return tf.function(run, autograph=False)(rows, *others)


def vectorized(function: Any, rows: Any, *others: Any) -> Any:
    """Apply a function to all rows at once."""
    return tf.vectorized_map(lambda row: leaves(function(row, *others)), rows)


def looped(function: Any, rows: Any, *others: Any) -> Any:
    """Concatenate the first results of a function for each row, in a compiled while loop."""
    dtype = dtypes_of_rows(function, rows, *others)[0]

    def run(rows: Any, *others: Any) -> Any:
        count = tf.shape(rows)[0]
        found = tf.TensorArray(dtype, count, infer_shape=False, element_shape=[None])

        def step(i: Any, found: Any) -> Any:
            result = leaves(function(tf.gather(rows, i), *others))[0]
            return i + 1, found.write(i, tf.reshape(result, [-1]))

        return tf.while_loop(lambda i, found: i < count, step, [0, found])[1].concat()

    return tf.function(run, autograph=False)(rows, *others)


def numbers_in(tensor: Any) -> Any:
    """Return the number of elements that are not NaN."""
    return tf.reduce_sum(tf.cast(tf.equal(tensor, tensor), tf.int32))


def guarded(function: Any, *operands: Any) -> Any:
    """Count the numbers in a function's results, unless the first operand is empty."""

    def run(*operands: Any) -> Any:
        return tf.cond(
            tf.size(operands[0]) > 0,
            lambda: sum([numbers_in(y) for y in leaves(function(*operands))], tf.constant(0)),
            lambda: tf.constant(-1),
        )

    return tf.function(run, autograph=False)(*operands)


def opened(function: Any, *operands: Any) -> Any:
    """Call a function that is compiled for operands of any sizes."""
    signature = [tf.TensorSpec([None] * len(x.shape), x.dtype) for x in operands]
    run = tf.function(lambda *inputs: leaves(function(*inputs)), signature, autograph=False)
    return run(*operands)


def assigned(function: Any, value: Any, *others: Any) -> Any:
    """Assign a Variable and read it in a compiled function; the tape is outside."""
    variable = tf.Variable(tf.zeros_like(value))

    def run(value: Any, *others: Any) -> Any:
        variable.assign(value)
        return leaves(function(variable, *others))

    with tf.GradientTape() as tape:
        tape.watch([value, *others])
        results = tf.function(run, autograph=False)(value, *others)
        floats = [y for y in results if y.dtype.is_floating]
    found = tape.gradient(floats, [variable, value, *others])
    return [*results, *[None if g is None else tf.convert_to_tensor(g) for g in found]]


def slices(*tensors: Any) -> Any:
    """Return a Dataset of the rows of tensors."""
    return tf.data.Dataset.from_tensor_slices(tensors[0] if len(tensors) == 1 else tensors)


def elements(dataset: Any) -> Any:
    """Return the elements of a Dataset and of nested Datasets, at most 50."""
    return [
        elements(element) if isinstance(element, tf.data.Dataset) else element
        for _, element in zip(range(50), dataset, strict=False)
    ]
