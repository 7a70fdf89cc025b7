"""``tf.random``: the same numbers as TensorFlow for the same seeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare, error, same

import tfpy


@pytest.mark.parametrize("seed", [(0, 0), (1, 2), (7, -9), (2**31 - 1, -(2**31)), (2**40 + 5, 3)])
@pytest.mark.parametrize("shape", [(70001,), (), (1,), (5,), (3, 7), (1000,), (0, 3)])
def test_stateless_bits(seed: tuple[int, int], shape: tuple[int, ...]) -> None:
    for arguments in ({}, {"minval": 0, "maxval": 10}, {"minval": -100, "maxval": 2 * 10**9}):
        kind = "int32" if arguments else "float32"
        mine, wanted = (
            lib.random.stateless_uniform(shape, seed, dtype=kind, **arguments).numpy()
            for lib in (tfpy, tensorflow)
        )
        np.testing.assert_array_equal(mine, wanted)


@same
def test_stateless_uniform(tf: Any) -> Any:
    r = tf.random.stateless_uniform
    return [
        r([2, 3], [7, -9], -1.0, 3.0),
        r([5], [1, 2], maxval=5.0),
        r([3], seed=tf.constant([1, 2])),
        r(tf.constant([2, 2]), [1, 2]),
        r([4], [1, 2], None, None, tf.int32),
        r([6], [3, 4], -5, 5, tf.int32),
    ]


@same(tolerance=5e-6)
def test_stateless_normal(tf: Any) -> Any:
    r = tf.random.stateless_normal
    return [r([], [3, 4]), r([7], [3, 4]), r([40, 50], [-1, 2**33]), r([2, 2], [3, 4], 5.0, 0.1)]


def test_moments_of_normal() -> None:
    x = tfpy.random.stateless_normal([200, 200], [5, 6]).numpy()
    assert x.mean() == pytest.approx(0, abs=0.02)
    assert x.std() == pytest.approx(1, abs=0.02)


SEED = [3, -9]


@same
def test_stateless_integers(tf: Any) -> Any:
    ranges = [(0, 10), (-5, 1), (0, 1), (-(2**31), 2**31 - 1), (None, None), (-7, 2**31 - 1)]
    return [tf.random.stateless_uniform([9, 5], SEED, a, b, tf.int32) for a, b in ranges]


@same
def test_stateless_distributions(tf: Any) -> Any:
    r = tf.random
    return [
        r.stateless_truncated_normal([9, 5], SEED, -3.0, 5.5),
        r.stateless_gamma([9, 2, 3], SEED, [0.5, 1.0, 2.0], [[1.0], [2.0]]),
        r.stateless_gamma([4], SEED, 3.0),
        r.stateless_gamma([2, 3], SEED, [-1.0, np.nan, 0.0]),
        r.stateless_poisson([9, 3], SEED, [0.5, 1.0, 20.0]),
        r.stateless_poisson([5, 2], SEED, [0.0, np.float32(1e4)], tf.float32),
        r.stateless_binomial([9, 3], SEED, [5.0, 10.0, 200.0], 0.4),
        r.stateless_binomial([6], SEED, 7.0, 0.9, tf.float32),
        r.stateless_categorical([[0.5, 1.2], [3.0, -np.inf]], 5, SEED),
        r.stateless_uniform([7], SEED, dtype=tf.float16),
        r.stateless_uniform([2, 0], SEED),
        r.experimental.stateless_shuffle(np.arange(22).reshape(11, 2), SEED),
        r.split(SEED, 3),
        r.fold_in(SEED, 4),
        r.experimental.stateless_split(SEED),
        r.experimental.stateless_fold_in(SEED, 4),
    ]


@pytest.mark.parametrize("dtype", ["float16", "float32", "int32"])
def test_rates_of_poisson_numbers(dtype: str) -> None:
    """Check rates that TensorFlow accepts, and rates for which TensorFlow does not return."""
    rates = np.float32([-np.inf, -1, 0, 1e-40, 0.5, 300, np.inf])

    def draw(tf: Any, rate: Any) -> Any:
        return tf.random.stateless_poisson([4, len(rate)], SEED, rate, dtype).numpy()

    np.testing.assert_array_equal(draw(tfpy, rates), draw(tensorflow, rates))
    highest = tfpy.as_dtype(dtype).max
    nan = 0 if dtype == "int32" else np.nan
    beyond = np.float32([np.nan, 3.3e38])
    expected = [nan, highest if dtype != "float32" else beyond[1]]
    found = draw(tfpy, beyond)
    np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), 1e-6)


@same
def test_index_shuffle(tf: Any) -> Any:
    place = tf.random.experimental.index_shuffle
    lasts = (5, 10, 255, 256, 257, 65535, 70000, 1000000)
    found = [[place(i, [1, 2], last) for i in (0, 1, last)] for last in lasts]
    kinds = [place(tf.constant(3, kind), [1, 2], 5).dtype.name for kind in (tf.int32, tf.uint32)]
    wrong = [error(lambda i=i, last=last: place(i, [1, 2], last))
             for i, last in ((-1, 5), (0, -1), (6, 5))]  # fmt: skip
    return found, kinds, wrong


def test_index_shuffle_is_a_permutation() -> None:
    places = tfpy.random.experimental.index_shuffle(np.arange(101), [4, 5], 100).numpy()
    assert sorted(places) == list(range(101))


def exact(name: str) -> None:
    """Check that draws with and without op seeds, repeated, have the same bits as TensorFlow's."""

    def draws(lib: Any) -> list[Any]:
        lib.random.set_seed(11)
        return [np.asarray(LEGACY[name](lib, s)) for s in (None, None, 5, 5, 6, None, 5)]

    for mine, wanted in zip(draws(tfpy), draws(tensorflow), strict=True):
        if "normal" in name:
            np.testing.assert_allclose(mine, wanted, rtol=1e-5, atol=1e-5)
        else:
            np.testing.assert_array_equal(mine, wanted)


LEGACY: dict[str, Callable[[Any, Any], Any]] = {
    "uniform": lambda tf, s: tf.random.uniform([3, 5], seed=s),
    "uniform_range": lambda tf, s: tf.random.uniform([3], -2, 5.0, seed=s),
    "uniform_int": lambda tf, s: tf.random.uniform([3, 5], -2, 5, dtype=tf.int32, seed=s),
    "uniform_half": lambda tf, s: tf.random.uniform([7], dtype=tf.float16, seed=s),
    "normal": lambda tf, s: tf.random.normal([3, 5], 2.0, 3.0, seed=s),
    "truncated_normal": lambda tf, s: tf.random.truncated_normal([3, 5], seed=s),
    "gamma": lambda tf, s: tf.random.gamma([3], [0.5, 1.0, 2.0], [[1.0], [2.0]], seed=s),
    "poisson": lambda tf, s: tf.random.poisson([3], [0.5, 12.0], seed=s),
    "categorical": lambda tf, s: tf.random.categorical([[0.5, 1.2], [3.0, 4.0]], 5, seed=s),
    "shuffle": lambda tf, s: tf.random.shuffle(np.arange(11), seed=s),
    "shuffle_rows": lambda tf, s: tf.random.shuffle(np.arange(22).reshape(11, 2), seed=s),
}


@pytest.mark.parametrize("name", LEGACY)
def test_stateful(name: str) -> None:
    exact(name)


def generator_draws(tf: Any) -> list[Any]:
    kind = tf.random.Generator
    g = kind.from_seed(5)
    found = [
        g.uniform([3]),
        g.uniform([2, 2], 1, 9, dtype=tf.int32),
        g.uniform([3], None, None, dtype=tf.int32),
        g.uniform_full_int([3], dtype=tf.int32),
        g.normal([5], 1.0, 2.0),
        g.truncated_normal([5]),
        g.binomial([4], 30.0, 0.5),
        g.binomial([5, 2], [3.0, 90.0], 0.2),
        g.uniform([1]),
        *[one.normal([3]) for one in g.split(3)],
        g.uniform([2]),
    ]
    g.skip(7)
    found.append(g.uniform([2]))
    g.reset_from_seed(3)
    found.append(g.uniform([2]))
    g.reset([2**40, 3, 2**63 - 1])
    found.append(g.uniform([2]))
    g.reset_from_key_counter(2, [-1, -1])
    found.append(g.uniform([12]))
    others = [
        kind(g),
        kind.from_state(g.state, "philox"),
        kind.from_key_counter(1, [2, 3], "philox"),
        *[kind.from_seed(s) for s in ([1, 2], [1, 2, 3, 4], 2**70 + 5, -1)],
        kind.from_seed(3, tf.random.Algorithm.AUTO_SELECT),
    ]
    return found + [other.uniform([2]) for other in others]


def test_generator() -> None:
    for mine, wanted in zip(generator_draws(tfpy), generator_draws(tensorflow), strict=True):
        compare(mine, wanted, 1e-5, "generator")


def test_generator_state_has_tensorflows_numbers() -> None:
    mine, wanted = (lib.random.Generator.from_seed(2**70 + 5) for lib in (tfpy, tensorflow))
    for generator in (mine, wanted):
        generator.normal([3, 4])
    words = mine.state.numpy().astype(np.int32).view(np.int64)
    np.testing.assert_array_equal(words, wanted.state.numpy())
    seeds = [lib.random.Generator.from_seed(1).make_seeds(2).numpy() for lib in (tfpy, tensorflow)]
    np.testing.assert_array_equal(seeds[0], seeds[1].astype(np.int32))


@same
def test_global_generator(tf: Any) -> Any:
    tf.random.set_global_generator(tf.random.Generator.from_seed(1))
    return [tf.random.get_global_generator().uniform([2]) for _ in range(2)]


def test_non_deterministic() -> None:
    kind = tfpy.random.Generator
    first, second = (kind.from_non_deterministic_state().uniform([4]).numpy() for _ in range(2))
    assert (first != second).all()


@same
def test_refused(tf: Any) -> Any:
    r = tf.random
    calls = [
        lambda: r.stateless_uniform([2], [1]),
        lambda: r.stateless_uniform([2], [1.0, 2.0]),
        lambda: r.stateless_uniform([2], [1, 2, 3]),
        lambda: r.stateless_uniform([2], SEED, 5, 5, tf.int32),
        lambda: r.stateless_uniform([2], SEED, 5, dtype=tf.int32),
        lambda: r.stateless_uniform([2], SEED, 1.5, 5, dtype=tf.int32),
        lambda: r.stateless_uniform([-2], SEED),
        lambda: r.uniform([2], dtype=tf.int32),
        lambda: r.uniform([2], 6, 5, dtype=tf.int32),
        lambda: r.uniform([2], dtype=tf.bool),
        lambda: r.stateless_gamma([4], SEED, [0.5, 1.0, 2.0]),
        lambda: r.categorical([1.0, 2.0], 3),
        lambda: r.Generator.from_seed(5).uniform([2], dtype=tf.int32),
        lambda: r.Generator.from_state([1, 2], 1),
        lambda: r.Generator.from_seed(1, "other"),
        lambda: r.Generator.from_seed(1, "threefry").normal([2]),
        lambda: r.Generator.from_seed(5).binomial([3], [10.0], [0.5]),
    ]
    classes = []
    for call in calls:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - compared with TensorFlow's
            call()
        classes.append(type(caught.value).__name__)
    return classes


def test_tensorflow_js_names() -> None:
    drawn = tfpy.multinomial([0.1, 0.0, 0.9], 50, seed=3, normalized=True).numpy()
    assert drawn.shape == (50,)
    assert set(drawn.tolist()) <= {0, 2}
    assert tfpy.multinomial([[0.1, 0.9]], 5).shape == (1, 5)
    values = iter(range(6))
    assert tfpy.rand([2, 3], lambda: next(values)).numpy().tolist() == [[0, 1, 2], [3, 4, 5]]


@same
def test_shapes_and_dtypes(tf: Any) -> Any:
    tensors = [
        tf.random.uniform([3]),
        tf.random.uniform([3], maxval=5, dtype=tf.int32),
        tf.random.uniform([], -1.0, 1.0),
        tf.random.normal([3, 2]),
        tf.random.normal([0]),
        tf.random.truncated_normal([4]),
        tf.random.shuffle([1, 2, 3]),
        tf.random.shuffle([[1.0, 2.0], [3.0, 4.0]]),
    ]
    return [(t.shape, t.dtype) for t in tensors]


@same
def test_seeds(tf: Any) -> Any:
    """Check which draws are equal."""

    def draw(seed: int | None = None) -> Any:
        return tf.random.uniform([8], seed=seed).numpy().tolist()

    tf.random.set_seed(1)
    first, second, named = draw(), draw(), draw(5)
    tf.random.set_seed(1)
    again, other = draw(), draw()
    tf.random.set_seed(2)
    changed = draw()
    tf.random.set_seed(1)
    fifth = draw(5)
    tf.random.set_seed(1)
    sixth = draw(6)
    return [
        first == again,
        second == other,
        first == second,
        named == first,
        changed == first,
        fifth == sixth,
    ]


def test_ranges() -> None:
    tfpy.random.set_seed(0)
    x = tfpy.random.uniform([1000], -2.0, 3.0).numpy()
    assert x.min() >= -2
    assert x.max() < 3
    assert x.std() > 1
    n = tfpy.random.uniform([1000], -2, 3, dtype=tfpy.int32).numpy()
    assert set(n.tolist()) == {-2, -1, 0, 1, 2}
    t = tfpy.random.truncated_normal([10000], mean=1.0, stddev=2.0).numpy()
    assert abs(t - 1).max() <= 4
    assert t.mean() == pytest.approx(1, abs=0.1)


def test_shuffle_keeps_rows() -> None:
    rows = tfpy.random.shuffle(tfpy.reshape(tfpy.range(100), [50, 2]), seed=3).numpy()
    assert (rows[:, 1] - rows[:, 0] == 1).all()
    assert sorted(rows[:, 0].tolist()) == list(range(0, 100, 2))
    assert rows[:, 0].tolist() != list(range(0, 100, 2))
