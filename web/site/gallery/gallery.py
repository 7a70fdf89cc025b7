"""The page around a gallery program, which runs in a worker; gallery.mjs is the other side.

Show results with

- ``page.canvas["field"]``: ``<canvas id="field">``, to draw on;
- ``page.show(loss=0.25)``: set the text of the element ``loss``;
- ``page.plot("losses", step, a, b)``: add a point to each line of the plot ``losses``.

Read the user's input with

- ``page.values["rate"]``: the current value of the control ``rate``;
- ``page.touches("field")``: the touches on ``<canvas id="field" data-touch>``;
- ``async for step in page.frames()``: one iteration per frame while the page runs;
- ``async for name in page.events()``: the id of each control that is used;
- ``page.pressed("train")``: True if the button was pressed since the last call;
- ``await page.camera(128)``: the camera's image as a tensor.
"""

import asyncio

import js
from pyodide.ffi import create_proxy, to_js

import tfpy as tf


async def open_page():
    """Return the page once its canvases have arrived."""
    page = Page()
    await page.opened
    return page


class Page:
    """Canvases and values of the page, by the ids of their elements."""

    def __init__(self):
        self.canvas = {}
        self.values = {"run": False}
        self.opened = asyncio.get_running_loop().create_future()
        self._events = asyncio.Queue()
        self._touches = {}
        self._pressed = set()
        self._picture = None
        self._restarts = 0
        js.addEventListener("message", create_proxy(self._hear))
        self._tell("open", tf.get_backend(), tf.backend_report())

    async def frames(self):
        """Yield the number of each frame that is drawn while the page runs.

        The first frame is drawn before the page runs, and one frame whenever a canvas is touched.
        The iteration ends when the user restarts the program.
        """
        restarts, step = self._restarts, 0
        while restarts == self._restarts:
            is_due = step == 0 or self.values["run"]
            if not is_due and await self._events.get() not in self.canvas:
                continue
            yield step
            step += 1
            await tf.next_frame()

    def touches(self, name):
        """Return the touches on a canvas since the last call.

        Each has x and y, from 0 to 1 (right, down), and whether a touch began there.
        """
        touches, self._touches[name] = self._touches.get(name, []), []
        return touches

    async def events(self):
        """Yield the ids of the controls that are used."""
        while True:
            yield await self._events.get()

    def pressed(self, name):
        """Return True if a button was pressed since the last call."""
        was = name in self._pressed
        self._pressed.discard(name)
        return was

    async def camera(self, size):
        """Return the camera's image, int32 ``[size, size, 3]``, 0 to 255; None without a camera."""
        self._picture = asyncio.get_running_loop().create_future()
        self._tell("camera", size)
        picture = await self._picture
        if picture is None:
            return None
        pixels = tf.browser.from_pixels(picture)
        picture.close()
        return pixels

    def stop(self):
        """Stop running, as the button does."""
        self.values["run"] = False
        self._tell("stop")

    def show(self, **texts):
        """Show strings or numbers in the elements with these ids."""
        self._tell("show", {name: shown(value) for name, value in texts.items()})

    def plot(self, name, x, *ys):
        """Add a point to each line of a plot."""
        self._tell("plot", name, float(x), *(float(y) for y in ys))

    def clear(self, *names):
        """Clear plots."""
        self._tell("clear", *names)

    def _tell(self, kind, *values):
        js.postMessage(to_js([kind, *values], dict_converter=js.Object.fromEntries))

    def _hear(self, event):
        told = event.data.to_py()
        self.values |= told.get("values", {})
        self._restarts += told.get("restart", False)
        if "touch" in told:
            self._touches.setdefault(told["name"], []).append(told["touch"])
        if "canvas" in told:
            self.canvas = told["canvas"]
            self.opened.set_result(None)
        elif "picture" in told:
            self._picture.set_result(told["picture"])
        else:
            self._pressed.add(told["name"])
            self._events.put_nowait(told["name"])


def shown(value):
    """Format a value for users."""
    if isinstance(value, float):
        return f"{value:z.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
