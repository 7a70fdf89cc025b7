"""Conditionals."""

# ruff: noqa: SIM108 - they show what Python has

from __future__ import annotations

from autograph.programs.registry import program


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
