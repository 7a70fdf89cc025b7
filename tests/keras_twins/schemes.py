"""Twins with various learning schemes."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops
from twins import floats, ints, learnt, twin


def classifier(units: int = 8) -> Any:
    """Return a network with six inputs and three classes."""
    return keras.Sequential([keras.Input((6,)), layers.Dense(units, "relu"), layers.Dense(3)])


def crossentropy() -> Any:
    """Return the loss of a classifier."""
    return keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@twin
def distillation() -> Any:
    class Distiller(keras.Model):
        def __init__(self, student: Any, teacher: Any) -> None:
            super().__init__()
            self.student, self.teacher = student, teacher

        def compile(
            self, distillation: Any, alpha: float, temperature: float, **options: Any
        ) -> None:
            super().compile(**options)
            self.distillation, self.alpha, self.temperature = distillation, alpha, temperature

        def call(self, x: Any) -> Any:
            return self.student(x)

        def compute_loss(
            self,
            x: Any = None,
            y: Any = None,
            y_pred: Any = None,
            sample_weight: Any = None,
            training: Any = True,
        ) -> Any:
            wanted = self.teacher(x, training=False)
            own = super().compute_loss(x, y, y_pred, sample_weight)
            soft = [ops.softmax(z / self.temperature, axis=1) for z in (wanted, y_pred)]
            return self.alpha * own + (1 - self.alpha) * self.distillation(*soft)

    teacher = classifier(16)
    loss = crossentropy()
    teacher.compile("adam", loss)
    x, y = floats(40, 6), ints(3, 40)
    first = learnt(teacher, x, y)
    model = Distiller(classifier(4), teacher)
    teacher.trainable = False
    model.compile(
        keras.losses.KLDivergence(),
        0.1,
        4.0,
        optimizer=keras.optimizers.Adam(0.01),
        loss=loss,
        metrics=[keras.metrics.SparseCategoricalAccuracy()],
    )
    return first, learnt(model, x, y), model.evaluate(x, y, verbose=0)


@twin
def siamese_pairs() -> Any:
    tower = keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            layers.BatchNormalization(),
            layers.Conv2D(4, 5, activation="tanh"),
            layers.AveragePooling2D(2),
            layers.Flatten(),
            layers.Dense(5, activation="tanh"),
        ]
    )
    a, b = keras.Input((8, 8, 1)), keras.Input((8, 8, 1))

    @keras.saving.register_keras_serializable("twins", name="distance")
    def distance(pair: Any) -> Any:
        squares = ops.sum(ops.square(pair[0] - pair[1]), axis=1, keepdims=True)
        return ops.sqrt(ops.maximum(squares, keras.config.epsilon()))

    far = layers.Lambda(distance, output_shape=(1,))([tower(a), tower(b)])
    out = layers.Dense(1, activation="sigmoid")(layers.BatchNormalization()(far))
    model = keras.Model([a, b], out)

    def contrastive(margin: float) -> Any:
        def loss(y: Any, p: Any) -> Any:
            return ops.mean((1 - y) * ops.square(p) + y * ops.square(ops.maximum(margin - p, 0)))

        return loss

    model.compile("rmsprop", contrastive(1.0), metrics=["accuracy"])
    x = floats(40, 8, 8, 1)
    return learnt(model, [x, x[::-1]], ints(2, 40, 1).astype("float32"))


@twin
def triplets() -> Any:
    class Triplets(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.tower = keras.Sequential(
                [layers.Dense(8, "tanh"), layers.Dense(4, use_bias=False)]
            )
            self.tracker = keras.metrics.Mean(name="loss")

        def call(self, inputs: Any) -> Any:
            anchor, same, other = (self.tower(x) for x in inputs)
            near = tf.reduce_sum(tf.square(anchor - same), -1)
            return near, tf.reduce_sum(tf.square(anchor - other), -1)

        def of(self, data: Any) -> Any:
            near, far = self(data)
            return tf.maximum(near - far + 0.5, 0.0)

        def train_step(self, data: Any) -> Any:
            (data,) = data
            with tf.GradientTape() as tape:
                loss = self.of(data)
            grads = tape.gradient(loss, self.tower.trainable_weights)
            self.optimizer.apply_gradients(zip(grads, self.tower.trainable_weights, strict=True))
            self.tracker.update_state(loss)
            return {"loss": self.tracker.result()}

        def test_step(self, data: Any) -> Any:
            (data,) = data
            self.tracker.update_state(self.of(data))
            return {"loss": self.tracker.result()}

        @property
        def metrics(self) -> Any:
            return [self.tracker]

    x = floats(40, 6)
    data = tf.data.Dataset.zip(
        tuple(tf.data.Dataset.from_tensor_slices(a) for a in (x, x + 0.1, x[::-1]))
    )
    data = data.map(lambda a, b, c: ((a, b, c),)).batch(8)
    model = Triplets()
    model.compile(keras.optimizers.Adam(0.001), weighted_metrics=[])
    return model.fit(data, epochs=2, validation_data=data, verbose=0).history, model.get_weights()


@twin
def contrast_of_two_views() -> Any:
    class Contrast(keras.Model):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = keras.Sequential([layers.GaussianNoise(0.2, seed=1), layers.Dense(8)])
            self.head = keras.Sequential([layers.Dense(6, "relu"), layers.Dense(6)])
            self.accuracy = keras.metrics.SparseCategoricalAccuracy("contrast")

        def train_step(self, x: Any) -> Any:
            with tf.GradientTape() as tape:
                views = [self.head(self.encoder(x, training=True)) for _ in range(2)]
                a, b = (ops.normalize(v, axis=1) for v in views)
                likeness = ops.matmul(a, ops.transpose(b)) / 0.1
                labels = ops.arange(ops.shape(x)[0])
                both = [
                    keras.losses.sparse_categorical_crossentropy(labels, s, from_logits=True)
                    for s in (likeness, ops.transpose(likeness))
                ]
                loss = (both[0] + both[1]) / 2
            weights = self.encoder.trainable_weights + self.head.trainable_weights
            self.optimizer.apply(tape.gradient(loss, weights), weights)
            self.accuracy.update_state(labels, likeness)
            return {"loss": ops.mean(loss), "contrast": self.accuracy.result()}

    model = Contrast()
    model.compile(keras.optimizers.Adam(0.01))
    return model.fit(floats(40, 6), batch_size=8, epochs=2, verbose=0).history, model.get_weights()


@twin
def accumulated_gradients() -> Any:
    x, y = floats(40, 6), ints(3, 40)
    loss = crossentropy()
    found = []
    for optimizer in (
        keras.optimizers.Adam(0.01, gradient_accumulation_steps=2),
        keras.optimizers.SGD(0.1, 0.9, gradient_accumulation_steps=3, use_ema=True),
    ):
        model = classifier()
        model.compile(optimizer, loss)
        found.append(learnt(model, x, y))

    model, optimizer = classifier(), keras.optimizers.Adagrad(0.1)
    sums = [tf.Variable(tf.zeros_like(w)) for w in model.trainable_weights]

    @tf.function
    def add(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            value = loss(y, model(x, training=True))
        for total, grad in zip(sums, tape.gradient(value, model.trainable_weights), strict=True):
            total.assign_add(grad)
        return value

    @tf.function
    def apply() -> None:
        optimizer.apply_gradients(
            (total / 2.0, w) for total, w in zip(sums, model.trainable_weights, strict=True)
        )
        for total in sums:
            total.assign(tf.zeros_like(total))

    losses = []
    for i in range(10):
        losses.append(add(tf.constant(x[4 * i : 4 * i + 4]), tf.constant(y[4 * i : 4 * i + 4])))
        if i % 2:
            apply()
    return found, [float(v) for v in losses], model.get_weights()


@twin
def restarts_and_own_schedules() -> Any:
    @keras.saving.register_keras_serializable("twins")
    class WarmUp(keras.optimizers.schedules.LearningRateSchedule):
        def __init__(self, size: int, steps: int) -> None:
            self.size, self.steps = size, steps

        def __call__(self, step: Any) -> Any:
            step = ops.cast(step, "float32") + 1
            slope = step * self.steps**-1.5
            return ops.rsqrt(ops.cast(self.size, "float32")) * ops.minimum(ops.rsqrt(step), slope)

        def get_config(self) -> Any:
            return {"size": self.size, "steps": self.steps}

    schedules = keras.optimizers.schedules
    found = []
    for rate in (
        schedules.CosineDecayRestarts(0.1, 3, t_mul=1.5, m_mul=0.8),
        schedules.PolynomialDecay(0.1, 5, 0.01, power=0.5, cycle=True),
        schedules.InverseTimeDecay(0.1, 2, 0.5, staircase=True),
        WarmUp(64, 4),
    ):
        again = schedules.deserialize(schedules.serialize(rate))
        model = classifier()
        loss = crossentropy()
        model.compile(keras.optimizers.SGD(again, momentum=0.5), loss)
        learnt(model, floats(40, 6), ints(3, 40))
        found.append([model.get_weights(), [float(rate(i)) for i in range(12)]])
        found.append(np.asarray(model.optimizer.learning_rate))
    return found


@twin
def actor_and_critic() -> Any:
    inputs = keras.Input((4,))
    common = layers.Dense(16, activation="relu")(inputs)
    model = keras.Model(inputs, [layers.Dense(2, "softmax")(common), layers.Dense(1)(common)])
    optimizer, huber = keras.optimizers.Adam(0.01), keras.losses.Huber()
    moves = floats(2, 4)
    losses = []
    for episode in range(3):
        state, kept = floats(5, 4)[episode], []
        with tf.GradientTape() as tape:
            for _ in range(6):
                chances, value = model(state[None])
                action = int(tf.argmax(chances[0]))
                kept.append((tf.math.log(chances[0, action]), value[0, 0], state.sum()))
                state = 0.9 * state + 0.1 * moves[action]
            returns = np.cumsum([r for *_, r in kept][::-1])[::-1]
            returns = (returns - returns.mean()) / (returns.std() + 1e-6)
            pieces = [
                -log * (g - value) + huber([value], [float(g)])
                for (log, value, _), g in zip(kept, returns, strict=True)
            ]
            loss = sum(pieces)
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        losses.append(float(loss))
    return losses, model.get_weights()


@twin
def compiled_and_eager_alike() -> Any:
    found = []
    for options in ({}, {"jit_compile": True}, {"run_eagerly": True}, {"auto_scale_loss": False}):
        keras.utils.set_random_seed(9)
        model = classifier()
        loss = crossentropy()
        model.compile("adam", loss, metrics=["accuracy"], **options)
        found.append(learnt(model, floats(37, 6), ints(3, 37)))
    return found
