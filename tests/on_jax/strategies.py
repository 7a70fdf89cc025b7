"""Programs under a strategy of four replicas, for TensorFlow and tfpy.

``python strategies.py`` runs them with TensorFlow on four logical CPUs and prints the results,
which are stored in ``strategies.json``.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

COUNT = 4

Program = Callable[[Any, Any], Any]
PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    PROGRAMS[function.__name__] = function
    return function


def number(tf: Any) -> Any:
    """Return the replica's number as a float."""
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


def error(function: Callable[[], Any]) -> str:
    """Return the class of the error that a function raises."""
    try:
        function()
    except Exception as raised:
        return type(raised).__name__
    return "nothing"


@program
def run_gives_a_value_of_each(tf: Any, s: Any) -> Any:
    x = tf.constant([1.0, 2.0])
    given = s.experimental_distribute_values_from_function(
        lambda context: tf.constant([float(context.replica_id_in_sync_group)])
    )
    found = s.run(
        lambda x, y: {"a": x * number(tf), "b": (y, None)}, args=(x,), kwargs={"y": given}
    )
    where = s.run(lambda: tf.constant(tf.distribute.in_cross_replica_context()))
    return [found["a"], found["b"][0], found["b"][1] is None, where, given]


@program
def reduce(tf: Any, s: Any) -> Any:
    rows = s.run(lambda: tf.reshape(tf.range(6.0), [2, 3]) * (1.0 + number(tf)))
    whole = s.run(
        lambda: tf.constant([1, 2]) + tf.distribute.get_replica_context().replica_id_in_sync_group
    )
    found = [s.reduce(op, rows, axis=a) for op in ("SUM", "MEAN") for a in (None, 0, 1, -1)]
    found += [
        s.reduce(tf.distribute.ReduceOp.SUM, whole, axis=0),
        s.reduce("mean", tf.constant(2.0), axis=None),
    ]
    found += [s.reduce("SUM", tf.constant([2.0, 3.0]), axis=0)]
    return [*found, error(lambda: s.reduce("SUM", tf.constant(1.0), axis=None))]


@program
def gather(tf: Any, s: Any) -> Any:
    rows = s.run(lambda: tf.reshape(tf.range(6.0), [2, 3]) + 10.0 * number(tf))
    return [s.gather(rows, axis=0), s.gather(rows, axis=1), s.gather(tf.constant([1.0]), axis=0)]


@program
def local_results(tf: Any, s: Any) -> Any:
    rows = s.run(lambda: number(tf) * 2.0)
    with s.scope():
        v = tf.Variable([1.0, 2.0])
    variables = [x.numpy() for x in s.experimental_local_results(v)]
    local = [list(s.experimental_local_results(x)) for x in (rows, tf.constant(3.0))]
    return [variables, len(local[0]), local[0], list(rows.values), local[1]]


@program
def collectives(tf: Any, s: Any) -> Any:
    def fn() -> Any:
        context = tf.distribute.get_replica_context()
        x = tf.reshape(tf.range(6.0), [2, 3]) + number(tf)
        total, mean = context.all_reduce("SUM", [x, x * 2.0]), context.all_reduce("MEAN", x)
        return [*total, mean, context.all_gather(x, axis=0), context.all_gather(x, axis=1),
                tf.constant(context.num_replicas_in_sync)]  # fmt: skip

    return s.run(fn)


@program
def gradients_of_collectives(tf: Any, s: Any) -> Any:
    def fn() -> Any:
        context = tf.distribute.get_replica_context()
        x = tf.range(3.0) + number(tf)
        weights = tf.range(12.0) * (1.0 + number(tf))
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            total = tf.reduce_sum(context.all_reduce("SUM", x) * (number(tf) + 1.0) ** 2)
            mean = tf.reduce_sum(context.all_reduce("MEAN", x * x) * (number(tf) + 1.0))
            side = tf.reduce_sum(context.all_gather(x, axis=0) * weights)
        return [tape.gradient(y, x) for y in (total, mean, side)]

    return s.run(fn)


@program
def merging(tf: Any, s: Any) -> Any:
    def merged(strategy: Any, x: Any) -> Any:
        v.assign_add(strategy.reduce("SUM", x, axis=None))
        return strategy.reduce("MEAN", x, axis=None)

    with s.scope():
        v = tf.Variable(1.0)
    found = s.run(
        lambda: tf.distribute.get_replica_context().merge_call(merged, args=(number(tf),)) + 0.0
    )
    return [found, v.numpy()]


@program
def aggregation(tf: Any, s: Any) -> Any:
    found = []
    for kind in ("SUM", "MEAN", "ONLY_FIRST_REPLICA"):
        with s.scope():
            v = tf.Variable(1.0, aggregation=getattr(tf.VariableAggregation, kind))
        s.run(lambda v=v: [v.assign(number(tf) + 3.0)][1:])
        found.append(v.numpy())
        s.run(lambda v=v: [v.assign_add(number(tf) + 5.0)][1:])
        found.append(v.numpy())
        s.run(lambda v=v: [v.assign_sub(number(tf))][1:])
        found.append(v.numpy())
        found.append(s.run(lambda v=v: v * 1.0))
    return found


@program
def variables_made_elsewhere(tf: Any, s: Any) -> Any:
    """Use Variables that were created outside the scope, which replicas update in turn."""
    made = [tf.Variable(1.0), tf.Variable(1.0), tf.Variable([1.0, 2.0, 3.0, 4.0]), tf.Variable(0)]
    total = tf.Variable(
        3.0,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.SUM,
    )

    def fn() -> None:
        row = tf.distribute.get_replica_context().replica_id_in_sync_group
        added = tf.IndexedSlices(tf.stack([number(tf) + 1.0]), tf.stack([row]))
        made[0].assign(number(tf) + 3.0)
        made[1].assign_sub(number(tf))
        made[2].scatter_add(added)
        last = tf.IndexedSlices(tf.stack([number(tf)]), tf.stack([row * 0]))
        made[2].scatter_update(last)
        made[3].assign_add(1)
        total.assign(total + number(tf))

    step = tf.function(lambda: [s.run(fn)][1:])
    step()
    step()
    with s.scope():
        own = tf.Variable(1.0)
    created = [s.extended.variable_created_in_scope(v) for v in (own, made[0])]
    return [*(v.numpy() for v in (*made, total)), created]


@program
def parts_of_variables(tf: Any, s: Any) -> Any:
    found: list[Any] = []
    for kind in ("SUM", "MEAN", "ONLY_FIRST_REPLICA"):
        with s.scope():
            v = tf.Variable(tf.range(1.0, 5.0), aggregation=getattr(tf.VariableAggregation, kind))

        def rows(value: Any) -> Any:
            row = tf.distribute.get_replica_context().replica_id_in_sync_group
            return tf.IndexedSlices(tf.stack([value * (number(tf) + 1.0)]), tf.stack([row]))

        for method in ("scatter_add", "scatter_sub", "scatter_update", "scatter_mul"):

            def changed(v: Any = v, method: str = method) -> Any:
                s.run(lambda: [getattr(v, method)(rows(10.0))][1:])
                return v.numpy()

            name = error(changed)
            found.append(name if name != "nothing" else v.numpy())
        s.run(lambda v=v: [v[1].assign(7.0)][1:])
        found.append(v.numpy())
    return [*found, s.gather(v, axis=0)]


@program
def scaled_losses(tf: Any, s: Any) -> Any:
    x = s.run(lambda: tf.nn.compute_average_loss([1.0, 2.0 + number(tf)]))
    y = s.run(lambda: tf.nn.scale_regularization_loss([2.0, 4.0 + number(tf)]))
    with s.scope():
        wrong = [
            error(lambda: tf.nn.compute_average_loss([1.0])),
            error(lambda: tf.nn.scale_regularization_loss(1.0)),
            error(lambda: tf.Variable(1.0, synchronization=tf.VariableSynchronization.NONE)),
        ]
    return [x, y, wrong]


@program
def values_of_their_own(tf: Any, s: Any) -> Any:
    found: list[Any] = []
    for kind in ("SUM", "MEAN", "ONLY_FIRST_REPLICA"):
        with s.scope():
            v = tf.Variable(
                1.0,
                synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=getattr(tf.VariableAggregation, kind),
            )
        s.run(lambda v=v: [v.assign_add(number(tf))][1:])
        found += [s.run(lambda v=v: v.read_value()), v.numpy()]
        found.append(s.reduce("SUM", v, axis=None))
        v.assign(8.0)
        found += [s.run(lambda v=v: v.read_value()), v.numpy(), v.trainable]
        found.append(error(lambda v=v: v.assign_add(1.0)))
    with s.scope():
        v = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ, trainable=False)
    return [*found, error(v.numpy)]


@program
def checkpoints_of_values_of_their_own(tf: Any, s: Any) -> Any:
    """Save and restore Variables that differ between replicas.

    Return the saved value, the values of the replicas afterwards, and the values that other
    Variables restore from it and from a mirrored Variable.
    """

    def made(kind: str, value: Any, dtype: Any) -> Any:
        with s.scope():
            return tf.Variable(
                value,
                dtype=dtype,
                synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=getattr(tf.VariableAggregation, kind),
            )

    def of_each(v: Any) -> Any:
        return s.experimental_local_results(s.run(lambda: v.read_value()))

    folder, found = Path(tempfile.mkdtemp()), []
    for kind in ("SUM", "MEAN", "ONLY_FIRST_REPLICA", "NONE"):
        for dtype in (tf.float32, tf.int32):

            def saved(kind: str = kind, dtype: Any = dtype) -> None:
                v, other = made(kind, 2, dtype), made(kind, 0, dtype)
                plain = tf.Variable(0, dtype=dtype)
                s.run(lambda: [v.assign_add(4 * tf.cast(number(tf), dtype))][1:])
                path = tf.train.Checkpoint(v=v).write(str(folder / kind))
                for restored in (other, plain):
                    tf.train.Checkpoint(v=restored).read(path).assert_consumed()
                value = tf.train.load_checkpoint(path).get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE")
                found.append([value, *map(of_each, (v, other)), other.numpy(), plain.numpy()])

            found.append(error(saved))
    with s.scope():
        path = tf.train.Checkpoint(v=tf.Variable([4.0, 8.0])).write(str(folder / "mirrored"))
    for kind in ("SUM", "MEAN", "ONLY_FIRST_REPLICA"):
        later = tf.train.Checkpoint()
        status = later.read(path)
        later.v = made(kind, [0.0, 0.0], tf.float32)
        status.assert_consumed()
        found.append(of_each(later.v))
    return found


@program
def datasets(tf: Any, s: Any) -> Any:
    data = tf.data.Dataset.range(24).map(lambda i: (tf.cast(i, tf.float32), {"k": i % 5})).batch(8)
    found = [s.experimental_local_results(e[0]) for e in s.experimental_distribute_dataset(data)]
    found += [e[1]["k"].values for e in s.experimental_distribute_dataset(data)]
    contexts = []

    def made(context: Any) -> Any:
        contexts.append((context.num_input_pipelines, context.input_pipeline_id,
                         context.num_replicas_in_sync))  # fmt: skip
        size = context.get_per_replica_batch_size(8)
        return tf.data.Dataset.range(16).map(lambda i: tf.cast(i, tf.float32)).batch(size)

    found += [e.values for e in s.distribute_datasets_from_function(made)]
    contexts.append(int(s.experimental_distribute_dataset(data).cardinality))
    wrong = tf.distribute.InputContext(1, 0, 4)
    return [list(map(list, found)), contexts, error(lambda: wrong.get_per_replica_batch_size(6))]


@program
def iterators(tf: Any, s: Any) -> Any:
    """Use iterators as in the input guide: by a signature, and as Optionals."""
    data = tf.data.Dataset.range(20).map(lambda i: tf.cast(i, tf.float32)).batch(8)
    batches = s.experimental_distribute_dataset(data)

    def total(x: Any) -> Any:
        return s.reduce("SUM", s.run(tf.reduce_sum, args=(x,)), axis=None)

    signed = tf.function(total, input_signature=[batches.element_spec])
    sums = [float(signed(x)) for x in batches]

    rest = iter(s.experimental_distribute_dataset(data.take(1)))
    first, second = rest.get_next_as_optional(), rest.get_next_as_optional()
    values = s.experimental_local_results(first.get_value())
    there = [bool(o.has_value()) for o in (first, second)]
    return [sums, values, there, error(lambda: signed(tf.constant([1.0])))]


@program
def means_of_whole_numbers(tf: Any, s: Any) -> Any:
    def fn() -> Any:
        replica = tf.distribute.get_replica_context()
        return replica.replica_id_in_sync_group + tf.constant([1, 4])

    each = s.run(tf.function(fn))
    found = [s.reduce("MEAN", each, axis=None), s.reduce("MEAN", each, axis=0)]
    found.append(s.reduce("MEAN", tf.constant([1, 2]), axis=0))

    def mean() -> Any:
        return tf.distribute.get_replica_context().all_reduce("MEAN", fn())

    return [*found, list(s.run(tf.function(mean)).values)]


@program
def misuse(tf: Any, s: Any) -> Any:
    other = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])

    def within() -> None:
        with other.scope():
            s.run(lambda: tf.constant(1))

    def scopes() -> None:
        with s.scope(), other.scope():
            pass

    value = s.run(lambda: number(tf))
    return [
        error(within), error(scopes),
        error(lambda: s.run(lambda: other.run(lambda: tf.constant(1)))),
        error(lambda: s.run(lambda: s.run(lambda: tf.constant(1)))),
        error(lambda: s.run(lambda: s.reduce("SUM", number(tf), axis=None))),
        error(lambda: tf.convert_to_tensor(value)), error(lambda: value + 1.0),
        error(lambda: s.run(lambda: tf.distribute.get_replica_context().all_reduce("MAX", 1.0))),
        error(lambda: s.reduce("MAX", value, axis=None)),
    ]  # fmt: skip


@program
def training(tf: Any, s: Any) -> Any:
    """Run the custom training loop of TensorFlow's guide, with gradients summed over replicas."""
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(48, 5)).astype("float32"), rng.normal(size=(48, 2)).astype("float32")
    with s.scope():
        w = tf.Variable(rng.normal(size=(5, 2)).astype("float32"))
        b = tf.Variable(tf.zeros([2]))
        seen = tf.Variable(
            0.0, synchronization=tf.VariableSynchronization.ON_READ,
            aggregation=tf.VariableAggregation.SUM,
        )  # fmt: skip
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(16)

    def train_step(batch: Any) -> Any:
        x, y = batch
        with tf.GradientTape() as tape:
            each = tf.reduce_mean((tf.nn.tanh(x @ w) + b - y) ** 2, axis=-1)
            loss = tf.nn.compute_average_loss(each, global_batch_size=16)
        gradients = tape.gradient(loss, [w, b])
        seen.assign_add(tf.cast(tf.shape(x)[0], tf.float32))
        context = tf.distribute.get_replica_context()
        gradients = context.all_reduce(tf.distribute.ReduceOp.SUM, gradients)

        def update(strategy: Any, gradients: Any) -> None:
            for v, g in zip((w, b), gradients, strict=True):
                strategy.extended.update(v, lambda v, g: v.assign_sub(0.1 * g), args=(g,))

        context.merge_call(update, args=(gradients,))
        return loss

    @tf.function
    def distributed(batch: Any) -> Any:
        losses = s.run(train_step, args=(batch,))
        return s.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

    shared = s.experimental_distribute_dataset(data)
    losses = [distributed(batch).numpy() for _ in range(2) for batch in shared]
    return [losses, w.numpy(), b.numpy(), seen.numpy()]


def plain(value: Any) -> Any:
    """Convert a nest to JSON values."""
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if hasattr(value, "values") and not callable(value.values):
        return plain(list(value.values))
    if hasattr(value, "numpy"):
        value = value.numpy()
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def results(tf: Any, strategy: Any) -> dict[str, Any]:
    """Return the result of each program."""
    return {name: plain(function(tf, strategy)) for name, function in PROGRAMS.items()}


if __name__ == "__main__":
    import tensorflow

    (cpu,) = tensorflow.config.list_physical_devices("CPU")
    logical = [tensorflow.config.LogicalDeviceConfiguration()] * COUNT
    tensorflow.config.set_logical_device_configuration(cpu, logical)
    names = [f"CPU:{n}" for n in range(COUNT)]
    print(json.dumps(results(tensorflow, tensorflow.distribute.MirroredStrategy(names))))
