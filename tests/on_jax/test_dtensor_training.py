"""``tf.experimental.dtensor``: spread models, their data and files, and two clients."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import jax
import numpy as np
import pytest
import tensorflow

import tfpy as tf
from on_jax.meshes import UNSHARDED, layout, mesh_of, numbers
from on_jax.test_strategies import free_port
from tfpy._src.backends import registry
from tfpy.experimental import dtensor

pytestmark = pytest.mark.usefixtures("no_leaks")

# Networks


class Network:
    """A model trained by momentum. Its Variables have the layouts `specs`, or are on one device."""

    shapes: ClassVar[dict[str, list[int]]]
    inputs: ClassVar[list[int]]
    outputs: ClassVar[list[int]]
    by_model: ClassVar[dict[str, list[str]]]

    def __init__(self, shapes: dict[str, list[int]], specs: dict[str, list[str]] | None) -> None:
        rng = np.random.default_rng(1)
        self.variables, self.momenta = {}, {}
        for name, shape in shapes.items():
            first = rng.normal(0, 0.2, shape).astype(np.float32)
            for made, value in ((self.variables, first), (self.momenta, np.zeros_like(first))):
                if specs is None:
                    made[name] = tf.Variable(value)
                else:
                    wanted = specs.get(name, [UNSHARDED] * len(shape))
                    made[name] = dtensor.DVariable(value, layout=layout(*wanted))

    def output(self, x: Any, v: Any) -> Any:
        raise NotImplementedError

    @tf.function
    def step(self, x: Any, y: Any) -> Any:
        names = list(self.variables)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.output(x, self.variables) - y) ** 2)
        gradients = tape.gradient(loss, [self.variables[name] for name in names])
        for name, gradient in zip(names, gradients, strict=True):
            self.momenta[name].assign(0.9 * self.momenta[name] + gradient)
            self.variables[name].assign_sub(0.1 * self.momenta[name])
        return loss


class Perceptron(Network):
    shapes: ClassVar = {"up": [16, 32], "bias": [32], "down": [32, 8]}
    inputs: ClassVar = [16, 16]
    outputs: ClassVar = [16, 8]
    by_model: ClassVar = {
        "up": [UNSHARDED, "model"],
        "bias": ["model"],
        "down": ["model", UNSHARDED],
    }

    def output(self, x: Any, v: Any) -> Any:
        return tf.matmul(tf.nn.gelu(tf.matmul(x, v["up"]) + v["bias"]), v["down"])


class Block(Network):
    """A block of a transformer: attention of four heads, then two layers."""

    shapes: ClassVar = {
        "qkv": [3, 16, 4, 4], "out": [4, 4, 16], "scale": [16], "up": [16, 32], "down": [32, 16],
    }  # fmt: skip
    inputs: ClassVar = [4, 8, 16]
    outputs: ClassVar = [4, 8, 16]
    by_model: ClassVar = {
        "qkv": [UNSHARDED, UNSHARDED, "model", UNSHARDED],
        "out": ["model", UNSHARDED, UNSHARDED],
        "up": [UNSHARDED, "model"],
        "down": ["model", UNSHARDED],
    }

    def output(self, x: Any, v: Any) -> Any:
        q, k, w = (tf.einsum("btf,fhd->bhtd", self.scaled(x, v), v["qkv"][i]) for i in range(3))
        weights = tf.nn.softmax(tf.einsum("bhtd,bhsd->bhts", q, k) * 0.5)
        x = x + tf.einsum("bhts,bhsd,hdf->btf", weights, w, v["out"])
        return x + tf.matmul(tf.nn.relu(tf.matmul(self.scaled(x, v), v["up"])), v["down"])

    def scaled(self, x: Any, v: Any) -> Any:
        mean, variance = tf.nn.moments(x, -1, keepdims=True)
        return (x - mean) * tf.math.rsqrt(variance + 1e-3) * (1.0 + v["scale"])


def trained(kind: Any, specs: Any, batch: str) -> tuple[list[Any], Network]:
    """Return the losses of a few steps, and the trained network."""
    network = kind(kind.shapes, specs)
    rng = np.random.default_rng(2)
    losses = []
    for _ in range(4):
        x, y = (rng.normal(size=s).astype(np.float32) for s in (kind.inputs, kind.outputs))
        if specs is not None:
            lies = layout(batch, *[UNSHARDED] * (x.ndim - 1))
            x, y = dtensor.copy_to_mesh(x, lies), dtensor.copy_to_mesh(y, lies)
        losses.append(network.step(x, y).numpy())
    return [*losses, *(v.numpy() for v in network.variables.values())], network


def program_of(call: Callable[[], Any]) -> str:
    """Return the XLA text of the largest program that a call runs."""
    backend: Any = registry.active_backend()
    run, ran = backend.run, []

    def running(number: int, *slots: int) -> int:
        arrays = [backend._arrays[abs(slot)] for slot in slots]
        given = [
            jax.ShapeDtypeStruct(
                a.shape, a.dtype, sharding=a.sharding if getattr(a, "committed", False) else None
            )
            for a in arrays
        ]
        ran.append((backend._programs[number], given))
        first: int = run(number, *slots)
        return first

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backend, "run", running)
        call()
    program, given = max(ran, key=lambda one: len(one[0].graph.eqns))
    text: str = program.plain.lower(*given).compile().as_text()
    return text


def collectives(text: str) -> set[str]:
    return set(re.findall(r"\b(all-[a-z]+|reduce-scatter|collective-[a-z]+)\(", text))


def test_what_devices_tell_each_other() -> None:
    """Check that partitioned sums and gradients of a partitioned batch use all-reduce only.

    No device holds the whole of a partitioned weight.
    """
    rng = np.random.default_rng(2)
    sizes = (Perceptron.inputs, Perceptron.outputs)
    data = [rng.normal(size=shape).astype(np.float32) for shape in sizes]
    texts = {}
    for name, specs, batch in (
        ("batch", {}, "batch"),
        ("model", Perceptron.by_model, UNSHARDED),
        ("both", Perceptron.by_model, "batch"),
    ):
        network = Perceptron(Perceptron.shapes, specs)
        x, y = (dtensor.copy_to_mesh(value, layout(batch, UNSHARDED)) for value in data)
        texts[name] = program_of(lambda: network.step(x, y))  # noqa: B023
        assert collectives(texts[name]) == {"all-reduce"}, name
    whole, half, part = "f32[16,32]", "f32[16,16]", "f32[4,16]"
    assert [whole in texts[name] for name in texts] == [True, False, False]
    assert [half in texts[name] for name in texts] == [False, True, True]
    assert [part in texts[name] for name in texts] == [True, False, True]


@pytest.mark.parametrize("kind", [Perceptron, Block])
def test_training_equals_that_on_one_device(kind: Any) -> None:
    wanted, _ = trained(kind, None, "")
    for specs, batch in (({}, "batch"), (kind.by_model, UNSHARDED), (kind.by_model, "batch")):
        found, network = trained(kind, specs, batch)
        for ours, single in zip(found, wanted, strict=True):
            np.testing.assert_allclose(ours, single, rtol=1e-5, atol=1e-5)
        for name, v in network.variables.items():
            dtensor.check_layout(v, layout(*specs.get(name, [UNSHARDED] * v.shape.rank)))


# Input


def test_datasets() -> None:
    mesh = mesh_of()
    x, y = numbers(70, 3), np.arange(70, dtype=np.int32)
    layouts = (layout("batch", UNSHARDED), layout("batch"))
    rows = tf.data.Dataset.from_tensor_slices((x, y))
    for given, batched in ((rows, False), (rows.batch(4, drop_remainder=True), True)):
        dataset = dtensor.DTensorDataset(
            given, mesh=mesh, layouts=layouts, global_batch_size=16, batch_dim="batch", prefetch=2,
            dataset_already_batched=batched,
        )  # fmt: skip
        assert [spec.shape.as_list() for spec in dataset.element_spec] == [[16, 3], [16]]
        found = list(dataset)
        assert len(found) == 4
        for i, batch in enumerate(found):
            for value, whole, lies in zip(batch, (x, y), layouts, strict=True):
                dtensor.check_layout(value, lies)
                np.testing.assert_array_equal(value.numpy(), whole[16 * i : 16 * i + 16])
    plain = {"mesh": mesh, "global_batch_size": 16}
    for text, options in {
        "did not contain it": {"layouts": (layout(UNSHARDED, UNSHARDED), layout("batch"))},
        "layout with rank 2": {"layouts": (layout("batch"), layout("batch"))},
        "same structure|same nested|structure": {"layouts": layout("batch")},
    }.items():
        with pytest.raises((ValueError, TypeError), match=text):
            dtensor.DTensorDataset(rows, batch_dim="batch", **plain, **options)
    with pytest.raises(ValueError, match="got 5 but expected 4"):
        dtensor.DTensorDataset(
            rows.batch(5, drop_remainder=True), layouts=layouts, batch_dim="batch",
            dataset_already_batched=True, **plain,
        )  # fmt: skip


# Files


def test_checkpoints_go_to_other_meshes(tmp_path: Path) -> None:
    """Check that a checkpoint can be restored on another mesh, on one device, and by TensorFlow."""
    both, pair = layout("batch", "model"), mesh_of(dims=[("y", 2)], devices=["CPU:3", "CPU:4"])
    saved = dtensor.DVariable(numbers(8, 4), layout=both)
    path = tf.train.Checkpoint(v=saved).save(tmp_path / "objects")
    lies = layout("y", UNSHARDED, mesh=pair)
    elsewhere = dtensor.DVariable(np.zeros([8, 4], np.float32), layout=lies)
    single = tf.Variable(tf.zeros([8, 4]))
    dtensor.DTensorCheckpoint(pair, v=elsewhere).restore(path).assert_consumed()
    tf.train.Checkpoint(v=single).restore(path).assert_consumed()
    for found in (elsewhere, single):
        np.testing.assert_array_equal(found.numpy(), numbers(8, 4))
    dtensor.check_layout(elsewhere, lies)
    theirs = tensorflow.train.load_checkpoint(path)
    np.testing.assert_array_equal(theirs.get_tensor("v/.ATTRIBUTES/VARIABLE_VALUE"), numbers(8, 4))

    names = {"v": saved, "sum": tf.reduce_sum(saved, 0)}
    dtensor.name_based_save(mesh_of(), str(tmp_path / "names"), names)
    theirs = tensorflow.train.load_checkpoint(str(tmp_path / "names"))
    assert sorted(theirs.get_variable_to_shape_map()) == ["sum", "v"]
    like = {"v": elsewhere, "sum": dtensor.copy_to_mesh(np.zeros(4, np.float32), layout("batch"))}
    back = dtensor.name_based_restore(mesh_of(), str(tmp_path / "names"), like)
    assert list(back) == ["v", "sum"]
    dtensor.check_layout(back["v"], elsewhere.layout)
    dtensor.check_layout(back["sum"], layout("batch"))
    np.testing.assert_array_equal(back["v"].numpy(), numbers(8, 4))
    np.testing.assert_array_equal(back["sum"].numpy(), numbers(8, 4).sum(0))
    with pytest.raises(ValueError, match="sum is not on a mesh"):
        dtensor.name_based_restore(mesh_of(), str(tmp_path / "names"), {"sum": tf.zeros([4])})
    with pytest.raises(tf.errors.NotFoundError, match="w"):
        dtensor.name_based_restore(mesh_of(), str(tmp_path / "names"), {"w": saved})
    with pytest.raises(tf.errors.InvalidArgumentError, match="shape_and_slices"):
        dtensor.sharded_save(mesh_of(), str(tmp_path / "x"), ["v"], ["4 0,2"], [saved])


# Several processes


def test_two_clients_are_as_one() -> None:
    jobs = ",".join(f"localhost:{free_port()}" for _ in range(2))
    clients = []
    for number in range(2):
        variables = os.environ | {"DTENSOR_JOBS": jobs, "DTENSOR_CLIENT_ID": str(number)}
        variables["XLA_FLAGS"] = variables["XLA_FLAGS"].rpartition(" ")[0]
        command = [sys.executable, str(Path(__file__).with_name("client.py"))]
        clients.append(subprocess.Popen(command, env=variables, stdout=subprocess.PIPE, text=True))
    try:
        found = [json.loads(c.communicate(timeout=120)[0].splitlines()[-1]) for c in clients]
    finally:
        for client in clients:
            client.kill()
    x = numbers(8, 4)
    for number, said in enumerate(found):
        assert said["id"] == number
        assert said["devices"] == [
            f"/job:worker/replica:0/task:{number}/device:CPU:{i}" for i in range(2)
        ]
        rows = x[4 * number : 4 * number + 4]
        assert said["parts"] == [rows[:, :2].tolist(), rows[:, 2:].tolist()]
        assert said["packed"] == said["moved"] == x.tolist()
        assert said["product"] == (x @ np.ones([4, 2])).tolist()
        assert said["variable"] == (1 + x.sum(0)[:, None] * np.ones([1, 2])).tolist()
