"""``tf.distribute``, ``tf.device`` and ``tf.control_dependencies`` on one device."""

from __future__ import annotations

import inspect
import json
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow as reference
from api.same import same
from on_jax import strategies
from on_jax.test_strategies import OF_TENSORFLOW, compare

import tfpy


def where(tf: Any) -> list[bool]:
    """Return the results of the functions that query the current strategy and replica context."""
    return [
        tf.distribute.has_strategy(),
        tf.distribute.in_cross_replica_context(),
        tf.distribute.get_replica_context() is None,
    ]


@pytest.fixture
def four_devices() -> Iterator[list[str]]:
    """Divide the CPU into four logical devices, and return their names."""
    config = tfpy.config
    (cpu,) = config.list_physical_devices("CPU")
    config.set_logical_device_configuration(cpu, [config.LogicalDeviceConfiguration()] * 4)
    yield [device.name for device in config.list_logical_devices("CPU")]
    config.set_logical_device_configuration(cpu, None)


@pytest.mark.parametrize("name", strategies.PROGRAMS)
def test_replicas_that_compute_in_turn(name: str, four_devices: list[str]) -> None:
    found = strategies.PROGRAMS[name](tfpy, tfpy.distribute.MirroredStrategy(four_devices))
    compare(strategies.plain(found), OF_TENSORFLOW[name])


def test_values_of_replicas_as_text(four_devices: list[str]) -> None:
    strategy = tfpy.distribute.MirroredStrategy(four_devices[:2])
    with strategy.scope():
        mirrored = tfpy.Variable([2.0], name="a")
        generator = tfpy.random.Generator.from_seed(1)
    number = strategy.run(lambda: tfpy.distribute.get_replica_context().replica_id_in_sync_group)
    tensor = "tf.Tensor({0}, shape=(), dtype=int32)"
    assert str(number) == f"PerReplica:{{\n  0: {tensor.format(0)},\n  1: {tensor.format(1)}\n}}"
    assert "1: <tf.Tensor: shape=(), dtype=int32, numpy=1>" in repr(number)
    assert repr(mirrored).startswith("MirroredVariable:{\n  0: <tf.Variable 'a:0' shape=(1,)")
    assert "  1: <tf.Variable 'a/replica_1:0' shape=(1,)" in repr(mirrored)
    drawn = strategy.run(lambda: generator.normal([]))  # values of TensorFlow
    np.testing.assert_allclose(drawn.values, [-0.87930447, 0.020661574], rtol=1e-5)


def test_exchange_within_a_condition(four_devices: list[str]) -> None:
    strategy = tfpy.distribute.MirroredStrategy(four_devices)

    def exchanged(x: Any) -> Any:
        context = tfpy.distribute.get_replica_context()
        return tfpy.cond(x > 0, lambda: context.all_reduce("SUM", x), lambda: x)

    with pytest.raises(tfpy.errors.UnimplementedError, match="exchanges values between"):
        strategy.run(exchanged, args=(tfpy.Variable(1.0),))


@same
def test_losses_in_a_scope(tf: Any) -> Any:
    with tf.distribute.get_strategy().scope():
        found = tf.nn.compute_average_loss([2.0, 4.0])
    with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
        try:
            tf.nn.scale_regularization_loss(1.0)
        except RuntimeError:
            return [found, tf.constant(True)]
    return [found]


@same
def test_scopes(tf: Any) -> Any:
    strategy = tf.distribute.OneDeviceStrategy("/CPU:0")
    found = [where(tf)]
    with strategy.scope():
        found.append(where(tf))
        found.append(tf.distribute.get_strategy() is strategy)
        found.append(strategy.run(lambda: where(tf)))
        found.append(where(tf))
    found.append(where(tf))
    found.append(tf.distribute.get_strategy().num_replicas_in_sync)
    return found


@same
def test_a_scope_ends_with_an_error(tf: Any) -> Any:
    strategy = tf.distribute.OneDeviceStrategy("/CPU:0")

    def fails() -> None:
        raise KeyError("mine")

    for failing in (lambda: strategy.run(fails), lambda: within(strategy, fails)):
        with pytest.raises(KeyError):
            failing()
    return where(tf)


def within(strategy: Any, function: Any) -> None:
    """Call a function in the scope of a strategy."""
    with strategy.scope():
        function()


@same
def test_running_and_reducing(tf: Any) -> Any:
    strategy = tf.distribute.OneDeviceStrategy("/CPU:0")
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])

    @tf.function
    def step(x: Any, scale: float = 1.0) -> Any:
        def replica(x: Any, scale: float) -> Any:
            context = tf.distribute.get_replica_context()
            v.assign_add(tf.reduce_sum(x, 0))
            return {
                "total": context.all_reduce("sum", x * scale),
                "mean": context.all_reduce(tf.distribute.ReduceOp.MEAN, x),
                "id": context.replica_id_in_sync_group,
            }

        return strategy.run(replica, args=(x,), kwargs={"scale": scale})

    found = step(x, scale=2.0)
    return [
        {name: found[name] for name in sorted(found)},
        v,
        strategy.reduce("SUM", x, axis=None),
        strategy.reduce(tf.distribute.ReduceOp.SUM, x, axis=0),
        strategy.reduce("mean", x, axis=1),
        list(strategy.experimental_local_results(x)),
        strategy.gather(x, 0),
        strategy.extended.variable_created_in_scope(v),
        strategy.run(
            lambda: tf.distribute.get_replica_context().merge_call(
                lambda s, y: s.extended.reduce_to("SUM", y, v), args=(x,)
            )
        ),
    ]


@same
def test_datasets_of_a_strategy(tf: Any) -> Any:
    strategy = tf.distribute.OneDeviceStrategy("/CPU:0")
    data = tf.data.Dataset.range(6).batch(2)
    shared = strategy.experimental_distribute_dataset(data)
    made = strategy.distribute_datasets_from_function(
        lambda context: tf.data.Dataset.range(context.get_per_replica_batch_size(4))
    )
    return [list(shared), list(made)]


@same
def test_unknown_reductions(tf: Any) -> Any:
    with pytest.raises(ValueError, match="MAX"):
        tf.distribute.get_strategy().reduce("MAX", tf.constant([1.0]), axis=0)
    return 0


def test_strategies_of_other_threads() -> None:
    strategy = tfpy.distribute.OneDeviceStrategy("/CPU:0")
    found = []
    with strategy.scope():
        thread = threading.Thread(target=lambda: found.append(tfpy.distribute.has_strategy()))
        thread.start()
        thread.join()
    assert found == [False]


def test_strategies_over_several_devices() -> None:
    assert tfpy.distribute.MirroredStrategy(["/GPU:0"]).num_replicas_in_sync == 1
    with pytest.raises(ValueError, match="one device"):
        tfpy.distribute.MirroredStrategy(["/GPU:0", "/GPU:1"])
    assert tfpy.distribute.MultiWorkerMirroredStrategy().num_replicas_in_sync == 1
    with pytest.raises(RuntimeError, match="TPU"):
        tfpy.distribute.TPUStrategy()
    with pytest.raises(RuntimeError, match="TPUStrategy: The cpu backend has no TPUs"):
        tfpy.distribute.experimental.TPUStrategy()
    former = tfpy.distribute.experimental
    ring = former.MultiWorkerMirroredStrategy(former.CollectiveCommunication.RING)
    assert ring.num_replicas_in_sync == 1


@same
def test_clusters(tf: Any) -> Any:
    distribute = tf.distribute.cluster_resolver
    config = {"cluster": {"worker": ["a:1", "b:2"], "chief": ["c:3"]},
              "task": {"type": "worker", "index": 1}}  # fmt: skip
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TF_CONFIG", json.dumps(config))
        of_config = distribute.TFConfigClusterResolver()
        said = [of_config.task_type, of_config.task_id]
        spec = of_config.cluster_spec()
    of_nothing = distribute.TFConfigClusterResolver()
    simple = distribute.SimpleClusterResolver(spec, task_type="chief", task_id=0)
    return [
        [*said, of_nothing.task_type, of_nothing.rpc_layer],
        [spec.as_dict(), sorted(spec.jobs), spec.num_tasks("worker"), spec.task_indices("worker")],
        [spec.task_address("worker", 1), spec.job_tasks("chief"), bool(of_nothing.cluster_spec())],
        [simple.task_type, simple.task_id, simple.cluster_spec() == spec],
    ]


def signature(kind: Any) -> Any:
    return inspect.signature(kind).parameters


@same
def test_what_is_chosen_by_xla(tf: Any) -> Any:
    distribute, experimental = tf.distribute, tf.distribute.experimental
    for ops in (
        distribute.NcclAllReduce(num_packs=2),
        distribute.HierarchicalCopyAllReduce(),
        distribute.ReductionToOneDevice(),
    ):
        strategy = distribute.MirroredStrategy(["/CPU:0"], cross_device_ops=ops)
    ring = experimental.CommunicationImplementation.RING
    experimental.CommunicationOptions(timeout_seconds=120.0, implementation=ring)
    with pytest.raises(ValueError, match="must be >=0"):
        experimental.CommunicationOptions(bytes_per_pack=-1)
    context = experimental.ValueContext(1, 2)
    several = experimental.MultiWorkerMirroredStrategy
    assert experimental.CollectiveCommunication is experimental.CommunicationImplementation
    with pytest.raises(ValueError, match="Please provide a TPU Name"):
        tf.tpu.experimental.initialize_tpu_system()
    return [
        [isinstance(ops, distribute.CrossDeviceOps), strategy.num_replicas_in_sync],
        [issubclass(several, distribute.MultiWorkerMirroredStrategy), [*signature(several)]],
        [*signature(experimental.TPUStrategy)],
        [context.replica_id_in_sync_group, context.num_replicas_in_sync, ring.value],
    ]


def test_clusters_that_make_no_sense() -> None:
    def strategy(config: str) -> None:
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("TF_CONFIG", config)
            tfpy.distribute.MultiWorkerMirroredStrategy()

    two = {"cluster": {"worker": ["a:1", "b:2"]}}
    for config, error, said in (
        ("{", ValueError, "TF_CONFIG is not valid JSON"),
        ("[1]", ValueError, "must be a JSON object"),
        ('{"cluster": {"worker": [1]}}', TypeError, "'host:port'"),
        ('{"cluster": {"ps": ["a:1"]}}', ValueError, "has the jobs"),
        (json.dumps(two | {"task": {"index": 2}}), ValueError, "index of this worker is 2"),
        (json.dumps(two | {"task": {"index": 0}}), RuntimeError, "cpu backend supports only one"),
    ):
        with pytest.raises(error, match=said):
            strategy(config)


@same
def test_devices(tf: Any) -> Any:
    found = []
    for name in ("/CPU:0", "cpu:0", "/device:CPU:0", None, "/job:localhost/task:0/device:cpu:0"):
        with tf.device(name):
            found.append(tf.constant(1.0) + 1)
    for wrong in ("nix", "/XPU", 3):
        with pytest.raises((ValueError, TypeError)), tf.device(wrong):
            tf.constant(1.0) + 1
    listed = tf.config.list_physical_devices("CPU")
    return found, [list(map(str, d)) for d in listed], tf.config.list_physical_devices("TPU")


@same
def test_what_depends_on_assignments_sees_them(tf: Any) -> Any:
    v, calls = tf.Variable(1.0), []

    @tf.function
    def step(x: Any) -> Any:
        with tf.control_dependencies([v.assign_add(x)]):
            y = v.read_value() * 10.0
        with tf.control_dependencies([]), tf.control_dependencies([y]):
            v.assign(y)
        with tf.control_dependencies(None):
            return v + 0.0

    with tf.control_dependencies([lambda: calls.append(1)]):
        pass
    return step(tf.constant(2.0)), v, calls


CLUSTERS: list[dict[str, Any]] = [
    {"ps": ["a:1"], "worker": ["b:1", "c:2"]},
    {"worker": {0: "a:1", 2: "b:2"}},
    {"worker": {1: "b:2", 0: "a:1"}},
    {},
]


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_messages_of_clusters(cluster: dict[str, Any]) -> None:
    found = []
    for lib in (tfpy, reference):
        spec = lib.train.ClusterSpec(cluster)
        message = spec.as_cluster_def()
        copy = lib.train.ClusterSpec(message)
        assert copy == spec
        found.append((message.SerializeToString(deterministic=True), spec.as_dict(), bool(spec)))
    assert found[0] == found[1]
