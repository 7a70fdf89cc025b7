"""Neural style transfer: optimize an image until its features match the style of another."""

import time

import keras
import numpy as np
from gallery import open_page

import tfpy as tf

SIZE = 160  # side of images
LAST = 400  # number of steps
STYLE = ["expanded_conv_project_BN", "block_2_add", "block_3_project_BN", "block_5_add"]
CONTENT = "block_9_add"
RATE = 0.03

rng = np.random.default_rng(1)


def gram(features):
    """Return the correlations of features over all positions: [channels, channels]."""
    flat = tf.reshape(features, [-1, features.shape[-1]])
    return tf.matmul(flat, flat, transpose_a=True) / flat.shape[0]


def distance(a, b):
    """Return the squared distance relative to the square of b."""
    return tf.reduce_sum((a - b) ** 2) / tf.reduce_sum(b**2)


class Painting:
    """The optimized image. Images are float32 [1, SIZE, SIZE, 3] from 0 to 1."""

    def __init__(self, network, content, style):
        layers = [network.get_layer(name).output for name in [*STYLE, CONTENT]]
        self.look = keras.Model(network.input, layers)
        self.grams = [gram(features) for features in self.look(style)[:-1]]
        self.content = self.look(content)[-1]
        self.image = tf.Variable(content)
        self.optimizer = keras.optimizers.Adam(RATE)

    @tf.function
    def step(self, weight):
        """Update the image; return the style loss and the content loss before the update."""
        with tf.GradientTape() as tape:
            *styles, content = self.look(self.image)
            found = [distance(gram(a), b) for a, b in zip(styles, self.grams, strict=True)]
            style_loss = tf.add_n(found) / len(found)
            content_loss = distance(content, self.content)
            roughness = tf.reduce_mean(tf.image.total_variation(self.image)) / SIZE**2
            loss = weight * style_loss + content_loss + roughness
        self.optimizer.apply([tape.gradient(loss, self.image)], [self.image])
        self.image.assign(tf.clip_by_value(self.image, 0.0, 1.0))
        return style_loss, content_loss


def house(context):
    fill(context, "#9cc7ee", [(0, 0), (1, 0), (1, 1), (0, 1)])
    fill(context, "#6f9a4f", [(0, 0.7), (0.4, 0.62), (1, 0.72), (1, 1), (0, 1)])
    disc(context, "#ffd23f", 0.8, 0.2, 0.1)
    fill(context, "#e8dcc4", [(0.2, 0.45), (0.6, 0.45), (0.6, 0.82), (0.2, 0.82)])
    fill(context, "#a5402d", [(0.14, 0.47), (0.4, 0.2), (0.66, 0.47)])
    fill(context, "#3d5a80", [(0.27, 0.53), (0.37, 0.53), (0.37, 0.63), (0.27, 0.63)])
    fill(context, "#5b3a29", [(0.44, 0.58), (0.54, 0.58), (0.54, 0.82), (0.44, 0.82)])
    fill(context, "#5b3a29", [(0.78, 0.6), (0.82, 0.6), (0.82, 0.84), (0.78, 0.84)])
    disc(context, "#3f7a3a", 0.8, 0.52, 0.14)


def strokes(context):
    colors = ["#1d3557", "#457b9d", "#f4c542", "#e8e4d0", "#274c77", "#d98e32"]
    for _ in range(900):
        x, y = rng.uniform(0, 1, 2)
        angle = 2 * np.sin(3 * x) + 3 * y
        dx, dy = 0.05 * np.cos(angle), 0.05 * np.sin(angle)
        line(context, colors[rng.integers(6)], 0.016, [(x - dx, y - dy), (x + dx, y + dy)])


def waves(context):
    fill(context, "#f3ead7", [(0, 0), (1, 0), (1, 1), (0, 1)])
    x = np.linspace(0, 1, 40)
    for i, y in enumerate(np.arange(-0.05, 1.1, 0.045)):
        points = zip(x, y + 0.03 * np.sin(14 * x + 2 * i), strict=True)
        line(context, ["#16324f", "#2a628f", "#c8553d"][i % 3], 0.018, points)


def tiles(context):
    colors = ["#d62828", "#f77f00", "#fcbf49", "#003049", "#2a9d8f", "#eae2b7"]
    fill(context, "#111111", [(0, 0), (1, 0), (1, 1), (0, 1)])
    for x, y in np.ndindex(12, 12):
        left, top, side = x / 12 + 0.006, y / 12 + 0.006, 1 / 12 - 0.012
        corners = [(left, top), (left + side, top), (left + side, top + side), (left, top + side)]
        fill(context, colors[rng.integers(6)], corners)


MANNERS = {"strokes": strokes, "waves": waves, "tiles": tiles}


def fill(context, color, points):
    path(context, points)
    context.fillStyle = color
    context.fill()


def line(context, color, width, points):
    path(context, points)
    context.strokeStyle, context.lineWidth, context.lineCap = color, width, "round"
    context.stroke()


def disc(context, color, x, y, radius):
    angles = np.linspace(0, 2 * np.pi, 40)
    fill(context, color, zip(x + radius * np.cos(angles), y + radius * np.sin(angles), strict=True))


def path(context, points):
    context.beginPath()
    for x, y in points:
        context.lineTo(float(x), float(y))


def drawn(canvas, draw):
    """Run a drawing function on a canvas with sides of length 1, and return the pixels."""
    context = canvas.getContext("2d")
    context.setTransform(SIZE, 0, 0, SIZE, 0, 0)
    draw(context)
    return tf.browser.from_pixels(canvas)


async def take_picture(page):
    canvas = page.canvas["content"]
    pixels = await page.camera(SIZE) if page.values["pictures"] == "camera" else None
    if pixels is None:
        return drawn(canvas, house)
    canvas.getContext("2d").resetTransform()
    await tf.browser.to_pixels_async(pixels, canvas)
    return pixels


def to_image(pixels):
    return tf.cast(pixels, tf.float32)[None] / 255


network = await tf.models.load_async("../models/mobilenet/model.json")
page = await open_page()
while True:
    content = to_image(await take_picture(page))
    style = to_image(drawn(page.canvas["style"], MANNERS[page.values["manner"]]))
    painting = Painting(network, content, style)
    page.clear("losses")
    async for step in page.frames():
        begin = time.perf_counter()
        losses = painting.step(10 ** page.values["weight"])
        await tf.browser.to_pixels_async(painting.image[0], page.canvas["result"])
        style_loss, content_loss = [float(await loss.data()) for loss in losses]
        took = time.perf_counter() - begin
        page.show(step=step + 1, style_loss=style_loss, content_loss=content_loss)
        page.show(time=f"{1000 * took:.0f} ms")
        page.plot("losses", step + 1, style_loss, content_loss)
        if step + 1 == LAST:
            page.stop()
