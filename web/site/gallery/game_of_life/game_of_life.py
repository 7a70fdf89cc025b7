"""Conway's Game of Life on a torus: a generation is one compiled function."""

import numpy as np
from gallery import open_page

import tfpy as tf

SIZE = 512
BRUSH = 8.0  # radius of a touch, in cells
FADING = 0.94  # factor per generation of the light that a cell leaves
YOUNG, OLD = [0.9, 1.0, 0.85], [0.1, 0.5, 0.9]

PATTERNS = {
    "glider": """
        .O.
        ..O
        OOO""",
    "acorn": """
        .O.....
        ...O...
        OO..OOO""",
    "gun": """
        ........................O...........
        ......................O.O...........
        ............OO......OO............OO
        ...........O...O....OO............OO
        OO........O.....O...OO..............
        OO........O...O.OO....O.O...........
        ..........O.....O.......O...........
        ...........O...O....................
        ............OO......................""",
}

ROWS, COLUMNS = tf.meshgrid(
    tf.range(SIZE, dtype=tf.float32), tf.range(SIZE, dtype=tf.float32), indexing="ij"
)


def start(pattern):
    """Return cells [SIZE, SIZE]: a pattern in the middle, or random cells of which a fifth live."""
    if pattern == "soup":
        return tf.cast(tf.random.uniform([SIZE, SIZE]) < 0.2, tf.float32)
    rows = [[cell == "O" for cell in line] for line in PATTERNS[pattern].split()]
    cells = np.zeros([SIZE, SIZE], np.float32)
    height, width = len(rows), len(rows[0])
    cells[SIZE // 2 :, SIZE // 2 :][:height, :width] = rows
    return cells


def with_neighbors(cells, axis):
    return cells + tf.roll(cells, 1, axis) + tf.roll(cells, -1, axis)


class Life(tf.Module):
    """Cells that are alive (1) or dead (0), and the light that they leave."""

    def __init__(self, cells):
        super().__init__()
        self.cells = tf.Variable(cells)
        self.light = tf.Variable(cells)

    @tf.function
    def generation(self):
        nine = with_neighbors(with_neighbors(self.cells, 0), 1)
        alive = (nine == 3) | ((nine == 4) & (self.cells == 1))
        self.cells.assign(tf.cast(alive, tf.float32))
        self.light.assign(tf.maximum(self.cells, FADING * self.light))

    @tf.function
    def sow(self, place):
        """Set the cells around a place (row, column) at random; half of them live."""
        row, column = tf.unstack(place)
        near = tf.square(ROWS - row) + tf.square(COLUMNS - column) < BRUSH**2
        some = tf.cast(tf.random.uniform([SIZE, SIZE]) < 0.5, tf.float32)
        self.cells.assign(tf.where(near, some, self.cells))
        self.light.assign(tf.maximum(self.cells, self.light))

    @tf.function
    def picture(self):
        alive, light = self.cells[..., None], self.light[..., None]
        return tf.where(alive == 1, YOUNG, light * OLD)

    @tf.function
    def census(self):
        """Return the number of living cells, and their mean row and column."""
        living = tf.reduce_sum(self.cells)
        return tf.stack(
            [
                living,
                tf.reduce_sum(self.cells * ROWS) / living,
                tf.reduce_sum(self.cells * COLUMNS) / living,
            ]
        )


page = await open_page()
while True:
    life, generations = Life(start(page.values["pattern"])), 0
    page.clear("population")
    async for _ in page.frames():
        for x, y, _ in page.touches("cells"):
            life.sow(tf.constant([y, x]) * SIZE)
        if page.values["run"]:
            for _ in range(int(page.values["speed"])):
                life.generation()
                generations += 1
        tf.browser.draw(life.picture(), page.canvas["cells"])
        living, row, column = (await life.census().data()).tolist()
        page.show(generation=generations, living=int(living), row=row, column=column)
        page.plot("population", generations, living)
