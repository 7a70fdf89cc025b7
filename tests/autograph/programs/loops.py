"""Loops, and TensorArrays that loops fill."""

# ruff: noqa: SIM108 - they show what Python has

from __future__ import annotations

from autograph.programs.registry import program

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
