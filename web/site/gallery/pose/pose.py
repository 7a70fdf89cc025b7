"""Find the joints of a body in camera images or a drawing of a dancer with MoveNet."""

import time
from itertools import pairwise

import numpy as np
from gallery import open_page
from js import OffscreenCanvas
from sketch import disc, line

import tfpy as tf

SIZE = 192  # side of the network's input image
BODY = ["shoulder", "elbow", "wrist", "hip", "knee", "ankle"]
JOINTS = ["nose", "left_eye", "right_eye", "left_ear", "right_ear"]  # in the network's order
JOINTS += [f"{side}_{joint}" for joint in BODY for side in ("left", "right")]
CHAINS = [
    "left_wrist left_elbow left_shoulder right_shoulder right_elbow right_wrist",
    "left_ankle left_knee left_hip right_hip right_knee right_ankle",
    "left_shoulder left_hip",
    "right_shoulder right_hip",
    "left_ear left_eye nose right_eye right_ear",
]
BONES = [
    (JOINTS.index(a), JOINTS.index(b))
    for chain in map(str.split, CHAINS)
    for a, b in pairwise(chain)
]
DANCED = slice(JOINTS.index("left_shoulder"), None)  # the joints that a dancer has


def dancer(t):
    """Return a dancer's joints at a time, float [17, 2] of x and y relative to the image's size."""
    sway = 0.03 * np.sin(2 * t)
    places = dict.fromkeys(JOINTS, (0.5 + sway, 0.2))
    for side, name, phase in ((1, "left", 0.0), (-1, "right", 1.3)):
        shoulder = np.array([0.5 + sway + 0.085 * side, 0.31])
        hip = np.array([0.5 - sway + 0.055 * side, 0.56])
        arm, leg = 0.5 + 0.7 * np.sin(t + phase), 0.12 + 0.1 * np.sin(2 * t + phase)
        elbow = shoulder + 0.13 * np.array([side * np.cos(arm), np.sin(arm)])
        wrist = elbow + 0.13 * np.array([side * np.cos(arm - 0.6), np.sin(arm - 0.6)])
        knee = hip + 0.18 * np.array([side * np.sin(leg), np.cos(leg)])
        ankle = knee + 0.18 * np.array([0.0, 1.0])
        limbs = (shoulder, elbow, wrist, hip, knee, ankle)
        places |= {f"{name}_{joint}": at for joint, at in zip(BODY, limbs, strict=True)}
    return np.array([places[name] for name in JOINTS])


def draw_dancer(context, joints):
    """Draw a person in a room."""
    at = dict(zip(JOINTS, joints * SIZE, strict=True))
    context.fillStyle = "#cfd8e0"
    context.fillRect(0, 0, SIZE, SIZE)
    context.fillStyle = "#a98f72"
    context.fillRect(0, 0.88 * SIZE, SIZE, SIZE)
    for side in ("left", "right"):
        line(context, "#2d4270", 15, *[at[f"{side}_{j}"] for j in ("hip", "knee", "ankle")])
        x, y = at[f"{side}_ankle"]
        line(context, "#222", 8, (x, y + 3), (x + (5 if side == "left" else -5), y + 5))
    corners = ["left_shoulder", "right_shoulder", "right_hip", "left_hip", "left_shoulder"]
    trunk = [at[corner] for corner in corners]
    line(context, "#b5382f", 12, *trunk, fill=True)
    for side in ("left", "right"):
        shoulder, elbow, wrist = [at[f"{side}_{j}"] for j in ("shoulder", "elbow", "wrist")]
        line(context, "#e0ac88", 9, shoulder, elbow, wrist)
        sleeve = [(2 * e + s) / 3 for e, s in zip(elbow, shoulder, strict=True)]
        line(context, "#b5382f", 12, shoulder, sleeve)
        disc(context, "#e0ac88", *wrist, 6)
    x, y = at["nose"]
    line(context, "#e0ac88", 9, (x, y), (x, y + 18))
    disc(context, "#4a2f1d", x, y - 4, 14)
    disc(context, "#e0ac88", x, y, 12)
    for side in (-1, 1):
        disc(context, "#e0ac88", x + 12 * side, y, 3)
        disc(context, "#222", x + 5 * side, y - 3, 1.6)
    line(context, "#b97a5a", 2, (x, y), (x, y + 2))
    line(context, "#93413a", 2, (x - 4, y + 6), (x + 4, y + 6))


def draw_skeleton(canvas, scene, joints, is_seen):
    """Draw the image, and on top the bones with two visible ends."""
    context, size = canvas.getContext("2d"), canvas.width
    context.drawImage(scene, 0, 0, size, size)
    for a, b in BONES:
        if is_seen[a] and is_seen[b]:
            line(context, "#ff8f45", 5, *size * joints[[a, b]])
    for x, y in size * joints[is_seen]:
        disc(context, "#4cc38a", x, y, 6)


network = await tf.load_graph_model_async("../models/movenet/model.json")
await network.warm_up_async()
page = await open_page()
scene = OffscreenCanvas.new(SIZE, SIZE)
context = scene.getContext("2d", willReadFrequently=True)
async for frame in page.frames():
    drawn, pixels = None, None
    if page.values["pictures"] == "camera":
        pixels = await page.camera(SIZE)
        if pixels is not None:
            await tf.browser.to_pixels_async(pixels, scene)
    if pixels is None:
        drawn = dancer(0.06 * frame)
        draw_dancer(context, drawn)
        pixels = tf.browser.from_pixels(scene)
    begin = time.perf_counter()
    found = (await network(pixels[None]).data())[0, 0]  # y, x and score of each joint
    took = time.perf_counter() - begin
    joints, scores = found[:, 1::-1], found[:, 2]
    is_seen = scores > page.values["threshold"]
    draw_skeleton(page.canvas["view"], scene, joints, is_seen)
    score = float(scores.mean())
    page.show(found=f"{is_seen.sum()} / 17", score=score, time=f"{1000 * took:.0f} ms")
    page.plot("scores", frame, score)
    if drawn is not None:
        off = np.linalg.norm(drawn - joints, axis=1)[DANCED].mean()
        page.show(off=f"{100 * off:.1f} %")
    else:
        page.show(off="–")
