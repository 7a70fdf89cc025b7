"""SavedModels: each library loads what either one has written, and finds the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2
from train import saved_modules

import tfpy
from tfpy._src.library.io.checked_json import ModelFileError

LIBRARIES = {"tensorflow": tf, "tfpy": tfpy}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return folders with the module, written by each library and by tfpy after loading it."""
    found = {}
    for name, lib in LIBRARIES.items():
        found[name] = tmp_path_factory.mktemp(name)
        made = saved_modules.module(lib)
        lib.saved_model.save(made, str(found[name]), saved_modules.signatures(made))
    found["again"] = tmp_path_factory.mktemp("again")
    loaded = tfpy.saved_model.load(found["tensorflow"])
    tfpy.saved_model.save(loaded, found["again"], saved_modules.signatures(loaded))
    return found


@pytest.fixture(scope="module")
def wanted(folders: dict[str, Path]) -> list[Any]:
    """Return what TensorFlow finds in its own file."""
    return saved_modules.used(tf, tf.saved_model.load(str(folders["tensorflow"])))


@pytest.mark.parametrize(
    ("writer", "reader"),
    [("tensorflow", "tfpy"), ("tfpy", "tensorflow"), ("tfpy", "tfpy"), ("again", "tensorflow")],
)
def test_round_trip(writer: str, reader: str, folders: dict[str, Path], wanted: list[Any]) -> None:
    lib = LIBRARIES[reader]
    found = saved_modules.used(lib, lib.saved_model.load(str(folders[writer])))
    for mine, theirs in zip(found, wanted, strict=True):
        assert str(mine) == str(theirs)


@pytest.mark.parametrize("writer", LIBRARIES)
def test_errors_name_the_signatures(writer: str, folders: dict[str, Path]) -> None:
    texts = []
    for lib in LIBRARIES.values():
        loaded = lib.saved_model.load(str(folders[writer]))
        with pytest.raises(ValueError, match="Could not find matching concrete function") as caught:
            loaded.many(lib.constant([1, 2]), scale=2.5)
        texts.append(sorted(str(caught.value)))  # TensorFlow's dictionaries have no order
        with pytest.raises(TypeError):
            loaded.nested(1)
        with pytest.raises(TypeError):
            loaded.signatures["scale"](y=lib.constant([1.0, 2.0]))
    assert texts[0] == texts[1]


@pytest.mark.parametrize("writer", LIBRARIES)
def test_tables(writer: str, tmp_path: Path) -> None:
    lib = LIBRARIES[writer]
    lib.saved_model.save(saved_modules.tables(lib), str(tmp_path))
    for reader in LIBRARIES.values():
        loaded = reader.saved_model.load(str(tmp_path))
        for look in (loaded.look, loaded.signatures["serving_default"]):
            found = look(keys=reader.constant(["a", "x", "b"]))
            assert found["found"].numpy().tolist() == [1, -1, 2]
            assert found["values"].numpy().tolist() == [0.5, 7.0, 0.5]
            assert found["ids"].numpy().tolist()[::2] == [0, 1]


@pytest.mark.parametrize("writer", LIBRARIES)
def test_asset(writer: str, tmp_path: Path) -> None:
    lib = LIBRARIES[writer]
    (tmp_path / "words.txt").write_text("a\nb")
    module = lib.Module()
    module.words = lib.saved_model.Asset(str(tmp_path / "words.txt"))
    lib.saved_model.save(module, str(tmp_path / "model"))
    (tmp_path / "words.txt").unlink()
    for reader in LIBRARIES.values():
        loaded = reader.saved_model.load(str(tmp_path / "model"))
        path = loaded.words.asset_path.numpy().decode()
        assert Path(path).read_text() == "a\nb"
        assert Path(path).parent.name == reader.saved_model.ASSETS_DIRECTORY


def test_sessions_of_tensorflow_1_and_models_load(folders: dict[str, Path]) -> None:
    folder = str(folders["tfpy"])
    with tf.compat.v1.Session(graph=tf.Graph()) as session:
        graph = tf.compat.v1.saved_model.loader.load(session, ["serve"], folder)
        signature = graph.signature_def["scale"]
        given = {signature.inputs["x"].name: [1.0, 2.0]}
        found = session.run(signature.outputs["output_0"].name, given)
    assert found.tolist() == [1.0, 4.0]
    model = tfpy.models.load(folder)
    assert model.signatures["scale"](x=[1.0, 2.0])["output_0"].numpy().tolist() == [1.0, 4.0]


def test_model_of_tensorflow_1(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [None, 2])
        v = tf.compat.v1.get_variable("v", initializer=[[2.0], [3.0]], use_resource=True)
        session.run(tf.compat.v1.global_variables_initializer())
        tf.compat.v1.saved_model.simple_save(
            session, str(tmp_path / "model"), {"x": x}, {"y": tf.matmul(x, v)}
        )
    loaded = tfpy.saved_model.load(tmp_path / "model")
    found = loaded.signatures["serving_default"](x=tfpy.constant([[1.0, 1.0]]))
    assert found["y"].numpy().tolist() == [[5.0]]


def _damaged(folder: Path, target: Path, change: Any) -> Path:
    """Copy a model after changing its object graph."""
    target.mkdir()
    message = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    change(message.meta_graphs[0])
    (target / "saved_model.pb").write_bytes(message.SerializeToString())
    return target


def _unknown_child(graph: Any) -> None:
    graph.object_graph_def.nodes[0].children[0].node_id = 1000


def _unknown_function(graph: Any) -> None:
    for node in graph.object_graph_def.nodes:
        if node.HasField("function"):
            node.function.concrete_functions[0] = "absent"


def _too_many_captures(graph: Any) -> None:
    for one in graph.object_graph_def.concrete_functions.values():
        one.bound_inputs.extend([0] * 5)


def _captured_function(graph: Any) -> None:
    nodes = graph.object_graph_def.nodes
    place = next(i for i, node in enumerate(nodes) if node.HasField("function"))
    for one in graph.object_graph_def.concrete_functions.values():
        one.bound_inputs[:] = [place] * len(one.bound_inputs)


def _fewer_results(graph: Any) -> None:
    for one in graph.object_graph_def.concrete_functions.values():
        one.output_signature.none_value.SetInParent()


def _no_dtype(graph: Any) -> None:
    for node in graph.object_graph_def.nodes:
        if node.HasField("variable"):
            node.variable.dtype = 99


@pytest.mark.parametrize(
    "change",
    [
        _unknown_child, _unknown_function, _too_many_captures, _captured_function, _fewer_results,
        _no_dtype,
    ],
)  # fmt: skip
def test_damaged_files(change: Any, folders: dict[str, Path], tmp_path: Path) -> None:
    damaged = _damaged(folders["tfpy"], tmp_path / "model", change)
    options = tfpy.saved_model.LoadOptions(experimental_skip_checkpoint=True)
    with pytest.raises(ModelFileError):
        tfpy.saved_model.load(damaged, options=options)


def test_missing_values(folders: dict[str, Path], tmp_path: Path) -> None:
    folder = _damaged(folders["tfpy"], tmp_path / "model", lambda graph: None)
    with pytest.raises(ModelFileError, match="no value for the Variable"):
        tfpy.saved_model.load(folder)
    partial = tfpy.saved_model.LoadOptions(allow_partial_checkpoint=True)
    loaded = tfpy.saved_model.load(folder, options=partial)
    assert loaded.inner.w.numpy().tolist() == [0.0, 0.0]


def test_refused_programs(tmp_path: Path) -> None:
    for lib in LIBRARIES.values():
        with pytest.raises(ValueError, match="Expected an object of type `Trackable`"):
            lib.saved_model.save(3, str(tmp_path))
        with pytest.raises(ValueError, match="Expected a TensorFlow function for which"):
            lib.saved_model.save(lib.Module(), str(tmp_path), lib.function(lambda x: x))
        lib.saved_model.save(lib.Module(), str(tmp_path / "tags"))
        with pytest.raises(ValueError, match="incompatible argument to `tags`"):
            lib.saved_model.load(str(tmp_path / "tags"), tags=["train"])
        with pytest.raises(OSError, match="SavedModel file does not exist at"):
            lib.saved_model.load(str(tmp_path / "nothing"))


def test_untracked_variable(tmp_path: Path) -> None:
    for lib in LIBRARIES.values():
        loose = lib.Variable(1.0)

        def plus(x: Any, loose: Any = loose) -> Any:
            return x + loose

        module = lib.Module()
        module.f = lib.function(lambda x: plus(x), input_signature=[lib.TensorSpec([])])
        with pytest.raises(AssertionError, match="untracked"):
            lib.saved_model.save(module, str(tmp_path))


@pytest.mark.parametrize("writer", LIBRARIES)
def test_unknown_ranks_and_defaults(writer: str, tmp_path: Path) -> None:
    lib = LIBRARIES[writer]
    factors, offset = lib.constant([1.0, 2.0]), np.array(3.0, np.float32)

    def scaled(x: Any, y: Any = factors, z: Any = offset) -> Any:
        return lib.reduce_sum(x) * y + z, x * 2.0

    module = lib.Module()
    module.scaled = lib.function(scaled)
    module.doubled = lib.function(lambda x: {"y": x * 2.0, "sum": lib.reduce_sum(x)})
    unknown = lib.TensorSpec(None, lib.float32)
    signature = module.doubled.get_concrete_function(unknown)
    module.scaled.get_concrete_function(unknown)
    lib.saved_model.save(module, str(tmp_path), signatures=signature)
    for reader in LIBRARIES.values():
        loaded = reader.saved_model.load(str(tmp_path))
        assert loaded.scaled(reader.ones([2, 2]))[0].numpy().tolist() == [7.0, 11.0]
        assert loaded.scaled(reader.constant(1.0))[1].numpy() == 2.0
        found = loaded.signatures["serving_default"](reader.ones([2, 1, 2]))
        assert found["y"].shape == [2, 1, 2]
        assert found["sum"].numpy() == 4.0


@pytest.mark.parametrize("writer", LIBRARIES)
def test_signatures_of_loaded_models(writer: str, tmp_path: Path) -> None:
    lib = LIBRARIES[writer]
    module = lib.Module()
    module.f = lib.function(lambda x: x * 2.0, input_signature=[lib.TensorSpec([None])])
    lib.saved_model.save(module, str(tmp_path / "0"))
    for i in range(3):
        loaded = tfpy.saved_model.load(tmp_path / f"{i}")
        tfpy.saved_model.save(loaded, tmp_path / f"{i + 1}", loaded.signatures)
    for reader in LIBRARIES.values():
        loaded = reader.saved_model.load(str(tmp_path / "3"))
        found = loaded.signatures["serving_default"](reader.constant([1.0]))
        assert next(iter(found.values())).numpy().tolist() == [2.0]
        concrete = loaded.f.concrete_functions[0]
        assert "x (POSITIONAL_OR_KEYWORD)" in concrete.pretty_printed_signature()
        assert list(concrete.function_type.parameters) == ["x"]
        assert concrete.graph.get_operations()[0].type == "Placeholder"
        assert concrete.function_def.signature.name


def test_ops_of_one_rank(tmp_path: Path) -> None:
    module = tfpy.Module()
    module.f = tfpy.function(tfpy.transpose, input_signature=[tfpy.TensorSpec(None)])
    with pytest.raises(ValueError, match="inputs of different ranks"):
        tfpy.saved_model.save(module, tmp_path)
    module.f = tfpy.function(tfpy.shape, input_signature=[tfpy.TensorSpec(None)])
    with pytest.raises(ValueError, match="depends on an open size"):
        tfpy.saved_model.save(module, str(tmp_path))
    module.f = tfpy.function(lambda x: x * [1.0, 2.0, 3.0, 4.0], [tfpy.TensorSpec(None)])
    tfpy.saved_model.save(module, str(tmp_path))  # the same ops for all ranks
    for reader in LIBRARIES.values():
        loaded = reader.saved_model.load(str(tmp_path))
        for shape in ([4], [2, 4], [2, 1, 1]):
            assert loaded.f(reader.ones(shape)).numpy()[..., 2].ravel()[0] == 3.0


def test_random_numbers_differ_in_each_call(tmp_path: Path) -> None:
    module = tfpy.Module()
    module.f = tfpy.function(
        lambda x: x + tfpy.random.normal([3]), input_signature=[tfpy.TensorSpec([])]
    )
    tfpy.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    first, second = loaded.f(0.0).numpy(), loaded.f(0.0).numpy()
    assert not np.array_equal(first, second)


def test_policies_and_constants() -> None:
    names = [n for n in dir(tf.saved_model) if n.isupper()]
    for name in names:
        assert getattr(tfpy.saved_model, name) == getattr(tf.saved_model, name)
    for lib in LIBRARIES.values():
        policy = lib.saved_model.experimental.VariablePolicy
        assert policy.from_obj("save_variable_devices") is policy.SAVE_VARIABLE_DEVICES
        with pytest.raises(ValueError, match="invalid VariablePolicy value"):
            policy.from_obj("other")


def test_names_of_nested_arguments_in_signatures(tmp_path: Path) -> None:
    def inputs(lib: Any, folder: Path) -> list[Any]:
        spec, found = lib.TensorSpec, []
        pair, mapping = [spec([]), spec([])], {"y": spec([]), "x": spec([])}
        named = [spec([], name="u"), spec([])], {"y": spec([], name="a"), "x": spec([], name="b")}
        for number, arguments in enumerate([(pair, mapping), named]):
            module = lib.Module()
            module.f = lib.function(lambda p, m: p[0] - p[1] + m["x"] * 10.0 - m["y"])
            concrete = module.f.get_concrete_function(*arguments)
            lib.saved_model.save(module, str(folder / str(number)), concrete)
            signature = lib.saved_model.load(str(folder / str(number))).signatures[
                "serving_default"
            ]
            names = sorted(signature.structured_input_signature[1])
            given = {name: lib.constant(float(i)) for i, name in enumerate(names)}
            found.append((names, float(signature(**given)["output_0"])))
        return found

    assert inputs(tfpy, tmp_path / "tfpy") == inputs(tf, tmp_path / "tf")
