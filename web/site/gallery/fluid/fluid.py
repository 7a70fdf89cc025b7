"""Stable fluids (Jos Stam): stirred ink in water. A step is one compiled function."""

import numpy as np
from gallery import open_page

import tfpy as tf

SIZE = 256
GRIDS = (16, 32, 64, 128, 256)  # sizes of the grids for the pressure, from coarse to fine
SWEEPS = 8  # iterations on each grid
REACH = 6.0  # radius of a stir, in cells
FADING = 0.997
INKS = np.array([[1.0, 0.45, 0.1], [0.1, 0.7, 1.0], [0.9, 0.2, 0.7], [0.4, 0.9, 0.3]], np.float32)

LINE = tf.range(SIZE, dtype=tf.float32)
PLACES = tf.stack(tf.meshgrid(LINE, LINE, indexing="ij"), axis=-1)  # row and column of each cell


def sample(field, places):
    """Interpolate field [SIZE, SIZE, n] bilinearly between its cells, on a torus."""
    corner = tf.floor(places)
    part = places - corner
    row, column = tf.unstack(tf.cast(corner, tf.int32), axis=-1)
    cells = tf.reshape(field, [SIZE * SIZE, -1])

    def at(row, column):
        return tf.gather(cells, (row % SIZE) * SIZE + column % SIZE)

    down, right = part[..., :1], part[..., 1:]
    above = at(row, column) * (1 - right) + at(row, column + 1) * right
    below = at(row + 1, column) * (1 - right) + at(row + 1, column + 1) * right
    return above * (1 - down) + below * down


def slope(field, axis):
    return (tf.roll(field, -1, axis) - tf.roll(field, 1, axis)) / 2


def divergence(velocity):
    return slope(velocity[..., 0], 0) + slope(velocity[..., 1], 1)


def pressure(source):
    """Solve for p [SIZE, SIZE] with the Laplacian `source`, by Jacobi iterations from coarse to
    fine grids, because coarse grids spread pressure far."""
    p = tf.zeros([GRIDS[0] // 2] * 2)
    for size in GRIDS:
        cell = SIZE // size
        blocks = tf.reshape(source, [size, cell, size, cell])
        coarse = tf.reduce_mean(blocks, axis=[1, 3]) * cell**2
        p = tf.repeat(tf.repeat(p, 2, axis=0), 2, axis=1)
        for _ in range(SWEEPS):
            sides = tf.roll(p, 1, 0) + tf.roll(p, -1, 0) + tf.roll(p, 1, 1) + tf.roll(p, -1, 1)
            p = (sides - coarse) / 4
    return p


class Fluid(tf.Module):
    """The velocity in cells per step, and ink in three colors."""

    def __init__(self):
        super().__init__()
        self.velocity = tf.Variable(tf.zeros([SIZE, SIZE, 2]))
        self.ink = tf.Variable(tf.zeros([SIZE, SIZE, 3]))

    @tf.function
    def stir(self, place, push, ink):
        """Push the water around a place [2], and add ink [3]."""
        distance = tf.reduce_sum(tf.square(PLACES - place), axis=-1, keepdims=True)
        near = tf.exp(-distance / REACH**2)
        self.velocity.assign_add(near * push)
        self.ink.assign_add(near * ink)

    @tf.function
    def step(self):
        """Move the fluid; return the divergence before and after the pressure's correction."""
        moved = sample(self.velocity, PLACES - self.velocity)
        source = divergence(moved)
        p = pressure(source)
        velocity = moved - tf.stack([slope(p, 0), slope(p, 1)], axis=-1)
        self.velocity.assign(velocity)
        self.ink.assign(FADING * sample(self.ink, PLACES - velocity))
        errors = tf.stack([source, divergence(velocity)])
        return tf.sqrt(tf.reduce_mean(tf.square(errors), axis=[1, 2]))

    @tf.function
    def picture(self):
        return 1 - tf.exp(-self.ink)


def spoon(step):
    """Return the place of the automatic stirring."""
    return 0.5 + 0.3 * np.sin(0.031 * step), 0.5 + 0.25 * np.sin(0.05 * step)


page = await open_page()
while True:
    fluid, steps, strokes = Fluid(), 0, 0
    page.clear("divergence")
    async for _ in page.frames():
        touches = page.touches("water")
        if page.values["run"] and page.values["spoon"] and not touches:
            touches = [(*spoon(steps), steps % 100 == 0)]
        for x, y, began in touches:
            place = np.array([y, x], np.float32) * SIZE
            if began or strokes == 0:
                last, strokes = place, strokes + 1
            fluid.stir(place, 0.5 * (place - last), INKS[strokes % len(INKS)])
            last = place
        if page.values["run"]:
            before, after = (await fluid.step().data()).tolist()
            steps += 1
            page.show(step=steps, before=before, after=after)
            page.plot("divergence", steps, before, after)
        tf.browser.draw(fluid.picture(), page.canvas["water"])
