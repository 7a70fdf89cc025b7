"""Transfer learning: train a layer to classify images by the features of an image network."""

import time

import keras
import numpy as np
from gallery import open_page

import tfpy as tf

KINDS = "abc"
SIZE = 128  # side of images
ADDED = 8  # images added by each press of a button
EPOCHS = 40

rng = np.random.default_rng()


class Learner:
    """The features of each class's images, and the layer that classifies them."""

    def __init__(self, features):
        self.features = features
        self.examples = {kind: [] for kind in KINDS}
        self.wanted = dict.fromkeys(KINDS, 0)  # images that are still to be added
        self.head = None

    @tf.function
    def look(self, pixels):
        """Return the features of an image with values up to 255: float32 [1, features]."""
        picture = tf.cast(pixels, tf.float32)[None] / 255
        return tf.reduce_mean(self.features(picture), axis=[1, 2])

    def add(self, seen):
        """Add an image to the classes that request one."""
        for kind in KINDS:
            if self.wanted[kind] > 0:
                self.wanted[kind] -= 1
                self.examples[kind].append(seen)

    async def learn(self):
        """Train the layer; return the final loss and accuracy."""
        x = tf.concat([seen for kind in KINDS for seen in self.examples[kind]], axis=0)
        y = np.repeat(np.arange(len(KINDS)), [len(self.examples[kind]) for kind in KINDS])
        layers = [
            keras.layers.BatchNormalization(),
            keras.layers.Dense(len(KINDS), activation="softmax"),
        ]
        self.head = keras.Sequential([keras.Input(x.shape[1:]), *layers])
        self.head.compile(
            keras.optimizers.Adam(0.02), "sparse_categorical_crossentropy", metrics=["accuracy"]
        )
        history = await self.head.fit_async(x, y, epochs=EPOCHS, batch_size=16, verbose=0)
        return history.history["loss"][-1], history.history["accuracy"][-1]


def draw(canvas, subject):
    """Draw a subject with random variations."""
    context = canvas.getContext("2d")
    context.resetTransform()
    hue = rng.integers(360)
    context.fillStyle = f"hsl({hue} 40% 85%)"
    context.fillRect(0, 0, SIZE, SIZE)
    x, y = rng.uniform(-12, 12, 2) + SIZE / 2
    scale = rng.uniform(0.7, 1.1)
    context.setTransform(scale, 0, 0, scale, x, y)
    context.rotate(rng.uniform(-0.3, 0.3))
    context.fillStyle = f"hsl({hue + rng.integers(90, 270)} 70% 40%)"
    context.lineWidth = 3
    DRAWN[subject](context)


def fish(context):
    ellipse(context, 0, 0, 38, 20)
    polygon(context, [(30, 0), (54, -20), (54, 20)])
    context.fillStyle = "#fff"
    ellipse(context, -22, -5, 5, 5)


def house(context):
    context.fillRect(-30, -10, 60, 45)
    polygon(context, [(-40, -10), (0, -45), (40, -10)])
    context.fillStyle = "#fff"
    context.fillRect(-20, 0, 14, 14)
    context.fillRect(6, 8, 14, 27)


def flower(context):
    for angle in np.arange(6) * np.pi / 3:
        ellipse(context, 26 * np.cos(angle), 26 * np.sin(angle), 15, 15)
    context.fillStyle = "#fc3"
    ellipse(context, 0, 0, 14, 14)


DRAWN = {"fish": fish, "house": house, "flower": flower}


def ellipse(context, x, y, width, height):
    context.beginPath()
    context.ellipse(x, y, width, height, 0, 0, 2 * np.pi)
    context.fill()


def polygon(context, points):
    context.beginPath()
    for point in points:
        context.lineTo(*point)
    context.fill()


async def take_picture(page):
    """Return the next image, int32 [SIZE, SIZE, 3], and show it on the page's canvas."""
    canvas = page.canvas["view"]
    if page.values["pictures"] == "camera":
        pixels = await page.camera(SIZE)
        if pixels is not None:
            canvas.getContext("2d").resetTransform()
            await tf.browser.to_pixels_async(pixels, canvas)
            return pixels
    draw(canvas, page.values["subject"])
    return tf.browser.from_pixels(canvas)


network = await tf.models.load_async("../models/mobilenet/model.json")
page = await open_page()
while True:
    learner = Learner(network)
    page.show(answer="–", loss="–", accuracy="–")
    page.show(**{f"count_{kind}": 0 for kind in KINDS}, **{f"share_{kind}": 0 for kind in KINDS})
    async for _ in page.frames():
        begin = time.perf_counter()
        seen = learner.look(await take_picture(page))
        for kind in KINDS:
            if page.pressed(f"add_{kind}"):
                learner.wanted[kind] = ADDED
        learner.add(seen)
        page.show(**{f"count_{kind}": len(learner.examples[kind]) for kind in KINDS})
        if page.pressed("train"):
            if sum(map(bool, learner.examples.values())) < 2:
                page.show(state="Add images to at least two classes.")
                continue
            page.show(state="Training …")
            loss, accuracy = await learner.learn()
            page.show(state="Trained.", loss=f"{loss:.4f}", accuracy=f"{100 * accuracy:.0f} %")
        if learner.head:
            shares = (await learner.head(seen).data())[0]
            page.show(answer=KINDS[shares.argmax()].upper())
            page.show(
                **{
                    f"share_{kind}": share if learner.examples[kind] else 0
                    for kind, share in zip(KINDS, shares.tolist(), strict=True)
                }
            )
        await seen.data()
        page.show(time=f"{1000 * (time.perf_counter() - begin):.0f} ms")
