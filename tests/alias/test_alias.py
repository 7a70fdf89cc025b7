"""tfpy under the name ``tensorflow``, in subprocesses, because TensorFlow is installed here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from guides.documents import blocks

from tfpy._src.base.version import VERSION_OF_TENSORFLOW, __version__

HERE = Path(__file__).parent
ALIASED = "import tfpy\ntfpy.as_tensorflow(replace=True)\n"


def run(program: str) -> str:
    """Run a program, which must succeed, and return its output."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_imports_give_tfpy_and_keras() -> None:
    run(
        ALIASED
        + """
import keras, sys
import tensorflow as tf
import tensorflow.keras.layers as l1
import tensorflow.math
from tensorflow import keras as k1, nn
from tensorflow.keras import layers as l2
from tensorflow.keras.models import Sequential
from tensorflow.python.framework import tensor_util
from tfpy import keras as k2

assert tf.constant is tfpy.constant and nn is tfpy.nn
assert sys.modules["tensorflow.math"] is tfpy.math
assert l1 is l2 is tf.keras.layers and k1 is k2 is tf.keras and "keras" in dir(tf)
assert tf.optimizers is tf.keras.optimizers and tf.metrics is tf.keras.metrics
assert tf.losses.MeanSquaredError is keras.losses.MeanSquaredError
assert tf.losses.huber_loss is tfpy.losses.huber_loss
assert tf.initializers.GlorotUniform is keras.initializers.GlorotUniform
assert keras.backend.backend() == "tensorflow"
assert tensor_util.is_tf_type(keras.Variable(1.0)) and tf.is_tensor(keras.Variable(1.0))
assert tf.math.__spec__.name == "tfpy.math"
for module in ("tensorflow.nix", "tensorflow._src"):
    try:
        __import__(module)
    except ModuleNotFoundError:
        pass
    else:
        raise AssertionError(module)
for owner in (tf, tf.losses, tf.keras):
    assert not hasattr(owner, "nix")
"""
    )


def test_only_tensorflow_has_the_version_of_tensorflow() -> None:
    """Check the version of tfpy before and after as_tensorflow() and the import of Keras."""
    run(
        f"""
import tfpy
mine = tfpy.__version__
assert mine == {__version__!r}
tfpy.as_tensorflow(replace=True)
assert tfpy.__version__ == mine
import keras, tensorflow
from tfpy import keras as same
tfpy.as_tensorflow()
import tensorflow as again
assert tfpy.__version__ == tfpy.device_info()["tfpy"]["version"] == mine
assert tensorflow.__version__ == again.__version__ == {VERSION_OF_TENSORFLOW!r}
from keras.src.utils.module_utils import tensorflow as seen_by_keras
assert seen_by_keras.__version__ == {VERSION_OF_TENSORFLOW!r}
assert tensorflow.__name__ == tensorflow.__spec__.name == "tensorflow"
assert tfpy.__name__ == tfpy.__spec__.name == "tfpy"
"""
    )


NAMES = """
import sys, tfpy as tf
keras = {"keras", "initializers", "metrics", "optimizers"}
listed = lambda: keras & {*dir(tf)}
assert listed() == set()  # TensorFlow is installed
tf.as_tensorflow(replace=True)
assert listed() == keras and "keras" not in sys.modules and "Huber" not in dir(tf.losses)
tf.keras
assert listed() == keras and {"Huber", "huber_loss"} <= {*dir(tf.losses)}
sys.modules.pop("keras")
vars(tf).pop("keras")
sys.modules["keras"] = None
assert listed() == set()
"""


def test_dir_lists_the_names_of_keras() -> None:
    """Check that names are listed if they can be used, and that this does not import Keras."""
    run(NAMES)


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("import tfpy; tfpy.as_tensorflow()", "TensorFlow is installed here"),
        ("import tfpy; tfpy.keras", "TensorFlow is installed here"),
        (
            "import sys; sys.modules['tensorflow'] = object()\n" + ALIASED,
            "TensorFlow is imported already",
        ),
        (
            ALIASED + "import sys; sys.modules['keras'] = None; tfpy.losses.MeanSquaredError",
            'Run pip install "tfpy-web[keras]"',
        ),
        (
            "import os; os.environ['KERAS_BACKEND'] = 'torch'\n" + ALIASED + "tfpy.keras",
            "Keras is to run on 'torch' here",
        ),
    ],
)
def test_errors(program: str, error: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 1
    assert error in done.stderr.splitlines()[-1]


def test_keras_is_not_imported_before_it_is_touched() -> None:
    assert (
        run("import tfpy, sys; tfpy.losses.huber_loss; print('keras' in sys.modules)") == "False\n"
    )


@pytest.mark.parametrize(
    "name", ["array_batches", "awaited", "folders", "pictures", "shown", "together", "traces"]
)
def test_programs(name: str) -> None:
    path = HERE / f"{name}.py"
    program = f"import runpy, sys; sys.path.append({str(HERE.parent)!r})"
    assert run(f"{ALIASED}{program}; runpy.run_path({str(path)!r})").endswith("be\n")


def test_values_pickle() -> None:
    run(
        ALIASED
        + """
import pickle, keras, tensorflow as tf
values = [tf.constant([1]), tf.ragged.constant([[1], []]), tf.sparse.from_dense([[0, 1]])]
values += [tf.Variable([1.0]), tf.TensorSpec([1]), keras.Sequential([keras.layers.Dense(2)])]
for value in values:
    assert type(pickle.loads(pickle.dumps(value))) is type(value)
assert tf.python.framework.tensor.Tensor is tf.Tensor
"""
    )


def test_integer_lookup_is_saved_with_the_dtype_that_keras_takes() -> None:
    run(
        ALIASED
        + """
import keras
layer = keras.layers.IntegerLookup(vocabulary=[3, 1, 9])
config = keras.saving.serialize_keras_object(layer)
assert config["config"]["vocabulary_dtype"] == "int64"
again = keras.saving.deserialize_keras_object(config)
assert again([9, 4, 3]).numpy().tolist() == layer([9, 4, 3]).numpy().tolist() == [3, 0, 1]
"""
    )


def test_weights_of_other_shapes_say_which() -> None:
    run(
        ALIASED
        + """
import keras, os, tempfile
def model(units):
    layers = [keras.Input((3,)), keras.layers.Dense(4), keras.layers.Dense(units)]
    return keras.Sequential(layers)
path = os.path.join(tempfile.mkdtemp(), "model.keras")
model(5).save(path)
try:
    model(6).load_weights(path)
except ValueError as error:
    assert "must match" in str(error), error
else:
    raise AssertionError("loaded")
"""
    )


def test_predictions_of_one_batch_of_several_sizes() -> None:
    run(
        ALIASED
        + """
import keras, numpy as np
inputs = keras.Input((4,))
model = keras.Model(inputs, keras.layers.Dense(2)(inputs))
x = np.ones((4, 4), np.float32)
together = model.predict(x, batch_size=2, verbose=0)
assert np.allclose(model.predict_on_batch(x[:3]), together[:3])
"""
    )


def test_keras_variables_under_tapes_and_in_build() -> None:
    run(
        ALIASED
        + """
import keras, numpy as np
import tensorflow as tf

class Flexible(keras.layers.Layer):
    def build(self, shape):
        self.w = tf.Variable(tf.random.normal([shape[-1], 3]), name="w")
    def call(self, x):
        return x @ self.w
class Model(keras.Model):
    def __init__(self):
        super().__init__()
        self.d = Flexible()
    def call(self, x):
        return self.d(x)
model = Model()
model.compile("sgd", keras.losses.MeanSquaredError())
model.fit(np.ones((4, 2)), np.ones((4, 3)), verbose=0)
assert model(tf.ones([1, 2])).shape == (1, 3) and np.any(model.d.w.numpy())

dense = keras.layers.Dense(4)
with tf.GradientTape() as tape:
    y = dense(tf.ones([2, 3]))
assert tape.jacobian(y, dense.kernel).shape == (2, 4, 3, 4)

layer = keras.layers.SpectralNormalization(keras.layers.Dense(2))
layer(tf.ones([3, 4]))
call = tf.function(lambda x: layer(x, training=True))
with tf.GradientTape() as tape:
    y = tf.reduce_sum(call(tf.ones([3, 4])) ** 2)
kernel, bias = tape.gradient(y, layer.trainable_variables)
assert kernel.shape == (4, 2) and np.allclose(kernel, bias[None])  # of an input of ones

k = keras.Variable([[1.0, 2.0]], dtype="bfloat16")
assert (tf.ones([1, 2]) * k).dtype == tf.float32
"""
    )


def test_keras_knows_when_determinism_is_asked_for() -> None:
    run(
        ALIASED
        + """
import keras
from tensorflow.python.framework import config
def compiled():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(2)])
    model.compile("sgd", "mse")
    return model.jit_compile
config.enable_op_determinism()
assert compiled() is False
config.disable_op_determinism()
"""
    )


def test_the_keras_page() -> None:
    program = "".join(blocks("docs/keras.md", "python"))
    run(
        ALIASED
        + f"""
import ast, asyncio, types
code = compile({program!r}, "page", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
names = {{}}
asyncio.run(types.FunctionType(code, names)())
assert names["y"].shape == (4, 1) and len(names["history"].history["loss"]) == 20
assert names["history"].history["loss"][-1] < names["history"].history["loss"][0]
"""
    )


def test_keras_loads_rare_modules_when_they_are_wanted() -> None:
    run(
        ALIASED
        + """
import gc, sys, types
import keras

rare = ("keras.src.applications.vgg16", "keras.src.datasets.mnist", "keras.src.legacy.layers")
rare += ("keras.src.export.onnx", "keras.src.wrappers", "keras.src.distillation")
for name in rare:
    assert name not in sys.modules, name
assert gc.isenabled()
from keras.applications import VGG16, mobilenet_v2
from keras.datasets.mnist import load_data
assert VGG16.__module__ in sys.modules and keras.applications.vgg16.VGG16 is VGG16
assert mobilenet_v2.MobileNetV2 is keras.applications.MobileNetV2
assert keras.datasets.mnist.load_data is load_data and "SKLearnClassifier" in dir(keras.wrappers)

layer = {"class_name": "AlphaDropout", "config": {"name": "a", "rate": 0.5}}
legacy = {"module": "keras._legacy.layers", "registered_name": "AlphaDropout", **layer}
found = keras.saving.deserialize_keras_object(legacy)
assert type(found) is sys.modules["keras.src.legacy.layers"].AlphaDropout
assert type(sys.modules["keras.legacy"]) is types.ModuleType
try:
    keras.saving.deserialize_keras_object({**legacy, "registered_name": "Nix", "class_name": "Nix"})
except TypeError as error:
    assert "Nix" in str(error)
else:
    raise AssertionError("found")
"""
    )


def test_modules_of_packages_that_wait_are_imported_after_these() -> None:
    run(
        ALIASED
        + """
import sys
import keras
import h5py._hl.files

files = h5py._hl.files
assert sys.modules["h5py._hl"] is h5py._hl and sys.modules["h5py._hl.files"] is files
assert h5py.File is files.File and issubclass(files.File, h5py.Group)
assert h5py._hl.__spec__.origin == h5py._hl.__file__
import keras.applications.mobilenet_v2 as mobilenet
assert keras.applications.mobilenet_v2 is mobilenet
assert keras.applications.MobileNetV2 is mobilenet.MobileNetV2
"""
    )


def test_keras_loads_rare_packages_when_they_are_wanted(tmp_path: Path) -> None:
    run(
        ALIASED
        + f"""
import sys
sys.modules["jax"] = None  # Keras imports it where it is installed, and that the others
import keras
import tensorflow as tf

for name in ("absl.flags", "h5py._hl.files", "ml_dtypes._finfo", "rich.text"):
    assert name not in sys.modules, name
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
model.compile("sgd", keras.losses.MeanSquaredError())
for name in ("model.keras", "model.h5", "model.weights.h5"):
    path = {str(tmp_path)!r} + "/" + name
    (model.save_weights if "weights" in name else model.save)(path)
    if "weights" in name:
        model.load_weights(path)
    else:
        loaded = keras.models.load_model(path)
        assert loaded.compiled and len(loaded.weights) == 2
import h5py
assert "h5py._hl.files" in sys.modules and issubclass(h5py.File, h5py.Group)
lines = []
model.summary(print_fn=lambda line, **_: lines.append(line))
assert "Total params" in "".join(lines) and "rich.text" in sys.modules
assert keras.ops.saturate_cast(tf.constant([1e9]), "bfloat16").dtype == tf.bfloat16
assert "ml_dtypes._finfo" in sys.modules
from absl import logging
assert logging.INFO == 0 and "absl.flags" in sys.modules
try:
    h5py.no_such_name
except AttributeError as error:
    assert "no_such_name" in str(error)
"""
    )


WITHOUT_TENSORFLOW = """
from importlib.machinery import PathFinder
found = PathFinder.find_spec.__func__
def find_spec(cls, name, path=None, target=None):
    return None if name == "tensorflow" else found(cls, name, path, target)
PathFinder.find_spec = classmethod(find_spec)
"""
"""The beginning of a program for which TensorFlow is not installed."""


def test_keras_runs_on_tfpy_after_its_import() -> None:
    """Check that the import of Keras makes tfpy TensorFlow, and a search for Keras does not."""
    run(
        WITHOUT_TENSORFLOW
        + """
import os
os.environ["KERAS_BACKEND"] = ""
import tfpy
import gc, importlib.util, sys
assert importlib.util.find_spec("keras") and "tensorflow" not in sys.modules
import keras
import tensorflow as tf
assert tf.Tensor is tfpy.Tensor and tf.keras is tfpy.keras and gc.isenabled()
assert keras.config.backend() == "tensorflow"
model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
assert type(model(tf.ones([3, 2]))) is tfpy.Tensor and hasattr(model, "fit_async")
"""
    )


@pytest.mark.parametrize(
    "before",
    [
        "",  # TensorFlow is installed here
        f"{WITHOUT_TENSORFLOW}\nimport os; os.environ['KERAS_BACKEND'] = 'jax'",
        f"{WITHOUT_TENSORFLOW}\nimport os; os.environ['KERAS_HOME'] = FOLDER",
    ],
    ids=["tensorflow", "variable", "file"],
)
def test_keras_is_left_alone_where_it_runs_without_tfpy(before: str, tmp_path: Path) -> None:
    """Import Keras until it imports its backend, which would take seconds."""
    (tmp_path / "keras.json").write_text('{"backend": "jax"}')
    run(
        before.replace("FOLDER", repr(str(tmp_path)))
        + """
import sys
import tfpy
from importlib.machinery import PathFinder

class Stop(Exception):
    pass

class Stopping:
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        assert "tensorflow" not in sys.modules
        assert not any(type(finder).__name__ == "KerasFinder" for finder in sys.meta_path)
        raise Stop

original = PathFinder.find_spec.__func__
def find_spec(cls, name, path=None, target=None):
    spec = original(cls, name, path, target)
    if name == "keras":
        spec.loader = Stopping()
    return spec
PathFinder.find_spec = classmethod(find_spec)
try:
    import keras
except Stop:
    pass
else:
    raise AssertionError("Keras was not loaded with its own loader")
"""
    )


def test_programs_that_import_keras_first_are_left_alone() -> None:
    run(
        WITHOUT_TENSORFLOW
        + """
import sys, types
sys.modules["keras"] = types.ModuleType("keras")
import tfpy
assert not any(type(f).__module__.endswith("on_import") for f in sys.meta_path)
"""
    )


def test_libraries_recognize_values_by_modules() -> None:
    run(
        ALIASED
        + """
import tensorflow as tf

def root(value):
    return type(value).__module__.split(".")[0]

@tf.function
def traced(x):
    assert root(x) == "tensorflow"
    return x
traced._decorate(lambda function: lambda x: function(x) + 1)
assert traced(tf.constant(1.0)) == 2.0
values = [tf.constant(1), tf.Variable(1), tf.float32, tf.TensorShape([1]), tf.TensorSpec([1])]
values += [tf.IndexedSlices([1.0], [0]), traced, tf.sparse.from_dense([1])]
assert {root(value) for value in values} == {"tensorflow"}
with tf.Graph().as_default():
    assert root(tf.compat.v1.placeholder(tf.float32)) == "tensorflow"
"""
    )


def test_private_operations_and_sparse_products() -> None:
    run(
        ALIASED
        + """
import numpy as np, tensorflow as tf
from tensorflow.python.eager import context
from tensorflow.python.framework import smart_cond
from tensorflow.python.ops import gen_math_ops, gen_sparse_ops
from tensorflow.python.ops.linalg.sparse import sparse

order, values = gen_sparse_ops.sparse_reorder([[1, 0], [0, 1]], [5, 6], (2, 2))
assert order.numpy().tolist() == [[0, 1], [1, 0]] and values.numpy().tolist() == [6, 5]
assert gen_math_ops.mat_mul([[1.0]], [[2.0]], transpose_b=True).numpy() == 2.0
assert not hasattr(gen_math_ops, "nothing")
tf.random.set_seed(7)
assert context.executing_eagerly() and context.global_seed() == 7
assert context.context().device_spec.device_type is None
assert smart_cond.smart_cond(True, lambda: 1, lambda: 2) == 1

a = np.float32([[[0, 2], [1, 0]]])
product = sparse.matmul(sparse.CSRSparseMatrix(tf.sparse.from_dense(a)), a)
assert product.numpy().tolist() == (a @ a).tolist()
both = sparse.matmul(sparse.CSRSparseMatrix(a), sparse.CSRSparseMatrix(a))
assert tf.sparse.to_dense(both.to_sparse_tensor()).numpy().tolist() == (a @ a).tolist()
assert both.shape == [1, 2, 2] and both.dtype == tf.float32
"""
    )
