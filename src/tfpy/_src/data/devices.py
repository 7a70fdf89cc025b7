"""``tf.data.webcam`` and ``tf.data.microphone``: TensorFlow.js's, as datasets."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any, Self

import numpy as np

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.base import dtypes
from tfpy._src.base.errors import UnavailableError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.data.generators import GeneratorNode
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.browser import media


class DeviceDataset(DatasetV2):
    """What a device of the user's gives while it is on; iterated over with ``async for``.

    ``async with`` turns it off at its end. A dataset made of it ends when it is turned off.
    """

    def __init__(self, device: Any, read: Callable[[], AsyncGenerator[Any]], spec: Any) -> None:
        super().__init__(GeneratorNode(read, (), spec))
        self._device = device
        self.sample_rate_hz: float | None = None
        """How many samples a second are, of a microphone."""

    def capture(self) -> Any:
        """Return the next element.

        Raises:
            UnavailableError: If the device is off.
        """
        return wait(self.capture_async(), "write `await device.capture_async()`")

    async def capture_async(self) -> Any:
        """Await what :meth:`capture` returns."""
        async for element in self:
            return element
        raise UnavailableError(None, "capture", "the device is turned off")

    def stop(self) -> None:
        """Turns the device off."""
        self._device.stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.stop()


def webcam(
    video: Any = None,
    *,
    resize_width: int | None = None,
    resize_height: int | None = None,
    center_crop: bool = False,
    facing_mode: str | None = None,
    device_id: str | None = None,
) -> DeviceDataset:
    """The pictures of a camera, without end: int32 ``[height, width, 3]`` from 0 to 255.

    Args:
        video: an element of the page that shows what the camera sees.
        resize_width, resize_height: of the pictures, both or none.
        center_crop: takes the middle of that size in place of making the picture smaller.
        facing_mode: "user" or "environment".
        device_id: which camera, by the browser's name for it.

    Raises:
        PermissionDeniedError: when the user refuses it.
        NotFoundError: when there is none.
        UnimplementedError: outside of a page's main thread.
        ValueError: when one of width and height is given, or they are missing for a crop.

    Example:
        ``async with await tf.data.webcam_async(resize_width=96, resize_height=96) as camera:
        async for pictures in camera.batch(8).take(10): ...``
    """
    return wait(
        webcam_async(
            video,
            resize_width=resize_width,
            resize_height=resize_height,
            center_crop=center_crop,
            facing_mode=facing_mode,
            device_id=device_id,
        ),
        "write `await tf.data.webcam_async()`",
    )


@awaitable("tf.data.webcam_async()")
async def webcam_async(
    video: Any = None,
    *,
    resize_width: int | None = None,
    resize_height: int | None = None,
    center_crop: bool = False,
    facing_mode: str | None = None,
    device_id: str | None = None,
) -> DeviceDataset:
    """Await what :func:`webcam` returns.

    Args and errors are those of :func:`webcam`.
    """
    if (resize_width is None) != (resize_height is None):
        raise ValueError("webcam: give both resize_width and resize_height, or none")
    if center_crop and resize_width is None:
        raise ValueError("webcam: center_crop needs resize_width and resize_height")
    constraints: dict[str, Any] = {}
    if facing_mode is not None:
        constraints["facingMode"] = facing_mode
    if device_id is not None:
        constraints["deviceId"] = device_id
    size = None
    if resize_width is not None and resize_height is not None:
        size = (resize_width, resize_height)
    camera = await media.open_camera(constraints, video, size, center_crop)

    async def pictures() -> AsyncGenerator[Array]:
        while (frame := await camera.frame()) is not None:
            yield frame.astype(np.int32)

    spec = TensorSpec([camera.height, camera.width, 3], dtypes.int32)
    return DeviceDataset(camera, pictures, spec)


def microphone(
    *,
    fft_size: int = 1024,
    column_truncate_length: int | None = None,
    num_frames_per_spectrogram: int = 43,
    include_spectrogram: bool = True,
    include_waveform: bool = False,
    smoothing_time_constant: float = 0.0,
    audio_track_constraints: Mapping[str, Any] | None = None,
) -> DeviceDataset:
    """What a microphone hears, without end: mappings with "spectrogram", "waveform" or both.

    A spectrogram is float32 ``[num_frames_per_spectrogram, column_truncate_length, 1]`` decibels,
    each row those of ``fft_size`` samples as the browser's AnalyserNode gives them; a waveform is
    float32 ``[num_frames_per_spectrogram * fft_size, 1]``. ``sample_rate_hz`` of the dataset is the
    browser's. Samples are left out while the page is too busy to take them.

    Args:
        fft_size: a power of 2 from 16 to 16384.
        column_truncate_length: how many frequencies are kept, the lowest; all for None.
        smoothing_time_constant: how much of the column before is in each, from 0 to below 1.
        audio_track_constraints: the browser's, of a track.

    Raises:
        PermissionDeniedError: when the user refuses it.
        NotFoundError: when there is none.
        UnimplementedError: outside of a page's main thread.
        UnavailableError: when the page must be clicked before it may listen.
        ValueError: for other sizes, or when nothing is included.
    """
    return wait(
        microphone_async(
            fft_size=fft_size,
            column_truncate_length=column_truncate_length,
            num_frames_per_spectrogram=num_frames_per_spectrogram,
            include_spectrogram=include_spectrogram,
            include_waveform=include_waveform,
            smoothing_time_constant=smoothing_time_constant,
            audio_track_constraints=audio_track_constraints,
        ),
        "write `await tf.data.microphone_async()`",
    )


@awaitable("tf.data.microphone_async()")
async def microphone_async(
    *,
    fft_size: int = 1024,
    column_truncate_length: int | None = None,
    num_frames_per_spectrogram: int = 43,
    include_spectrogram: bool = True,
    include_waveform: bool = False,
    smoothing_time_constant: float = 0.0,
    audio_track_constraints: Mapping[str, Any] | None = None,
) -> DeviceDataset:
    """Await what :func:`microphone` returns.

    Args and errors are those of :func:`microphone`.
    """
    if fft_size not in [2**n for n in range(4, 15)]:
        raise ValueError(f"microphone: fft_size is a power of 2 from 16 to 16384, not {fft_size}")
    columns = fft_size if column_truncate_length is None else column_truncate_length
    if not 1 <= columns <= fft_size or num_frames_per_spectrogram < 1:
        raise ValueError("microphone: there are 1 to fft_size columns, and at least one frame")
    if not include_spectrogram and not include_waveform:
        raise ValueError("microphone: include_spectrogram or include_waveform must be True")
    found = await media.open_microphone(
        dict(audio_track_constraints or {}), fft_size, smoothing_time_constant
    )
    rows = num_frames_per_spectrogram
    spec = {}
    if include_spectrogram:
        spec["spectrogram"] = TensorSpec([rows, columns, 1], dtypes.float32)
    if include_waveform:
        spec["waveform"] = TensorSpec([rows * fft_size, 1], dtypes.float32)

    async def sounds() -> AsyncGenerator[dict[str, Array]]:
        blocks: list[tuple[Array, Array]] = []
        while (block := await found.block()) is not None:
            blocks.append(block)
            if len(blocks) == rows:
                frequencies, samples = zip(*blocks, strict=True)
                element = {
                    "spectrogram": np.stack(frequencies)[:, :columns, None],
                    "waveform": np.concatenate(samples)[:, None],
                }
                yield {name: element[name] for name in spec}
                blocks = []

    dataset = DeviceDataset(found, sounds, spec)
    dataset.sample_rate_hz = found.rate
    return dataset
