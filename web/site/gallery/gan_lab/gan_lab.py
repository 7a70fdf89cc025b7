"""Train a generative adversarial network on points in the plane."""

import keras
import numpy as np
from gallery import open_page
from js import OffscreenCanvas
from keras import layers

import tfpy as tf

POINTS = 256  # number in a batch
NOISE = 8  # size of the generator's input for a point
STEPS = 4  # training steps per frame
CELLS = 24  # side of the grid that shows the discriminator's output
REAL, MADE = "#ff8f45", "#4cc38a"


def real_points(shape):
    """Sample points of a distribution: float32 [POINTS, 2], mostly within -1 and 1."""
    t = tf.random.uniform([POINTS])
    noise = 0.04 * tf.random.normal([POINTS, 2])
    if shape == "ring":
        angle = 2 * np.pi * tf.floor(8 * t) / 8
        return 0.7 * tf.stack([tf.cos(angle), tf.sin(angle)], axis=1) + noise
    if shape == "moons":
        side = tf.where(t < 0.5, 1.0, -1.0)
        angle = 2 * np.pi * t
        x, y = 0.5 * tf.cos(angle) + 0.25 * side, 0.5 * tf.sin(angle) - 0.15 * side
        return tf.stack([x, y], axis=1) + noise
    return tf.stack([1.6 * t - 0.8, 0.5 * tf.sin(8 * t)], axis=1) + noise


def network(inputs, outputs):
    """Build a network with two hidden layers."""
    hidden = [layers.Dense(64, activation="leaky_relu") for _ in range(2)]
    return keras.Sequential([keras.Input((inputs,)), *hidden, layers.Dense(outputs)])


class Game:
    """The generator and the discriminator, and their training step."""

    def __init__(self, shape):
        self.shape = shape
        self.generator, self.discriminator = network(NOISE, 2), network(2, 1)
        self.optimizers = [keras.optimizers.Adam(beta_1=0.0) for _ in range(2)]
        self.cross_entropy = keras.losses.BinaryCrossentropy(from_logits=True)

    def set_rate(self, rate):
        """Set the generator's rate; the discriminator learns faster, to stay ahead."""
        for optimizer, factor in zip(self.optimizers, (1, 3), strict=True):
            optimizer.learning_rate = factor * rate

    @tf.function
    def step(self):
        """Train both networks on a batch; return their losses."""
        real, noise = real_points(self.shape), tf.random.normal([POINTS, NOISE])
        with tf.GradientTape() as g_tape, tf.GradientTape() as d_tape:
            made = self.generator(noise)
            on_real, on_made = self.discriminator(real), self.discriminator(made)
            g_loss = self.cross_entropy(tf.ones_like(on_made), on_made)
            d_loss = self.cross_entropy(tf.ones_like(on_real), on_real) + self.cross_entropy(
                tf.zeros_like(on_made), on_made
            )
        games = [(self.generator, g_tape, g_loss), (self.discriminator, d_tape, d_loss)]
        for optimizer, (network, tape, loss) in zip(self.optimizers, games, strict=True):
            variables = network.trainable_variables
            optimizer.apply(tape.gradient(loss, variables), variables)
        return g_loss, d_loss / 2

    @tf.function
    def look(self):
        """Return real points, generated points, their distance, and the background, 0 to 1."""
        side = tf.linspace(-1.0, 1.0, CELLS)
        x, y = tf.meshgrid(side, -side)
        places = tf.stack([tf.reshape(x, [-1]), tf.reshape(y, [-1])], axis=1)
        ground = tf.reshape(tf.sigmoid(self.discriminator(places)), [CELLS, CELLS])
        real, made = real_points(self.shape), self.generator(tf.random.normal([POINTS, NOISE]))
        return real, made, energy_distance(real, made), ground


def energy_distance(a, b):
    """Return the energy distance of two sets of points; 0 if they have the same distribution."""

    def mean_distance(a, b):
        return tf.reduce_mean(tf.norm(a[:, None] - b[None], axis=2))

    return 2 * mean_distance(a, b) - mean_distance(a, a) - mean_distance(b, b)


async def draw(canvas, real, made, ground):
    """Draw points on a background that is brighter where the discriminator expects real points."""
    await tf.browser.to_pixels_async(0.4 * ground, cells)
    context, size = canvas.getContext("2d"), canvas.width
    context.drawImage(cells, 0, 0, size, size)
    for points, color in ((real, REAL), (made, MADE)):
        context.fillStyle = color
        for x, y in (points * [1, -1] + 1) * size / 2:
            context.fillRect(x - 2, y - 2, 4, 4)


cells = OffscreenCanvas.new(CELLS, CELLS)
page = await open_page()
while True:
    game = Game(page.values["shape"])
    page.clear("losses")
    async for frame in page.frames():
        game.set_rate(10 ** page.values["rate"])
        for _ in range(STEPS):
            losses = game.step()
        real, made, distance, ground = [await value.data() for value in game.look()]
        generator_loss, discriminator_loss = [float(await loss.data()) for loss in losses]
        await draw(page.canvas["plane"], real, made, ground)
        page.show(
            step=STEPS * (frame + 1),
            generator=generator_loss,
            discriminator=discriminator_loss,
            distance=float(distance),
        )
        page.plot("losses", STEPS * (frame + 1), generator_loss, discriminator_loss)
