"""`SessionManager` and `Supervisor` of TensorFlow 1."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from api.same import same


def variables(tf: Any) -> Any:
    one = tf.compat.v1
    v = one.get_variable("v", [], initializer=one.constant_initializer(2.0), use_resource=True)
    w = one.get_variable("w", [], initializer=one.constant_initializer(3.0), use_resource=True,
                         collections=[one.GraphKeys.LOCAL_VARIABLES])  # fmt: skip
    return v, w


@same
def test_session_manager(tf: Any) -> Any:
    one = tf.compat.v1
    found, folder = [], tempfile.mkdtemp()
    for again in range(2):
        with tf.Graph().as_default():
            v, w = variables(tf)
            ready = one.report_uninitialized_variables()
            first = one.report_uninitialized_variables([v])
            manager = one.train.SessionManager(w.initializer, ready, first)
            saver = one.train.Saver([v])
            change = v.assign_add(5.0)
            sess, is_ready = manager.recover_session("", saver, folder)
            found.append(is_ready)
            if not again:
                with pytest.raises(RuntimeError, match="no init_op or init_fn"):
                    one.train.SessionManager(ready_op=ready).prepare_session("")
                with pytest.raises(RuntimeError, match="make model ready for local_init"):
                    manager.prepare_session("")
                init = one.variables_initializer([v])
                sess = manager.prepare_session("", init, saver, folder)
                sess.run(change)
                saver.save(sess, f"{folder}/model")
            found += [sess.run([v, w]), [Path(p).name for p in saver.last_checkpoints]]
            with pytest.raises(ValueError, match="both checkpoint_dir"):
                manager.recover_session("", saver, folder, f"{folder}/model")
            with pytest.raises(ValueError, match="must also pass a local_init_op"):
                one.train.SessionManager(ready_for_local_init_op=ready)
    with tf.Graph().as_default():
        v, _ = variables(tf)
        manager = one.train.SessionManager(
            ready_op=one.report_uninitialized_variables(), recovery_wait_secs=0.01
        )
        with pytest.raises(tf.errors.DeadlineExceededError):
            manager.wait_for_session("", max_wait_secs=0.05)
    return found


@same
def test_supervisor(tf: Any) -> Any:
    one = tf.compat.v1
    found, folder = [], tempfile.mkdtemp()
    for _ in range(2):
        with tf.Graph().as_default():
            step = one.train.get_or_create_global_step()
            train = step.assign_add(1)
            _, w = variables(tf)
            one.summary.scalar("loss", tf.constant(0.5))
            supervisor = one.train.Supervisor(logdir=folder, save_model_secs=0)
            with supervisor.managed_session(start_standard_services=False) as sess:
                while not supervisor.should_stop():
                    if sess.run(train) % 3 == 0:
                        supervisor.request_stop()
                supervisor.summary_computed(sess, sess.run(supervisor.summary_op))
                supervisor.saver.save(sess, supervisor.save_path, supervisor.global_step)
                found += [int(sess.run(step)), float(sess.run(w)), supervisor.is_chief]
            found.append(Path(supervisor.save_path).name)
    files = {p.name for p in Path(folder).iterdir() if not p.name.startswith("events")}
    found.append(sorted(name for name in files if "data" not in name))
    events = sorted(Path(folder).glob("events*"))
    for event in one.train.summary_iterator(str(events[0])):
        found.append(event.WhichOneof("what"))
    return found


@same
def test_errors_and_the_end_of_input(tf: Any) -> Any:
    one = tf.compat.v1
    found = []
    with tf.Graph().as_default():
        rows = one.train.range_input_producer(5, 1, shuffle=False).dequeue()
        supervisor = one.train.Supervisor()
        with supervisor.managed_session() as sess:
            while not supervisor.should_stop():
                found.append(int(sess.run(rows)))
        found.append(supervisor.should_stop())
    with tf.Graph().as_default():
        tf.constant(1.0)
        supervisor = one.train.Supervisor()
        with pytest.raises(RuntimeError, match="fails"), supervisor.managed_session():
            raise RuntimeError("it fails")
        with pytest.raises(RuntimeError, match="requires a summary writer"):
            supervisor.summary_computed(None, b"")
        worker = one.train.Supervisor(graph=tf.Graph(), is_chief=False, ready_op=None,
                                      local_init_op=None)  # fmt: skip
        with pytest.raises(RuntimeError, match="Only chief"):
            worker.start_standard_services(None)
    with tf.Graph().as_default():
        batch = one.train.batch([one.train.range_input_producer(4, 1, shuffle=False).dequeue()], 2)
        with one.train.MonitoredSession() as sess:
            while not sess.should_stop():
                found.append(sess.run(batch).tolist())
    return found


@same
def test_initializers_of_tables(tf: Any) -> Any:
    one = tf.compat.v1
    with tf.Graph().as_default() as graph, one.Session() as sess:
        v = one.get_variable("v", [], initializer=one.ones_initializer(), collections=[])
        graph.add_to_collection(one.GraphKeys.TABLE_INITIALIZERS, v.initializer)
        sess.run(one.tables_initializer())
        return sess.run(v)
