"""``tf.distribute`` on devices of jax, compared with TensorFlow's and with one device."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy
from on_jax import strategies
from tfpy._src.backends import registry

HERE = Path(__file__).parent
OF_TENSORFLOW = json.loads((HERE / "strategies.json").read_text())
"""Results of the programs with TensorFlow, which takes half a minute for them."""


def strategy(count: int = 8) -> Any:
    return tfpy.distribute.MirroredStrategy([f"CPU:{n}" for n in range(count)])


def compare(found: Any, wanted: Any) -> None:
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        found, wanted = [found[k] for k in wanted], list(wanted.values())
    if isinstance(wanted, list):
        assert len(found) == len(wanted), (found, wanted)
        for one, other in zip(found, wanted, strict=True):
            compare(one, other)
    elif isinstance(wanted, float):
        np.testing.assert_allclose(found, wanted, 1e-5, 1e-5)
    else:
        assert found == wanted


@pytest.mark.parametrize("name", strategies.PROGRAMS)
def test_as_tensorflow(name: str) -> None:
    found = strategies.PROGRAMS[name](tfpy, strategy(strategies.COUNT))
    compare(strategies.plain(found), OF_TENSORFLOW[name])


@pytest.mark.rest
def test_what_tensorflow_gives() -> None:
    command = [sys.executable, strategies.__file__]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    compare(OF_TENSORFLOW, json.loads(done.stdout.splitlines()[-1]))


def test_two_processes_are_as_one() -> None:
    """Check that two processes, each with two of the four replicas, behave like one process.

    ``TF_CONFIG`` describes the cluster. Keras also trains the same as on one device.
    """
    ports = [free_port() for _ in range(2)]
    cluster = {"worker": [f"localhost:{port}" for port in ports]}
    workers = []
    for index in range(2):
        task = {"cluster": cluster, "task": {"type": "worker", "index": index}}
        variables = os.environ | {"TF_CONFIG": json.dumps(task)}
        variables["XLA_FLAGS"] = variables["XLA_FLAGS"].rpartition(" ")[0]
        command = [sys.executable, str(HERE / "worker.py"), "2"]
        workers.append(subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True))
    try:
        found = [json.loads(w.communicate(timeout=120)[0].splitlines()[-1]) for w in workers]
    finally:
        for worker in workers:
            worker.kill()
    for index, said in enumerate(found):
        devices = [f"/job:worker/replica:0/task:{index}/device:CPU:{n}" for n in range(2)]
        assert (said["number"], said["replicas"], said["own"]) == (index, 4, devices)
        assert said["begun"] == [[1.0], True, 3]  # with the first worker's values
        results = said["results"]
        compare({k: results[k] for k in ("reduce", "training")}, {
            k: OF_TENSORFLOW[k] for k in ("reduce", "training")
        })  # fmt: skip
        for one, other, first in zip(*said["fitted"], found[0]["fitted"][0], strict=True):
            assert one == first
            compare(one, other)
        assert said["local"] == [4.0 * index, 4.0 * index + 2.0]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("localhost", 0))
        return int(found.getsockname()[1])


def trained(of: Any, batches: int = 4) -> tuple[Any, list[Any]]:
    """Train a small network under a strategy, and return the compiled step and the weights."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(32 * batches - 5, 6)).astype(np.float32)
    y = np.sin(x.sum(1, keepdims=True))
    with of.scope():
        weights = [tfpy.Variable(rng.normal(size=s).astype(np.float32) / 3)
                   for s in ((6, 16), (16,), (16, 1))]  # fmt: skip

    def step(x: Any, y: Any) -> Any:
        w, b, last = weights
        with tfpy.GradientTape() as tape:
            error = (tfpy.nn.relu(x @ w + b) @ last - y) ** 2
            loss = tfpy.nn.compute_average_loss(error[:, 0], global_batch_size=32)
        gradients = tape.gradient(loss, weights)
        context = tfpy.distribute.get_replica_context()
        assert context is not None
        gradients = context.all_reduce("SUM", gradients)
        for v, g in zip(weights, gradients, strict=True):
            v.assign_sub(0.1 * g)
        return loss

    @tfpy.function
    def distributed(batch: Any) -> Any:
        return of.reduce("SUM", of.run(step, args=batch), axis=None)

    data = tfpy.data.Dataset.from_tensor_slices((x, y)).batch(32)
    losses = [distributed(b) for _ in range(2) for b in of.experimental_distribute_dataset(data)]
    return distributed, [np.stack([loss.numpy() for loss in losses]), *(w.numpy() for w in weights)]


def test_eight_devices_learn_what_one_learns() -> None:
    """Check that eight devices train the same as one, including a last batch of uneven shares.

    A step is one program that contains collectives.
    """
    one = trained(tfpy.distribute.get_strategy())[1]
    step, eight = trained(strategy())
    for a, b in zip(eight, one, strict=True):
        np.testing.assert_allclose(a, b, 1e-5, 1e-5)
    text, whole = (f.lower().as_text() for f in step.concrete_functions)
    assert "all_reduce" in text
    assert "mhlo.num_partitions = 8" in text
    assert "all_reduce" not in whole
    assert [part.place for part in step.concrete_functions[0].lower().lowering.parts] == ["jax"]


def test_replicas_draw_numbers_of_their_own() -> None:
    @tfpy.function
    def draws() -> Any:
        r = tfpy.random
        order = tfpy.cast(r.shuffle(tfpy.range(20)), tfpy.float32)
        return r.uniform([3]), r.truncated_normal([3]), r.gamma([3], 0.5), order

    s = strategy(4)
    for found in s.run(draws):
        rows = {tuple(value.numpy().tolist()) for value in s.experimental_local_results(found)}
        assert len(rows) == 4


def test_what_cannot_be_run_on_all_devices_is_said() -> None:
    s = strategy(2)

    def text() -> Any:
        return tfpy.strings.as_string(
            tfpy.distribute.get_replica_context().replica_id_in_sync_group
        )

    with pytest.raises(tfpy.errors.UnimplementedError, match="the host would have to compute as_s"):
        s.run(text)
    with pytest.raises(TypeError, match="returned a RaggedTensor"):
        s.run(lambda: tfpy.ragged.constant([[1], [2, 3]]))
    data = tfpy.data.Dataset.range(4)
    with pytest.raises(ValueError, match="distributes batches over replicas, got a scalar"):
        next(iter(s.experimental_distribute_dataset(data)))
    ragged = tfpy.data.Dataset.from_tensors(tfpy.ragged.constant([[1], [2, 3]]))
    with pytest.raises(TypeError, match="got a RaggedTensor"):
        next(iter(s.experimental_distribute_dataset(ragged)))
    of_two = s.run(lambda: tfpy.constant(1.0))
    with pytest.raises(ValueError, match=r"inputs have \[2\] components, but there are 4 replicas"):
        strategy(4).run(lambda x: x, args=(of_two,))


def test_gradients_go_through_it() -> None:
    """Check that the gradient of a value that all replicas share is a sum.

    This includes gradients in one compiled function.
    """
    s = strategy(2)
    x = tfpy.constant(2.0)
    given = s.experimental_distribute_values_from_function(
        lambda context: float(context.replica_id_in_sync_group + 1)
    )

    def gradients(x: Any, given: Any) -> Any:
        with tfpy.GradientTape() as tape:
            tape.watch([x, given.stacked])
            cubes = s.run(lambda x, y: x**3 * y, args=(x, given))
            total = s.reduce("SUM", cubes, axis=None)
        return tape.gradient(total, [x, given.stacked])

    for function in (gradients, tfpy.function(gradients)):
        of_x, of_each = function(x, given)
        assert of_x.numpy() == 36.0
        assert of_each.numpy().tolist() == [8.0, 8.0]


def test_branches_and_loops_in_a_replica() -> None:
    s = strategy(2)
    with s.scope():
        v = tfpy.Variable(1.0, aggregation=tfpy.VariableAggregation.SUM)

    def fn(x: Any) -> Any:
        total = x
        for i in tfpy.range(3):
            total = total + tfpy.cast(i, tfpy.float32)
        if total > 4.0:
            total = total * 10.0
        v.assign_add(total)
        return total

    @tfpy.function
    def step(x: Any) -> Any:
        return s.run(fn, args=(x,))

    given = s.experimental_distribute_values_from_function(
        lambda context: float(context.replica_id_in_sync_group * 2)
    )
    assert [x.numpy() for x in step(given).values] == [3.0, 50.0]
    assert v.numpy() == 54.0


def test_rows_of_tables_are_summed() -> None:
    """Check that the gradient of an embedding, which is indexed slices, is gathered."""
    s = strategy(2)
    with s.scope():
        table = tfpy.Variable(tfpy.zeros([4, 1]))

    def fn() -> None:
        context = tfpy.distribute.get_replica_context()
        assert context is not None
        with tfpy.GradientTape() as tape:
            rows = tfpy.gather(table, tfpy.stack([1, context.replica_id_in_sync_group * 3]))
            loss = tfpy.reduce_sum(rows * 2.0)
        (gradient,) = context.all_reduce("SUM", [tape.gradient(loss, table)])
        context.merge_call(lambda s: table.scatter_add(gradient))

    s.run(fn)
    assert table.numpy().ravel().tolist() == [2.0, 4.0, 0.0, 2.0]


def test_a_step_writes_over_old_values() -> None:
    s = strategy(2)
    with s.scope():
        v, w = (tfpy.Variable(np.full(2**12, n, np.float32)) for n in (1, 2))

    def fn() -> None:
        context = tfpy.distribute.get_replica_context()
        assert context is not None
        w.assign(w * 0.5 + context.all_reduce("SUM", v * 0.1))
        v.assign(v * 0.5 + 1.0)

    step = tfpy.function(lambda: s.run(fn))
    step()
    backend: Any = registry.active_backend()
    before = [backend._arrays[x.value().storage.slot] for x in (v, w)]
    step()
    assert all(array.is_deleted() for array in before)
    np.testing.assert_allclose((v.numpy()[0], w.numpy()[0]), (1.75, 0.9))


def test_products_are_not_rounded() -> None:
    """Check that products have the highest precision if TensorFloat-32 is disabled."""
    experimental = tfpy.config.experimental
    product = tfpy.function(lambda x: x @ x)
    before = product.lower(tfpy.ones([64, 64])).as_text()
    experimental.enable_tensor_float_32_execution(False)
    try:
        assert not experimental.tensor_float_32_execution_enabled()
        after = tfpy.function(lambda x: x @ x).lower(tfpy.ones([64, 64])).as_text()
    finally:
        experimental.enable_tensor_float_32_execution(True)
    assert "HIGHEST" in after
    assert "HIGHEST" not in before


def test_devices() -> None:
    config = tfpy.config
    assert [d.name for d in config.list_physical_devices("CPU")] == ["/physical_device:CPU:0"]
    assert len(config.list_logical_devices()) == 8
    assert tfpy.distribute.MirroredStrategy().num_replicas_in_sync == 8
    with tfpy.device("/CPU:3"):
        x = tfpy.ones([1024])
        y = x * 2.0
    assert y.device.endswith("device:CPU:3")
    assert (y + tfpy.ones([1024])).numpy()[0] == 3.0
    with tfpy.device("/GPU:0"):  # as in a page without GPU computation
        assert (y + 1.0).numpy()[0] == 3.0
    with tfpy.device("/CPU:9"):
        assert (y + 1.0).numpy()[0] == 3.0
    config.set_soft_device_placement(False)
    try:
        for name in ("/CPU:9", "/GPU:0"):
            said = f"no '{name}'. Available devices: CPU:0, "
            error = pytest.raises(tfpy.errors.InvalidArgumentError, match=said)
            with error, tfpy.device(name):
                pass
    finally:
        config.set_soft_device_placement(True)
    one = tfpy.distribute.OneDeviceStrategy("/CPU:2")
    assert one.extended.worker_devices == ("/job:localhost/replica:0/task:0/device:CPU:2",)
    with pytest.raises(ValueError, match="'nowhere' is not the name of a device"):
        tfpy.distribute.OneDeviceStrategy("nowhere")
    with one.scope():
        assert (tfpy.ones([1024]) * 1.0).device.endswith("CPU:2")
    assert one.run(lambda: tfpy.ones([1024]) * 1.0).device.endswith("CPU:2")
    (cpu,) = config.list_physical_devices("CPU")
    several = [config.LogicalDeviceConfiguration()] * 3
    with pytest.raises(RuntimeError, match="Virtual devices cannot be modified after being init"):
        config.set_logical_device_configuration(cpu, several)
    with pytest.raises(RuntimeError, match="Visible devices cannot be modified after being init"):
        config.set_visible_devices([], "CPU")
    limited = [config.LogicalDeviceConfiguration(memory_limit=10)]
    with pytest.raises(ValueError, match="Setting memory limit on CPU"):
        config.set_logical_device_configuration(cpu, limited)
    with pytest.raises(ValueError, match="Cannot set memory growth on CPU"):
        config.experimental.set_memory_growth(cpu, True)
    with pytest.raises(ValueError, match="Memory statistics are not available"):
        config.experimental.get_memory_info("CPU:0")
    for wrong, said in ((["CPU:8"], "There is no device"), (["CPU:1", "CPU:1"], "No duplicates")):
        with pytest.raises(ValueError, match=said):
            tfpy.distribute.MirroredStrategy(wrong)
