"""The user's camera and microphone."""

from __future__ import annotations

import asyncio
from typing import Any

import numpy as np

from tfpy._src.backends.javascript.bridge import IN_BROWSER
from tfpy._src.backends.javascript.interop import settled
from tfpy._src.base.errors import (
    InvalidArgumentError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    UnavailableError,
    UnimplementedError,
)
from tfpy._src.compiler.ir.aval import Array

if IN_BROWSER:
    import js
    from pyodide.ffi import to_js

_POLL = 0.004
"""Seconds between checks for new data."""

_PATIENCE = 5.0
"""Seconds without data after which a device counts as unavailable."""

_REFUSALS: dict[str, type[OpError]] = {
    "NotAllowedError": PermissionDeniedError,
    "SecurityError": PermissionDeniedError,
    "NotFoundError": NotFoundError,
    "OverconstrainedError": InvalidArgumentError,
}


async def _stream(kind: str, constraints: dict[str, Any]) -> Any:
    """Open a stream of a device.

    Raises:
        PermissionDeniedError: If the user or the page's policy refuses access.
        NotFoundError: If there is no such device.
        InvalidArgumentError: If no device matches the constraints.
        UnavailableError: If the device is in use elsewhere.
        UnimplementedError: If the page has no devices: in workers, and in pages without https.
    """
    what = "camera" if kind == "video" else "microphone"
    devices = getattr(js.navigator, "mediaDevices", None) if IN_BROWSER else None
    if devices is None or not hasattr(js, "document"):
        message = f"A {what} is only available on the main thread of a page from https or localhost"
        raise UnimplementedError(None, what, message)
    asked = to_js({kind: constraints or True}, dict_converter=js.Object.fromEntries)
    stream, refusal = await settled(devices.getUserMedia(asked))
    if refusal is not None:
        error = _REFUSALS.get(refusal.name, UnavailableError)
        raise error(None, what, f"The browser cannot open the {what}: {refusal.text}")
    return stream


class Camera:
    """An open camera, with its video element.

    Args:
        size: Width and height of the frames; None means the size of the camera.
        crops: If True, crop the center of the image to `size`; if False, resize the whole image.
    """

    def __init__(self, stream: Any, video: Any, size: tuple[int, int] | None, crops: bool) -> None:
        self._stream, self._video = stream, video
        full = int(video.videoWidth), int(video.videoHeight)
        self.width, self.height = full if size is None else size
        if crops and (self.width > full[0] or self.height > full[1]):
            self.stop()
            message = (
                f"The frames of the camera, {full[0]} x {full[1]}, are too small to be cropped"
            )
            raise InvalidArgumentError(None, "camera", message)
        region = (self.width, self.height) if crops else full
        corner = ((full[0] - region[0]) // 2, (full[1] - region[1]) // 2)
        self._region = (*corner, *region)
        canvas = js.document.createElement("canvas")
        canvas.width, canvas.height = self.width, self.height
        options = to_js({"willReadFrequently": True}, dict_converter=js.Object.fromEntries)
        self._context = canvas.getContext("2d", options)
        self._seen = -1.0

    @property
    def is_on(self) -> bool:
        """True while the camera delivers frames."""
        return any(track.readyState == "live" for track in self._stream.getTracks())

    async def frame(self) -> Array | None:
        """Return the next frame, RGB bytes `[height, width, 3]`, or None if the camera is off.

        Raises:
            UnavailableError: If no frame arrives in time.
        """
        waited = 0.0
        while self.is_on and self._video.currentTime == self._seen:
            await asyncio.sleep(_POLL)
            waited += _POLL
            if waited > _PATIENCE:
                raise UnavailableError(None, "camera", "The camera does not deliver frames")
        if not self.is_on:
            return None
        self._seen = self._video.currentTime
        self._context.drawImage(self._video, *self._region, 0, 0, self.width, self.height)
        data = self._context.getImageData(0, 0, self.width, self.height).data
        rgba = np.frombuffer(data.to_bytes(), np.uint8).reshape(self.height, self.width, 4)
        return rgba[:, :, :3]

    def stop(self) -> None:
        """Turn the camera off."""
        for track in self._stream.getTracks():
            track.stop()
        self._video.srcObject = None


async def open_camera(
    constraints: dict[str, Any], video: Any, size: tuple[int, int] | None, crops: bool
) -> Camera:
    """Turn a camera on.

    Args:
        constraints: The browser's constraints of a video track.
        video: Video element that shows the camera; None means an element that is not in the page.

    Raises:
        OpError: For the reasons listed in `_stream`.
        InvalidArgumentError: If the frames are too small to be cropped.
    """
    stream = await _stream("video", constraints)
    if video is None:
        video = js.document.createElement("video")
    video.muted, video.playsInline = True, True
    video.srcObject = stream
    await video.play()
    return Camera(stream, video, size, crops)


class Microphone:
    """An open microphone.

    Args:
        size: Number of samples in a block, which is also the number of frequencies.
    """

    def __init__(self, stream: Any, context: Any, size: int, smoothing: float) -> None:
        self._stream, self._context, self._size = stream, context, size
        self.rate = float(context.sampleRate)
        self._analyser = context.createAnalyser()
        self._analyser.fftSize = 2 * size
        self._analyser.smoothingTimeConstant = smoothing
        self._source = context.createMediaStreamSource(stream)
        self._source.connect(self._analyser)
        self._frequencies = js.Float32Array.new(size)
        self._samples = js.Float32Array.new(2 * size)
        self._due = self._context.currentTime + 2 * size / self.rate

    async def block(self) -> tuple[Array, Array] | None:
        """Return the decibels of the frequencies and the samples of a block; None if off."""
        while self.is_on and self._context.currentTime < self._due:
            await asyncio.sleep(_POLL)
        if not self.is_on:
            return None
        self._due = max(self._due, self._context.currentTime - _POLL) + self._size / self.rate
        self._analyser.getFloatFrequencyData(self._frequencies)
        self._analyser.getFloatTimeDomainData(self._samples)
        samples = np.frombuffer(self._samples.to_bytes(), np.float32)
        return np.frombuffer(self._frequencies.to_bytes(), np.float32), samples[self._size :]

    @property
    def is_on(self) -> bool:
        """True while the microphone delivers sound."""
        return any(track.readyState == "live" for track in self._stream.getTracks())

    def stop(self) -> None:
        """Turn the microphone off."""
        for track in self._stream.getTracks():
            track.stop()
        if self._context.state != "closed":
            self._context.close()


async def open_microphone(constraints: dict[str, Any], size: int, smoothing: float) -> Microphone:
    """Turn a microphone on.

    Raises:
        OpError: For the reasons listed in `_stream`.
        UnavailableError: If the browser does not allow recording before the user clicks in the
            page.
    """
    stream = await _stream("audio", constraints)
    context = js.AudioContext.new()
    found = Microphone(stream, context, size, smoothing)
    waited = 0.0
    context.resume()
    while context.state != "running":
        await asyncio.sleep(_POLL)
        waited += _POLL
        if waited > _PATIENCE:
            found.stop()
            message = "The browser allows recording after a click only: open it in a click handler"
            raise UnavailableError(None, "microphone", message)
    return found
