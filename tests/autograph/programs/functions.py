"""Functions, objects and other Python features around control flow."""

# ruff: noqa: SIM108, B007 - they show what Python has

from __future__ import annotations

import contextlib
from typing import Any

from autograph.programs.registry import program


@program([1.0], [-1.0])
def calls_a_function(tf, x):
    def double_if_positive(v):
        if v > 0:
            return v * 2
        return v

    return double_if_positive(x) + double_if_positive(-x)


@program([3], [0])
def calls_from_a_loop(tf, n):
    def step(total, i):
        if i % 2 == 0:
            total = total + i
        else:
            total = total - i
        return total

    total = 0
    for i in tf.range(n):
        total = step(total, i)
    return total


@program([1.0], [-1.0])
def lambda_with_ternary(tf, x):
    absolute = lambda v: v if v > 0 else -v  # noqa: E731
    return absolute(x)


@program([1.0], [-3.0])
def default_arguments(tf, x):
    def scaled(v, factor=2.0, *, offset=1.0):
        if v > 0:
            v = v * factor
        return v + offset

    return scaled(x) + scaled(x, 3.0, offset=0.5)


@program([1.0], [-1.0])
def closure(tf, x):
    count = x * 3

    def inner(v):
        if v > 0:
            return v + count
        return v - count

    return inner(x)


class Counter:
    """An object with a tensor as an attribute."""

    def __init__(self, start: Any) -> None:
        self.total = start

    def add(self, v: Any) -> Any:
        if v > 0:
            self.total = self.total + v
        return self.total


@program([1.0], [-1.0])
def attribute_in_branch(tf, x):
    counter = Counter(x)
    counter.add(x)
    return counter.total


@program([[1.0, -2.0, 3.0]])
def attribute_in_loop(tf, x):
    counter = Counter(tf.constant(0.0))
    for v in x:
        counter.total = counter.total + v
    return counter.total


@program([1.0], [-1.0])
def item_in_branch(tf, x):
    d = {"y": x}
    if x > 0:
        d["y"] = x * 3
    return d["y"]


class Base:
    def scale(self, x: Any) -> Any:
        if x > 0:
            return x * 2
        return x


class Derived(Base):
    __offset = 5.0

    def scale(self, x: Any) -> Any:
        y = super().scale(x)
        if y > 1:
            y = y + self.__offset
        return y

    def __call__(self, x: Any) -> Any:
        if x > 0:
            return self.scale(x)
        return -x


@program([1.0], [-1.0])
def methods_and_super(tf, x):
    return Derived()(x)


@program([3], [5])
def recursion_unrolled(tf, n):
    def power(x, k):
        if k == 0:
            return tf.ones_like(x)
        return x * power(x, k - 1)

    return power(n, 4)


@program([1.0], [-1.0])
def with_statement(tf, x):
    with contextlib.nullcontext():
        if x > 0:
            return x
        y = x * 2
    return y


@program([1.0])
def try_statement(tf, x):
    try:
        if x > 0:
            y = x + 1
        else:
            y = x
    finally:
        z = x
    return y, z


@program([2.0], [-2.0])
def loop_in_branch(tf, x):
    if x > 0:
        for i in tf.range(3):
            x = x * 2
    else:
        while x < 10:
            x = x + 3
    return x


@program([5], [12])
def early_return_after_loop(tf, n):
    total = 0
    for i in tf.range(n):
        total += i
        if total > 20:
            break
    if total > 20:
        return -total
    return total


@program([7], [9], [2])
def is_prime(tf, n):
    prime = True
    i = tf.constant(2)
    while i * i <= n:
        if n % i == 0:
            prime = False
            break
        i += 1
    return prime


@program([[5, 3, 8, 1]])
def bubble(tf, x):
    n = tf.size(x)
    for i in tf.range(n):
        for j in tf.range(n - 1):
            a, b = x[j], x[j + 1]
            if a > b:
                x = tf.tensor_scatter_nd_update(x, [[j], [j + 1]], [b, a])
    return x


@program([2.0], [10.0])
def newton(tf, x):
    guess = x
    error = tf.constant(1.0)
    while error > 1e-3:
        better = 0.5 * (guess + x / guess)
        error = tf.abs(better - guess)
        guess = better
    return guess


@program([15], [3])
def fizzbuzz(tf, n):
    fizz, buzz, both = 0, 0, 0
    for i in tf.range(1, n + 1):
        if i % 3 == 0:
            if i % 5 == 0:
                both += 1
            else:
                fizz += 1
        elif i % 5 == 0:
            buzz += 1
    return fizz, buzz, both


@program([1.0], [-1.0])
def walrus(tf, x):
    if (y := x * 2) > 0:
        return y
    return y - 1


@program([1.0], [-1.0])
def augmented(tf, x):
    y = x
    if x > 0:
        y += 1
        y *= 2
    else:
        y -= 1
    return y


@program([4])
def comprehension(tf, n):
    parts = [n * i for i in range(3)]
    if n > 3:
        parts = [p + 1 for p in parts]
    return parts


@program([[1.0, 2.0, 3.0]])
def any_all_max(tf, x):
    if tf.reduce_any(x > 2) and not tf.reduce_all(x > 2):
        return max(x[0], x[1])
    return min(x[0], x[1])


@program([4.0], [-4.0])
def int_and_float(tf, x):
    n = int(x)
    if n > 0:
        return float(n) / 2.0
    return x


@program([1.0], [-1.0])
def cond_api(tf, x):
    y = tf.cond(x > 0, lambda: x * 2, lambda: x - 1)
    return tf.switch_case(tf.cast(x > 0, tf.int32), [lambda: y, lambda: y * 10])


@program([1.0], [5.0], [-1.0])
def case_api(tf, x):
    return tf.case([(x > 3, lambda: x * 3), (x > 0, lambda: x * 2)], default=lambda: -x)


@program([3], [0])
def while_api(tf, n):
    return tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), (0, 0))


@program([[1.0, 2.0, 3.0]])
def loops_over_rows(tf, x):
    return (
        tf.map_fn(lambda v: v * v, x),
        tf.scan(lambda a, v: a * v + 1, x),
        tf.scan(lambda a, v: a * v, x, reverse=True),
        tf.foldl(lambda a, v: a - v, x),
        tf.foldr(lambda a, v: a - v, x),
    )
