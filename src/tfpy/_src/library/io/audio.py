"""`tf.audio`: WAV files (RIFF WAVE) with 16-bit samples."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy as np

from tfpy._src.base import dtypes
from tfpy._src.base.errors import invalid, invalid_dtype, invalid_value
from tfpy._src.core.conversion import constant, convert_to_tensor
from tfpy._src.core.tensor import Tensor
from tfpy._src.core.typing import TensorLike
from tfpy._src.library.io.files import texts

_SCALE = 32768.0
_PCM = 1


class DecodeWav(NamedTuple):
    """The result of `tf.audio.decode_wav`.

    Attributes:
        audio: Float32 tensor of shape `[samples, channels]`.
        sample_rate: Scalar int32 tensor, the number of samples per second.
    """

    audio: Tensor
    sample_rate: Tensor


def decode_wav(
    contents: TensorLike,
    desired_channels: int = -1,
    desired_samples: int = -1,
    name: str | None = None,
) -> DecodeWav:
    """Decode a WAV file with 16-bit samples.

    Args:
        contents: Scalar string tensor with the bytes of the file.
        desired_channels: Number of channels to return, beginning with the first one. Default: all
            channels.
        desired_samples: Number of samples to return. A longer file is cut, and a shorter file is
            padded with zeros. Default: all samples.

    Returns:
        A named tuple of `audio`, a float32 tensor of shape `[samples, channels]` with values
        between -1 and 1, and `sample_rate`, a scalar int32 tensor with the number of samples per
        second.

    Raises:
        tf.errors.InvalidArgumentError: If the bytes are not a WAV file with 16-bit samples, or the
            file has fewer than `desired_channels` channels.

    Example:
        >>> import tfpy as tf
        >>> wav = tf.audio.encode_wav([[0.0], [0.5], [-0.5]], sample_rate=8000)
        >>> audio, rate = tf.audio.decode_wav(wav)
        >>> audio.shape, audio.numpy().round(2).ravel().tolist(), rate.numpy().tolist()
        (TensorShape([3, 1]), [0.0, 0.5, -0.5], 8000)

    See also: `tf.audio.encode_wav`.
    """
    data = scalar_bytes("decode_wav", contents)
    channels, rate, samples = _read(data)
    if desired_channels > channels:
        raise invalid_value(
            "decode_wav", f"desired_channels is {desired_channels}, the file has {channels}"
        )
    if desired_channels > 0:
        samples = samples[:, :desired_channels]
    if desired_samples > 0:
        missing = max(desired_samples - len(samples), 0)
        samples = np.pad(samples[:desired_samples], ((0, missing), (0, 0)))
    return DecodeWav(constant((samples / _SCALE).astype(np.float32)), constant(rate, dtypes.int32))


def _read(data: bytes) -> tuple[int, int, Any]:
    """Return the number of channels, the sample rate and the samples of a file."""
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise invalid_value("decode_wav", f"Header mismatch: Expected RIFF but found {data[:4]!r}")
    at, found = 12, None
    while at + 8 <= len(data):
        kind, size = data[at : at + 4], struct.unpack("<I", data[at + 4 : at + 8])[0]
        chunk = data[at + 8 : at + 8 + size]
        if len(chunk) < size:
            raise invalid_value("decode_wav", f"Data too short: chunk {kind!r} is cut off")
        if kind == b"fmt ":
            found = _format(chunk)
        elif kind == b"data":
            if found is None:
                raise invalid_value("decode_wav", "the data chunk precedes the fmt chunk")
            channels, rate = found
            if size % (2 * channels):
                raise invalid_value(
                    "decode_wav", f"{size} bytes of samples for {channels} channels"
                )
            return channels, rate, np.frombuffer(chunk, "<i2").reshape(-1, channels)
        at += 8 + size + size % 2
    raise invalid_value("decode_wav", "No data chunk found in WAV file")


def _format(chunk: bytes) -> tuple[int, int]:
    """Return the number of channels and the sample rate of a format chunk."""
    if len(chunk) < 16:
        raise invalid_value("decode_wav", f"Bad format chunk size for WAV: {len(chunk)}")
    form, channels, rate, second, block, bits = struct.unpack("<HHIIHH", chunk[:16])
    if form != _PCM:
        raise invalid_value(
            "decode_wav", f"Bad audio format for WAV: Expected 1 (PCM), but got {form}"
        )
    if bits != 16:
        raise invalid_value("decode_wav", f"Can only read 16-bit WAV files, but received {bits}")
    if not channels or block != 2 * channels:
        raise invalid_value(
            "decode_wav", f"Bad bytes per sample in WAV header: {block} for {channels} channels"
        )
    if second != rate * block:
        raise invalid_value(
            "decode_wav",
            f"Bad bytes per second in WAV header: Expected {rate * block} but got {second} "
            f"(sample_rate={rate}, bytes_per_sample={block})",
        )
    return channels, rate


def encode_wav(audio: TensorLike, sample_rate: TensorLike, name: str | None = None) -> Tensor:
    """Encode audio as a WAV file with 16-bit samples.

    Args:
        audio: Float32 tensor of shape `[samples, channels]`. Values outside of [-1, 1] are clipped.
        sample_rate: Number of samples per second, a scalar integer.

    Returns:
        Scalar string tensor with the bytes of the file.

    Raises:
        tf.errors.InvalidArgumentError: If the rank of `audio` is not 2, `audio` is empty, or the
            sample rate is not positive.

    Example:
        >>> import tfpy as tf
        >>> wav = tf.audio.encode_wav([[0.0], [0.5], [-0.5]], sample_rate=8000)
        >>> wav.numpy()[:4], len(wav.numpy())
        (b'RIFF', 50)

    See also: `tf.audio.decode_wav`, `tf.io.write_file`.
    """
    x = convert_to_tensor(audio, dtypes.float32)
    if x.ndim != 2 or not x.size:
        raise invalid("encode_wav", f"audio must be 2-dimensional, got {list(x.aval.shape)}")
    rate = int(convert_to_tensor(sample_rate).host_view())
    if rate <= 0:
        raise invalid_value("encode_wav", f"sample_rate must be positive, got {rate}")
    scaled = x.host_view() * np.float32(_SCALE)
    whole = np.sign(scaled) * np.floor(np.abs(scaled) + np.float32(0.5))
    body = np.clip(whole, -_SCALE, _SCALE - 1).astype("<i2").tobytes()
    channels = x.aval.shape[1]
    head = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", 36 + len(body), b"WAVE", b"fmt ", 16, _PCM, channels, rate),
        *(rate * channels * 2, channels * 2, 16, b"data", len(body)),
    )
    return texts([head + body], ())


def scalar_bytes(op: str, value: TensorLike) -> bytes:
    """Return the bytes of a scalar string.

    Raises:
        InvalidArgumentError: If the value is not a scalar string.
    """
    tensor = convert_to_tensor(value)
    if tensor.dtype != dtypes.string:
        raise invalid_dtype(op, f"contents must be a string, got {tensor.dtype.name}")
    if tensor.ndim:
        raise invalid(op, f"contents must be scalar, got shape {list(tensor.aval.shape)}")
    return bytes(tensor.host_view().item())
