"""Programs with mistakes of beginners, and the words with which the errors help."""

from __future__ import annotations

START = """
import numpy as np
import tfpy as tf
keras = tf.keras
keras.utils.set_random_seed(0)
x, ones = np.ones((10, 4), "float32"), np.ones(10, "int32")

def model(loss="mse", **options):
    made = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, "softmax")])
    made.compile("sgd", loss, **options)
    return made
"""

ERRORS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "matrix product of sizes that do not fit": (
        "tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))",
        "InvalidArgumentError",
        ("matmul: ", "[2, 3]", "inner sizes 3 and 2 must be equal"),
    ),
    "integer plus float": (
        "tf.constant([1, 2]) + tf.constant([1.0, 2.0])",
        "InvalidArgumentError",
        ("add: ", "int32", "float32", "convert one with tf.cast"),
    ),
    "shapes that do not broadcast": (
        "tf.ones([2, 3]) + tf.ones([4])",
        "InvalidArgumentError",
        ("add: ", "[2, 3] vs. [4]", "each dimension must be equal or 1"),
    ),
    "reshape to another number of elements": (
        "tf.reshape(tf.ones([2, 3]), [4, 2])",
        "InvalidArgumentError",
        ("reshape: ", "6 values of shape [2, 3]", "[4, 2] has 8"),
    ),
    "assignment to an element": (
        "tf.constant([1.0, 2.0])[0] = 3.0",
        "TypeError",
        ("does not support item assignment", "tf.tensor_scatter_nd_update", "tf.Variable"),
    ),
    "truth of a vector": (
        "if tf.constant([1.0, 2.0]) > 0: pass",
        "ValueError",
        ("ambiguous", "tf.reduce_any(x) or tf.reduce_all(x)", "[2]"),
    ),
    "rows of different lengths": (
        "tf.constant([[1, 2], [3]])",
        "ValueError",
        ("non-rectangular", "lengths 2 and 1", "tf.ragged.constant"),
    ),
    "filter for other channels": (
        "tf.nn.conv2d(tf.ones([1, 8, 8, 3]), tf.ones([3, 3, 1, 4]), 1, 'SAME')",
        "InvalidArgumentError",
        ("conv2d: input depth 3", "[1, 8, 8, 3]", "[3, 3, 1, 4]"),
    ),
    "image without a batch": (
        "tf.nn.conv2d(tf.ones([8, 8, 3]), tf.ones([3, 3, 3, 4]), 1, 'SAME')",
        "InvalidArgumentError",
        ("conv2d: input must be 4-dimensional", "[8, 8, 3]", "x[tf.newaxis]"),
    ),
    "padding in lower case": (
        "tf.nn.conv2d(tf.ones([1, 8, 8, 3]), tf.ones([3, 3, 3, 4]), 1, 'same')",
        "",
        (),
    ),
    "two gradients of one tape": (
        "v = tf.Variable(1.0)\nwith tf.GradientTape() as tape: y = v * v\n"
        "tape.gradient(y, v), tape.gradient(y, v)",
        "RuntimeError",
        ("non-persistent", "write tf.GradientTape(persistent=True)"),
    ),
    "gradient of a tensor that is not watched": (
        "c = tf.constant(1.0)\nwith tf.GradientTape() as tape: y = c * c\nc - tape.gradient(y, c)",
        "ValueError",
        ("(None)", "does not depend on the source", "watch"),
    ),
    "Variable in a compiled function": (
        "@tf.function\ndef f(a): return tf.Variable(1.0) * a\nf(tf.constant(1.0))",
        "ValueError",
        ("singleton tf.Variables", "created outside tf.function", "'f' made 'Variable:0'"),
    ),
    "values in a compiled function": (
        "tf.function(lambda a: a.numpy())(tf.constant(1.0))",
        "AttributeError",
        ("has no attribute 'numpy'", "while tf.function traces; return it and read it outside"),
    ),
    "axis out of range": (
        "tf.reduce_sum(tf.ones([2, 2]), axis=2)",
        "InvalidArgumentError",
        ("reduce_sum: axis 2 is out of range for 2 dimensions",),
    ),
    "index out of range": (
        "tf.constant([1, 2, 3])[5]",
        "InvalidArgumentError",
        ("slice index 5 of dimension 0 out of bounds", "shape [3]"),
    ),
    "concatenation of other shapes": (
        "tf.concat([tf.ones([2, 3]), tf.ones([3, 2])], 0)",
        "InvalidArgumentError",
        ("concat: ", "except on axis 0", "[[2, 3], [3, 2]]", "dimension 1 is 3 and 2"),
    ),
    "text as a number": (
        "tf.constant('hello', tf.float32)",
        "TypeError",
        ("'hello'", "float32", "use tf.cast"),
    ),
    "layer for other sizes": (
        "model()(tf.ones([3, 5]))",
        "ValueError",
        ("expected axis -1 of input shape to have value 4", "shape (3, 5)"),
    ),
    "more inputs than labels": (
        "model().fit(x, np.ones((9, 3)), verbose=0)",
        "ValueError",
        ("'x' sizes: 10", "'y' sizes: 9"),
    ),
    "class numbers for one-hot labels": (
        "model('categorical_crossentropy').fit(x, ones, verbose=0)",
        "ValueError",
        ("must have the same rank", "use the loss 'sparse_categorical_crossentropy'"),
    ),
    "label out of range": (
        "model('sparse_categorical_crossentropy').fit(x, 3 * ones, verbose=0)",
        "InvalidArgumentError",
        ("labels[0] = 3 is not in [0, 3)", "the logits have 3 classes", "numbered from 0"),
    ),
    "training without compile": (
        "keras.Sequential([keras.layers.Dense(3)]).fit(x, x, verbose=0)",
        "ValueError",
        ("call `compile()`",),
    ),
    "strings as inputs": (
        "model().fit(np.array([['a', 'b', 'c', 'd']] * 10), np.ones((10, 3)), verbose=0)",
        "ValueError",
        (
            *("Invalid dtype: str", "Convert the strings first", "keras.layers.StringLookup"),
            "pass the strings as a tensor: tf.constant(strings)",
        ),
    ),
    "default of another dtype in a table": (
        "tf.data.csv(tf.data.FileDataSource(b'a\\n1\\n'), {'a': {'default': 1.5}})",
        "TypeError",
        ("the column 'a' has dtype int32", "its default 1.5", "with the key 'dtype'"),
    ),
    "strings of pandas as inputs": (
        "model().fit(np.array([['a', 'b', 'c', 'd']] * 10, object), ones, verbose=0)",
        "ValueError",
        ("Invalid dtype: object", "tf.constant(strings)"),
    ),
    "lists as inputs": (
        "model().predict([[1.0, 2.0, 3.0, 4.0]])",
        "ValueError",
        ("Unrecognized data type", "tf.constant(values)"),
    ),
    "lists as inputs by name": (
        "model().predict({'a': [[1.0, 2.0, 3.0, 4.0]]})",
        "ValueError",
        ("Unrecognized data type", "the values of a dict must be tensors"),
    ),
    "vocabulary with an empty string": (
        "lookup = keras.layers.StringLookup()\nlookup.adapt(tf.constant(['a', 'a', '']))\n"
        "keras.Sequential([lookup]).save('m.keras')",
        "ValueError",
        ("layer 'string_lookup' ends with the empty string", "{'default': 'unknown'}"),
    ),
    "vocabulary with lines": (
        "lookup = keras.layers.StringLookup()\nlookup.adapt(tf.constant(['a\\nb']))\n"
        "keras.Sequential([lookup]).save('m.keras')",
        "ValueError",
        ("contains 'a\\nb', which has more than one line", "regex_replace"),
    ),
    "vocabulary with an empty string that Keras can load": (
        "lookup = keras.layers.StringLookup()\nlookup.adapt(tf.constant(['', '', 'a']))\n"
        "made = keras.Sequential([keras.Input([1], dtype='string'), lookup])\n"
        "made.save('m.keras')\nagain = keras.models.load_model('m.keras')\n"
        "assert again.layers[0].get_vocabulary() == ['[UNK]', '', 'a']",
        "",
        (),
    ),
    "cast of categories": (
        "tf.cast(['red', 'blue'], tf.float32)",
        "UnimplementedError",
        ("tf.strings.to_number", "keras.layers.StringLookup if they are categories"),
    ),
    "comparison of shapes that do not broadcast": (
        "kinds, names = tf.constant([1, 2, 1, 2]), tf.constant([1, 2, 3])\n"
        "tf.concat([[kinds], tf.cast(kinds == names, tf.int32)], axis=0)",
        "InvalidArgumentError",
        ("[[1, 4], []]", "result of == or !=", "if the shapes do not broadcast"),
    ),
    "place of the browser as a path": (
        "model().save('indexeddb://line')",
        "ValueError",
        ("Write await model.save_async('indexeddb://line').",),
    ),
    "place of the browser to load from": (
        "keras.models.load_model('indexeddb://line')",
        "NotFoundError",
        ("Write await tf.models.load_async('indexeddb://line').",),
    ),
    "misspelled function": (
        "tf.reduce_summ([1.0])",
        "AbsentName",
        ("tf.reduce_summ; did you mean tf.reduce_sum",),
    ),
    "name of NumPy": ("tf.sum([1.0])", "AbsentName", ("tf.sum; use tf.reduce_sum",)),
    "name of TensorFlow 1": (
        "tf.Session()",
        "AbsentName",
        ("tf.Session; calls compute at once", "tf.function"),
    ),
    "value of another shape": (
        "tf.Variable([1.0, 2.0]).assign([1.0, 2.0, 3.0])",
        "ValueError",
        ("'Variable:0'", "has shape (2,)", "value has shape (3,)"),
    ),
    "gradient of something else": (
        "v, w = tf.Variable(1.0), tf.Variable(1.0)\nwith tf.GradientTape() as tape: y = v * v\n"
        "w.assign_sub(tape.gradient(y, w))",
        "ValueError",
        ("(None)", "does not depend on the source"),
    ),
    "loss that becomes NaN": (
        "made = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])\n"
        "made.compile(keras.optimizers.SGD(1e9), 'mse')\n"
        "made.fit(x, np.ones(10), epochs=9, verbose=0)",
        "RuntimeWarning",
        ("The loss is NaN after epoch", "smaller learning rate", "enable_check_numerics()"),
    ),
    "array of objects": (
        "tf.constant(np.array([1, None], object))",
        "ValueError",
        ("Unsupported object type int", "array.astype"),
    ),
    "float as an index": (
        "tf.gather(tf.constant([1, 2, 3]), 1.0)",
        "InvalidArgumentError",
        ("gather: indices has dtype float32", "int32; convert it with tf.cast"),
    ),
    "method of arrays": (
        "tf.constant(1.0).item()",
        "AttributeError",
        ("no attribute 'item'; use x.numpy().item()",),
    ),
    "misspelled metric": (
        "model(metrics=['acuracy']).fit(x, np.ones((10, 3)), verbose=0)",
        "ValueError",
        ("metric identifier: acuracy", "Did you mean 'accuracy'?"),
    ),
}
"""By mistake: the program, the class of its error ("" if there is none) and parts of the text."""
