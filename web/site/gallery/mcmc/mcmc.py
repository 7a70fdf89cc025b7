"""Hamiltonian Monte Carlo: sample a distribution with the gradients of its log density."""

from collections import namedtuple

import numpy as np
from gallery import open_page

import tfpy as tf

CHAINS = 256  # number of chains, which run in parallel
LEAPS = 12  # leapfrog steps per path
WARM_UP = 30  # steps that are discarded
WANTED = 0.8  # target share of accepted paths
CELLS = 160  # side of the image
GLOW, CHAIN = [1.0, 0.56, 0.27], [0.9, 0.95, 1.0]

# A log density of points [..., 2], its exact mean, and the square to show: left, bottom, side.
Target = namedtuple("Target", ["log_density", "mean", "window"])


def banana(x):
    """Return the log density with a normal, and b near a² / 2."""
    a, b = tf.unstack(x, axis=-1)
    return -tf.square(a) / 2 - tf.square((b - a**2 / 2) / 0.4) / 2


def ring(x):
    """Return the log density of points near a circle."""
    return -tf.square((tf.norm(x, axis=-1) - 2.0) / 0.25) / 2


SPREAD = 0.5  # standard deviation of the measurements
TIMES = np.linspace(-1, 1, 20, dtype=np.float32)
MEASURED = 1.2 * TIMES + 0.4 + SPREAD * np.sin(17 * TIMES)


def line(x):
    """Return the log posterior of a line's offset and slope, with a normal prior."""
    offset, slope = tf.split(x, 2, axis=-1)
    errors = (offset + slope * TIMES - MEASURED) / SPREAD
    return -tf.reduce_sum(tf.square(errors), axis=-1) / 2 - tf.reduce_sum(tf.square(x), -1) / 2


def mean_of_line():
    """Return the exact mean of the line's posterior."""
    design = np.stack([np.ones_like(TIMES), TIMES], axis=1)
    precision = design.T @ design / SPREAD**2 + np.eye(2)
    return np.linalg.solve(precision, design.T @ MEASURED / SPREAD**2)


TARGETS = {
    "banana": Target(banana, [0.0, 0.5], (-4.0, -1.5, 8.0)),
    "ring": Target(ring, [0.0, 0.0], (-3.5, -3.5, 7.0)),
    "line": Target(line, mean_of_line(), (-0.5, 0.2, 1.6)),
}


class Sampler(tf.Module):
    """Chains of points, whose distribution approaches the target."""

    def __init__(self, target):
        super().__init__()
        self.target = target
        self.points = tf.Variable(tf.random.normal([CHAINS, 2]))
        self.stride = tf.Variable(0.1)
        self.counts = tf.Variable(tf.zeros([CELLS, CELLS]))

    def force(self, x):
        """Return the gradient of the log density."""
        with tf.GradientTape() as tape:
            tape.watch(x)
            density = self.target.log_density(x)
        return tape.gradient(density, x)

    def energy(self, x, momentum):
        return tf.reduce_sum(tf.square(momentum), axis=-1) / 2 - self.target.log_density(x)

    @tf.function
    def step(self):
        """Move all chains; return the points [CHAINS, 2] and the share of accepted paths."""
        x = start = tf.identity(self.points)
        momentum = tf.random.normal([CHAINS, 2])
        energy = self.energy(x, momentum)
        stride = self.stride * tf.random.uniform([CHAINS, 1], 0.7, 1.3)
        momentum += stride / 2 * self.force(x)
        for leap in range(LEAPS):
            x += stride * momentum
            momentum += (stride if leap < LEAPS - 1 else stride / 2) * self.force(x)
        chance = tf.exp(energy - self.energy(x, momentum))
        taken = tf.random.uniform([CHAINS]) < chance
        share = tf.reduce_mean(tf.cast(taken, tf.float32))
        self.points.assign(tf.where(taken[:, None], x, start))
        self.stride.assign(self.stride * tf.exp(0.1 * (share - WANTED)))
        return self.points.value(), share

    @tf.function
    def picture(self):
        """Return an image [CELLS, CELLS, 3] of the chains' history and current points."""
        left, bottom, side = self.target.window
        across, up = tf.unstack((self.points - [left, bottom]) / side * CELLS, axis=1)
        cells = tf.cast(tf.stack([CELLS - up, across], axis=1), tf.int32)
        shown = tf.reduce_all((cells >= 0) & (cells < CELLS), axis=1)
        cells = tf.clip_by_value(cells, 0, CELLS - 1)
        here = tf.scatter_nd(cells, tf.cast(shown, tf.float32), [CELLS, CELLS])
        self.counts.assign_add(here)
        heat = tf.sqrt(self.counts / tf.maximum(tf.reduce_max(self.counts), 20.0))
        return tf.where(here[..., None] > 0, CHAIN, heat[..., None] * GLOW)


page = await open_page()
while True:
    target = TARGETS[page.values["target"]]
    sampler = Sampler(target)
    total, steps = np.zeros(2), 0
    page.clear("errors")
    async for frame in page.frames():
        points, share = [await value.data() for value in sampler.step()]
        page.show(step=frame, taken=f"{100 * float(share):.0f} %", stride=float(sampler.stride))
        if frame < WARM_UP:
            continue
        steps += 1
        total += points.mean(axis=0)
        mean = total / steps
        error = np.linalg.norm(mean - target.mean)
        tf.browser.draw(sampler.picture(), page.canvas["plane"])
        shown = f"{mean[0]:z.2f}, {mean[1]:z.2f}".replace("-", "−")
        page.show(samples=CHAINS * steps, mean=shown, error=float(error))
        page.plot("errors", CHAINS * steps, error)
