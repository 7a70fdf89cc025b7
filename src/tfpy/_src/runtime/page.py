"""What is a page's: values of JavaScript, pixels, bytes of addresses and of the user's files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.environment.environment import env
from tfpy._src.errors import NotFoundError, OpError, PermissionDeniedError, UnavailableError
from tfpy._src.ir.aval import Array
from tfpy._src.runtime.bridge import IN_BROWSER, received

if IN_BROWSER:
    import js
    from pyodide.ffi import JsArray, JsBuffer, JsException, create_proxy, jsnull, to_js


# Values of JavaScript


def is_js(value: Any) -> bool:
    """Whether it is an object of JavaScript. The classes of such objects share a name, which is
    asked for sooner than ``isinstance`` answers.
    """
    return IN_BROWSER and type(value).__name__ == "JsProxy"


def is_null(value: Any) -> bool:
    """Whether it is ``null`` of JavaScript, which Pyodide tells from ``undefined``, None here."""
    return IN_BROWSER and value is jsnull


def kind(value: Any) -> str:
    """The name of its class, in JavaScript where it is from there."""
    return str(value.constructor.name) if is_js(value) else type(value).__name__


def is_js_array(value: Any) -> bool:
    """Whether it is an array of JavaScript, typed or not."""
    return is_js(value) and isinstance(value, JsArray)


def array_values(array: Any) -> Any:
    """The values of an array of JavaScript: a NumPy array of a typed array's dtype, by one copy of
    its bytes; of another one a list, in which typed arrays are NumPy arrays.
    """
    if isinstance(array, JsBuffer):
        return np.asarray(array.to_memoryview())
    return [array_values(v) if is_js_array(v) else v for v in array]


def holds_objects(array: Any) -> bool:
    """Whether an array of JavaScript holds objects that are no arrays."""
    if isinstance(array, JsBuffer):
        return False
    return any(holds_objects(v) if is_js_array(v) else is_js(v) for v in array)


def members(value: Any) -> dict[str, Any]:
    """The members of an object of JavaScript."""
    return dict(js.Object.entries(value))


def as_objects(value: Any) -> Any:
    """Arrays, objects and typed arrays of JavaScript for lists, dicts and NumPy arrays."""
    return to_js(value, dict_converter=js.Object.fromEntries)


def javascript_function(function: Callable[..., Any]) -> Any:
    """A function that JavaScript can call until it ends it (``destroy()``).

    Raises:
        RuntimeError: where there is no JavaScript.
    """
    if not IN_BROWSER:
        raise RuntimeError("there is no JavaScript here: only Pyodide has it")
    return create_proxy(function)


# Pixels


async def decoded(image: Any) -> Any:
    """The image, loaded and decoded where that is still to be done."""
    if hasattr(image, "decode"):
        await image.decode()
    return image


def get_pixels(source: Any) -> Array:
    """RGBA bytes ``[height, width, 4]`` of whatever shows an image.

    Raises:
        ValueError: when it shows none, or one of another site.
    """
    if hasattr(source, "data"):
        return _rgba_bytes(source)
    width, height = picture_size(source)
    canvas = _new_canvas(width, height)
    often = env().get_bool("CANVAS2D_WILL_READ_FREQUENTLY_FOR_GPU")
    context = canvas.getContext("2d", willReadFrequently=often)
    try:
        context.drawImage(source, 0, 0, width, height)
        return _rgba_bytes(context.getImageData(0, 0, width, height))
    except JsException as refused:
        raise ValueError(f"the browser gives no pixels of {source}: {refused}") from None


def put_pixels(canvas: Any, rgba: Array, attributes: Mapping[str, Any] | None = None) -> None:
    """Gives a canvas the size of RGBA bytes ``[height, width, 4]`` and draws them.

    Args:
        attributes: of the context, if it has none.

    Raises:
        ValueError: when it is no canvas for two-dimensional drawing.
    """
    given = to_js(attributes, dict_converter=js.Object.fromEntries) if attributes else None
    context = canvas.getContext("2d", given) if hasattr(canvas, "getContext") else None
    if not context:
        mend = "one that WebGPU has drawn on is of no use to others: make a new one"
        raise ValueError(f"{canvas} is no canvas with a 2d context ({mend})")
    height, width = rgba.shape[:2]
    canvas.width, canvas.height = width, height
    data = js.Uint8ClampedArray.new(rgba.size)
    data.assign(np.ascontiguousarray(rgba))
    context.putImageData(js.ImageData.new(data, width, height), 0, 0)


def _rgba_bytes(image_data: Any) -> Array:
    flat = np.frombuffer(image_data.data.to_bytes(), np.uint8)
    return flat.reshape(image_data.height, image_data.width, 4)


def picture_size(source: Any) -> tuple[int, int]:
    """Width and height in pixels: of the image or film itself, not of its place on the page.

    Raises:
        ValueError: when it has none.
    """
    for width, height in (
        ("naturalWidth", "naturalHeight"), ("videoWidth", "videoHeight"), ("width", "height")
    ):  # fmt: skip
        if getattr(source, width, 0) and getattr(source, height, 0):
            return int(getattr(source, width)), int(getattr(source, height))
    raise ValueError(f"{source} has no pixels (yet): wait until it is loaded")


def _new_canvas(width: int, height: int) -> Any:
    if hasattr(js, "OffscreenCanvas"):
        return js.OffscreenCanvas.new(width, height)
    canvas = js.document.createElement("canvas")
    canvas.width, canvas.height = width, height
    return canvas


def has_usages(buffer: Any, *names: str) -> bool:
    """Whether a GPUBuffer was made for these uses, as GPUBufferUsage names them."""
    return all(buffer.usage & getattr(js.GPUBufferUsage, name) for name in names)


class Failure(NamedTuple):
    """An error of JavaScript."""

    name: str
    text: str


async def settled(promise: Any) -> tuple[Any, Failure | None]:
    """What a promise gives, or its error."""
    try:
        return await promise, None
    except JsException as error:
        return None, Failure(str(error.name), str(error))


# Bytes


class Stream:
    """Bytes that come.

    Args:
        source: a JavaScript Response or Blob.
        size: of all of it in bytes, where it is known.
    """

    def __init__(self, source: Any, size: int | None) -> None:
        self._source = source
        self._reader: Any = None
        self.size = size

    async def read(self) -> bytes:
        """The next bytes; none at the end.

        Raises:
            UnavailableError: when the connection breaks.
        """
        if self._reader is None:
            self._reader = self._body().getReader()
        found = await _received(self._reader.read())
        return b"" if found.done else bytes(found.value.to_bytes())

    def close(self) -> None:
        """Fetches no more."""
        (self._reader or self._body()).cancel()

    def whole(self) -> Any:
        """A promise of all bytes, when none was read; a browser gives them sooner than parts."""
        return self._source.arrayBuffer()

    def _body(self) -> Any:
        source = self._source
        return source.stream() if hasattr(source, "stream") else source.body


async def _received(promise: Any) -> Any:
    found, failure = await settled(promise)
    if failure is not None:
        raise _ended(failure.text)
    return found


def _ended(why: object) -> UnavailableError:
    return UnavailableError(None, "fetch", f"the bytes ended early: {why}")


async def read_together(streams: list[Stream]) -> list[bytes]:
    """All bytes of some streams, of which none was read.

    Raises:
        UnavailableError: when a connection breaks.
    """
    buffers = [stream.whole() for stream in streams]
    return [bytes((await _received(buffer)).to_bytes()) for buffer in buffers]


class Answers:
    """What addresses answer; the browser fetches from now on, while Python works.

    Args:
        urls: the addresses.
    """

    def __init__(self, urls: list[str]) -> None:
        self._promises = [(url, js.fetch(url)) for url in urls]

    async def streams(self) -> list[Stream]:
        """The bytes at each address.

        Raises:
            NotFoundError: when there is no such file; PermissionDeniedError: when it is refused.
            UnavailableError: when a server does not answer, or does not let this page read it.
        """
        found = [(url, *await settled(promise)) for url, promise in self._promises]
        return [_stream(*answer) for answer in found]

    async def whole(self, most: int) -> list[bytes] | None:
        """All bytes at each address, sooner than by streams; None when it is not known that they
        are no more than `most` together, or an address refuses: what they are, streams tell.

        Raises:
            UnavailableError: when a connection breaks.
        """
        try:
            return await received(to_js([promise for _, promise in self._promises]), most)
        except JsException as error:
            raise _ended(error) from None

    def close(self) -> None:
        """Says that nobody asks for them."""
        for _, promise in self._promises:
            promise.catch(js.Boolean)  # else the browser tells of failures


async def open_address(url: str) -> Stream:
    """The bytes at an address; see :class:`Answers`."""
    return (await Answers([url]).streams())[0]


def _stream(url: str, response: Any, failure: Failure | None) -> Stream:
    if failure is not None:
        message = f"{url}: {failure.text}; is it there, and does its server allow this page (CORS)?"
        raise UnavailableError(None, "fetch", message)
    if not response.ok:
        kind = _REFUSALS.get(response.status, UnavailableError)
        raise kind(None, "fetch", f"{url}: {response.status} {response.statusText}")
    length = response.headers.get("Content-Length")
    is_packed = response.headers.get("Content-Encoding")
    size = int(length) if length and length.isdigit() and not is_packed else None
    return Stream(response, size)


_REFUSALS: dict[int, type[OpError]] = {
    401: PermissionDeniedError,
    403: PermissionDeniedError,
    404: NotFoundError,
    410: NotFoundError,
}


def open_blob(blob: Any) -> Stream:
    """The bytes of a File or Blob."""
    return Stream(blob, int(blob.size))


_SHOWN = ".tfpy-output, .tfpy-error, .tfpy-picture"
"""What stands below a script, of it."""


def show_picture(svg: str, element: Any) -> Any:
    """Shows a picture in an element, or in a new one after the script that runs.

    Args:
        element: of the page, a selector, or None.

    Returns:
        The element. In the worker of a page's script, what stands for it there; None in other
        workers, which show nothing.

    Raises:
        ValueError: when the selector names no element.
    """
    if not hasattr(js, "document"):
        return js.tfpyShowPicture(svg, element) if hasattr(js, "tfpyShowPicture") else None
    if isinstance(element, str):
        selector, element = element, js.document.querySelector(element)
        if is_null(element):
            raise ValueError(f"the page has no element {selector!r} for the picture")
    if element is None:
        element = js.document.createElement("div")
        element.className = "tfpy-picture"
        place = js.document.querySelector('[data-tfpy="running"]:not([worker])')
        if is_null(place):
            js.document.body.append(element)
        else:
            while not is_null(below := place.nextElementSibling) and below.matches(_SHOWN):
                place = below
            place.after(element)
    element.innerHTML = svg
    return element
