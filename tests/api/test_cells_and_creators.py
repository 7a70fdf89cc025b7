"""Wrappers of recurrent cells, creators of Variables, and gradients of operations of a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from api.same import same

import tfpy

X = np.arange(6.0, dtype=np.float32).reshape(2, 3)


def cell(tf: Any) -> Any:
    """Return a cell that runs in both libraries, and counts calls in its second state."""

    class Sum(tf.Module):
        state_size, output_size, built = [3, 3], 3, True

        def build(self, shape: Any) -> None:
            self.built = True

        def get_config(self) -> dict[str, Any]:
            return {}

        def call(self, inputs: Any, state: Any, training: bool = False) -> Any:
            scale = 2.0 if training else 1.0
            return inputs * scale + state[0], [state[0] + inputs, state[1] + 1.0]

    return Sum()


def states(tf: Any) -> list[Any]:
    return [tf.ones([2, 3]), tf.zeros([2, 3])]


@same
def test_wrapped_cells(tf: Any) -> Any:
    nn = tf.nn
    residual = nn.RNNCellResidualWrapper(cell(tf), name="sum")
    scaled = nn.RNNCellResidualWrapper(cell(tf), residual_fn=lambda x, y: y - x)
    device = nn.RNNCellDeviceWrapper(cell(tf), "/cpu:0")
    plain = nn.RNNCellDropoutWrapper(cell(tf), name="plain")
    found = [residual(X, states(tf)), scaled(X, states(tf)), device(X, states(tf))]
    found += [plain(X, states(tf)), plain(X, states(tf), training=True)]
    found += [residual.get_initial_state(batch_size=2, dtype=tf.float16)]
    found += [residual.get_initial_state(inputs=tf.constant(X))]
    config = plain.get_config()
    return [*found, residual.state_size, device.output_size, plain.built, residual.name, config]


@same
def test_dropout_of_cells(tf: Any) -> Any:
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        tf.random.set_seed(1)
        made = tf.nn.RNNCellDropoutWrapper(cell(tf), *args, seed=3, **kwargs)
        return [made(X, states(tf)), made(X, states(tf))]

    def first(state: Any) -> Any:
        return [True, False] if isinstance(state, list) else True

    return [
        wrapped(0.5, 0.6, 0.7),
        wrapped(1.0, 1.0, 0.5, dropout_state_filter_visitor=first),
        wrapped(1.0, 1.0, 0.5, dropout_state_filter_visitor=lambda s: False),
        wrapped(0.5, 0.6, 0.7, True, tf.TensorShape([3]), tf.float32),
    ]


@pytest.mark.parametrize(
    "case",
    [
        lambda tf: tf.nn.RNNCellDropoutWrapper(cell(tf), 2.0),
        lambda tf: tf.nn.RNNCellDropoutWrapper(cell(tf), variational_recurrent=True),
        lambda tf: tf.nn.RNNCellDropoutWrapper(
            cell(tf), 0.5, variational_recurrent=True, dtype=tf.float32
        ),
        lambda tf: tf.nn.RNNCellDropoutWrapper(cell(tf), dropout_state_filter_visitor=3),
        lambda tf: tf.nn.RNNCellResidualWrapper(3),
        lambda tf: tf.nn.RNNCellResidualWrapper(cell(tf))(np.ones([2, 3, 1], "f"), states(tf)),
        lambda tf: tf.RegisterGradient(3),
        lambda tf: tf.Graph().gradient_override_map({"Relu": 3}).__enter__(),
        lambda tf: tf.Graph().gradient_override_map([]).__enter__(),
        lambda tf: tf.RegisterGradient("Identity")(len),
    ],
)
def test_errors(case: Any) -> None:
    import tensorflow

    raised = []
    for tf in (tfpy, tensorflow):
        with pytest.raises(Exception) as error:  # noqa: PT011 - the classes are compared
            case(tf)
        raised.append(error.type.__name__)
    assert raised[0] == raised[1]


@same
def test_creators(tf: Any) -> Any:
    found: list[Any] = []

    def frozen(next_creator: Any, **kwargs: Any) -> Any:
        found.append(list(kwargs))
        found.append([str(kwargs["name"]), kwargs["initial_value"], str(kwargs["dtype"])])
        return next_creator(**{**kwargs, "trainable": False})

    def named(next_creator: Any, **kwargs: Any) -> Any:
        kwargs["name"] = "named_" + (kwargs["name"] or "")
        return next_creator(**kwargs)

    with tf.variable_creator_scope(frozen):
        a = tf.Variable(1.0, name="a")
        with tf.variable_creator_scope(named):
            b = tf.Variable(2.0, dtype=tf.float16)
    with tf.variable_creator_scope(lambda next_creator, **kwargs: 5):
        other = tf.Variable(3.0)
    free = tf.Variable(4.0)
    return [found, [v.name for v in (a, b, free)], [v.trainable for v in (a, b, free)], a, other]


def test_an_error_ends_a_creator() -> None:
    with pytest.raises(TypeError), tfpy.variable_creator_scope(lambda make: make()):
        tfpy.Variable(1.0)
    assert tfpy.Variable(1.0).trainable


def registered(tf: Any, name: str) -> None:
    @tf.RegisterGradient(name)
    def gradient(op: Any, grad: Any) -> Any:
        return tf.where(op.outputs[0] > 0.0, grad * 10.0 * op.inputs[0], -1.0)


@same
def test_gradients_of_operations(tf: Any) -> Any:
    registered(tf, "TestGradientOfRelu")
    tf.no_gradient("TestNoGradient")
    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [3])
        plain = tf.nn.relu(x)
        with graph.gradient_override_map({"Relu": "TestGradientOfRelu", "Sign": "Identity"}):
            y = tf.nn.relu(x, name="r")
            z = tf.sign(x) * x
            with graph.gradient_override_map({"Sign": "TestNoGradient"}):
                none = tf.sign(x) * x
        grads = [tf.gradients(value, x)[0] for value in (plain, y, z, none)]
        with v1.Session() as sess:
            return [y.op.type, sess.run([y, z, *grads], {x: [2.0, -3.0, 0.5]})]


@same
def test_gradients_of_known_values(tf: Any) -> Any:
    with tf.Graph().as_default():
        x = tf.constant(2.0)
        y = x * x
        grads = [tf.gradients(y, x)[0], tf.gradients(tf.nn.relu(x) * y, x)[0]]
        with tf.compat.v1.Session() as sess:
            return sess.run([*grads, y])


def test_gradients_that_are_not_registered() -> None:
    with tfpy.Graph().as_default() as graph:
        x = tfpy.constant(2.0)
        with graph.gradient_override_map({"Relu": "Nowhere"}):
            y = tfpy.nn.relu(x)
        with pytest.raises(LookupError, match="Nowhere"):
            tfpy.compat.v1.Session().run(tfpy.gradients(y, x))

    @tfpy.function
    def traced() -> None:
        with tfpy.compat.v1.get_default_graph().gradient_override_map({}):
            pass

    with pytest.raises(NotImplementedError, match=r"tf\.custom_gradient"):
        traced()


@same
def test_names(tf: Any) -> Any:
    with tf.name_scope("a"), tf.name_scope("b"):
        inner = tf.get_current_name_scope()
    logger = tf.get_logger()
    same_logger = logger is tf.compat.v1.get_logger()
    return [inner, tf.get_current_name_scope(), logger.name, same_logger]
