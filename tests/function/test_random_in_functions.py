"""Random numbers in compiled functions: tensor seeds, Generators, dropout."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from api.same import same

import tfpy as tf


@same
def test_seeds_that_are_tensors(lib: Any) -> Any:
    random = lib.random

    @lib.function
    def draw(seed: Any) -> Any:
        return [
            random.stateless_uniform([3, 5], seed),
            random.stateless_uniform([4], seed, 2.0, 3.0),
            random.stateless_uniform([4], seed, 0, 10, lib.int32),
            random.stateless_uniform([4], seed, None, None, lib.int32),
            random.stateless_normal([7], seed),
            random.stateless_truncated_normal([7], seed),
            random.stateless_poisson([3], seed, [2.0, 3.0, 20.0]),
            random.stateless_gamma([3], seed, 2.0),
            random.stateless_categorical(lib.constant([[0.1, 0.5, 0.4]]), 6, seed),
            random.split(seed),
            random.fold_in(seed, 7),
            random.experimental.stateless_shuffle(lib.range(9), seed),
        ]

    seeds = [[1, 2], [-5, 3], [0, 0], [2**31 - 1, -(2**31)]]
    return [draw(lib.constant(seed, lib.int32)) for seed in seeds]


@same
def test_seeds_that_change_in_a_loop(lib: Any) -> Any:
    @lib.function
    def walk(seed: Any) -> Any:
        total = lib.zeros([4])
        for i in lib.range(3):
            total += lib.random.stateless_normal([4], [seed, i])
            if i > 0:
                total *= lib.random.stateless_uniform([4], lib.stack([i, seed]))
        return total

    return walk(lib.constant(5))


def test_functions_with_seeds_are_compiled() -> None:
    v = tf.Variable([1, 2])

    @tf.function
    def step(x: Any, seed: Any) -> Any:
        v.assign_add([1, 1])
        kept = tf.nn.experimental.stateless_dropout(x, 0.5, seed)
        return kept + tf.random.stateless_uniform([3], v)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [step(tf.ones([3]), tf.constant([1, n])) for n in range(3)]
    assert step.experimental_get_tracing_count() == 1
    for n, y in enumerate(found):
        kept = tf.nn.experimental.stateless_dropout(tf.ones([3]), 0.5, [1, n])
        np.testing.assert_array_equal(y, kept + tf.random.stateless_uniform([3], [2 + n, 3 + n]))


@same
def test_generators_move_on_within_functions(lib: Any) -> Any:
    generator = lib.random.Generator.from_seed(7)

    @lib.function
    def draw() -> Any:
        return generator.normal([3]), generator.uniform([2], 0, 9, lib.int32)

    @lib.function
    def walk(n: Any) -> Any:
        total = lib.zeros([3])
        for i in lib.range(n):
            if i % 2 == 0:
                total += generator.normal([3])
            else:
                total -= generator.uniform([3])
        generator.skip(3)
        return total, generator.normal([2])

    @lib.function
    def begin_again() -> Any:
        generator.reset_from_seed(3)
        first = generator.normal([2])
        generator.reset([1, 2, 3])
        return first, generator.normal([2])

    out = [draw(), draw(), walk(lib.constant(4)), generator.normal([2]), begin_again()]
    return out, generator.uniform([2]), generator.split(2)[1].normal([2])


@same
def test_seeds_made_by_generators(lib: Any) -> Any:
    generator = lib.random.Generator.from_seed(7)

    @lib.function
    def draw() -> Any:
        return lib.cast(generator.make_seeds(3) % 2**16, lib.int32)

    return draw(), draw(), lib.cast(generator.make_seeds(2) % 2**16, lib.int32)


@same
def test_dropout(lib: Any) -> Any:
    x = lib.reshape(lib.range(12.0), [3, 4])
    experimental = lib.nn.experimental

    def sampler(shape: Any, dtype: Any) -> Any:
        return lib.random.stateless_uniform(shape, [3, 4], dtype=dtype)

    @lib.function
    def compiled(rate: Any, seed: Any) -> Any:
        with lib.GradientTape() as tape:
            tape.watch(x)
            y = experimental.stateless_dropout(x * x, rate, seed, noise_shape=[3, 1])
        return y, tape.gradient(y, x)

    return [
        experimental.stateless_dropout(x, 0.4, [1, 2]),
        experimental.stateless_dropout(x, 0.4, [1, 2], rng_alg="philox", noise_shape=[1, 4]),
        experimental.general_dropout(x, 0.4, sampler),
        compiled(lib.constant(0.3), lib.constant([1, 2])),
        lib.nn.dropout(x, lib.constant(0.0)),
    ]


OP_BY_OP = pytest.mark.filterwarnings("ignore:tf.function .* runs op by op")


def shape_of(lib: Any, mask: Any) -> Any:
    """Return a shape that depends on values."""
    return lib.shape(lib.boolean_mask(lib.ones([3]), mask))


def twice(lib: Any, body: Any, seed: int | None) -> Any:
    """Return the results of calls of a function after a global seed."""
    if seed is not None:
        lib.random.set_seed(seed)
    function = lib.function(body)
    masks = [[True, True, False], [False, False, False], [True, False, True]]
    return [function(lib.constant(mask)) for mask in masks]


@OP_BY_OP
@same
def test_op_by_op_each_op_has_its_stream(lib: Any) -> Any:
    random = lib.random

    def several(mask: Any) -> Any:
        shape = shape_of(lib, mask)
        return (
            random.normal(shape, seed=1),
            random.uniform(shape, seed=2),
            random.normal(shape, seed=1),
            random.uniform(shape, 0, 9, dtype=lib.int32, seed=6),
            random.truncated_normal(shape, seed=2),
            random.gamma(shape, 2.0, seed=3),
            random.shuffle(lib.range(5), seed=1),
            random.categorical(lib.zeros([2, 5]), shape[0], seed=5),
        )

    def unseeded(mask: Any) -> Any:
        first = random.normal(shape_of(lib, mask)), random.normal([2])
        second = random.normal([2]) if lib.reduce_any(mask) else random.normal([2]) * 2.0
        return *first, second, random.normal([2])

    return [twice(lib, several, None), twice(lib, several, 7), twice(lib, unseeded, 7)]


@OP_BY_OP
@same
def test_op_by_op_in_branches_and_loops(lib: Any) -> Any:
    normal = lib.random.normal

    def body(mask: Any) -> Any:
        normal(shape_of(lib, mask), seed=4)
        branch = lib.zeros([2])
        if lib.reduce_any(mask):
            branch += normal([2], seed=4)
        else:
            branch += normal([2], seed=4) * 2.0
        branch += lib.cond(mask[0], lambda: normal([2], seed=4), lambda: -normal([2], seed=4))
        loop, unrolled, tested = lib.zeros([2]), lib.zeros([2]), lib.zeros([2])
        for _ in lib.range(3):
            loop += normal([2], seed=4)
        for _ in range(2):
            unrolled = unrolled * 10.0 + normal([2], seed=4)
        i = lib.constant(0)
        while i < 2:
            tested += normal([2], seed=4)
            i += 1
        mapped = lib.map_fn(lambda x: x + normal([], seed=4), lib.zeros([3]), parallel_iterations=1)
        return branch, loop, unrolled, tested, mapped

    return twice(lib, body, None)


@OP_BY_OP
@same
def test_op_by_op_functions_call_functions(lib: Any) -> Any:
    random = lib.random

    @lib.function
    def compiled() -> Any:
        return random.normal([2], seed=9)

    @lib.function
    def inner(mask: Any) -> Any:
        return random.normal(shape_of(lib, mask), seed=9), random.normal([1])

    def body(mask: Any) -> Any:
        random.normal(shape_of(lib, mask), seed=9)
        drawn = random.normal([2], seed=9), compiled(), compiled(), inner(mask), inner(mask)
        return *drawn, random.normal([1])

    found = [twice(lib, body, 7), compiled()]
    lib.random.set_seed(11)
    return [*found, compiled()]


@OP_BY_OP
def test_op_by_op_draws_what_is_drawn_compiled() -> None:
    tf.random.set_seed(3)

    def draw(mask: Any) -> Any:
        return tf.random.normal([2], seed=1), tf.random.uniform([2]), tf.random.normal([3])

    def masked(mask: Any) -> Any:
        tf.boolean_mask(mask, mask)
        return draw(mask)

    mask = tf.constant([True, False])
    compiled, op_by_op = tf.function(draw), tf.function(masked)
    for _ in range(2):
        for mine, wanted in zip(op_by_op(mask), compiled(mask), strict=True):
            np.testing.assert_array_equal(mine, wanted)
