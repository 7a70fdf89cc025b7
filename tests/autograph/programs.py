"""Programs with Python control flow on tensors; each is compiled by TensorFlow and by tfpy.

A program takes the module and tensors. ``inputs`` are what it is run on.
"""

# ruff: noqa: SIM108, B007 - they show what Python has

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

PROGRAMS: list[tuple[Callable[..., Any], list[list[Any]]]] = []


def program(*inputs: list[Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enters a program with the argument lists that it is run on."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((function, list(inputs)))
        return function

    return enter


# if


@program([1.0], [-1.0])
def if_else(tf, x):
    if x > 0:
        y = x * 2
    else:
        y = x - 1
    return y


@program([1.0], [-1.0])
def if_without_else(tf, x):
    if x > 0:
        x = x * x
    return x


@program([1.0], [-1.0], [7.0])
def elif_chain(tf, x):
    if x < 0:
        y = -x
    elif x < 5:
        y = x + 10
    elif x < 6:
        y = x + 20
    else:
        y = x + 30
    return y


@program([1.0, 2.0], [-1.0, 2.0], [-1.0, -2.0])
def nested_ifs(tf, x, y):
    if x > 0:
        if y > 0:
            z = x + y
        else:
            z = x - y
    else:
        z = y
        if y > 0:
            z = z * 3
    return z


@program([1.0], [-1.0])
def early_return(tf, x):
    if x > 0:
        return x * 10
    return -x


@program([1.0], [-1.0], [20.0])
def returns_in_branches(tf, x):
    if x > 0:
        if x > 10:
            return x
        x = x + 1
    else:
        return x * 5
    return x * 7


@program([1.0], [-1.0])
def several_values(tf, x):
    a, b = x, x + 1
    if x > 0:
        a, b = b, a
        c = a + b
    else:
        c = a * b
    return a, b, c


@program([1.0], [-1.0])
def branch_locals(tf, x):
    if x > 0:
        t = x * 2
        y = t + 1
    else:
        u = x * 3
        y = u - 1
    return y


@program([1.0], [-1.0])
def python_condition(tf, x):
    flag = True
    if flag:
        y = x
    else:
        y = "never"
    return y


@program([1.0], [-1.0])
def nest_in_branches(tf, x):
    if x > 0:
        d = {"a": x, "b": (x, x + 1)}
    else:
        d = {"a": -x, "b": (x, x - 1)}
    return d["a"], d["b"][1]


@program([1.0], [-1.0], [3.0])
def ternary(tf, x):
    return x * 2 if x > 0 else x - 3


@program([1.0], [3.0], [7.0])
def nested_ternary(tf, x):
    return x if x < 2 else (x * 10 if x < 5 else x * 100)


@program([1.0, 2.0], [1.0, -2.0], [-1.0, 2.0])
def and_or_not(tf, x, y):
    if x > 0 and y > 0:
        return x + y
    if x > 0 or not y < 0:
        return x - y
    return x * y


@program([1.0], [2.0], [3.0])
def comparison_chain(tf, x):
    if 1 < x < 3:
        return x * 10
    return x


@program([1.0], [-1.0])
def python_and_tensor(tf, x):
    ready = True
    if ready and x > 0:
        return x
    return -x


@program([3], [4])
def integer_condition(tf, n):
    if n % 2 == 0:
        n = n // 2
    else:
        n = 3 * n + 1
    return n


# while


@program([1.0], [50.0])
def while_loop(tf, x):
    while x < 10:
        x = x * 2
    return x


@program([5], [0])
def while_counts(tf, n):
    i = tf.constant(0)
    total = 0
    while i < n:
        total += i
        i += 1
    return i, total


@program([6], [7], [27])
def collatz(tf, n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@program([1.0], [20.0])
def while_break(tf, x):
    while x < 100:
        x = x * 3
        if x > 30:
            break
        x = x + 1
    return x


@program([0], [3])
def while_continue(tf, n):
    total = 0
    while n < 10:
        n += 1
        if n % 2 == 0:
            continue
        total += n
    return total


@program([10], [1])
def nested_while(tf, n):
    total = 0
    i = tf.constant(0)
    while i < n:
        j = tf.constant(0)
        while j < i:
            total += i * j
            j += 1
        i += 1
    return total


@program([1.0])
def while_python(tf, x):
    i = 0
    while i < 3:
        x = x + i
        i += 1
    return x


@program([1.0], [4.0])
def while_and(tf, x):
    i = tf.constant(0)
    while i < 10 and x < 20.0:
        x = x * 2
        i += 1
    return i, x


@program([4], [9])
def fibonacci(tf, n):
    a, b = 0, 1
    for _ in tf.range(n):
        a, b = b, a + b
    return a


# for


@program([5], [0])
def for_range(tf, n):
    total = 0
    for i in tf.range(n):
        total += i * i
    return total


@program([2, 11, 3], [5, 5, 1], [9, 0, -2])
def for_range_of_three(tf, start, limit, delta):
    total = 0
    for i in tf.range(start, limit, delta):
        total = total * 10 + i
    return total


@program([4], [2])
def for_python_range_of_tensor(tf, n):
    total = 0
    for i in range(n):
        total += i
    return total


@program([[1.0, 2.0, 3.0]])
def for_rows(tf, x):
    total = tf.constant(0.0)
    for v in x:
        total = total * 2 + v
    return total


@program([[[1.0, 2.0], [3.0, 4.0]]])
def for_vectors(tf, x):
    y = tf.zeros([2])
    for row in x:
        y = y + row * row
    return y


@program([[1.0, 5.0, 2.0, 9.0]], [[1.0, 1.0, 1.0, 1.0]])
def for_break(tf, x):
    total = tf.constant(0.0)
    for v in x:
        if v > 4:
            break
        total += v
    return total


@program([[1.0, -5.0, 2.0, -9.0]])
def for_continue(tf, x):
    total = tf.constant(0.0)
    for v in x:
        if v < 0:
            continue
        total += v
    return total


@program([[3, 1, 2]])
def for_nested(tf, x):
    total = 0
    for v in x:
        for i in tf.range(v):
            total += i + v
    return total


@program([[1.0, 2.0, 3.0]])
def for_last_item(tf, x):
    y = tf.constant(0.0)
    for v in x:
        y = v
    return y


@program([[1.0, 2.0, 3.0]])
def for_defines(tf, x):
    for v in x:
        y = v * 2
    return y


@program([3.0])
def for_python_list(tf, x):
    for factor in [1.0, 2.0, 3.0]:
        if x > factor:
            x = x * factor
    return x


@program([3.0])
def for_python_else(tf, x):
    for i in range(3):
        x = x + i
    else:
        x = x * 2
    return x


@program([[1.0, 2.0, 3.0]], [[4.0, 2.0, 3.0]])
def max_by_hand(tf, x):
    best = x[0]
    where = tf.constant(0)
    i = tf.constant(0)
    for v in x:
        if v > best:
            best = v
            where = i
        i += 1
    return best, where


# TensorArrays


@program([[1.0, 2.0, 3.0]])
def array_of_squares(tf, x):
    squares = tf.TensorArray(tf.float32, size=3)
    for i in tf.range(3):
        squares = squares.write(i, x[i] * x[i])
    return squares.stack()


@program([[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]])
def recurrent(tf, x):
    states = tf.TensorArray(tf.float32, size=3)
    state = tf.zeros([2])
    for i in tf.range(3):
        state = tf.tanh(state + x[i])
        states = states.write(i, state)
    return states.stack(), state


@program([5])
def array_read_back(tf, n):
    values = tf.TensorArray(tf.int32, size=8, clear_after_read=False, element_shape=[])
    values = values.write(0, 1).write(1, 1)
    for i in tf.range(2, 8):
        values = values.write(i, values.read(i - 1) + values.read(i - 2) + n)
    return values.stack()


@program([[1.0, -2.0, 3.0]])
def array_in_branches(tf, x):
    kept = tf.TensorArray(tf.float32, size=3, element_shape=[])
    for i in tf.range(3):
        if x[i] > 0:
            kept = kept.write(i, x[i])
        else:
            kept = kept.write(i, -10.0)
    return kept.stack()


# functions


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
    """An object whose attribute holds a tensor."""

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
