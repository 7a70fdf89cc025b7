"""Strokes and discs on a canvas."""

import numpy as np


def line(context, color, width, *points, fill=False):
    """Draw a line through points (x, y), optionally with its inside filled."""
    context.strokeStyle = context.fillStyle = color
    context.lineWidth = width
    context.lineCap = context.lineJoin = "round"
    context.beginPath()
    for x, y in points:
        context.lineTo(float(x), float(y))
    context.stroke()
    if fill:
        context.fill()


def disc(context, color, x, y, radius):
    context.fillStyle = color
    context.beginPath()
    context.arc(float(x), float(y), float(radius), 0, 2 * np.pi)
    context.fill()
