"""Movement of windows over an image or a volume.

Channels are last. Padding is explicit: a pair `(before, after)` for each spatial dimension. The
public functions in `tfpy.nn` resolve the names "SAME" and "VALID", channels-first layouts and 1-D
forms.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tfpy._src.base.errors import invalid
from tfpy._src.compiler.ir.aval import Aval, Shape

Sizes = tuple[int, ...]
Padding = tuple[tuple[int, int], ...]


class Window(NamedTuple):
    """The movement of a window over the spatial dimensions."""

    strides: Sizes
    dilations: Sizes
    padding: Padding

    def out_size(self, op: str, size: Sizes, filter_size: Sizes) -> Sizes:
        """Return the spatial size of the output.

        As in TensorFlow, it is 0 where the window is larger than the padded image by less than two
        strides.

        Raises:
            tf.errors.InvalidArgumentError: If the window is even larger.
        """
        out = []
        for n, f, s, d, (low, high) in zip(size, filter_size, *self, strict=True):
            if f < 1 or s < 1 or d < 1:
                raise invalid(op, f"filter size {f}, stride {s} and dilation {d} must be positive")
            reach = (f - 1) * d + 1
            room = n + low + high - reach + s
            if room <= -s:
                raise invalid(
                    op,
                    f"the window extends over {reach} pixels, but the image has {n} with padding "
                    f"({low}, {high}); use padding='SAME' or a smaller filter",
                )
            out.append(max(room // s, 0))
        return tuple(out)


_AXES = (
    ("d", "pad_front", "pad_back"),
    ("h", "pad_top", "pad_bottom"),
    ("w", "pad_left", "pad_right"),
)


def window_params(
    window: Window, x_shape: Shape, out_shape: Shape, filter_shape: Shape, **more: Any
) -> dict[str, Any]:
    """Return parameters of a kernel for two (h, w) or three (d, h, w) spatial dimensions."""
    params: dict[str, Any] = {"batch": x_shape[0]}
    rank = len(window.strides)
    for i, (axis, before, after) in enumerate(_AXES[-rank:]):
        params |= {
            f"in_{axis}": x_shape[1 + i],
            f"out_{axis}": out_shape[1 + i],
            f"filter_{axis}": filter_shape[i],
            f"stride_{axis}": window.strides[i],
            f"dilation_{axis}": window.dilations[i],
            before: window.padding[i][0],
            after: window.padding[i][1],
        }
    return params | more


def check_output(op: str, dy: Aval, expected: Shape) -> None:
    """Check the gradient that flows into a convolution or a pooling.

    Raises:
        tf.errors.InvalidArgumentError: If its shape is not the shape of the output.
    """
    if dy.shape != expected:
        raise invalid(
            op,
            f"out_backprop has shape {list(dy.shape)}, but the forward op returns {list(expected)}",
        )
