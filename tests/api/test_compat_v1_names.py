"""Names of ``tf.compat.v1`` whose arguments or meanings changed in TensorFlow 2."""

from __future__ import annotations

import inspect
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import error, same

import tfpy
from buildsys.tensorflow_names import names
from tfpy._src.library.compat.signatures import SIGNATURES

A = np.random.default_rng(0).uniform(size=(4, 3)).astype(np.float32)
B = np.random.default_rng(1).uniform(size=(4, 3)).astype(np.float32)
IMAGE = A[np.newaxis, :, :, np.newaxis]


def _at(root: Any, path: str) -> Any:
    for part in path.split("."):
        root = getattr(root, part)
    return root


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_signatures(name: str) -> None:
    ours, theirs = (inspect.signature(_at(m.compat.v1, name)) for m in (tfpy, tensorflow))
    assert [*ours.parameters] == [*theirs.parameters]


def test_objects_that_tensorflow_2_has_too() -> None:
    """A name that TensorFlow 2 did not change is the same object in both namespaces."""
    wrong = []
    for name in names():
        path = name.removeprefix("tf.compat.v1.")
        if path == name or path in SIGNATURES:
            continue
        try:
            same_there = _at(tensorflow.compat.v1, path) is _at(tensorflow, path)
            if same_there and _at(tfpy.compat.v1, path) is not _at(tfpy, path):
                wrong.append(path)
        except AttributeError:
            continue
    assert wrong == []


@same
def test_older_arguments(tf: Any) -> Any:
    one = tf.compat.v1
    return [
        one.reduce_sum(A, reduction_indices=[0], keep_dims=True),
        one.math.reduce_max(A, 1, True),
        one.transpose(A, [1, 0], "name"),
        one.nn.conv2d(IMAGE, tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], "SAME", True, "NHWC"),
        one.nn.softmax(A, dim=0),
        one.strings.substr(["abc"], 0, 1, "name"),
        one.assert_equal(1, 1, [1], 3, "message") is None,
        one.depth_to_space(tf.ones([1, 1, 1, 4]), 2, "name"),
        one.batch_to_space(tf.ones([4, 1, 1, 1]), [[0, 0], [0, 0]], block_size=2),
        one.squeeze([[1.0]], squeeze_dims=[0]),
        one.zeros_like(A, None, "name", True),
        one.spectral.fft2d([[1j]]),
        one.manip.roll([1, 2, 3], 1, 0),
        one.debugging.is_nan([1.0, np.nan]),
        one.sets.set_size(tf.sparse.from_dense([[1, 2], [3, 3]])),
        error(lambda: one.expand_dims([1.0], 0, "name", None, 5)),
        error(lambda: one.nn.softmax(A, logits=B)),
    ]


@same
def test_changed_functions(tf: Any) -> Any:
    one = tf.compat.v1
    tables = [tf.constant([[0.0], [2.0], [4.0]]), tf.constant([[1.0], [3.0]])]
    ones = [1, 1, 1, 1]
    split = one.strings.split(["a b", "c"])
    words = one.string_split(["a b", "c", " d  e"])
    v = tf.Variable([1.0, 2.0, 3.0])
    return [
        one.nn.embedding_lookup(tables, [[0, 1], [3, 4]]),
        one.nn.embedding_lookup(tables, [0, 3, 4], "div"),
        one.nn.dilation2d(IMAGE, tf.ones([2, 2, 1]), ones, ones, "VALID"),
        one.nn.erosion2d(IMAGE, tf.ones([2, 2, 1]), ones, ones, "SAME"),
        one.sparse_to_dense([1, 3], [5], [7, 8], -1),
        one.sparse_to_dense([[0, 1]], [2, 2], 5),
        split.values,
        split.dense_shape,
        one.strings.split(["a b", "c"], result_type="RaggedTensor").to_list(),
        words.values,
        one.string_split(["a,b", "c,,d"], ",", skip_empty=False).values,
        one.random.multinomial([[0.0, -1000.0]], 3, output_dtype=tf.int32),
        one.scatter_add(v, [0, 1], [1.0, 1.0]) + 0.0,
        one.scatter_sub(v, [0], 1.0) + 0.0,
        one.scatter_mul(v, [0], 2.0) + 0.0,
        one.scatter_div(v, [2], [2.0]) + 0.0,
        one.scatter_max(v, [0, 1], [9.0, 0.0]) + 0.0,
        one.scatter_min(v, [0, 1], [1.0, 0.0]) + 0.0,
        one.scatter_update(v, [0, 2], [3.0, 4.0]) + 0.0,
        one.scatter_nd_add(v, [[0]], [1.0]) + 0.0,
        one.scatter_nd_sub(v, [[1]], [1.0]) + 0.0,
        one.scatter_nd_update(v, [[2]], [9.0]) + 0.0,
        error(lambda: one.nn.embedding_lookup(tables, [0], "other")),
    ]


@same
def test_resizing(tf: Any) -> Any:
    image = tf.compat.v1.image
    kinds = image.ResizeMethod
    return [
        image.resize(IMAGE, [2, 5]),
        image.resize(IMAGE[0], [5, 5], kinds.NEAREST_NEIGHBOR),
        image.resize_images(IMAGE, [5, 5], method=kinds.BICUBIC, align_corners=True),
        image.resize(IMAGE, [2, 2], method=3),
        image.resize(IMAGE, [3, 5], preserve_aspect_ratio=True),
        image.resize(tf.cast(IMAGE * 9, tf.int32), [4, 3]),
        image.resize_bicubic(IMAGE, [3, 4], half_pixel_centers=True),
        image.resize_area(IMAGE, [2, 2]),
        image.resize_bilinear(IMAGE, [3, 5], True, "name"),
        error(lambda: image.resize(A, [1, 1])),
        error(lambda: image.resize(IMAGE, [1])),
    ]


@same
def test_losses(tf: Any) -> Any:
    losses = tf.compat.v1.losses
    found = [
        losses.mean_pairwise_squared_error(A, B),
        losses.mean_pairwise_squared_error(A, B, weights=[[1.0], [0.0], [2.0], [3.0]]),
        losses.sparse_softmax_cross_entropy([[1], [0], [2], [1]], A, [1.0, 0.0, 2.0, 3.0]),
        losses.cosine_distance(A, B, dim=1),
        losses.Reduction.all(),
        [losses.absolute_difference(A, B, 2.0, reduction=kind) for kind in losses.Reduction.all()],
        losses.absolute_difference(A, B, 1.0, "scope"),
        losses.hinge_loss(A, logits=B, reduction="none"),
        len(losses.get_losses()),
    ]
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        one = losses.mean_squared_error(A, x)
        two = losses.softmax_cross_entropy(tf.one_hot([1, 1, 0, 2], 3), x, scope="my")
        found += [loss.op.name.split("/")[0] for loss in (one, two)]
        found += [len(losses.get_losses()), len(losses.get_losses("my"))]
        with tf.compat.v1.Session() as sess:
            found.append(sess.run(losses.get_total_loss(), {x: B}))
    return found


@same
def test_messages(tf: Any) -> Any:
    one = tf.compat.v1
    config = one.ConfigProto(allow_soft_placement=True, device_count={"GPU": 0})
    config.gpu_options.allow_growth = True
    config.graph_options.optimizer_options.global_jit_level = one.OptimizerOptions.ON_1
    summary = one.Summary(value=[one.Summary.Value(tag="a", simple_value=0.0)])
    summary.value.add(tag="b").image.height = 3
    summary.value[1].simple_value = 2.0
    node = one.NodeDef(name="x", op="Y", input=["a"])
    node.attr["T"].type = tf.float32.as_datatype_enum
    node.attr["f"].func.name = "g"
    messages = [
        config,
        one.RunOptions(trace_level=one.RunOptions.FULL_TRACE),
        summary,
        one.AttrValue(i=0),
        one.Event(step=3, file_version="brain.Event:2"),
    ]
    kinds = [node.attr["f"].WhichOneof("value"), summary.value[1].WhichOneof("value")]
    return [*map(str, messages), node.SerializeToString(deterministic=True), kinds]


@same
def test_files(tf: Any) -> Any:
    gfile = tf.compat.v1.gfile
    folder = f"{mkdtemp()}/a"
    gfile.MakeDirs(folder)
    with gfile.Open(f"{folder}/text", "w") as file:
        file.write("hello")
    gfile.Copy(f"{folder}/text", f"{folder}/other")
    with gfile.FastGFile(f"{folder}/other") as file:
        text = file.read()
    return [
        sorted(gfile.ListDirectory(folder)),
        gfile.Exists(filename=folder),
        gfile.IsDirectory(folder),
        text,
        gfile.Stat(f"{folder}/text").length,
    ]


@same
def test_summaries_of_graphs(tf: Any) -> Any:
    one, folder = tf.compat.v1, mkdtemp()
    with tf.Graph().as_default() as graph:
        x = one.placeholder(tf.float32, [None, 3], name="x")
        one.summary.scalar("loss", tf.reduce_sum(x))
        one.summary.scalar("loss", tf.reduce_mean(x), family="kind")
        with one.name_scope("a"):
            histogram = one.summary.histogram("my values", x)
        one.summary.image("image", tf.reshape(x, [1, 2, 3, 1]))
        single = one.summary.image(
            "image", tf.reshape(x, [1, 2, 3, 1]), max_outputs=1, collections=[]
        )
        one.summary.text("text", tf.constant(["a", "b"]))
        one.summary.audio("sound", tf.reshape(x, [1, 3, 2]) / 10, 8000)
        merged = one.summary.merge_all()
        found = [histogram.op.name, len(one.get_collection(one.GraphKeys.SUMMARIES))]
        with one.Session() as sess:
            feed = {x: [[1.0, 2.0, -3.0], [4.5, 0.0, 1e-3]]}
            written = sess.run(merged, feed)
            for text in (written, sess.run(single, feed)):
                summary = one.Summary.FromString(text)
                for value in summary.value:
                    if value.WhichOneof("value") == "image":
                        value.image.encoded_image_string = b""  # PNG encoders differ
                found.append(str(summary))
            with one.summary.FileWriter(folder, sess.graph) as writer:
                writer.add_summary(written, 3)
                writer.add_event(one.Event(step=9, wall_time=5.0))
    (file,) = Path(folder).iterdir()
    events = [one.Event.FromString(x) for x in one.io.tf_record_iterator(str(file))]
    kinds = [(event.WhichOneof("what"), event.step) for event in events]
    nodes = {node.name: node for node in graph.as_graph_def().node}
    sizes = [dim.size for dim in nodes["x"].attr["shape"].shape.dim]
    is_meta = [kind for kind in kinds if kind[0] != "meta_graph_def"]
    return [*found, is_meta, nodes["x"].op, sizes, error(lambda: one.summary.FileWriter(folder))]


def test_public_functions_are_restored() -> None:
    """Functions of the public modules record only while a graph is active."""
    with tfpy.Graph().as_default():
        inside = tfpy.add
        assert tfpy.linalg.matmul is not tfpy.matmul.__wrapped__
    assert inside is not tfpy.add
    assert not hasattr(tfpy.add, "__recorded__")
