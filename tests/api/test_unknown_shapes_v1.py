"""Functions of placeholders with unknown values or shapes have the shapes of TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from api.same import same

IMAGE = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)


@same
def test_decoded_images(tf: Any) -> Any:
    v1, found = tf.compat.v1, []
    png = tf.io.encode_png(IMAGE).numpy()
    with tf.Graph().as_default(), v1.Session() as sess:
        for contents in (v1.placeholder(tf.string, []), v1.placeholder(tf.string)):
            for decode in (tf.io.decode_png, tf.io.decode_image):
                for channels in (0, 1, 3):
                    y = decode(contents, channels=channels)
                    found.append([y.shape, y.dtype, sess.run(y, {contents: png})])
            resized = tf.image.resize(tf.io.decode_png(contents, 3), [4, 4])
            found.append([resized.shape, sess.run(resized, {contents: png})])
            found += [
                [
                    tf.io.decode_jpeg(contents).shape,
                    tf.io.decode_jpeg(contents, 3).shape,
                    tf.io.decode_gif(contents).shape,
                    tf.io.decode_bmp(contents, 3).shape,
                    tf.io.decode_image(contents, expand_animations=False).shape,
                    tf.io.decode_and_crop_jpeg(contents, [0, 0, 1, 2], 3).shape,
                    tf.io.extract_jpeg_shape(contents).shape,
                    tf.io.parse_tensor(contents, tf.float32).shape,
                    tf.io.decode_json_example(contents).shape,
                ]
            ]
    return found


@same
def test_shapes_that_are_fed(tf: Any) -> Any:
    v1, found = tf.compat.v1, []
    with tf.Graph().as_default(), v1.Session() as sess:
        sizes, matrix = v1.placeholder(tf.int32, [2]), v1.placeholder(tf.int32)
        six, x = tf.range(6.0), tf.reshape(tf.range(6.0), [2, 3])
        any_rank = v1.placeholder(tf.float32)
        for y, fed in (
            (tf.reshape(six, sizes), {sizes: [3, 2]}),
            (tf.reshape(six, matrix), {matrix: [3, 1, 2]}),
            (tf.transpose(x, sizes), {sizes: [1, 0]}),
            (tf.pad(x, matrix), {matrix: [[1, 0], [0, 1]]}),
            (tf.stack([any_rank, x]), {any_rank: np.ones((2, 3))}),
            (tf.stack([x, any_rank], axis=-1), {any_rank: np.ones((2, 3))}),
            (tf.nn.conv2d(any_rank, tf.ones([1, 1, 2, 4]), 1, "SAME"), {any_rank: [[[[1, 2]]]]}),
            (tf.strings.unicode_script(matrix), {matrix: [[1041]]}),
        ):
            found.append([y.shape, sess.run(y, fed), sess.run(y * 2, fed)])
    return found


@same
def test_default_names_of_operations(tf: Any) -> Any:
    with tf.Graph().as_default():
        x, m = tf.zeros([8, 9, 3]), tf.ones([3, 4])
        image = tf.image
        results = (
            image.crop_to_bounding_box(x, 0, 0, 4, 4), image.central_crop(x, 0.5),
            image.pad_to_bounding_box(x, 0, 0, 10, 10), image.resize(x, [4, 4]),
            image.resize_with_crop_or_pad(x, 4, 4), image.flip_left_right(x),
            image.adjust_contrast(x, 0.1), image.per_image_standardization(x),
            image.rgb_to_grayscale(x), image.total_variation(x), image.rgb_to_hsv(x),
            tf.nn.l2_normalize(m, 0), tf.nn.moments(m, [0])[0], tf.nn.embedding_lookup(m, [0]),
            tf.nn.top_k(m)[0], tf.nn.sigmoid_cross_entropy_with_logits(m, m), tf.nn.crelu(m),
            tf.clip_by_value(m, 0.0, 1.0), tf.clip_by_norm(m, 1.0), tf.norm(m), tf.sort(m),
            tf.einsum("ij,ij->i", m, m), tf.reduce_logsumexp(m), tf.math.reduce_std(m),
            tf.gather(m, [0]), tf.where(m > 0, m, m), tf.reverse(m, [0]),
            tf.linalg.inv(tf.eye(3)), tf.linalg.solve(tf.eye(3), tf.eye(3)),
            tf.random.shuffle(m), tf.random.poisson([2], 1.0), tf.strings.join(["a", "b"]),
            tf.strings.length("a"), tf.strings.to_number("1"),
        )  # fmt: skip
    return [y.op.name.partition("/")[0] for y in results]


@pytest.mark.parametrize("shapes", [[(2, 3), (2, 4)], [(2,), (2, 3)]])
def test_stacks_of_different_shapes_are_refused(shapes: list[tuple[int, ...]]) -> None:
    @same
    def check(tf: Any) -> Any:
        v1 = tf.compat.v1
        with tf.Graph().as_default():
            tensors = [v1.placeholder(tf.float32, shape) for shape in shapes]
            try:
                tf.stack([v1.placeholder(tf.float32), *tensors])
            except ValueError:
                return ["refused"]
        return ["accepted"]

    check()


@same
def test_images_are_fitted_on_the_grid_of_version_1(tf: Any) -> Any:
    image = tf.compat.v1.image
    x = tf.reshape(tf.range(1.0, 9.0), [2, 4, 1])
    method = image.ResizeMethod
    found = [
        image.resize_image_with_pad(x, 1, 4, method=m)
        for m in (method.BILINEAR, method.NEAREST_NEIGHBOR, method.BICUBIC, method.AREA)
    ]
    found.append(image.resize_image_with_pad(x, 5, 7, align_corners=True))
    return [*found, tf.image.resize_with_pad(x, 1, 4)]


@pytest.mark.filterwarnings("ignore:.*add_variable")
@same
def test_columns_list_the_parts_of_weights(tf: Any) -> Any:
    v1, column = tf.compat.v1, tf.feature_column
    parts: dict[Any, Any] = {}
    halves = v1.fixed_size_partitioner(2)
    with tf.Graph().as_default(), v1.variable_scope("", partitioner=halves):
        number = column.numeric_column("x", shape=(4,))
        features = {"x": v1.placeholder(tf.float32, [None, 4])}
        v1.feature_column.linear_model(features, [number], cols_to_vars=parts)
    return [[[v.name, v.shape] for v in parts[key]] for key in (number, "bias")]
