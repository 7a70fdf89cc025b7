"""Compiled functions: signatures, retracing, concrete functions, and permitted contents."""

# ruff: noqa: SIM108 - the programs use Python's statements

from __future__ import annotations

import collections
import functools
from typing import Any

import numpy as np
from guides.printed import attempts, prints_the_same


@prints_the_same
def test_input_signature(tf: Any, print: Any) -> None:
    p = attempts(print)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def double(x: Any) -> Any:
        return x * 2

    one = tf.constant([1.0])
    p(lambda: double(one), lambda: double([1.0, 2.0]), lambda: double(np.ones(2, np.float32)))
    p(lambda: double(tf.constant([1])), lambda: double(tf.constant([[1.0]])), lambda: double())
    p(lambda: double(x=one), lambda: double(one, 2), lambda: double(y=1), lambda: double("a"))
    p(double.input_signature)

    number = tf.TensorSpec([], tf.float32)

    @tf.function(input_signature=[number, number])
    def add(x: Any, y: Any = 3.0) -> Any:
        return x + y

    p(lambda: add(1.0), lambda: add(1.0, 2.0), lambda: add(1.0, y=5.0), lambda: add(y=1.0, x=2.0))

    @tf.function(input_signature=[number])
    def with_default(x: Any, y: Any = 3.0) -> Any:
        return x + y

    p(lambda: with_default(1.0), lambda: with_default(1.0, 2.0), lambda: with_default(1.0, 3.0))

    @tf.function(input_signature=[[number, tf.TensorSpec([2])], {"a": tf.TensorSpec([], tf.int32)}])
    def nested(pair: Any, named: Any) -> Any:
        return pair[0] * pair[1], named["a"]

    p(lambda: nested([1.0, [1.0, 2.0]], {"a": 3}), lambda: nested([1.0], {"a": 3}))
    p(lambda: nested((1.0, [1.0, 2.0]), {"a": 3}), lambda: nested([1.0, [1.0, 2.0]], {"b": 3}))
    p(lambda: tf.function(input_signature=[3])(lambda x: x)(1))
    p(lambda: tf.function(input_signature=[number, number])(lambda x: x)(1.0, 2.0))


@prints_the_same
def test_retracing(tf: Any, print: Any) -> None:
    @tf.function
    def f(x: Any, k: Any = 1) -> Any:
        print("tracing", x if not tf.is_tensor(x) else x.shape, k)
        return x * k

    for x in (tf.constant(1.0), tf.constant(2.0), 1.0, 2.0, tf.constant([1.0]), np.float32(3.0)):
        f(x)
    f(tf.constant(1.0), 2.0)
    f(tf.constant(1.0), k=2.0)
    f(x=tf.constant(1.0))
    print(f.experimental_get_tracing_count())

    @tf.function
    def nests(x: Any) -> Any:
        print("tracing")
        return tf.nest.map_structure(lambda t: t * 2, x)

    for x in ([1, 2], [1, 2], [1, 3], (1, 2), {"a": tf.constant(1)}, {"a": tf.constant(5)}):
        print(nests(x))


@prints_the_same
def test_arguments(tf: Any, print: Any) -> None:
    p = attempts(print)

    @tf.function
    def spread(*args: Any, **kwargs: Any) -> Any:
        return [a * 2 for a in args], {k: v + 1 for k, v in kwargs.items()}

    one, two = tf.constant(1), tf.constant(2)
    p(spread(one, two, a=one, b=4), spread(), spread(a=one))

    @tf.function
    def keyword(x: Any, *, y: Any = 2) -> Any:
        return x + y

    p(keyword(one), keyword(one, y=3), lambda: keyword(one, 3))
    point = collections.namedtuple("point", "a b")

    @tf.function
    def tuples(x: Any) -> Any:
        ordered = collections.OrderedDict([("z", x), ("a", x * 2)])
        return point(x, x + 1), ordered, None, 3, "a", [x, [x]], (x,), {}

    p(tuples(one))
    p(tf.function(lambda q: q.a * q.b)(point(2, one)))
    p(tf.function(functools.partial(lambda a, b: a - b, tf.constant(5)))(two))
    p(lambda: tf.function(lambda x: object())(one))

    class Methods:
        def __init__(self) -> None:
            self.v = tf.Variable(1.0)

        @tf.function
        def add(self, x: Any) -> Any:
            print("tracing add")
            self.v.assign_add(x)
            return self.v * 1

        @staticmethod
        @tf.function
        def thrice(x: Any) -> Any:
            return x * 3

        def __call__(self, x: Any) -> Any:
            return x * 7

    m, n = Methods(), Methods()
    p(
        m.add(one * 1.0 if False else 1.0),
        m.add(1.0),
        n.add(2.0),
        m.thrice(one),
        Methods.thrice(two),
    )
    p(tf.function(m)(one))
    options = {"jit_compile": True, "reduce_retracing": True, "experimental_relax_shapes": True}
    for name, value in options.items():
        p(tf.function(lambda x: x + 1, **{name: value})(one))
    p(lambda: tf.function(lambda x: x, unknown=1))


@prints_the_same
def test_concrete_functions(tf: Any, print: Any) -> None:
    p = attempts(print)

    @tf.function
    def f(x: Any, y: Any) -> Any:
        return {"s": x + y, "d": [x - y, (x,)]}

    spec = tf.TensorSpec([2], tf.float32)
    c = f.get_concrete_function(spec, spec)
    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    p(c(a, b), c(x=a, y=b), c([1.0, 2.0], [3.0, 4.0]))
    p(c.structured_outputs, c.structured_input_signature, c.output_shapes, c.output_dtypes)
    p([i.name for i in c.inputs], [o.shape for o in c.outputs])
    p(lambda: c(tf.constant([1.0, 2.0, 3.0]), b), lambda: c(tf.constant([1, 2]), b))
    p(lambda: c(a), lambda: c(a, 1, 2))
    v, w = tf.Variable(2.0, name="v"), tf.Variable(1.0, trainable=False, name="w")
    c = tf.function(lambda x: x * v + w).get_concrete_function(tf.TensorSpec([], tf.float32))
    p([x.name for x in c.variables], [x.name for x in c.trainable_variables], c(1.0))


@prints_the_same
def test_specs(tf: Any, print: Any) -> None:
    p = attempts(print)
    s = tf.TensorSpec([None, 3], tf.float32, name="x")
    p(s, s.shape, s.dtype, s.name, tf.TensorSpec(None), tf.TensorSpec(None).shape)
    p(tf.TensorSpec.from_tensor(tf.ones([2])), tf.TensorSpec.from_spec(s, name="y"))
    p(s == tf.TensorSpec([None, 3], tf.float32, name="x"), s == tf.TensorSpec([None, 3]))
    p(s.is_compatible_with(tf.ones([2, 3])), s.is_compatible_with(tf.TensorSpec([5, 4])))
    p(tf.TensorSpec([2, 3]).is_subtype_of(tf.TensorSpec([None, 3])), s.is_subtype_of(s))
    p(tf.TensorSpec([2, 3]).most_specific_compatible_type(tf.TensorSpec([4, 3])))
    p(lambda: tf.TensorSpec([2, "a"]), lambda: tf.TensorSpec([2], "foo"), lambda: tf.TensorSpec(2))
    p(lambda: tf.TensorSpec([-1]), lambda: tf.TensorSpec([1], minimum=2))
    shape, unknown = tf.TensorShape([2, None, 3]), tf.TensorShape(None)
    p(unknown, str(unknown), unknown.rank, lambda: len(unknown), lambda: list(unknown))
    p(lambda: unknown.as_list(), unknown[0], bool(unknown), bool(tf.TensorShape([])))
    p(shape.merge_with(unknown), shape.concatenate(unknown), unknown.merge_with([1]))
    p(shape.most_specific_compatible_shape([2, 4, 3]), shape.is_subtype_of(unknown))
    p(shape == unknown, unknown == shape, shape.is_compatible_with(None))
    p(tf.TensorShape(3), tf.TensorShape([tf.constant(2)]), lambda: tf.TensorShape([1.5]))


@prints_the_same
def test_symbolic_tensors(tf: Any, print: Any) -> None:
    p = attempts(print)
    box = []

    @tf.function(autograph=False)
    def f(x: Any) -> Any:
        box.append(x * 2)
        p(lambda: bool(x), lambda: int(x), lambda: float(x), lambda: x.numpy(), lambda: list(x))
        p(lambda: np.asarray(x), lambda: [1, 2][x], lambda: hash(x), lambda: range(x))
        p(lambda: str(x), x, f"{x}", x.shape, x.dtype, x.name, x == None, isinstance(x, tf.Tensor))  # noqa: E711
        return x

    f(tf.constant(1))
    p(lambda: box[0] + 1, lambda: box[0].numpy(), lambda: bool(box[0]))
    p(lambda: tf.function(lambda y: y + box[0])(tf.constant(1)))


@prints_the_same
def test_scopes(tf: Any, print: Any) -> None:
    @tf.function
    def f(x: Any) -> Any:
        print(tf.executing_eagerly(), tf.inside_function())
        with tf.init_scope():
            print(tf.executing_eagerly())
            a = tf.constant(3) + 4
            print(a)
        return x + a

    print(f(tf.constant(1)), tf.executing_eagerly(), tf.inside_function())
    tf.config.run_functions_eagerly(True)
    try:
        print(f(tf.constant(1)), tf.config.functions_run_eagerly())
    finally:
        tf.config.run_functions_eagerly(False)


@prints_the_same
def test_what_is_not_run_does_not_fail(tf: Any, print: Any) -> None:
    p = attempts(print)
    x = tf.constant([1.0, 2.0])

    def unused(x: Any) -> Any:
        tf.gather(x, [5])
        tf.gather_nd(x, [[9]])
        tf.scatter_nd([[9]], [1.0], [2])
        tf.tensor_scatter_nd_update(x, [[9]], [1.0])
        tf.strings.to_number("a")
        tf.linalg.inv([[0.0, 0.0], [0.0, 0.0]])
        return x

    def in_a_branch(x: Any, c: Any) -> Any:
        return tf.gather(tf.constant([1.0, 2.0]), [5]) if c else x[:1]

    p(lambda: tf.function(unused)(x))
    p(lambda: tf.function(in_a_branch)(x, tf.constant(False)))
    p(lambda: tf.function(in_a_branch)(x, tf.constant(True)))
    p(lambda: tf.function(lambda x: x + tf.linalg.inv([[0.0, 0.0], [0.0, 0.0]]))(x))


@prints_the_same
def test_gradients_of_what_was_traced(tf: Any, print: Any) -> None:
    p = attempts(print)
    x = tf.constant([3.0, 4.0])

    def stopped(x: Any) -> Any:
        y = x * x
        ones = [tf.ones([2]), tf.ones([2])]
        return tf.gradients([y, y * x], [x, y], grad_ys=ones, stop_gradients=[y])

    p(lambda: tf.gradients(x, x), lambda: tf.hessians(x, x))
    p(tf.function(lambda x: tf.gradients(x * x, x))(x), tf.function(stopped)(x))
    p(tf.function(lambda x: tf.gradients(x, [x, tf.constant(1.0)])[0])(x))
    p(tf.function(lambda x: tf.hessians(tf.reduce_sum(x * x * x), x))(x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.grad_pass_through(lambda a: tf.round(a * 3))(x)
    p(y, tape.gradient(y, x))


@prints_the_same
def test_random_numbers(tf: Any, print: Any) -> None:
    tf.random.set_seed(1234)

    @tf.function
    def f() -> Any:
        return tf.random.uniform([1]), tf.random.uniform([1]), tf.random.normal([2], seed=3)

    @tf.function
    def g(x: Any, c: Any) -> Any:
        drawn = tf.random.truncated_normal([3]), tf.random.shuffle(x), tf.nn.dropout(x, 0.5)
        if c:
            w = tf.random.uniform([2])
        else:
            w = tf.random.normal([2])
        return drawn, f(), f(), w

    x = tf.range(5.0)
    for _ in range(2):
        print(f())
        print(g(x, tf.constant(True)))
    tf.random.set_seed(7)
    print(f())
    print([tf.random.shuffle(tf.range(9), seed=3).numpy() for _ in range(3)])
    generator = tf.random.Generator.from_seed(3)
    draw = tf.function(lambda: generator.normal([2]))
    print(tf.function(lambda: (draw(), draw()))(), draw(), generator.normal([1]))
