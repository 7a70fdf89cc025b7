"""The page around a program of the gallery, which runs in a worker; gallery.mjs is the other side.

What Python computes is shown by

- ``page.canvas["field"]``: ``<canvas id="field">``, to draw on;
- ``page.show(loss=0.25)``: the text of the element ``loss``;
- ``page.plot("losses", step, a, b)``: the next point of each line of the plot ``losses``.

What people do comes back by

- ``page.values["rate"]``: what the control ``rate`` says now;
- ``page.touches("field")``: where ``<canvas id="field" data-touch>`` was touched;
- ``async for step in page.frames()``: a turn for each frame that is drawn while the page runs;
- ``async for name in page.events()``: the controls that are used, one after the other;
- ``page.pressed("train")``: whether that button was pressed since this was asked last;
- ``await page.camera(128)``: what the camera sees, as a tensor.
"""

import asyncio

import js
from pyodide.ffi import create_proxy, to_js

import tfpy as tf


async def open_page():
    """The page, when its canvases are here."""
    page = Page()
    await page.opened
    return page


class Page:
    """Canvases and values by the ids of elements."""

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
        """Counts the frames that are drawn while the page runs.

        The first is drawn before, and one whenever a canvas is touched. It ends when people
        begin anew.
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
        """Where a canvas was touched since the last look.

        A list of x and y, from 0 to 1 (right, down), and whether the touch began there.
        """
        touches, self._touches[name] = self._touches.get(name, []), []
        return touches

    async def events(self):
        """The ids of the controls that are used."""
        while True:
            yield await self._events.get()

    def pressed(self, name):
        """Whether a button was pressed since this was asked last."""
        was = name in self._pressed
        self._pressed.discard(name)
        return was

    async def camera(self, size):
        """What the camera sees: int32 ``[size, size, 3]``, 0 to 255; None where there is none."""
        self._picture = asyncio.get_running_loop().create_future()
        self._tell("camera", size)
        picture = await self._picture
        if picture is None:
            return None
        pixels = tf.browser.from_pixels(picture)
        picture.close()
        return pixels

    def stop(self):
        """Ends the running, as the button does."""
        self.values["run"] = False
        self._tell("stop")

    def show(self, **texts):
        """Shows texts, or numbers, in the elements of these ids."""
        self._tell("show", {name: shown(value) for name, value in texts.items()})

    def plot(self, name, x, *ys):
        """Adds a point to each line of a plot."""
        self._tell("plot", name, float(x), *(float(y) for y in ys))

    def clear(self, *names):
        """Empties plots."""
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
    """A text for people."""
    if isinstance(value, float):
        return f"{value:z.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
