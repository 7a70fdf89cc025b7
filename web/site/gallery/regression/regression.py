"""Fit curves to points: a polynomial by least squares, and a network by gradient descent."""

from itertools import pairwise

import numpy as np
from adam import Adam
from gallery import open_page
from js import Path2D

import tfpy as tf

ROOM = 100  # maximum number of points; the shape is fixed, so that functions compile once
HIDDEN = 24
STEPS = 10  # training steps of the network per frame
TOUCHED = 0.05  # a touch within this distance removes a point
POLYNOMIAL, NETWORK = "#ff8f45", "#4cc38a"
POINT, GROUND = "#e6e9ef", "#11141a"

EXAMPLES = {
    "wave": lambda x: 0.6 * np.sin(4 * x),
    "line": lambda x: 0.5 * x + 0.2,
    "step": lambda x: np.where(x < 0, -0.4, 0.4),
}


def example(name):
    """Return points (x, y) near a curve, from -1 to 1."""
    if name == "none":
        return []
    x = np.linspace(-0.9, 0.9, 24)
    noise = np.random.default_rng(1).normal(0, 0.04, x.shape)
    return list(zip(x.tolist(), (EXAMPLES[name](x) + noise).tolist(), strict=True))


def mean_square(errors, weights):
    return tf.reduce_sum(weights * errors**2) / tf.maximum(tf.reduce_sum(weights), 1.0)


class Polynomial(tf.Module):
    """The polynomial c0 + c1 x + c2 x² + …"""

    def __init__(self, degree):
        super().__init__()
        self.degree = degree
        self.coefficients = tf.Variable(tf.zeros([degree + 1, 1]))

    def __call__(self, x):
        return self.powers(x) @ self.coefficients

    def powers(self, x):
        return tf.concat([x**n for n in range(self.degree + 1)], axis=1)

    @tf.function
    def fit(self, x, y, weights):
        """Solve for the coefficients with the least squared error, and return the error."""
        powers = weights * self.powers(x)
        self.coefficients.assign(tf.linalg.lstsq(powers, weights * y, l2_regularizer=1e-4))
        return mean_square(self(x) - y, weights)


class Network(tf.Module):
    """A network with two hidden layers."""

    def __init__(self):
        super().__init__()
        sizes = [1, HIDDEN, HIDDEN, 1]
        self.weights = [
            tf.Variable(tf.random.normal([n, m], stddev=(1.5 if n == 1 else n**-0.5)))
            for n, m in pairwise(sizes)
        ]
        self.biases = [tf.Variable(tf.random.normal([m], stddev=0.5)) for m in sizes[1:]]
        self.optimizer = Adam([*self.weights, *self.biases], rate=0.01)

    def __call__(self, x):
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            x = tf.tanh(x @ weight + bias)
        return x @ self.weights[-1] + self.biases[-1]

    @tf.function
    def fit(self, x, y, weights):
        """Take some gradient steps, and return the squared error."""
        for _ in range(STEPS):
            with tf.GradientTape() as tape:
                loss = mean_square(self(x) - y, weights)
            self.optimizer.apply(tape.gradient(loss, self.optimizer.parameters))
        return loss


@tf.function
def curves(polynomial, network, x):
    return tf.concat([polynomial(x), network(x)], axis=1)


class Board:
    """The canvas with the points; x points right and y up, both from -1 to 1."""

    def __init__(self, canvas):
        self.context, self.size = canvas.getContext("2d"), canvas.width

    def draw(self, points, x, curves):
        self.context.fillStyle = GROUND
        self.context.fillRect(0, 0, self.size, self.size)
        for color, y in zip((POLYNOMIAL, NETWORK), curves.T, strict=True):
            places = np.stack([x, np.clip(y, -9, 9)], axis=1)
            path = " ".join(f"{right:.1f},{down:.1f}" for right, down in self.pixels(places))
            self.context.strokeStyle, self.context.lineWidth = color, 3
            self.context.stroke(Path2D.new(f"M {path}"))
        self.context.fillStyle = POINT
        for right, down in self.pixels(points):
            dot = Path2D.new()
            dot.arc(right, down, 5, 0, 2 * np.pi)
            self.context.fill(dot)

    def pixels(self, places):
        return ((np.reshape(places, [-1, 2]) * [1, -1] + 1) / 2 * self.size).tolist()


def touch(points, place):
    """Remove the point at a place, or add one there if there is room."""
    near = [point for point in points if np.hypot(*np.subtract(point, place)) < TOUCHED]
    if near:
        points.remove(near[0])
    elif len(points) < ROOM:
        points.append(place)


def as_arrays(points):
    """Return x, y and weights [ROOM, 1] of points; unused entries have weight 0."""
    values = np.zeros([3, ROOM, 1], np.float32)
    if points:
        values[:2, : len(points), 0] = np.transpose(points)
        values[2, : len(points)] = 1
    return values


def formula(coefficients):
    powers = ["", " x", *(f" x{'²³⁴⁵⁶⁷⁸⁹'[n]}" for n in range(len(coefficients) - 2))]
    terms = [f"{c:z.2f}{power}" for c, power in zip(coefficients, powers, strict=False)]
    return " + ".join(terms).replace("-", "−").replace("+ −", "− ")


page = await open_page()
board = Board(page.canvas["plane"])
across = np.linspace(-1, 1, 161, dtype=np.float32)
while True:
    points, network, polynomial = example(page.values["example"]), Network(), None
    page.clear("errors")
    async for frame in page.frames():
        for x, y, began in page.touches("plane"):
            if began:
                touch(points, (2 * x - 1, 1 - 2 * y))
        if polynomial is None or polynomial.degree != int(page.values["degree"]):
            polynomial = Polynomial(int(page.values["degree"]))
        arrays = as_arrays(points)
        losses = [model.fit(*arrays) for model in (polynomial, network)]
        lines = await curves(polynomial, network, across[:, None]).data()
        board.draw(points, across, lines)
        steps = STEPS * (frame + 1)
        errors = [float(await loss.data()) ** 0.5 for loss in losses]
        page.show(
            steps=steps,
            points=len(points),
            polynomial=errors[0],
            network=errors[1],
            formula=formula((await polynomial.coefficients.data())[:, 0]),
        )
        page.plot("errors", steps, *errors)
