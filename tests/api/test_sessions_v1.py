"""Iterators, monitored sessions, recurrent networks and small functions of ``tf.compat.v1``."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
from api.same import error, same

ROWS = np.arange(15, dtype=np.float32).reshape(5, 3) / 10


def _until_end(tf: Any, call: Callable[[], Any]) -> list[Any]:
    found = []
    try:
        while True:
            found.append(call())
    except tf.errors.OutOfRangeError:
        return [*found, "end"]


@same
def test_one_shot_iterator(tf: Any) -> Any:
    data = tf.compat.v1.data
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        numbers = tf.data.Dataset.from_tensor_slices({"a": ROWS, "b": [*range(5)]})
        dataset = numbers.map(lambda x: (x["a"] * 2.0, x["b"])).batch(2)
        iterator = data.make_one_shot_iterator(dataset)
        x, y = iterator.get_next()
        total = tf.reduce_sum(x) + tf.cast(tf.reduce_sum(y), tf.float32)
        kinds = [f(dataset) for f in (data.get_output_types, data.get_output_shapes)]
        name = iterator.get_next("again")[0].name
        return [_until_end(tf, lambda: sess.run([x, total])), kinds, name, x.shape]


@same
def test_initializable_iterator_of_placeholders(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default(), one.Session() as sess:
        x = one.placeholder(tf.float32, [None, 3])
        size = one.placeholder(tf.int64, [])
        dataset = one.data.Dataset.from_tensor_slices(x).map(lambda row: row + 1.0).batch(size)
        iterator = dataset.make_initializable_iterator()
        rows = iterator.get_next()
        found: list[Any] = [error(lambda: sess.run(rows)), dataset.output_shapes]
        for n in (2, 3):
            sess.run(iterator.initializer, {x: ROWS, size: n})
            found.append(_until_end(tf, lambda: sess.run(tf.reduce_sum(rows))))
        refused = error(lambda: one.data.make_one_shot_iterator(dataset))
        return [*found, error(lambda: sess.run(iterator.initializer)), refused]


@same
def test_reinitializable_and_feedable_iterators(tf: Any) -> Any:
    data = tf.compat.v1.data
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 12)
        kinds = data.get_output_types(a), data.get_output_shapes(a)
        either = data.Iterator.from_structure(*kinds)
        starts = [either.make_initializer(dataset) for dataset in (a, b)]
        number = either.get_next()
        found = []
        for start in starts:
            sess.run(start)
            found.append(_until_end(tf, lambda: sess.run(number)))
        handle = tf.compat.v1.placeholder(tf.string, [])
        fed = data.Iterator.from_string_handle(handle, *kinds).get_next()
        one, two = (data.make_one_shot_iterator(dataset) for dataset in (a, b))
        handles = sess.run([one.string_handle(), two.string_handle()])
        found.append([sess.run(fed, {handle: handles[i]}) for i in (0, 1, 0)])
        wrong = tf.data.Dataset.from_tensors("text")
        return [*found, error(lambda: either.make_initializer(wrong))]


def _trained(tf: Any, folder: str, hooks: Callable[[Any, Any], list[Any]]) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default():
        w = one.get_variable("w", [], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(w * [1.0, 2.0] - [2.0, 4.0]))
        one.summary.scalar("loss", loss)
        step = one.train.get_or_create_global_step()
        train = one.train.GradientDescentOptimizer(0.05).minimize(loss, global_step=step)
        found = []
        with one.train.MonitoredTrainingSession(
            checkpoint_dir=folder,
            save_checkpoint_steps=4,
            save_summaries_steps=2,
            log_step_count_steps=None,
            hooks=hooks(one.train, loss),
        ) as sess:
            while not sess.should_stop():
                found.append(sess.run([train, loss])[1])
        return found


@same
def test_monitored_training(tf: Any) -> Any:
    train, seen = tf.compat.v1.train, []

    class Recorder(train.SessionRunHook):  # type: ignore[misc]
        def __init__(self, loss: Any) -> None:
            self.loss = loss

        def begin(self) -> None:
            seen.append("begin")

        def after_create_session(self, session: Any, coord: Any) -> None:
            seen.append(type(coord).__name__)

        def before_run(self, run_context: Any) -> Any:
            return train.SessionRunArgs(self.loss)

        def after_run(self, run_context: Any, run_values: Any) -> None:
            seen.append(float(np.round(run_values.results, 3)))

        def end(self, session: Any) -> None:
            seen.append(int(session.run(train.get_global_step())))

    def hooks(train: Any, loss: Any) -> list[Any]:
        return [train.StopAtStepHook(num_steps=5), train.NanTensorHook(loss), Recorder(loss)]

    with tempfile.TemporaryDirectory() as folder:
        first = _trained(tf, folder, hooks)
        second = _trained(tf, folder, hooks)
        kept = sorted(name for name in os.listdir(folder) if name.endswith(".index"))
        (events, *_) = sorted(name for name in os.listdir(folder) if "tfevents" in name)
        path = os.path.join(folder, events)
        tags = [
            (event.step, value.tag)
            for event in train.summary_iterator(path)
            for value in event.summary.value
        ]
    return [first, second, kept, tags, seen]


@same
def test_hooks(tf: Any) -> Any:
    one, found = tf.compat.v1, []
    with tf.Graph().as_default():
        x = one.placeholder(tf.float32, [])
        y = x * 2.0
        final = one.train.FinalOpsHook(y, {x: 5.0})
        feed = one.train.FeedFnHook(lambda: {x: 3.0})
        with one.train.MonitoredSession(hooks=[final, feed]) as sess:
            found += [sess.run(y), sess.run_step_fn(lambda step_context: 7), sess.graph.finalized]
        found += [final.final_ops_values, error(lambda: sess.run(y)) != "none"]
        nan = one.train.NanTensorHook(y, fail_on_nan_loss=False)
        with one.train.SingularMonitoredSession(hooks=[nan]) as sess:
            found += [
                sess.run(y, {x: np.nan}),
                sess.should_stop(),
                sess.raw_session().run(y, {x: 1.0}),
            ]
        with one.train.MonitoredSession(hooks=[one.train.NanTensorHook(y)]) as sess:
            found.append(error(lambda: sess.run(y, {x: np.nan})))
    train = one.train
    timer = train.SecondOrStepTimer(every_steps=3)
    found += [timer.should_trigger_for_step(0), timer.update_last_triggered_step(0)]
    found += [[timer.should_trigger_for_step(n) for n in range(5)], timer.last_triggered_step()]
    refused = [
        lambda: train.StopAtStepHook(),
        lambda: train.StopAtStepHook(1, 2),
        lambda: train.LoggingTensorHook(["a"]),
        lambda: train.SecondOrStepTimer(),
        lambda: train.StepCounterHook(None),
        lambda: train.SummarySaverHook(),
        lambda: train.CheckpointSaverHook("x", 1, saver=1, scaffold=2),
        lambda: train.Scaffold(copy_from_scaffold=3),
    ]
    return [*found, [error(call) for call in refused]]


@same
def test_initial_values_from_a_checkpoint(tf: Any) -> Any:
    one = tf.compat.v1
    with tempfile.TemporaryDirectory() as folder:
        a, b = tf.Variable([1.0, 2.0], name="a"), tf.Variable(3, name="s/b")
        path = one.train.Saver({"a": a, "s/b": b}).save(None, os.path.join(folder, "model"))
        with tf.Graph().as_default(), one.Session() as sess:
            v = one.get_variable("v", [2])
            with one.variable_scope("t"):
                w = one.get_variable("b", [], tf.int32)
            one.train.init_from_checkpoint(path, {"a": v, "s/": "t/"})
            sess.run(one.global_variables_initializer())
            values = sess.run([v, w])
            refused = [
                error(lambda: one.train.init_from_checkpoint(path, {"c": v})),
                error(lambda: one.train.init_from_checkpoint(path, {"s/b": v})),
            ]
        exists = [one.train.checkpoint_exists(p) for p in (path, path + "x")]
        one.train.remove_checkpoint(path)
        left = [one.train.checkpoint_exists(path), one.train.get_checkpoint_mtimes([path])]
        return [values, refused, exists, left]


@same
def test_uninitialized_variables_and_templates(tf: Any) -> Any:
    one = tf.compat.v1

    def scaled(x: Any, factor: float = 1.0) -> Any:
        return x * factor * one.get_variable("w", [], initializer=tf.ones_initializer())

    with tf.Graph().as_default(), one.Session() as sess:
        template = one.make_template("scale", scaled, factor=2.0)
        y, z = template(1.0), template(tf.constant(2.0))
        count = one.get_local_variable("count", [], initializer=tf.zeros_initializer())
        names = one.report_uninitialized_variables()
        check = one.assert_variables_initialized()
        before = [sess.run(names).tolist(), error(lambda: sess.run(check))]
        sess.run([one.global_variables_initializer(), one.local_variables_initializer()])
        return [
            before,
            sess.run(names).shape,
            sess.run([y, z, count]),
            [v.name for v in (*one.global_variables(), *one.local_variables())],
            [v.name for v in template.trainable_variables],
        ]


def _cell(tf: Any, units: int) -> Any:
    class Cell:
        output_size, state_size = units, (units, units)

        def zero_state(self, size: Any, dtype: Any) -> Any:
            return (tf.zeros([size, units], dtype), tf.zeros([size, units], dtype))

        def __call__(self, x: Any, state: Any, scope: Any = None) -> Any:
            c, h = state
            with tf.compat.v1.variable_scope("cell", reuse=tf.compat.v1.AUTO_REUSE):
                start = np.linspace(-1, 1, (int(x.shape[-1]) + units) * 2 * units)
                w = tf.compat.v1.get_variable(
                    "w",
                    [int(x.shape[-1]) + units, 2 * units],
                    initializer=tf.constant_initializer(start),
                )
            gate, new = tf.split(tf.matmul(tf.concat([x, h], 1), w), 2, 1)
            c = c * tf.sigmoid(gate) + tf.tanh(new)
            return tf.tanh(c), (c, tf.tanh(c))

    return Cell()


@same
def test_recurrent_networks(tf: Any) -> Any:
    one, nn = tf.compat.v1, tf.compat.v1.nn
    with tf.Graph().as_default(), one.Session() as sess:
        x = one.placeholder(tf.float32, [None, 4, 3])
        lengths = one.placeholder(tf.int32, [None])
        outputs, state = nn.dynamic_rnn(_cell(tf, 2), x, lengths, dtype=tf.float32)
        with one.variable_scope("other"):
            steps, last = nn.static_rnn(
                _cell(tf, 2), tf.unstack(x, axis=1), dtype=tf.float32, sequence_length=lengths
            )
            both, states = nn.bidirectional_dynamic_rnn(
                _cell(tf, 2), _cell(tf, 2), x, lengths, dtype=tf.float32
            )
        slopes = one.gradients(tf.reduce_sum(outputs) + tf.reduce_sum(state[0]), [x])
        weight = one.gradients(tf.reduce_sum(outputs), one.trainable_variables()[:1])
        sess.run(one.global_variables_initializer())
        fed = {x: np.linspace(-1, 1, 24).reshape(2, 4, 3), lengths: [4, 2]}
        fetches = [outputs, state, steps, last, both, states, slopes, weight]
        return [
            sess.run(fetches, fed),
            [v.name for v in one.global_variables()],
            [outputs.shape, state[0].shape[1:]],
            error(lambda: nn.dynamic_rnn(3, x, dtype=tf.float32)),
            error(lambda: nn.static_rnn(_cell(tf, 2), [], dtype=tf.float32)),
        ]


@same
def test_optimizers_with_penalties(tf: Any) -> Any:
    one, train, found = tf.compat.v1, tf.compat.v1.train, []
    makers = [
        lambda step: train.AdadeltaOptimizer(1.0, epsilon=0.01),
        lambda step: train.ProximalGradientDescentOptimizer(0.1, 0.5, 0.1),
        lambda step: train.ProximalAdagradOptimizer(0.3, 0.1, 0.2, 0.1),
        lambda step: train.FtrlOptimizer(0.5),
        lambda step: train.FtrlOptimizer(0.5, -0.3, 0.2, 0.6, 0.1, beta=0.2),
        lambda step: train.FtrlOptimizer(0.5, l2_shrinkage_regularization_strength=0.1),
        lambda step: train.AdagradDAOptimizer(0.5, step, 0.1, 0.1, 0.2),
    ]
    for make in makers:
        with tf.Graph().as_default(), one.Session() as sess:
            v = tf.Variable([1.0, -2.0, 0.05], name="v")
            step = train.get_or_create_global_step()
            optimizer = make(step)
            update = optimizer.minimize(tf.reduce_sum(v * v) / 2.0, global_step=step)
            sess.run(one.global_variables_initializer())
            for _ in range(3):
                sess.run(update)
            slots = [optimizer.get_slot(v, name) for name in optimizer.get_slot_names()]
            found.append([sess.run([v, *slots]), optimizer.get_slot_names()])
            found.append([x.name for x in one.global_variables()])
    return found


@same
def test_schedules_with_restarts(tf: Any) -> Any:
    train = tf.compat.v1.train
    makers = [
        lambda s: train.cosine_decay_restarts(0.1, s, 5),
        lambda s: train.cosine_decay_restarts(0.1, s, 5, t_mul=1.0, m_mul=0.5, alpha=0.1),
        lambda s: train.linear_cosine_decay(0.1, s, 20, alpha=0.1),
        lambda s: train.noisy_linear_cosine_decay(0.1, s, 20, initial_variance=0.0),
    ]
    eager = [[make(tf.constant(n))() for n in (0, 5, 13, 25)] for make in makers]
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        step = tf.compat.v1.placeholder(tf.int32, [])
        return [eager, sess.run([make(step) for make in makers], {step: 13})]


@same
def test_small_functions(tf: Any) -> Any:
    one = tf.compat.v1
    shape = tf.TensorShape([10, 4])
    with tf.Graph().as_default(), one.Session() as sess:
        with one.op_scope([], None, "scope"), one.colocate_with(tf.constant(1.0)):
            x = tf.constant([1.0, np.nan])
        check = one.add_check_numerics_ops()
        found = [x.name, error(lambda: sess.run(check))]
        with one.variable_op_scope([], "v") as scope:
            found.append(scope.name)
        same_one = one.Print(tf.constant(1.0), [tf.constant([1, 2])], "seen ")
        found.append(sess.run(same_one))
    v = tf.Variable([[1, 2], [3, 4]])
    one.batch_scatter_update(v, [[0], [1]], [[5], [6]])
    number = tf.Variable(1)
    tf.random.set_seed(None)
    return [
        *found,
        one.fixed_size_partitioner(3, axis=1)(shape=shape, dtype=tf.float32),
        one.variable_axis_size_partitioner(64)(shape=shape, dtype=tf.float32),
        one.variable_axis_size_partitioner(64, max_shards=2)(shape=shape, dtype=tf.float32),
        one.min_max_variable_partitioner(4, min_slice_size=32)(shape=shape, dtype=tf.float32),
        one.no_regularizer(v),
        v,
        [one.count_up_to(number, 3), number],
        [one.saved_model.MAIN_OP_KEY, one.saved_model.tag_constants.SERVING],
        one.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY,
        [one.data.experimental.AUTOTUNE, one.initializers.global_variables() is None],
        one.get_seed(3),
        one.get_seed(None),
        one.convert_to_tensor_or_indexed_slices([1, 2]),
        one.wrap_function(lambda x: x * 2.0, [tf.TensorSpec([], tf.float32)])(tf.constant(2.0)),
        [len(one.SparseTensorValue([[0]], [1.0], [2])), one.VERSION == tf.version.VERSION],
        [type(one.FIFOQueue(2, tf.int32)).__name__, one.io.QueueBase is tf.queue.QueueBase],
    ]


@same
def test_tapes_and_functions_in_graphs(tf: Any) -> Any:
    one = tf.compat.v1

    @tf.function
    def halved(x: Any) -> Any:
        if tf.reduce_sum(x) > 2.0:
            return tf.math.log(x) * 2.0
        return x

    with tf.Graph().as_default():
        x = one.placeholder(tf.float32, [2])
        v, fixed = tf.Variable([1.0, 2.0]), tf.Variable(3.0, trainable=False)
        k = tf.constant(5.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            product = x * v
            y = halved(product) * fixed * k
        found = tape.gradient(y, [x, v, fixed, product, k])
        filled = tape.gradient(y, {"n": fixed, "x": x}, unconnected_gradients="zero")
        weighted = tape.gradient(y, x, output_gradients=tf.constant([2.0, 0.0]))
        captured = tf.function(lambda n: tf.while_loop(lambda i: i < n, lambda i: i + k, [0.0]))
        none = [g is None for g in found]
        given = [g for g in found if g is not None]
        with one.Session() as sess:
            sess.run(one.global_variables_initializer())
            return [
                none,
                [sess.run([given, filled, weighted], {x: a}) for a in ([2.0, 3.0], [0.2, 0.3])],
                sess.run([halved(np.array([1.0, 2.0], np.float32)), halved(x)], {x: [0.5, 1.0]}),
                sess.run(captured(tf.constant(12.0))),
            ]


@same
def test_captured_assertions_in_graphs(tf: Any) -> Any:
    one, debugging = tf.compat.v1, tf.debugging
    # As in a library, the functions are taken before there is a graph.
    positive, equal, none_equal = (
        getattr(debugging, f"assert_{name}") for name in ("positive", "equal", "none_equal")
    )
    found = []
    with tf.Graph().as_default():
        x = one.placeholder(tf.float32, [None])
        for check in (lambda: positive(x), lambda: equal(x, abs(x)), lambda: none_equal(x, -1.0)):
            with tf.control_dependencies([check()]):
                y = x * 2.0
            with one.Session() as sess:
                found.append(sess.run(y, {x: [1.0]}))
                found.append(error(lambda y=y, sess=sess: sess.run(y, {x: [-1.0]})))
    return found


@same
def test_templates_in_eager_execution(tf: Any) -> Any:
    """Check that templates share Variables, and that nested ones keep theirs apart."""
    one = tf.compat.v1
    one.reset_default_graph()
    made = {"initializer": tf.ones_initializer()}

    def inner() -> Any:
        return one.get_variable("w", [], **made)

    def outer() -> Any:
        first, second = (one.make_template("inner", inner) for _ in range(2))
        return first(), second(), one.get_variable("b", [], trainable=False, **made)

    def growing(name: str) -> Any:
        return one.get_variable(name, [], **made)

    template, other = (one.make_template("outer", outer) for _ in range(2))
    grows = one.make_template("grows", growing)
    unused = template.variables
    calls = [template(), template(), other()]
    grows("a")
    names = [[v.name for v in t.variables] for t in (template, other)]
    return [
        unused,
        names,
        [x is y for x, y in zip(calls[0], calls[1], strict=True)],
        [v.name for v in template.non_trainable_variables],
        [v.name for v in one.global_variables()],
        [v.name for v in one.trainable_variables()],
        error(lambda: grows("b")),
        error(lambda: one.make_template(None, inner)),
        error(lambda: one.make_template("x", inner, unique_name_="x")),
    ]


@same
def test_loss_scales(tf: Any) -> Any:
    """Check the factors and the updates, in eager execution and in a graph."""
    one = tf.compat.v1
    precision = one.mixed_precision

    def steps(run: Any, scale: Any, update: Any) -> list[Any]:
        return [[run(update(g)), run(scale())] for g in (1.0, 1.0, float("nan"), 1.0)]

    scale = precision.DynamicLossScale(4, increment_period=2, multiplier=3)
    eager = steps(float, scale, lambda g: scale.update([tf.constant(g), None])[1])
    x = tf.Variable(3.0)
    sgd = one.train.GradientDescentOptimizer(0.1)
    optimizer = precision.MixedPrecisionLossScaleOptimizer(sgd, "dynamic")
    optimizer.minimize(lambda: x * x)
    optimizer.minimize(lambda: x * float("inf"))
    with tf.Graph().as_default(), one.Session() as sess:
        y, factor = tf.Variable(2.0), one.placeholder(tf.float32, [])
        kept = precision.DynamicLossScale(8, 1)
        trains = precision.MixedPrecisionLossScaleOptimizer(sgd, kept).minimize(y * factor)
        sess.run(one.global_variables_initializer())
        graph = []
        for value in (1.0, float("inf"), 1.0):
            sess.run(trains, {factor: value})
            graph.append(sess.run([y, kept()]))
    fixed = precision.FixedLossScale.from_config(precision.FixedLossScale(16).get_config())
    wrong = [
        lambda: precision.FixedLossScale(0.5),
        lambda: precision.MixedPrecisionLossScaleOptimizer(sgd, None),
        lambda: precision.MixedPrecisionLossScaleOptimizer(sgd, "fixed"),
        lambda: precision.MixedPrecisionLossScaleOptimizer(3, 1),
    ]
    described = [repr(fixed), repr(scale), len(optimizer.variables())]
    return eager, x.numpy(), graph, fixed(), described, [error(call) for call in wrong]


@same
def test_initializers_of_get_variable(tf: Any) -> Any:
    get = tf.compat.v1.get_variable
    wrong = [
        lambda: get("a", [1], initializer=tf.constant(1.0)),
        lambda: get("b", initializer=tf.constant(1), dtype=tf.float32),
        lambda: get("c", initializer=lambda shape: [2.0]),
        lambda: get("d", [None], initializer=tf.ones_initializer()),
        lambda: get("e"),
    ]
    return get("f", initializer=lambda: [2.0]), [error(call) for call in wrong]


@same
def test_second_derivatives_of_a_graph(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default(), one.Session() as sess:
        x = one.get_variable("x", initializer=tf.constant([[1.0, 2.0]]))
        y = one.placeholder_with_default(tf.constant(0.5), [])
        total = tf.reduce_sum(x**3) * y + y**4
        found = [tf.hessians(total, [x, y]), tf.hessians([total, y * x[0, 1]], x)]
        found.append(one.hessians(tf.reduce_sum(tf.sin(y)), y))
        sess.run(x.initializer)
        return sess.run(found), sess.run(found[0], {y: 2.0}), found[0][0].shape


@same
def test_sizes_of_arrays_in_a_graph(tf: Any) -> Any:
    with tf.Graph().as_default(), tf.compat.v1.Session() as sess:
        array = tf.TensorArray(tf.float32, tf.constant(3)).unstack([1.0, 2.0, 3.0])
        grown = tf.TensorArray(tf.float32, 0, dynamic_size=True).write(0, 1.0).write(4, 2.0)
        sizes = [array.size(), grown.size() + 1, tf.TensorArray(tf.int32, 2).size()]
        items = [array.gather([0, 2]), grown.read(4), grown.write(1, 3.0).read(1)]
        return sess.run([sizes, items]), sess.run(grown.read(0)), sizes[0].dtype, sizes[0].shape
