"""Checkpoints of Variables that are spread over devices, and of processes that may die."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as reference

import tfpy
from tfpy._src.checkpoints.reader import CheckpointReader
from tfpy.experimental import dtensor

from .test_strategies import free_port

HERE = Path(__file__).parent
VALUES = np.arange(32, dtype=np.float32).reshape(8, 4)
KEY = "v/.ATTRIBUTES/VARIABLE_VALUE"
LAYOUTS = [["x", "y"], ["y", dtensor.UNSHARDED], [dtensor.UNSHARDED, "x"], [dtensor.UNSHARDED] * 2]


def spread(values: Any, sizes: tuple[int, int], places: list[str]) -> Any:
    devices = [f"CPU:{i}" for i in range(sizes[0] * sizes[1])]
    mesh = dtensor.create_mesh(list(zip("xy", sizes, strict=True)), devices=devices)
    return dtensor.DVariable(values, layout=dtensor.Layout(places, mesh))


@pytest.mark.parametrize("places", LAYOUTS, ids=str)
def test_spread_variables(places: list[str], tmp_path: Path) -> None:
    """Restore a checkpoint of eight devices by TensorFlow, two devices, one device and NumPy."""
    path = tfpy.train.Checkpoint(v=spread(VALUES, (4, 2), places)).write(tmp_path / "of")
    theirs = reference.Variable(np.zeros_like(VALUES))
    reference.train.Checkpoint(v=theirs).read(path).assert_consumed()
    np.testing.assert_array_equal(theirs.numpy(), VALUES)
    fewer = spread(np.zeros_like(VALUES), (1, 2), places)
    before = dtensor.fetch_layout(fewer)
    tfpy.train.Checkpoint(v=fewer).read(path).assert_consumed()
    assert dtensor.fetch_layout(fewer) == before
    np.testing.assert_array_equal(fewer.numpy(), VALUES)
    for backend in ("jax", "cpu"):
        tfpy.set_backend(backend)
        one = tfpy.Variable(np.zeros_like(VALUES))
        tfpy.train.Checkpoint(v=one).read(path).assert_consumed()
        np.testing.assert_array_equal(one.numpy(), VALUES)


def test_only_parts_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that each part is read once from a file with the whole value."""
    path = reference.train.Checkpoint(v=reference.Variable(VALUES)).write(str(tmp_path / "of"))
    asked: list[Any] = []
    part = CheckpointReader.part

    def noted(self: CheckpointReader, key: str, ranges: Any = None) -> Any:
        found = part(self, key, ranges)
        asked.append((ranges, found.shape))
        return found

    variable = spread(np.zeros_like(VALUES), (4, 2), ["y", dtensor.UNSHARDED])
    monkeypatch.setattr(CheckpointReader, "part", noted)
    tfpy.train.Checkpoint(v=variable).read(path).assert_consumed()
    assert sorted(asked[1:]) == [(((0, 4), (0, 4)), (4, 4)), (((4, 8), (0, 4)), (4, 4))]
    np.testing.assert_array_equal(variable.numpy(), VALUES)


def test_a_sum_is_restored_whole(tmp_path: Path) -> None:
    """Check that a sum that replicas cannot share equally is restored.

    TensorFlow loses the remainder.
    """
    strategy = tfpy.distribute.MirroredStrategy([f"CPU:{n}" for n in range(4)])
    with strategy.scope():
        count = tfpy.Variable(
            0,
            synchronization=tfpy.VariableSynchronization.ON_READ,
            aggregation=tfpy.VariableAggregation.SUM,
        )
    path = tfpy.train.Checkpoint(v=tfpy.Variable(34)).write(tmp_path / "of")
    tfpy.train.Checkpoint(v=count).read(path).assert_consumed()
    assert count.numpy() == 34


def test_of_copies_that_differ_the_first_is_saved(tmp_path: Path) -> None:
    """Check that the first replica's value is saved, as ``numpy`` returns it.

    Replicas differ in e.g. the statistics of batches, if each replica keeps its own.
    """
    strategy = tfpy.distribute.MirroredStrategy(["CPU:0", "CPU:1", "CPU:2"])
    with strategy.scope():
        v = tfpy.Variable([0.0], aggregation=tfpy.VariableAggregation.NONE)

    @tfpy.function
    def step() -> None:
        def replica() -> None:
            number = tfpy.distribute.get_replica_context().replica_id_in_sync_group
            v.assign([tfpy.cast(number, tfpy.float32) + 5.0])

        strategy.run(replica)

    step()
    path = tfpy.train.Checkpoint(v=v).write(tmp_path / "of")
    assert tfpy.train.load_variable(path, KEY) == v.numpy() == 5.0


def test_a_worker_dies(tmp_path: Path) -> None:
    """Check that the remaining worker names the worker that died, even if it was the first one.

    Restarted workers continue from the last checkpoint.
    """
    for deaths, gone, saved in (([-1, 2], 1, ["1", "2"]), ([3, -1], 0, ["2", "3"])):
        said = _trained(tmp_path / "of", deaths)
        assert said[gone] == {}
        assert f"/task:{gone} is gone" in said[1 - gone]["error"]
        files = sorted(path.name for path in (tmp_path / "of").glob("*.index"))
        assert files == [f"ckpt-{number}.index" for number in saved]
    for left in (tmp_path / "of").glob("*_temp_*"):
        os.utime(left, (0, 0))  # make the dead workers' folders old
    for said in _trained(tmp_path / "of", [-1, -1]):
        assert said["restored"] == str(tmp_path / "of" / "ckpt-3")
        assert (said["step"], said["rows"], said["error"]) == (4, 16, "")
        np.testing.assert_allclose(said["w"], _on_one_device(), rtol=1e-4)
    whole = reference.train.load_checkpoint(str(tmp_path / "of"))
    assert whole.get_tensor("step/.ATTRIBUTES/VARIABLE_VALUE") == 4
    assert not list((tmp_path / "of").glob("*_temp*"))


@pytest.mark.parametrize(
    ("deaths", "gone", "why"),
    [([-1, 2], 1, "its data does not arrive"), ([2, -1], 0, "it does not respond")],
)
def test_a_worker_is_stopped(tmp_path: Path, deaths: list[int], gone: int, why: str) -> None:
    """Check that the other worker names a stopped worker and ends.

    A stopped worker keeps its connections but does not respond.
    """
    said = _trained(tmp_path / "of", deaths, signal.SIGSTOP)
    assert said[gone] == {}
    assert f"/task:{gone} is gone ({why})" in said[1 - gone]["error"]
    assert tfpy.train.latest_checkpoint(tmp_path / "of") == str(tmp_path / "of" / "ckpt-2")


def _on_one_device() -> float:
    """Return the sum of the trained weights, computed by NumPy."""
    w = np.zeros((300, 1), np.float32)
    for x in np.random.default_rng(0).normal(size=(4, 4, 300)).astype(np.float32):
        w -= 0.001 * 2 * x.T @ (x @ w - 1) / len(x)
    return float(w.sum())


def _trained(
    folder: Path, deaths: list[int], by: signal.Signals = signal.SIGKILL
) -> list[dict[str, Any]]:
    """Return the results of workers, an empty result for a worker that dies.

    Args:
        deaths: For each worker the step before which it dies, or -1.
        by: Signal that ends it, or stops it until the others have ended.
    """
    cluster = {"worker": [f"localhost:{free_port()}" for _ in deaths]}
    workers = []
    for index, death in enumerate(deaths):
        task = {"cluster": cluster, "task": {"type": "worker", "index": index}}
        variables = os.environ | {
            "TF_CONFIG": json.dumps(task),
            "TFPY_FLAGS": "TFPY_HEARTBEAT_SECONDS:5",
            "XLA_FLAGS": os.environ["XLA_FLAGS"].rpartition(" ")[0],
        }
        arguments = [str(folder), "4", str(death), by.name]
        command = [sys.executable, str(HERE / "failing.py"), *arguments]
        workers.append(
            subprocess.Popen(
                command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        )
    try:
        living = [n for n, death in enumerate(deaths) if death < 0]
        outputs = {n: workers[n].communicate(timeout=60) for n in living}
    finally:
        for worker in workers:
            worker.kill()
    outputs |= {n: worker.communicate() for n, worker in enumerate(workers) if n not in outputs}
    texts = [outputs[n][0].splitlines()[-1:] for n in range(len(deaths))]
    for n, (worker, death) in enumerate(zip(workers, deaths, strict=True)):
        errors = outputs[n][1]
        wanted = -signal.SIGKILL if death >= 0 else int(max(deaths) >= 0)
        assert worker.returncode == wanted, errors
    return [json.loads(text[0]) if text and text[0].startswith("{") else {} for text in texts]
