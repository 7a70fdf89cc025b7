"""The demo's network and its training, in plain tfpy; it knows nothing of the page."""

import asyncio
import base64
import json
import time

import numpy as np

import tfpy as tf

SEED = 1
LEVELS = 16  # of grey
BATCH = 64
EPOCHS = 8
CHANNELS = (8, 16)
HIDDEN = 64
RATE = 0.008
DECAY = 0.85  # of the rate, after each epoch


class Cnn:
    """Two convolutions, a max pooling and two dense layers, from [n, 8, 8, 1] to [n, 10] logits."""

    def __init__(self, rng):
        first, second = CHANNELS
        shapes = [(3, 3, 1, first), (3, 3, first, second), (16 * second, HIDDEN), (HIDDEN, 10)]
        self.weights = [tf.Variable(self._scaled(rng, shape)) for shape in shapes]
        self.biases = [tf.Variable(tf.zeros([shape[-1]])) for shape in shapes]

    @staticmethod
    def _scaled(rng, shape):
        """Normal values that keep the variance of what passes a ReLU layer of this shape."""
        deviation = np.sqrt(2.0 / np.prod(shape[:-1]))
        return rng.normal(0.0, deviation, shape).astype(np.float32)

    @property
    def variables(self):
        return [*self.weights, *self.biases]

    def __call__(self, x):
        conv1, conv2, dense1, dense2 = self.weights
        bias1, bias2, bias3, bias4 = self.biases
        x = tf.nn.relu(tf.nn.conv2d(x, conv1, strides=1, padding="SAME") + bias1)
        x = tf.nn.relu(tf.nn.conv2d(x, conv2, strides=1, padding="SAME") + bias2)
        x = tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID")
        x = tf.reshape(x, [x.shape[0], dense1.shape[0]])
        x = tf.nn.relu(tf.matmul(x, dense1) + bias3)
        return tf.matmul(x, dense2) + bias4


class Adam:
    """Adam (Kingma and Ba, 2015) in tensor operations."""

    def __init__(self, variables, rate=RATE, decay1=0.9, decay2=0.999):
        self.variables = variables
        self.means = [tf.Variable(tf.zeros_like(v)) for v in variables]
        self.squares = [tf.Variable(tf.zeros_like(v)) for v in variables]
        self.rate, self.decay1, self.decay2 = rate, decay1, decay2
        self.count = 0

    def apply(self, gradients):
        self.count += 1
        correction = np.sqrt(1 - self.decay2**self.count) / (1 - self.decay1**self.count)
        rate = tf.constant(self.rate * correction, tf.float32)
        for variable, mean, square, gradient in zip(
            self.variables, self.means, self.squares, gradients, strict=True
        ):
            mean.assign_add((gradient - mean) * (1 - self.decay1))
            square.assign_add((gradient * gradient - square) * (1 - self.decay2))
            variable.assign_sub(rate * mean / (tf.sqrt(square) + 1e-7))


def milliseconds_since(start):
    return (time.perf_counter() - start) * 1000


def part_of(part):
    """Images as float32 [n, 8, 8, 1] in 0..1 and labels as int32 [n], from the site's base64."""
    images = np.frombuffer(base64.b64decode(part["images"]), np.uint8).reshape(-1, 8, 8, 1)
    labels = np.frombuffer(base64.b64decode(part["labels"]), np.uint8)
    return images.astype(np.float32) / LEVELS, labels.astype(np.int32)


class Demo:
    """Holds the data and the network; every method that waits leaves the page free to draw."""

    def __init__(self, digits):
        parts = json.loads(digits)
        self.train_images, self.train_labels = part_of(parts["train"])
        self.test_images, self.test_labels = part_of(parts["test"])
        self.reset()

    def reset(self):
        """Forgets what was learnt."""
        self.rng = np.random.default_rng(SEED)
        self.model = Cnn(self.rng)
        self.optimizer = Adam(self.model.variables)

    def step(self, images, labels):
        """One step of training; the loss, perhaps still being computed."""
        with tf.GradientTape() as tape:
            logits = self.model(images)
            losses = tf.nn.softmax_cross_entropy_with_logits(tf.one_hot(labels, 10), logits)
            loss = tf.reduce_mean(losses)
        self.optimizer.apply(tape.gradient(loss, self.model.variables))
        return loss

    async def train(self, report):
        """Trains for :data:`EPOCHS` epochs of shuffled batches.

        Calls ``report.step(done, steps, loss, step_ms)`` after each step, which may return False to
        stop, and ``report.epoch(done, accuracy, epoch_ms)`` after each epoch.
        """
        steps = len(self.train_images) // BATCH
        for epoch in range(EPOCHS):
            epoch_started = time.perf_counter()
            order = self.rng.permutation(len(self.train_images))
            for step in range(steps):
                started = time.perf_counter()
                batch = order[step * BATCH : (step + 1) * BATCH]
                images = tf.constant(self.train_images[batch])
                loss = self.step(images, tf.constant(self.train_labels[batch]))
                value = float(await loss.data())
                done = epoch * steps + step + 1
                if not report.step(done, EPOCHS * steps, value, milliseconds_since(started)):
                    return
                await asyncio.sleep(0)
            epoch_ms = milliseconds_since(epoch_started)
            self.optimizer.rate *= DECAY
            report.epoch(epoch + 1, await self.accuracy(), epoch_ms)

    async def accuracy(self):
        """The share of held-out digits that are recognised."""
        predicted = []
        for images in np.array_split(self.test_images, len(self.test_images) // BATCH):
            logits = self.model(tf.constant(images))
            predicted.append(await tf.argmax(logits, axis=1).data())
            await asyncio.sleep(0)
        return float(np.mean(np.concatenate(predicted) == self.test_labels))

    async def predict(self, pixels):
        """Probabilities of the ten digits for one image of 64 values 0..16."""
        image = np.asarray(pixels, np.float32).reshape(1, 8, 8, 1) / LEVELS
        return (await tf.nn.softmax(self.model(tf.constant(image))).data())[0].tolist()
