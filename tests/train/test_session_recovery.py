"""Monitored sessions, checkpoint readers and threads behave as in TensorFlow."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as reference
from api.same import compare

import tfpy

LIBRARIES = pytest.mark.parametrize("lib", [tfpy, reference], ids=["tfpy", "tensorflow"])


def raising(lib: Any, error: BaseException, at: int) -> Any:
    """Return a hook that raises an error once."""

    class Raising(lib.compat.v1.train.SessionRunHook):  # type: ignore[misc, name-defined]
        runs = 0

        def before_run(self, context: Any) -> None:
            self.runs += 1
            if self.runs == at:
                raise error

    return Raising()


@LIBRARIES
@pytest.mark.parametrize("saves", [True, False])
@pytest.mark.parametrize("name", ["AbortedError", "UnavailableError"])
def test_lost_processes(lib: Any, name: str, saves: bool, tmp_path: Path) -> None:
    v1 = lib.compat.v1
    error = getattr(lib.errors, name)(None, None, "lost")
    with lib.Graph().as_default():
        step = v1.train.get_or_create_global_step()
        train = v1.assign_add(step, 1)
        hooks = [raising(lib, error, 4)]
        folder = str(tmp_path) if saves else None
        if saves:
            hooks.append(v1.train.CheckpointSaverHook(folder, save_steps=1, scaffold=None,
                                                      saver=v1.train.Saver()))  # fmt: skip
        creator = v1.train.ChiefSessionCreator(checkpoint_dir=folder)
        with v1.train.MonitoredSession(creator, hooks) as session:
            found = [int(session.run(op)) for op in (step, train, train, train, train)]
            assert not session.should_stop()
    assert found == ([0, 1, 2, 3, 4] if saves else [0, 1, 2, 1, 2])


@LIBRARIES
def test_sessions_that_do_not_recover(lib: Any) -> None:
    v1 = lib.compat.v1
    error = lib.errors.AbortedError(None, None, "lost")
    with lib.Graph().as_default():
        step = v1.train.get_or_create_global_step()
        with (
            v1.train.SingularMonitoredSession(hooks=[raising(lib, error, 1)]) as session,
            pytest.raises(lib.errors.AbortedError),
        ):
            session.run(step)


@LIBRARIES
def test_step_functions(lib: Any) -> None:
    v1 = lib.compat.v1
    calls: list[int] = []
    with lib.Graph().as_default():
        x = v1.placeholder(lib.float32, [])
        y = x * 2.0

        def step(step_context: Any) -> Any:
            calls.append(1)
            value = step_context.run_with_hooks(y, {x: 3.0})
            if len(calls) == 1:
                raise lib.errors.AbortedError(None, None, "lost")
            return value

        def stop(step_context: Any) -> None:
            step_context.request_stop()

        with v1.train.MonitoredSession() as session:
            assert session.run_step_fn(step) == 6.0
        assert len(calls) == 2
        session = v1.train.MonitoredSession()
        with pytest.raises(StopIteration):
            session.run_step_fn(stop)
        assert not session.should_stop()
        session.close()
        ends = []
        with v1.train.MonitoredSession() as session:
            session.run_step_fn(stop)
            ends.append("not reached")
        assert not ends
        with (
            pytest.raises(RuntimeError, match="already closed"),
            v1.train.MonitoredSession() as session,
        ):
            session.close()


@LIBRARIES
@pytest.mark.parametrize("saves", [True, False])
def test_graphs_in_files(lib: Any, saves: bool, tmp_path: Path) -> None:
    v1 = lib.compat.v1
    with lib.Graph().as_default():
        step = v1.assign_add(v1.train.get_or_create_global_step(), 1)
        with v1.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmp_path), save_checkpoint_steps=1, save_graph_def=saves
        ) as session:
            session.run(step)
    names = os.listdir(tmp_path)
    assert ("graph.pbtxt" in names) == saves
    assert sum(name.endswith(".meta") for name in names) == (2 if saves else 0)


@LIBRARIES
def test_readers(lib: Any, tmp_path: Path) -> None:
    values = [np.float32([[1, 2]]), np.float64(3), np.int64([4]), np.array([True]), np.float16(1)]
    made = [lib.Variable(value, name=f"v{i}") for i, value in enumerate(values)]
    saver = lib.compat.v1.train.Saver(made, max_to_keep=None)
    path = saver.save(None, str(tmp_path / "model"))
    assert saver.last_checkpoints == []
    reader = lib.train.load_checkpoint(path)
    text = reader.debug_string().decode()
    kinds = ["FLOAT) [1,2]", "DOUBLE) []", "INT64) [1]", "BOOL) [1]", "HALF) []"]
    for i, kind in enumerate(kinds):
        assert f"v{i} (DT_{kind}" in text
    with pytest.raises(lib.errors.NotFoundError, match="Unsuccessful TensorSliceReader"):
        lib.train.load_checkpoint(str(tmp_path / "absent"))


@LIBRARIES
def test_looping_threads(lib: Any) -> None:
    coordinator, left = lib.train.Coordinator(), [3]

    def count(coord: Any, n: list[int]) -> None:
        n[0] -= 1
        if not n[0]:
            coord.request_stop()

    kind = lib.compat.v1.train.LooperThread
    coordinator.join([kind.loop(coordinator, 0, count, (coordinator,), {"n": left})])
    assert left == [0]
    with pytest.raises(ValueError, match="must be a Coordinator"):
        kind(None, 1.0)


def test_names_of_training_operations() -> None:
    found = []
    for lib in (tfpy, reference):
        v1 = lib.compat.v1
        with lib.Graph().as_default() as graph:
            w = v1.get_variable("w", [2])
            loss = lib.reduce_sum(w * w)
            step = v1.train.get_or_create_global_step()
            made = [
                v1.train.AdamOptimizer().minimize(loss, name="optimize"),
                v1.train.GradientDescentOptimizer(0.1).minimize(loss),
                v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step),
            ]
            assert graph.get_collection("train_op") == made
            found.append([op.name for op in made])
    compare(found[0], found[1], 0, "names")
