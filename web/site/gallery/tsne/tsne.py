"""t-SNE: embed images in a plane, so that similar images have nearby places.

This is the exact algorithm, with a matrix of all pairwise distances.
"""

import base64
import time

import numpy as np
from gallery import open_page
from pyodide.http import pyfetch

import tfpy as tf

STEPS = 4  # steps per frame
EARLY = 150  # steps with exaggerated attraction, so that groups form
LAST = 1000
GROUND = "#11141a"
COLORS = ["#ff8f45", "#4cc38a", "#6cb6ff", "#f2b8b5", "#e3c26b"]
COLORS += ["#d9a2e3", "#6cc6d4", "#ff6f61", "#b5bdff", "#c3c8d1"]


async def load_digits():
    """Return images as float32 [n, 64] from 0 to 1, and their digits."""
    file = await (await pyfetch("../../data/digits.json")).json()
    parts = [file["train"], file["test"]]
    images, labels = [
        np.frombuffer(b"".join(base64.b64decode(part[what]) for part in parts), np.uint8)
        for what in ("images", "labels")
    ]
    return tf.constant(images.reshape(-1, 64) / 16, tf.float32), labels


def squared_distances(x):
    """Return the squared distances of all pairs of rows: [n, n]."""
    squares = tf.reduce_sum(x * x, axis=1)
    return tf.nn.relu(squares[:, None] + squares - 2 * x @ tf.transpose(x))


@tf.function
def nearness(x, perplexity):
    """Return the similarities of all pairs, with a width for each row that fits the perplexity."""
    n = x.shape[0]
    distances = tf.linalg.set_diag(squared_distances(x), tf.fill([n], np.inf))
    low, high = tf.fill([n, 1], -10.0), tf.fill([n, 1], 10.0)  # bounds of the width's logarithm
    for _ in tf.range(30):
        middle = (low + high) / 2
        p = tf.nn.softmax(-distances * tf.exp(-middle))
        entropy = -tf.reduce_sum(tf.math.xlogy(p, p), axis=1, keepdims=True)
        is_wide = entropy > tf.math.log(perplexity)
        low, high = tf.where(is_wide, low, middle), tf.where(is_wide, middle, high)
    p = tf.nn.softmax(-distances * tf.exp(-low))
    return (p + tf.transpose(p)) / (2 * n)


class Plane(tf.Module):
    """The places of the images, optimized by gradient descent."""

    def __init__(self, p):
        super().__init__()
        self.p, self.count = p, p.shape[0]
        self.constant = tf.reduce_sum(tf.math.xlogy(p, p))
        self.places = tf.Variable(1e-2 * tf.random.normal([self.count, 2]))
        self.velocity = tf.Variable(tf.zeros([self.count, 2]))
        self.gains = tf.Variable(tf.ones([self.count, 2]))

    @tf.function
    def step(self, exaggeration, momentum):
        """Move all places; return the divergence before the step."""
        with tf.GradientTape() as tape:
            distances = squared_distances(self.places)
            pull = tf.reduce_sum(self.p * tf.math.log1p(distances))
            push = tf.math.log(tf.reduce_sum(1 / (1 + distances)) - self.count)
            loss = exaggeration * pull + push
        gradient = tape.gradient(loss, self.places)
        turns = gradient * self.velocity > 0  # the velocity is opposite to the gradient
        gains = tf.where(turns, 0.8 * self.gains, self.gains + 0.2)
        self.gains.assign(tf.maximum(gains, 0.01))
        self.velocity.assign(momentum * self.velocity - 0.1 * self.count * self.gains * gradient)
        self.places.assign_add(self.velocity)
        return self.constant + pull + push

    @tf.function
    def nearest(self):
        """Return the index of the nearest other place for each place."""
        distances = squared_distances(self.places)
        return tf.argmin(tf.linalg.set_diag(distances, tf.fill([self.count], np.inf)), axis=1)


def draw(canvas, places, labels):
    context, size = canvas.getContext("2d"), canvas.width
    context.fillStyle = GROUND
    context.fillRect(0, 0, size, size)
    context.font = f"bold {max(16, 400 / len(places) ** 0.5):.0f}px system-ui, sans-serif"
    context.textAlign, context.textBaseline = "center", "middle"
    reach = 1.08 * np.abs(places).max()
    for digit, color in enumerate(COLORS):
        context.fillStyle = color
        for x, y in (places[labels == digit] / reach + 1) * size / 2:
            context.fillText(str(digit), x, y)


images, digits = await load_digits()
page = await open_page()
while True:
    count = int(page.values["count"])
    labels = digits[:count]
    plane = Plane(nearness(images[:count], float(page.values["perplexity"])))
    page.clear("losses")
    async for frame in page.frames():
        begin = time.perf_counter()
        for step in range(STEPS * frame, STEPS * (frame + 1)):
            is_early = step < EARLY
            loss = plane.step(4.0 if is_early else 1.0, 0.5 if is_early else 0.8)
        places = await plane.places.value().data()
        took = (time.perf_counter() - begin) / STEPS
        draw(page.canvas["plane"], places, labels)
        page.show(step=step + 1, time=f"{1000 * took:.1f} ms")
        if frame % 5 == 0:
            same = np.mean(labels[await plane.nearest().data()] == labels)
            loss = float(await loss.data())
            page.show(loss=loss, same=f"{100 * same:.0f} %")
            page.plot("losses", step + 1, loss)
        if step + 1 >= LAST:
            page.stop()
