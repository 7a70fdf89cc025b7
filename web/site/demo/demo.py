"""The demo's network and its training, in Keras; this module does not depend on the page."""

import base64
import json
import time

import keras
import numpy as np
from keras import layers

SEED = 1
LEVELS = 16  # levels of gray
BATCH = 64
EPOCHS = 8
RATE = 0.006
DECAY = 0.85  # factor of the rate after each epoch


def network(steps):
    """Build and compile the network; `steps` is the number of steps per epoch."""
    keras.utils.set_random_seed(SEED)
    model = keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            layers.Conv2D(8, 3, padding="same", activation="relu"),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dense(10, activation="softmax"),
        ]
    )
    rate = keras.optimizers.schedules.ExponentialDecay(RATE, steps, DECAY, staircase=True)
    loss = keras.losses.SparseCategoricalCrossentropy()
    model.compile(keras.optimizers.Adam(rate), loss, metrics=["accuracy"])
    return model


class Reporting(keras.callbacks.Callback):
    """Reports each step and epoch to the page, and stops training when the page asks for it."""

    def __init__(self, report, steps):
        super().__init__()
        self.report, self.steps = report, steps
        self.done = 0

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch_began = time.perf_counter()
        self.total = 0.0  # sum of the epoch's losses so far: Keras reports their mean

    def on_train_batch_begin(self, batch, logs=None):
        self.step_began = time.perf_counter()

    def on_train_batch_end(self, batch, logs=None):
        self.done += 1
        took = milliseconds_since(self.step_began)
        before, self.total = self.total, logs["loss"] * (batch + 1)
        if not self.report.step(self.done, EPOCHS * self.steps, self.total - before, took):
            self.model.stop_training = True

    def on_epoch_end(self, epoch, logs=None):
        took = milliseconds_since(self.epoch_began)
        if not self.model.stop_training:
            self.report.epoch(epoch + 1, logs["val_accuracy"], took)


def milliseconds_since(start):
    return (time.perf_counter() - start) * 1000


def part_of(part):
    """Decode images as float32 [n, 8, 8, 1] in 0..1 and labels as int32 [n] from base64."""
    images = np.frombuffer(base64.b64decode(part["images"]), np.uint8).reshape(-1, 8, 8, 1)
    labels = np.frombuffer(base64.b64decode(part["labels"]), np.uint8)
    return images.astype(np.float32) / LEVELS, labels.astype(np.int32)


class Demo:
    """The data and the network. Async methods let the page draw while they wait."""

    def __init__(self, digits):
        parts = json.loads(digits)
        self.train_images, self.train_labels = part_of(parts["train"])
        self.test_images, self.test_labels = part_of(parts["test"])
        self.reset()

    def reset(self):
        """Replace the network by an untrained one."""
        self.model = network(self.steps)

    @property
    def steps(self):
        """Number of steps per epoch; the remaining images are too few for a batch."""
        return len(self.train_images) // BATCH

    async def train(self, report):
        """Train for `EPOCHS` epochs of shuffled batches.

        Call `report.step(done, steps, loss, step_ms)` after each step, which may return False to
        stop, and `report.epoch(done, accuracy, epoch_ms)` after each epoch.
        """
        whole = self.steps * BATCH
        await self.model.fit_async(
            self.train_images[:whole],
            self.train_labels[:whole],
            batch_size=BATCH,
            epochs=EPOCHS,
            validation_data=(self.test_images, self.test_labels),
            callbacks=[Reporting(report, self.steps)],
            verbose=0,
        )

    async def accuracy(self):
        """Return the fraction of held-out digits that are recognized."""
        _, share = await self.model.evaluate_async(self.test_images, self.test_labels, verbose=0)
        return share

    async def predict(self, pixels):
        """Return the probabilities of the ten digits for an image of 64 values 0..16."""
        image = np.asarray(pixels, np.float32).reshape(1, 8, 8, 1) / LEVELS
        return (await self.model(image).data())[0].tolist()
