"""Find hands in camera images or drawings with one network, and their joints with another."""

import math
import time
from collections import deque
from itertools import pairwise

import numpy as np
from gallery import open_page
from js import OffscreenCanvas
from sketch import disc, line

import tfpy as tf

SIZE = 480  # side of images
FINDER_SIZE, READER_SIZE = 320, 224  # sizes of the networks' inputs: images and crops
BOXES, SCORES = (
    f"StatefulPartitionedCall/Postprocessor/{name}" for name in ("Squeeze", "convert_scores")
)  # outputs before the model's own suppression, which uses loops
KINDS = slice(1, 5)  # classes: open hand, fist, pinch, pointing finger; the others are not hands
MOST = 2  # maximum number of hands
OVERLAP = 0.3  # maximum overlap of boxes of different hands
AGAIN = 10  # number of frames after which the detector runs again
ROOM = 1.6  # side of a crop relative to the hand's box
READ = 0.5  # minimum score of the reader for a hand

# A hand has its wrist, and four joints for the thumb and each finger, counted from the palm.
FINGERS = [[0, *range(k, k + 4)] for k in range(1, 21, 4)]
KNUCKLES, TIPS = [5, 9, 13, 17], [8, 12, 16, 20]
ROOTS = np.array([(-0.32, -0.28), (-0.29, -0.98), (-0.02, -1.03), (0.22, -0.97), (0.43, -0.84)])
ANGLES = np.array([-0.68, -0.22, -0.02, 0.16, 0.38])
BONES = np.array([(36, 30, 26), (40, 25, 21), (46, 28, 24), (42, 26, 22), (32, 19, 18)]) / 100
WIDTHS = [0.25, 0.23, 0.24, 0.22, 0.19]
SKIN, EDGE, CREASE = ("#e0ac88", 0), ("#a9765a", 0.045), "#cf9a78"


class Hands:
    """The networks, and the boxes of the hands in the previous image."""

    def __init__(self, finder, reader):
        self.finder, self.reader = finder, reader
        self.boxes = []

    @tf.function
    def candidates(self, pixels):
        """Return the 50 most likely boxes and their scores: float32 [50, 5]."""
        small = tf.cast(tf.image.resize(pixels, [FINDER_SIZE, FINDER_SIZE]), tf.uint8)
        boxes, scores = self.finder.execute(small[None], [BOXES, SCORES])
        best, places = tf.math.top_k(tf.reduce_max(scores[0, :, KINDS], axis=1), 50)
        return tf.concat([tf.gather(boxes[0], places), best[:, None]], axis=1)

    async def find(self, pixels, threshold):
        """Return squares around hands: y and x of two corners, from 0 to 1."""
        found = await self.candidates(pixels).data()
        boxes, scores = found[:, :4], found[:, 4]
        chosen = await tf.image.non_max_suppression_async(boxes, scores, MOST, OVERLAP, threshold)
        return [square(*boxes[i].reshape(2, 2)) for i in await chosen.data()]

    @tf.function
    def joints(self, pixels, box):
        """Run the reader on a box: return the joints' x and y in the crop, and the score."""
        picture = tf.cast(pixels, tf.float32)[None] / 255
        crop = tf.image.crop_and_resize(picture, box[None], [0], [READER_SIZE, READER_SIZE])
        places, sureness = self.reader.execute(crop, ["Identity:0", "Identity_1:0"])
        return tf.concat([places[0] / READER_SIZE, sureness[0]], axis=0)

    async def read(self, pixels, box):
        """Return a hand's joints in the image, float [21, 2] of x and y, and their score."""
        *places, sureness = await self.joints(pixels, tf.constant(box, tf.float32)).data()
        top_left, bottom_right = box.reshape(2, 2)[:, ::-1]
        places = np.reshape(places, [21, 3])[:, :2]
        return top_left + places * (bottom_right - top_left), sureness

    async def look(self, pixels, threshold, anew):
        """Return the hands in an image, near the previous ones unless `anew` is True."""
        if anew or not self.boxes:
            self.boxes = await self.find(pixels, threshold)
        hands = [await self.read(pixels, box) for box in self.boxes]
        hands = [(joints, sureness) for joints, sureness in hands if sureness > READ]
        self.boxes = [square(joints.min(0)[::-1], joints.max(0)[::-1]) for joints, _ in hands]
        return hands


def square(top_left, bottom_right):
    """Return a square around a box, with a margin."""
    middle = (top_left + bottom_right) / 2
    reach = ROOM / 2 * (bottom_right - top_left).max()
    return np.concatenate([middle - reach, middle + reach])


def drawn_hand(t):
    """Return the joints of a hand with the wrist at 0 and a palm of height 1: float [21, 2]."""
    angles = ANGLES * (1 + 0.25 * np.sin(t))
    reach = 1 - 0.12 * (1 + np.sin(1.3 * t + np.arange(5)))  # bent fingers look shorter
    reach[0] = 1
    directions = np.stack([np.sin(angles), -np.cos(angles)], axis=1)
    lengths = np.cumsum(np.pad(BONES * reach[:, None], [(0, 0), (1, 0)]), axis=1)
    fingers = ROOTS[:, None] + lengths[:, :, None] * directions[:, None]
    return np.concatenate([np.zeros([1, 2]), fingers.reshape(20, 2)])


def drawn_hands(t):
    """Yield the joints of two waving hands at a time, relative to the image's size."""
    for side, phase in ((-1, 0.0), (1, 1.3)):
        angle = 0.2 * np.sin(1.7 * t + phase) + 0.1 * side
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        place = [0.5 + 0.22 * side, 0.66 + 0.03 * np.sin(t + phase)]
        yield 0.17 * (drawn_hand(t + phase) * [side, 1]) @ turn + place


def normal(direction):
    """Return the unit vector perpendicular to a direction."""
    x, y = direction / np.linalg.norm(direction)
    return np.array([y, -x])


def draw_hand(context, joints):
    """Draw a hand that comes out of a sleeve."""
    palm, across = np.linalg.norm(joints[9] - joints[0]), 0.3 * (joints[13] - joints[5])
    wrist, elbow = joints[0], 3.5 * joints[0] - 2.5 * joints[9]
    heel = [wrist + across, wrist - across, joints[1]]
    arm = [(0.54, [wrist, elbow]), (0.24, [*heel, *joints[KNUCKLES]])]
    fingers = [(width, joints[k[1:]]) for width, k in zip(WIDTHS, FINGERS, strict=True)]

    def stroke(parts, *coats):
        for color, edge in coats:
            for width, points in parts:
                line(context, color, (width + edge) * palm, *points, fill=len(points) > 4)

    stroke(arm, EDGE, SKIN)
    for width, points in fingers[::-1]:
        stroke([(width, points)], EDGE, SKIN)
        for before, at in pairwise(points[:3]):
            half = 0.35 * width * palm * normal(at - before)
            line(context, CREASE, 0.025 * palm, at - half, at + half)
    stroke(arm, SKIN)
    line(context, "#2d4270", 0.72 * palm, (2 * wrist + elbow) / 3, elbow)


def draw_found(canvas, scene, hands):
    """Draw the image, and the hands that were found on top."""
    context, size = canvas.getContext("2d"), canvas.width
    context.drawImage(scene, 0, 0, size, size)
    for joints, _ in hands:
        for bones in (*FINGERS, KNUCKLES):
            line(context, "#ff8f45", 4, *size * joints[bones])
        for x, y in size * joints:
            disc(context, "#1f8a5b", x, y, 5)


def off(joints, drawn):
    """Return the distance of joints from the drawn ones, relative to the palm's height."""
    errors = np.linalg.norm(drawn - joints, axis=2).mean(axis=1)
    return (errors / np.linalg.norm(drawn[:, 9] - drawn[:, 0], axis=1)).min()


def reach(hands):
    """Return the mean distance of fingertips from the wrist, relative to the palm's height."""
    fingers = np.linalg.norm(hands[:, TIPS] - hands[:, :1], axis=2).mean(axis=1)
    return (fingers / np.linalg.norm(hands[:, 9] - hands[:, 0], axis=1)).mean()


finder = await tf.load_graph_model_async("../models/handtrack/model.json")
reader = await tf.load_graph_model_async("../models/handlandmark/model.json")
hands = Hands(finder, reader)
page = await open_page()
scene = OffscreenCanvas.new(SIZE, SIZE)
context = scene.getContext("2d", willReadFrequently=True)
times = deque(maxlen=AGAIN + 1)
async for frame in page.frames():
    drawn, pixels = None, None
    if page.values["pictures"] == "camera":
        pixels = await page.camera(SIZE)
        if pixels is not None:
            await tf.browser.to_pixels_async(pixels, scene)
    if pixels is None:
        drawn = np.stack(list(drawn_hands(0.06 * frame)))
        context.fillStyle = "#cfd8e0"
        context.fillRect(0, 0, SIZE, SIZE)
        for joints in drawn:
            draw_hand(context, SIZE * joints)
        pixels = tf.browser.from_pixels(scene)
    found = await hands.look(pixels, page.values["threshold"], anew=frame % AGAIN == 0)
    draw_found(page.canvas["view"], scene, found)
    times.append(time.perf_counter())
    page.show(found=len(found))
    if len(times) > 1:
        page.show(rate=f"{(len(times) - 1) / (times[-1] - times[0]):.1f}")
    least = min((sureness for _, sureness in found), default=None)
    page.show(sureness="–" if least is None else f"{100 * least:.0f} %")
    if found:
        reached = reach(np.stack([joints for joints, _ in found]))
        page.plot("reaches", frame, reached, math.nan if drawn is None else reach(drawn))
    if found and drawn is not None:
        page.show(off=f"{100 * max(off(joints, drawn) for joints, _ in found):.1f} %")
    else:
        page.show(off="–")
