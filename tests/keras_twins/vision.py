"""Twins with images."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops
from twins import floats, ints, learnt, twin


@twin
def mobile_blocks() -> Any:
    def block(x: Any, filters: int, stride: int) -> Any:
        y = layers.Conv2D(2 * x.shape[-1], 1, use_bias=False)(x)
        y = layers.ReLU(6.0)(layers.BatchNormalization(momentum=0.8)(y))
        y = layers.DepthwiseConv2D(3, stride, padding="same", use_bias=False)(y)
        y = layers.Activation("hard_swish")(layers.BatchNormalization()(y))
        gate = layers.GlobalAveragePooling2D(keepdims=True)(y)
        gate = layers.Conv2D(y.shape[-1], 1, activation="hard_sigmoid")(gate)
        y = layers.Conv2D(filters, 1, use_bias=False)(layers.Multiply()([y, gate]))
        return x + y if stride == 1 and x.shape[-1] == filters else y

    x = inputs = keras.Input((16, 16, 3))
    for filters, stride in ((8, 2), (8, 1), (12, 2)):
        x = block(x, filters, stride)
    x = layers.Flatten()(layers.SeparableConv2D(4, 3, depth_multiplier=2)(x))
    model = keras.Model(inputs, layers.Dense(3)(x))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(0.002), loss, metrics=["sparse_categorical_accuracy"])
    return learnt(model, floats(40, 16, 16, 3), ints(3, 40))


@twin
def u_net() -> Any:
    def twice(x: Any, filters: int) -> Any:
        for _ in range(2):
            x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
        return x

    x = inputs = keras.Input((16, 16, 2))
    skips = []
    for filters in (4, 8):
        skips.append(twice(x, filters))
        x = layers.SpatialDropout2D(0.1, seed=filters)(layers.MaxPooling2D()(skips[-1]))
    x = twice(x, 12)
    for filters in (8, 4):
        x = layers.Conv2DTranspose(filters, 3, strides=2, padding="same")(x)
        x = twice(layers.Concatenate()([x, skips.pop()]), filters)
    model = keras.Model(inputs, layers.Conv2D(3, 1, activation="softmax")(x))
    metric = keras.metrics.MeanIoU(3, sparse_y_pred=False)
    model.compile("rmsprop", "sparse_categorical_crossentropy", metrics=[metric])
    return learnt(model, floats(16, 16, 16, 2), ints(3, 16, 16, 16, 1), epochs=5)


@twin
def frozen_base_then_fine_tuning() -> Any:
    base = keras.Sequential(
        [
            keras.Input((10, 10, 3)),
            layers.Conv2D(6, 3, activation="relu"),
            layers.BatchNormalization(),
            layers.Conv2D(6, 3, activation="relu"),
        ]
    )
    base.trainable = False
    inputs = keras.Input((10, 10, 3))
    x = base(layers.Rescaling(1 / 2.0, -0.5)(inputs), training=False)
    x = layers.Dropout(0.2, seed=4)(layers.GlobalAveragePooling2D()(x))
    model = keras.Model(inputs, layers.Dense(1)(x))
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    metrics = [keras.metrics.BinaryAccuracy(threshold=0.0)]
    model.compile(keras.optimizers.Adam(), loss, metrics=metrics)
    images, labels = floats(40, 10, 10, 3), ints(2, 40)
    first = learnt(model, images, labels)
    base.trainable = True
    base.layers[0].trainable = False
    model.compile(keras.optimizers.Adam(1e-4), loss, metrics=metrics)
    counts = [len(w) for w in (model.trainable_weights, model.non_trainable_weights)]
    return first, learnt(model, images, labels), counts


@twin
def augmented_pictures() -> Any:
    model = keras.Sequential(
        [
            keras.Input((12, 12, 3)),
            layers.RandomFlip("horizontal", seed=1),
            layers.RandomRotation(0.1, seed=2),
            layers.RandomZoom(0.2, seed=3),
            layers.RandomTranslation(0.1, 0.1, fill_mode="nearest", seed=4),
            layers.RandomContrast(0.2, seed=5),
            layers.RandomBrightness(0.1, value_range=(-1, 1), seed=6),
            layers.Conv2D(4, 3, strides=2, activation="relu"),
            layers.Flatten(),
            layers.Dense(2, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return learnt(model, floats(24, 12, 12, 3), ints(2, 24))


@twin
def what_a_network_looks_at() -> Any:
    inputs = keras.Input((12, 12, 3))
    x = layers.Conv2D(6, 3, activation="relu", name="early")(inputs)
    x = layers.Conv2D(8, 3, activation="relu", name="last")(layers.MaxPooling2D()(x))
    x = layers.Dense(5)(layers.GlobalAveragePooling2D()(x))
    model = keras.Model(inputs, x)
    inner = keras.Model(model.inputs, [model.get_layer("last").output, model.output])
    image = tf.constant(floats(1, 12, 12, 3))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(image)
        maps, scores = inner(image)
        top = scores[:, tf.argmax(scores[0])]
    weights = tf.reduce_mean(tape.gradient(top, maps), axis=(0, 1, 2))
    heat = tf.squeeze(maps[0] @ weights[..., tf.newaxis])
    heat = tf.maximum(heat, 0) / tf.reduce_max(heat)
    towards = tf.sign(tape.gradient(top, image))
    adversarial = model(tf.clip_by_value(image + 0.1 * towards, -1, 1))
    return [np.asarray(x) for x in (heat, towards, adversarial)]


@twin
def vision_transformer() -> Any:
    class Patches(layers.Layer):
        def __init__(self, size: int, **options: Any) -> None:
            super().__init__(**options)
            self.size = size

        def call(self, images: Any) -> Any:
            n, h, w, c = ops.shape(images)
            s = self.size
            x = ops.reshape(images, (n, h // s, s, w // s, s, c))
            return ops.reshape(ops.transpose(x, (0, 1, 3, 2, 4, 5)), (n, h * w // s**2, s * s * c))

    class Places(layers.Layer):
        def build(self, shape: Any) -> None:
            self.table = self.add_weight(shape=shape[1:], initializer="random_normal")

        def call(self, x: Any) -> Any:
            return x + self.table

    x = inputs = keras.Input((12, 12, 3))
    x = Places()(layers.Dense(8)(Patches(4)(x)))
    for i in range(2):
        y = layers.LayerNormalization(epsilon=1e-6)(x)
        x = x + layers.MultiHeadAttention(2, 4, dropout=0.1, use_bias=False, seed=i)(y, y)
        y = layers.Dense(16, keras.activations.gelu)(layers.LayerNormalization()(x))
        x = x + layers.Dense(8)(layers.Dropout(0.1, seed=i)(y))
    model = keras.Model(inputs, layers.Dense(4)(layers.Flatten()(x)))
    model.compile(
        keras.optimizers.AdamW(0.001, weight_decay=0.0001),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[keras.metrics.SparseTopKCategoricalAccuracy(2)],
    )
    return learnt(model, floats(40, 12, 12, 3), ints(4, 40))


@twin
def pictures_of_any_size() -> Any:
    model = keras.Sequential(
        [
            keras.Input((None, None, 3)),
            layers.Conv2D(4, 3, padding="same", strides=2, activation="relu"),
            layers.UpSampling2D(2),
            layers.Conv2D(4, 3, dilation_rate=2, padding="same", groups=2),
            layers.GlobalMaxPooling2D(),
            layers.Dense(1),
        ]
    )
    model.compile("sgd", "mse")
    losses = [
        model.train_on_batch(floats(4, h, w, 3), floats(4, 1))
        for h, w in ((8, 8), (9, 12), (8, 8), (5, 7))
    ]
    return (
        losses,
        model.get_weights(),
        [n or -1 for n in (*model.output_shape, *model.layers[0].output.shape)],
    )


@twin
def mixed_channels_and_patches() -> Any:
    x = inputs = keras.Input((8, 8, 3))
    x = layers.Reshape((16, 12))(x)
    x = layers.Dense(10)(x)
    for _ in range(2):
        y = layers.Permute((2, 1))(layers.LayerNormalization()(x))
        y = layers.Permute((2, 1))(layers.Dense(16, "gelu")(y))
        x = layers.Add()([x, y])
        x = layers.Add()([x, layers.Dense(10, "silu")(layers.LayerNormalization()(x))])
    model = keras.Model(inputs, layers.Dense(3)(layers.GlobalAveragePooling1D()(x)))
    loss = keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)
    model.compile(keras.optimizers.Lamb(0.01), loss, metrics=["categorical_accuracy"])
    return learnt(model, floats(40, 8, 8, 3), np.eye(3, dtype=np.float32)[ints(3, 40)])
