"""The guide on random numbers. States are printed as TensorFlow's integers."""

from __future__ import annotations

from typing import Any

import numpy as np
from guides.printed import prints_the_same


def numbers(generator: Any) -> list[int]:
    """Return the state as TensorFlow's three integers. tfpy has two words for each."""
    state = generator.state.numpy()
    return (state.view(np.int64) if state.size == 6 else state).tolist()


@prints_the_same
def test_generators(tf: Any, print: Any) -> None:
    g1 = tf.random.Generator.from_seed(1)
    print(g1.normal(shape=[2, 3]))
    tf.random.set_global_generator(tf.random.Generator.from_seed(7))
    g2 = tf.random.get_global_generator()
    print(g2.normal(shape=[2, 3]))
    g1 = tf.random.Generator.from_seed(1, alg="philox")
    print(g1.normal(shape=[2, 3]))
    print(tf.random.Generator.from_non_deterministic_state().normal(shape=[2, 3]).shape)


@prints_the_same
def test_state(tf: Any, print: Any) -> None:
    g = tf.random.Generator.from_seed(1)
    print(numbers(g))
    print(g.normal([]))
    print(numbers(g))
    print(g.normal([]))
    g.reset_from_seed(1)
    print(g.normal([]))


@prints_the_same
def test_splitting(tf: Any, print: Any) -> None:
    g = tf.random.Generator.from_seed(1)
    print(g.normal([]))
    new_gs = g.split(3)
    for new_g in new_gs:
        print(new_g.normal([]))
    print(g.normal([]))
    g = tf.random.Generator.from_seed(1)
    g_other = g.split()[0]
    print(g_other.normal([]))


@prints_the_same
def test_copying(tf: Any, print: Any) -> None:
    g = tf.random.Generator.from_seed(1)
    g.normal([])
    copied = tf.random.Generator.from_state(g.state.numpy(), g.algorithm)
    print(g.normal([3]), copied.normal([3]))
    shared = tf.random.Generator(g)
    print(g.uniform([2]), shared.uniform([2]))


@prints_the_same
def test_stateless(tf: Any, print: Any) -> None:
    print(tf.random.stateless_normal(shape=[2, 3], seed=[1, 2]))
    print(tf.random.stateless_normal(shape=[2, 3], seed=[1, 2]))
    print(tf.random.stateless_uniform([3], [1, 2], maxval=10, dtype=tf.int32))
    seeds = tf.random.split([1, 2], 2)
    for seed in tf.unstack(seeds):
        print(tf.random.stateless_normal([2], seed))


@prints_the_same
def test_seeds(tf: Any, print: Any) -> None:
    """Run the examples of the page of ``tf.random.set_seed``."""
    tf.random.set_seed(1234)
    print(tf.random.uniform([1]))
    print(tf.random.uniform([1]))
    tf.random.set_seed(1234)
    print(tf.random.uniform([1]))
    tf.random.set_seed(1234)
    print(tf.random.uniform([1], seed=1))
    print(tf.random.uniform([1], seed=1))
    print(tf.random.uniform([1], seed=2))
    tf.random.set_seed(1234)
    print(tf.random.uniform([1], seed=1))
    print(tf.random.normal([2], seed=1), tf.random.shuffle(tf.range(8), seed=4))
