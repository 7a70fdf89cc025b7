"""`tf.data.webcam` and `tf.data.microphone` of TensorFlow.js, as datasets."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any, Self

import numpy as np

from tfpy._src.backends.awaitable import awaitable
from tfpy._src.backends.javascript.bridge import wait
from tfpy._src.base import dtypes
from tfpy._src.base.errors import UnavailableError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.tensor import Tensor
from tfpy._src.data.dataset import DatasetV2
from tfpy._src.data.generators import GeneratorNode
from tfpy._src.functions.tf_function.signature import TensorSpec
from tfpy._src.tensors.browser import media


class DeviceDataset(DatasetV2):
    """A dataset of the elements that a camera or microphone produces while it is on.

    `tf.data.webcam` and `tf.data.microphone` return one. Iterate over it, or over datasets that are
    derived from it, with `async for`. The dataset ends when the camera or microphone is turned off,
    which an `async with` block does at its end.
    """

    def __init__(self, device: Any, read: Callable[[], AsyncGenerator[Any]], spec: Any) -> None:
        super().__init__(GeneratorNode(read, (), spec))
        self._device = device
        self.sample_rate_hz: float | None = None
        """Number of samples per second of a microphone, or None for a camera."""

    def capture(self) -> Tensor | dict[str, Tensor]:
        """Return the next element. This method blocks; in a page, use `capture_async`.

        Returns:
            Tensor with an image, or a dict of tensors for a microphone.

        Raises:
            tf.errors.UnavailableError: If the camera or microphone is off.
        """
        return wait(self.capture_async(), "write `await device.capture_async()`")

    @awaitable("camera.capture_async()")
    async def capture_async(self) -> Tensor | dict[str, Tensor]:
        """Return the next element, without blocking the page.

        Returns:
            An awaitable that resolves to a tensor with an image, or to a dict of tensors for a
            microphone.

        Raises:
            tf.errors.UnavailableError: If the camera or microphone is off.
        """
        async for element in self:
            return element
        raise UnavailableError(None, "capture", "The device is turned off.")

    def stop(self) -> None:
        """Turn the camera or microphone off."""
        self._device.stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.stop()


def webcam(
    video: object = None,
    *,
    resize_width: int | None = None,
    resize_height: int | None = None,
    center_crop: bool = False,
    facing_mode: str | None = None,
    device_id: str | None = None,
) -> DeviceDataset:
    """Open a camera as an infinite dataset of images.

    This function blocks until the user permits access to the camera; in a page, use
    `tf.data.webcam_async`.

    Args:
        video: Video element of the page, which then shows the camera's image. Default: the image is
            not shown.
        resize_width: Width of the images in pixels. Pass it together with `resize_height`. Default:
            the width of the camera's images.
        resize_height: Height of the images in pixels. Default: the height of the camera's images.
        center_crop: If True, crop the images to `resize_width` and `resize_height` at their center
            instead of resizing them.
        facing_mode: `"user"` for a camera that faces the user, or `"environment"` for one that
            faces away. Default: the browser chooses.
        device_id: Identifier of the camera, as `navigator.mediaDevices.enumerateDevices()` of the
            browser returns it. Default: the browser chooses.

    Returns:
        A dataset of int32 tensors of shape `[height, width, 3]` with values from 0 to 255.

    Raises:
        tf.errors.PermissionDeniedError: If the user denies access to the camera.
        tf.errors.NotFoundError: If there is no camera.
        tf.errors.InvalidArgumentError: If no camera matches `facing_mode` and `device_id`, or if
            its images are too small to be cropped.
        tf.errors.UnavailableError: If the camera is in use elsewhere.
        tf.errors.UnimplementedError: If the program does not run in the main thread of a page that
            was loaded from https or localhost.
        ValueError: If only one of `resize_width` and `resize_height` is given, or if `center_crop`
            is True and they are missing.

    Example::

        async with await tf.data.webcam_async(resize_width=96, resize_height=96) as camera:
            async for images in camera.batch(8).take(10):
                print(images.shape)

    See also: `tf.data.microphone`.
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
    video: object = None,
    *,
    resize_width: int | None = None,
    resize_height: int | None = None,
    center_crop: bool = False,
    facing_mode: str | None = None,
    device_id: str | None = None,
) -> DeviceDataset:
    """Open a camera as an infinite dataset of images, without blocking the page.

    Args:
        video: Video element of the page, which then shows the camera's image. Default: the image is
            not shown.
        resize_width: Width of the images in pixels. Pass it together with `resize_height`. Default:
            the width of the camera's images.
        resize_height: Height of the images in pixels. Default: the height of the camera's images.
        center_crop: If True, crop the images to `resize_width` and `resize_height` at their center
            instead of resizing them.
        facing_mode: `"user"` for a camera that faces the user, or `"environment"` for one that
            faces away. Default: the browser chooses.
        device_id: Identifier of the camera, as `navigator.mediaDevices.enumerateDevices()` of the
            browser returns it. Default: the browser chooses.

    Returns:
        An awaitable that resolves to a dataset of int32 tensors of shape `[height, width, 3]` with
        values from 0 to 255.

    Raises:
        tf.errors.PermissionDeniedError: If the user denies access to the camera.
        tf.errors.NotFoundError: If there is no camera.
        tf.errors.InvalidArgumentError: If no camera matches `facing_mode` and `device_id`, or if
            its images are too small to be cropped.
        tf.errors.UnavailableError: If the camera is in use elsewhere.
        tf.errors.UnimplementedError: If the program does not run in the main thread of a page that
            was loaded from https or localhost.
        ValueError: If only one of `resize_width` and `resize_height` is given, or if `center_crop`
            is True and they are missing.

    Example::

        async with await tf.data.webcam_async(resize_width=96, resize_height=96) as camera:
            async for images in camera.batch(8).take(10):
                print(images.shape)

    See also: `tf.data.webcam`.
    """
    if (resize_width is None) != (resize_height is None):
        raise ValueError("webcam: pass both resize_width and resize_height, or neither.")
    if center_crop and resize_width is None:
        raise ValueError("webcam: center_crop requires resize_width and resize_height.")
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
    """Open a microphone as an infinite dataset of spectrograms, waveforms or both.

    The attribute `sample_rate_hz` of the dataset is the number of samples per second. Samples are
    dropped while the page is too busy to receive them. This function blocks until the user permits
    access to the microphone; in a page, use `tf.data.microphone_async`.

    Args:
        fft_size: Number of samples in a frame, a power of 2 from 16 to 16384. It is also the number
            of frequencies.
        column_truncate_length: Number of frequencies to keep, starting with the lowest. Default:
            all.
        num_frames_per_spectrogram: Number of consecutive frames in an element.
        include_spectrogram: If True (default), elements have the key `"spectrogram"`.
        include_waveform: If True, elements have the key `"waveform"`.
        smoothing_time_constant: Weight of the previous frame in the frequencies of each frame, at
            least 0 and less than 1.
        audio_track_constraints: Dict with the browser's `MediaTrackConstraints` for the microphone,
            such as `{"echoCancellation": False}`. Default: no constraints.

    Returns:
        A dataset of dicts. The value of `"spectrogram"` is a float32 tensor of shape
        `[num_frames_per_spectrogram, column_truncate_length, 1]` with decibels, as the browser's
        AnalyserNode computes them. The value of `"waveform"` is a float32 tensor of shape
        `[num_frames_per_spectrogram * fft_size, 1]` with samples.

    Raises:
        tf.errors.PermissionDeniedError: If the user denies access to the microphone.
        tf.errors.NotFoundError: If there is no microphone.
        tf.errors.UnimplementedError: If the program does not run in the main thread of a page that
            was loaded from https or localhost.
        tf.errors.UnavailableError: If the microphone is in use elsewhere, or if the browser
            requires that the user first clicks on the page.
        ValueError: If `fft_size`, `column_truncate_length` or `num_frames_per_spectrogram` is not
            valid, or if both `include_spectrogram` and `include_waveform` are False.

    Example::

        async with await tf.data.microphone_async(include_waveform=True) as sounds:
            async for sound in sounds.take(3):
                print(sound["spectrogram"].shape, sound["waveform"].shape)

    See also: `tf.data.webcam`.
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
    """Open a microphone as an infinite dataset, without blocking the page.

    The elements are spectrograms, waveforms or both. The attribute `sample_rate_hz` of the dataset
    is the number of samples per second. Samples are dropped while the page is too busy to receive
    them.

    Args:
        fft_size: Number of samples in a frame, a power of 2 from 16 to 16384. It is also the number
            of frequencies.
        column_truncate_length: Number of frequencies to keep, starting with the lowest. Default:
            all.
        num_frames_per_spectrogram: Number of consecutive frames in an element.
        include_spectrogram: If True (default), elements have the key `"spectrogram"`.
        include_waveform: If True, elements have the key `"waveform"`.
        smoothing_time_constant: Weight of the previous frame in the frequencies of each frame, at
            least 0 and less than 1.
        audio_track_constraints: Dict with the browser's `MediaTrackConstraints` for the microphone,
            such as `{"echoCancellation": False}`. Default: no constraints.

    Returns:
        An awaitable that resolves to a dataset of dicts. The value of `"spectrogram"` is a float32
        tensor of shape `[num_frames_per_spectrogram, column_truncate_length, 1]` with decibels, as
        the browser's AnalyserNode computes them. The value of `"waveform"` is a float32 tensor of
        shape `[num_frames_per_spectrogram * fft_size, 1]` with samples.

    Raises:
        tf.errors.PermissionDeniedError: If the user denies access to the microphone.
        tf.errors.NotFoundError: If there is no microphone.
        tf.errors.UnimplementedError: If the program does not run in the main thread of a page that
            was loaded from https or localhost.
        tf.errors.UnavailableError: If the microphone is in use elsewhere, or if the browser
            requires that the user first clicks on the page.
        ValueError: If `fft_size`, `column_truncate_length` or `num_frames_per_spectrogram` is not
            valid, or if both `include_spectrogram` and `include_waveform` are False.

    Example::

        async with await tf.data.microphone_async(include_waveform=True) as sounds:
            async for sound in sounds.take(3):
                print(sound["spectrogram"].shape, sound["waveform"].shape)

    See also: `tf.data.microphone`.
    """
    if fft_size not in [2**n for n in range(4, 15)]:
        raise ValueError(
            f"microphone: fft_size must be a power of 2 from 16 to 16384, not {fft_size}."
        )
    columns = fft_size if column_truncate_length is None else column_truncate_length
    if not 1 <= columns <= fft_size or num_frames_per_spectrogram < 1:
        raise ValueError(
            "microphone: column_truncate_length must be from 1 to fft_size, and "
            "num_frames_per_spectrogram at least 1."
        )
    if not include_spectrogram and not include_waveform:
        raise ValueError("microphone: include_spectrogram or include_waveform must be True.")
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
