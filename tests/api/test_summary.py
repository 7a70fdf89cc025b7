"""`tf.summary`: the events that programs write, compared with TensorFlow's."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import error, same
from api.summary_programs import FILE, PROGRAMS, events, run

import tfpy

WANTED = json.loads(FILE.read_text())


@pytest.mark.parametrize("name", PROGRAMS)
def test_events_are_those_of_tensorflow(name: str) -> None:
    assert json.loads(json.dumps(run(tfpy, PROGRAMS[name]))) == WANTED[name]


def written(tf: Any, folder: Path, program: Callable[[Any], Any]) -> list[Any]:
    """Run a program, with results and messages of errors, and return its events too."""
    writer = tf.summary.create_file_writer(str(folder / tf.__name__))
    with writer.as_default():
        found = program(tf)
    (path,) = (folder / tf.__name__).iterdir()
    return [found, events(path)]


@pytest.mark.parametrize("program", ["writes", "raw", "steps", "conditions", "scopes", "traced"])
def test_same(program: str, tmp_path: Path) -> None:
    mine, wanted = (written(tf, tmp_path, globals()[program]) for tf in (tfpy, tensorflow))
    assert str(mine) == str(wanted)


def writes(tf: Any) -> Any:
    write = tf.summary.write
    calls = []
    metadata = tf.compat.v1.SummaryMetadata()
    metadata.plugin_data.plugin_name = "own"
    metadata.plugin_data.content = b"\x00\x01"
    metadata.summary_description = "Text"
    return [
        bool(write("ints", tf.constant([[1, 2]], tf.int16), 1)),
        bool(write("halves", tf.constant([0.5, -1.0], tf.float16), step=2)),
        bool(write("bfloat", tf.constant([0.5, -1.0], tf.bfloat16), step=2)),
        bool(write("complex", tf.constant([1 + 2j], tf.complex64), step=2)),
        bool(write("bools", [True, False], step=2)),
        bool(write("texts", ["a", "", b"\xff"], step=2)),
        bool(write("doubles", np.array([0.1]), step=2)),
        bool(write("empty", tf.zeros([2, 0]), step=2)),
        bool(write(tf.constant("tag"), tf.Variable(3.0), step=2, metadata=metadata)),
        bool(write("m", 1, step=2, metadata=tf.constant(metadata.SerializeToString()))),
        bool(write("called", lambda: calls.append(1) or tf.constant(5), step=3)),
        calls,
        error(lambda: write("no step", 1)),
        [bool(write("n", value, step=2)) for value in (1, 1.5, np.uint8(3))],
    ]


def raw(tf: Any) -> Any:
    write = tf.summary.experimental.write_raw_pb
    one = tensorflow.compat.v1.Summary()
    one.value.add(tag="a", tensor=tensorflow.make_tensor_proto(1.5))
    two = tensorflow.compat.v1.Summary()
    two.value.add(tag="b", tensor=tensorflow.make_tensor_proto("x"))
    data = [one.SerializeToString(), two.SerializeToString()]
    return [
        bool(write(data[0], step=3)),
        bool(write(tf.constant([data]), step=4)),
        bool(write(b"", step=5)),
        error(lambda: write(data[0])),
        type(error(lambda: write("broken", step=1))),
    ]


def steps(tf: Any) -> Any:
    write = tf.summary.write
    valid = (0, -7, 2**62, np.int8(3), np.array([4]), tf.Variable(5, dtype=tf.int64))
    kept: list[Any] = [bool(write("x", 1, step=step)) for step in valid]
    kept.append(error(lambda: write("x", 1, step=[1, 2])))
    kept += [type(_raised(lambda s=s: write("x", 1, s))) for s in (1.5, "a", [0.5])]
    get, put = tf.summary.experimental.get_step, tf.summary.experimental.set_step
    kept.append(get())
    put(8)
    kept += [get(), bool(tf.summary.write("x", 1))]
    other = tf.summary.create_noop_writer()
    with other.as_default(step=3) as nothing:
        kept += [nothing, get(), bool(tf.summary.write("x", 2))]
    with tf.summary.create_noop_writer().as_default():
        kept.append(bool(tf.summary.should_record_summaries()))
    put(None)
    return kept


def conditions(tf: Any) -> Any:
    record_if, should = tf.summary.record_if, tf.summary.should_record_summaries
    kept: list[Any] = [bool(should())]
    for condition in (True, False, tf.constant(False), lambda: tf.constant(True), lambda: False):
        with record_if(condition):
            kept += [bool(should()), bool(tf.summary.write("x", 1, step=1))]
    with record_if(False), record_if(None):
        kept.append(bool(should()))
    with record_if(False):
        kept += [bool(tf.summary.write("x", lambda: 1 / 0)), bool(tf.summary.graph(3))]
    with record_if(1):
        kept.append(type(_raised(should)))
    return kept


def scopes(tf: Any) -> Any:
    found = []

    def note(*args: Any) -> None:
        with tf.summary.experimental.summary_scope(*args) as both:
            found.append(both)

    for args in (("a",), ("a b$",), ("",), (None, "default"), ("$$", "other"), ("-x",)):
        note(*args)

    @tf.function
    def traced(x: Any) -> Any:
        with tf.name_scope("s"):
            note("x")
            if x > 0:
                for _ in tf.range(2):
                    note("y")
                    with tf.name_scope("inner"):
                        note("z")
            tf.cond(x > 1, lambda: note("u"), lambda: note("v"))
            tf.while_loop(lambda i: i < 3, lambda i: [i + 1, note("w")][:1], [0])
        return x

    with tf.name_scope("eager"):
        note("x")
        traced(tf.constant(1))
        tf.cond(tf.constant(True), lambda: note("u"), lambda: note("v"))
    return found


def traced(tf: Any) -> Any:
    writer = tf.summary.create_noop_writer()
    default = tf.summary.should_record_summaries
    count = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def step(x: Any) -> Any:
        count.assign_add(1)
        done = [tf.summary.write("before", tf.cast(count, tf.int32), step=count)]
        with tf.summary.record_if(lambda: x > 2):
            done += [tf.summary.write("large", lambda: x * 2, step=count), default()]
        with writer.as_default():
            done.append(tf.summary.write("none", x, step=1))
        text = tf.strings.as_string(x)
        done.append(tf.summary.write("text", text, step=tf.constant(3, tf.int64)))
        tf.summary.flush()
        return done

    found = [[bool(done) for done in step(tf.constant(n))] for n in (1, 3)]
    failing = (lambda: tf.summary.write("x", 1), lambda: tf.summary.graph(3))
    return [*found, *(type(_raised(tf.function(f, autograph=False))) for f in failing)]


def _raised(function: Callable[[], Any]) -> Exception:
    with pytest.raises(Exception) as found:  # noqa: PT011 - the class is compared
        function()
    return found.value


@same
def test_nothing_is_written_without_a_writer(tf: Any) -> Any:
    return [
        tf.summary.should_record_summaries(),
        tf.summary.write("x", 1),
        tf.summary.experimental.write_raw_pb("x"),
        tf.summary.graph(3),
        tf.summary.flush(),
        error(lambda: tf.summary.flush(3)),
        error(lambda: tf.summary.write("x", 1, step=[1, 2])),
        error(lambda: tf.summary.create_file_writer(None)),
        error(lambda: tf.summary.SummaryWriter().flush()),
        error(lambda: tf.summary.trace_export("x")),
        tf.summary.trace_off(),
    ]


@pytest.mark.parametrize("tf", [tfpy, tensorflow])
def test_files_have_names_and_are_written_in_time(tf: Any, tmp_path: Path) -> None:
    make = tf.summary.create_file_writer
    writers = [make(str(tmp_path / "a")), make(str(tmp_path / "a"), filename_suffix=".end")]
    names = sorted(os.listdir(tmp_path / "a"), key=lambda name: name.endswith(".end"))
    pattern = rf"events\.out\.tfevents\.\d{{10}}\.[^.]+.*\.{os.getpid()}\.(\d+)\.(v2|end)"
    found = [re.fullmatch(pattern, name) for name in names]
    assert [one and one[2] for one in found] == ["v2", "end"]
    first, second = (int(one[1]) for one in found if one)
    assert second == first + 1
    sizes = []
    short = make(tf.constant(str(tmp_path / "b")), max_queue=2)
    (path,) = (tmp_path / "b").iterdir()
    with short.as_default():
        for step in range(7):
            tf.summary.write("x", 1, step=step)
            sizes.append(len(list(tensorflow.compat.v1.train.summary_iterator(str(path)))))
        tf.summary.flush()
        sizes.append(len(list(tensorflow.compat.v1.train.summary_iterator(str(path)))))
    assert sizes == [1, 1, 4, 4, 4, 7, 7, 8]
    head = next(iter(tensorflow.compat.v1.train.summary_iterator(str(path))))
    assert head.file_version == "brain.Event:2"
    assert head.source_metadata.writer == "tensorflow.core.util.events_writer"
    for writer in (*writers, short):
        writer.close()


@pytest.mark.parametrize("tf", [tfpy, tensorflow])
def test_closed_writers(tf: Any, tmp_path: Path) -> None:
    writer = tf.summary.create_file_writer(str(tmp_path))
    writer.init()
    with writer.as_default():
        tf.summary.write("x", 1, step=1)
        writer.close()
        with pytest.raises(tf.errors.NotFoundError):
            tf.summary.write("x", 1, step=1)
    for use in (writer.as_default, writer.set_as_default, writer.init):
        with pytest.raises(RuntimeError, match="is already closed"):
            use()
    writer.flush()
    writer.close()
    (path,) = tmp_path.iterdir()
    assert len(events(path)) == 1


def test_a_writer_that_is_deleted_writes_its_queue(tmp_path: Path) -> None:
    writer = tfpy.summary.create_file_writer(tmp_path)
    writer.as_default().__enter__()
    assert tfpy.summary.write("x", 1, step=1)
    tfpy._src.formats.summary.state.local.writer = None
    del writer
    (path,) = tmp_path.iterdir()
    assert len(events(path)) == 1


def test_errors_of_folders_and_arguments(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(tfpy.errors.OpError):
        tfpy.summary.create_file_writer(tmp_path / "file" / "logs")

    @tfpy.function
    def create(name: Any) -> None:
        tfpy.summary.create_file_writer(name)

    with pytest.raises(ValueError, match="'logdir="):
        create(tfpy.constant("logs"))
    with tfpy.summary.create_file_writer(tmp_path).as_default(step=0):
        with pytest.raises(tfpy.errors.InvalidArgumentError, match="metadata"):
            tfpy.summary.write("x", 1, metadata=b"\x0a\xff")
        with pytest.raises(TypeError, match=r"tf\.int32"):
            tfpy.summary.histogram("x", [1.0], buckets=2.5)
        with pytest.raises(ValueError, match="rank 4"):
            tfpy.summary.image("x", tfpy.zeros([2, 2, 1]))
        with pytest.raises(tfpy.errors.InvalidArgumentError, match="-2"):
            tfpy.summary.image("x", tfpy.zeros([1, 2, 2, 1]), max_outputs=-2)
        with pytest.raises(ValueError, match="mp3"):
            tfpy.summary.audio("x", tfpy.zeros([1, 2, 1]), 8000, encoding="mp3")
        with pytest.raises(TypeError, match=r"tf\.string"):
            tfpy.summary.text("x", 3)
        with pytest.raises(ValueError, match="scalar"):
            tfpy.summary.scalar("x", [1.0])


def graph_of(path: Path) -> Any:
    """Return the GraphDef in an event file."""
    (data,) = (e.graph_def for e in iterated(path) if e.graph_def)
    return tensorflow.compat.v1.GraphDef.FromString(data)


def iterated(folder: Path) -> Any:
    (path,) = folder.glob("events*")
    return tensorflow.compat.v1.train.summary_iterator(str(path))


@tfpy.function
def looped(x: Any, n: Any) -> Any:
    weight = tfpy.constant([[1.0, 2.0], [3.0, 4.0]])
    for _ in tfpy.range(n):
        x = tfpy.nn.relu(x @ weight)
    return {"x": x, "n": n}


def test_graphs_of_functions(tmp_path: Path) -> None:
    spec = tfpy.TensorSpec([None, 2], tfpy.float32)
    concrete = looped.get_concrete_function(spec, tfpy.TensorSpec([], tfpy.int32))
    with tfpy.summary.create_file_writer(tmp_path).as_default():
        assert tfpy.summary.graph(concrete.traced.graph)
    graph = graph_of(tmp_path)
    by_op = {node.op: node for node in graph.node}
    assert len({node.name for node in graph.node}) == len(graph.node)
    names = {node.name for node in graph.node}
    assert all(source.split(":")[0] in names for node in graph.node for source in node.input)
    assert by_op["Placeholder"].attr["dtype"].type in (1, 3)
    loop = by_op["While"]
    functions = {one.signature.name: one for one in graph.library.function}
    called = {a.func.name for a in loop.attr.values() if a.HasField("func")}
    assert called
    assert called <= set(functions)
    assert any(n.op == "MatMul" for one in functions.values() for n in one.node_def)
    shapes = loop.attr["_output_shapes"].list.shape
    assert [dim.size for dim in shapes[-1].dim] in ([-1, 2], [])


def test_graphs_that_serialize_themselves(tmp_path: Path) -> None:
    given = tensorflow.compat.v1.GraphDef()
    given.node.add(name="a", op="NoOp")
    with tfpy.summary.create_file_writer(tmp_path).as_default():
        assert tfpy.summary.graph(given)
        with pytest.raises(ValueError, match="of type int"):
            tfpy.summary.graph(3)
    assert graph_of(tmp_path) == given


def test_traces_of_functions(tmp_path: Path) -> None:
    weight = tfpy.Variable([2.0], name="weight")

    @tfpy.function
    def inner(x: Any) -> Any:
        return x + 1.0

    @tfpy.function
    def outer(x: Any) -> Any:
        weight.assign_add(x)
        return inner(x) * weight

    tfpy.summary.trace_on()
    with pytest.warns(RuntimeWarning, match="already enabled"):
        tfpy.summary.trace_on()
    outer(tfpy.constant([1.0]))
    outer(tfpy.constant([2.0]))
    with tfpy.summary.create_file_writer(tmp_path).as_default():
        with pytest.raises(ValueError, match="No step set"):
            tfpy.summary.trace_export("run")
        tfpy.summary.trace_export("run", step=3)
    outer(tfpy.constant([1.0]))
    (event,) = (e for e in iterated(tmp_path) if e.summary.value)
    (value,) = event.summary.value
    assert (event.step, value.tag) == (3, "run")
    assert value.metadata.plugin_data.plugin_name == "graph_run_metadata_graph"
    assert value.metadata.plugin_data.content == b"1"
    data = tensorflow.make_ndarray(value.tensor)[()]
    metadata = tensorflow.compat.v1.RunMetadata.FromString(data)
    (function,) = metadata.function_graphs
    nodes = function.pre_optimization_graph.node
    assert {"x", "weight"} <= {node.name for node in nodes if node.op == "Placeholder"}
    assert {"AddV2", "Mul"} <= {node.op for node in nodes}
    with pytest.raises(ValueError, match="Must enable trace"):
        tfpy.summary.trace_export("run", step=3)


def test_traces_with_a_profile(tmp_path: Path) -> None:
    tfpy.summary.trace_on(profiler=True, profiler_outdir=tmp_path / "profile")
    tfpy.function(tfpy.square)(tfpy.constant(3.0))
    with tfpy.summary.create_file_writer(tmp_path / "logs").as_default():
        tfpy.summary.trace_export("run", step=0)
    assert list((tmp_path / "profile").glob("plugins/profile/*/*.json"))
    with pytest.warns(RuntimeWarning, match="profiler_outdir"):
        tfpy.summary.trace_on(profiler=True)
    tfpy.summary.trace_off()
    tfpy.summary.trace_on(profiler=True, profiler_outdir=tmp_path / "discarded")
    tfpy.summary.trace_off()
    assert not (tmp_path / "discarded").exists()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tfpy.summary.trace_off()


def test_plots_of_scalars() -> None:
    writer = tfpy.summary.create_plot_writer()

    @tfpy.function
    def step(x: Any, at: Any) -> None:
        tfpy.summary.scalar("twice", x * 2, step=at)
        tfpy.summary.histogram("x", x, step=at)

    with writer.as_default():
        for at in range(3):
            tfpy.summary.scalar("at", at, step=at)
            step(tfpy.constant(at + 0.5), tfpy.constant(at))
        tfpy.summary.experimental.write_raw_pb(b"", step=1)
    assert writer._plot.points == {
        "at": [(0, 0.0), (1, 1.0), (2, 2.0)],
        "twice": [(0, 1.0), (1, 3.0), (2, 5.0)],
    }
    assert "twice" in writer._plot.to_svg()
    writer.close()


@same
def test_tensor_summaries(tf: Any) -> Any:
    one, found = tf.compat.v1, []
    metadata = one.SummaryMetadata(plugin_data={"plugin_name": "plugin"})
    with tf.Graph().as_default(), one.Session() as sess:
        for summary in (
            one.summary.tensor_summary("w", tf.constant([[1.0, 2.0]])),
            one.summary.tensor_summary(
                "a b", tf.constant(["x"]), "about", None, metadata, "family", "shown"
            ),
        ):
            value = one.Summary.FromString(sess.run(summary)).value[0]
            found.append([value.tag, str(value.metadata), tf.make_ndarray(value.tensor)])
    return found
