"""Random numbers within compiled functions: by a seed that is a tensor, by a Generator, dropout."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
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
