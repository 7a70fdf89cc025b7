"""The options and errors of `tf.compat.v1.train.Saver` are the same as in TensorFlow."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np
from api.same import same


def error(action: Callable[[], Any]) -> str:
    """Return the name of the class of an error."""
    try:
        action()
    except Exception as found:  # of any class
        return type(found).__name__
    return "no error"


@same
def test_paths_and_deferred_builds(tf: Any) -> Any:
    v1, folder = tf.compat.v1, tempfile.mkdtemp()
    with tf.Graph().as_default(), v1.Session() as sess:
        v = tf.Variable([1.0, 2.0], name="v")
        sess.run(v.initializer)
        deferred = v1.train.Saver(defer_build=True)
        found: list[Any] = [
            error(lambda: v1.train.Saver([v], defer_build=True)),
            error(lambda: deferred.save(sess, f"{folder}/a")),
        ]
        deferred.build()
        found.append(os.path.basename(deferred.save(sess, f"{folder}/a")))
        padded = v1.train.Saver(pad_step_number=True)
        steps = (5, 123456789, tf.constant(7))
        found += [os.path.basename(padded.save(sess, f"{folder}/b", step)) for step in steps]
        options = {"sharded": True, "max_to_keep": 3, "keep_checkpoint_every_n_hours": 2.0}
        message = v1.train.Saver(**options).as_saver_def()
        found += [message.sharded, message.max_to_keep, message.keep_checkpoint_every_n_hours]
    return found, error(lambda: v1.train.Saver())


@same
def test_savers_without_variables(tf: Any) -> Any:
    v1, folder = tf.compat.v1, tempfile.mkdtemp()
    with tf.Graph().as_default(), v1.Session() as sess:
        refused = error(lambda: v1.train.Saver())
        saver = v1.train.Saver(allow_empty=True)
        found = saver.save(sess, f"{folder}/empty")
        saver.restore(sess, f"{folder}/empty")
        return refused, found is None, sorted(os.listdir(folder))


@same
def test_values_that_do_not_fit(tf: Any) -> Any:
    v1, path, found = tf.compat.v1, f"{tempfile.mkdtemp()}/model", []
    with tf.Graph().as_default(), v1.Session() as sess:
        v = tf.Variable([1.0, 2.0], name="v")
        sess.run(v.initializer)
        v1.train.Saver().save(sess, path)
    for initial, options in (
        (np.int32([1, 2]), {}),
        (np.int32([1, 2]), {"reshape": True}),
        (np.float32([1, 2, 3]), {"reshape": True}),
        (np.float32([[1, 2]]), {"reshape": True}),
        (np.float32([3, 4]), {}),
    ):
        with tf.Graph().as_default(), v1.Session() as sess:
            v = tf.Variable(initial, name="v")
            saver = v1.train.Saver(**options)
            problem = error(lambda saver=saver, sess=sess: saver.restore(sess, path))
            found.append([problem, sess.run(v) if problem == "no error" else None])
    return found
