"""Files: base64, audio, images, and the file system."""

from __future__ import annotations

import struct
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from api.same import compare, error, same

import tfpy

BOTH = (tfpy, tensorflow)
RNG = np.random.default_rng(9)


@same
def test_bytes_as_texts(tf: Any) -> Any:
    words = tf.constant(["", "a", "ab", "abc", "\xff\xfe~~?"])
    coded = tf.io.encode_base64(words)
    return [
        coded,
        tf.io.encode_base64(words, pad=True),
        tf.io.decode_base64(coded),
        tf.io.decode_base64(tf.io.encode_base64(words, pad=True)),
        tf.function(tf.io.encode_base64)(words),
        *(error(lambda w=w: tf.io.decode_base64(w)) for w in ("a", "ab+/", "a=b", "YQ=", "YQ===")),
        error(lambda: tf.io.decode_base64(3)),
    ]


@same
def test_raw_numbers(tf: Any) -> Any:
    data = tf.constant([bytes(range(8)), bytes(range(8, 16))])
    raw = tf.io.decode_raw
    return [
        raw(data, tf.uint8),
        raw(data, tf.int8),
        raw(data, tf.int32),
        raw(data, tf.int32, little_endian=False),
        raw(data, tf.float32),
        raw(tf.constant([b"abc", b"a"]), tf.uint8, fixed_length=2),
        raw(tf.constant(b"abcd"), tf.int32),
        error(lambda: raw(tf.constant([b"abc", b"a"]), tf.uint8)),
        error(lambda: raw(tf.constant(b"abc"), tf.int32)),
        error(lambda: raw(data, tf.int32, fixed_length=3)),
    ]


def test_files(tmp_path: Path) -> None:
    for tf in BOTH:
        folder = tmp_path / tf.__name__
        path = str(folder / "a" / "b.txt")
        gfile = tf.io.gfile
        tf.io.write_file(path, "one\ntwo\n")
        assert tf.io.read_file(path).numpy() == b"one\ntwo\n"
        assert tf.function(tf.io.read_file)(path).numpy() == b"one\ntwo\n"
        with gfile.GFile(path) as file:
            assert [file.readline(), file.tell(), file.read(), file.read()] == [
                "one\n",
                4,
                "two\n",
                "",
            ]
            file.seek(0)
            assert list(file) == ["one\n", "two\n"]
            assert file.size() == 8
        with gfile.GFile(path, "ab") as file:
            file.write(b"\xc3\xa9")
        with gfile.GFile(path) as text, gfile.GFile(path, "rb") as data:
            assert text.read() == "one\ntwo\né"
            assert data.read(3) == b"one"
        gfile.makedirs(str(folder / "c" / "d"))
        gfile.copy(path, str(folder / "c" / "x"))
        gfile.rename(str(folder / "c" / "x"), str(folder / "c" / "y"))
        assert sorted(gfile.listdir(str(folder))) == ["a", "c"]
        found = gfile.glob(str(folder / "*" / "[by]*"))
        assert sorted(found) == [path, str(folder / "c" / "y")]
        assert [gfile.exists(path), gfile.isdir(path), gfile.isdir(str(folder))] == [
            True,
            False,
            True,
        ]
        assert (gfile.stat(path).length, gfile.stat(str(folder)).is_directory) == (10, True)
        walked = [(Path(d).name, sorted(b), c) for d, b, c in gfile.walk(str(folder / "c"))]
        assert walked == [("c", ["d"], ["y"]), ("d", [], [])]
        assert gfile.join("a", "b", "/c", "d") == "/c/d"
        gfile.remove(path)
        gfile.rmtree(str(folder / "c"))
        assert not gfile.exists(path)


def test_errors_of_files(tmp_path: Path) -> None:
    def found(tf: Any) -> list[str]:
        gfile, path = tf.io.gfile, str(tmp_path / tf.__name__)
        Path(path).write_text("x")
        gone = path + ".gone"
        return [
            error(lambda: tf.io.read_file(gone)),
            error(lambda: tf.io.read_file(["a", "b"])),
            error(lambda: tf.io.write_file(path, ["a", "b"])),
            error(lambda: gfile.GFile(gone).read()),
            error(lambda: gfile.GFile(path, "x")),
            error(lambda: gfile.GFile(path, "w").read()),
            error(lambda: gfile.GFile(path).write("y")),
            error(lambda: gfile.listdir(gone)),
            error(lambda: gfile.remove(gone)),
            error(lambda: gfile.rmtree(gone)),
            error(lambda: gfile.stat(gone)),
            error(lambda: gfile.copy(path, path)),
            error(lambda: gfile.copy(gone, gone)),
            error(lambda: gfile.mkdir(str(tmp_path))),
            error(lambda: gfile.mkdir(gone + "/deeper")),
        ]

    compare(*map(found, BOTH), 0, "errors")


# Audio


@same
def test_sounds(tf: Any) -> Any:
    samples = np.linspace(-1.2, 1.2, 14).astype(np.float32).reshape(7, 2)
    stereo = tf.audio.encode_wav(samples, 8000)
    mono = tf.audio.encode_wav(samples[:, :1], 44100)
    bare = stereo.numpy()
    odd = bare[:36] + b"LIST\x04\0\0\0abcd" + bare[36:]
    return [
        stereo,
        mono,
        list(tf.audio.decode_wav(stereo)),
        list(tf.audio.decode_wav(mono, desired_samples=9)),
        list(tf.audio.decode_wav(stereo, desired_channels=1, desired_samples=2)),
        list(tf.audio.decode_wav(odd)),
        error(lambda: tf.audio.decode_wav(b"")),
        error(lambda: tf.audio.decode_wav(b"RIFFxxxxWAVE")),
        error(lambda: tf.audio.decode_wav(bare[:30])),
        error(lambda: tf.audio.decode_wav(bare[:-2])),
        error(lambda: tf.audio.decode_wav(bare.replace(b"RIFF", b"RIFX"))),
        error(lambda: tf.audio.decode_wav(bare[:20] + b"\x03" + bare[21:])),
        error(lambda: tf.audio.decode_wav(bare[:34] + b"\x08" + bare[35:])),
        error(lambda: tf.audio.decode_wav([bare, bare])),
        error(lambda: tf.audio.encode_wav(samples[0], 8000)),
        error(lambda: tf.audio.encode_wav(samples, 0)),
    ]


# Images


def picture(*shape: int) -> Any:
    return RNG.integers(0, 256, shape).astype(np.uint8)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_png(channels: int) -> None:
    """Check that tfpy and TensorFlow read each other's PNG files with any number of channels."""
    image = picture(9, 13, channels)
    image[:, 4:] = image[:, 4:5]  # so that several filters are useful
    theirs = tensorflow.io.encode_png(image).numpy()
    mine = tfpy.io.encode_png(image).numpy()
    np.testing.assert_array_equal(tensorflow.io.decode_png(mine).numpy(), image)
    for data in (theirs, mine):
        for wanted in (0, 1, 3, 4):
            compare(*(tf.io.decode_png(data, channels=wanted) for tf in BOTH), 0, f"{wanted}")
            compare(
                *(tf.image.decode_image(data, wanted, tf.float32) for tf in BOTH), 1e-6, f"{wanted}"
            )


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def file_of(
    color: int, depth: int, size: int, rows: int, *extra: bytes, interlaced: int = 0
) -> bytes:
    """Return a PNG file of random bytes with random line filters."""
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    areas = [(0, 0, 1, 1)]
    if interlaced:
        areas = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
                 (1, 0, 2, 2), (0, 1, 1, 2)]  # fmt: skip
    lines = b""
    for x, y, across, down in areas:
        columns = len(range(x, size, across))
        length = -(-columns * channels * depth // 8)
        for _ in range(len(range(y, rows, down)) if columns else 0):
            lines += bytes([int(RNG.integers(5))]) + RNG.bytes(length)
    head = struct.pack(">IIBBBBB", size, rows, depth, color, 0, 0, interlaced)
    parts = [(b"IHDR", head), *((e[:4], e[4:]) for e in extra), (b"IDAT", zlib.compress(lines))]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*p) for p in (*parts, (b"IEND", b"")))


@pytest.mark.parametrize("interlaced", [0, 1])
@pytest.mark.parametrize(
    ("color", "depth"),
    [(0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 4), (3, 8), (4, 8),
     (4, 16), (6, 8), (6, 16)],
)  # fmt: skip
def test_kinds_of_png(color: int, depth: int, interlaced: int) -> None:
    colors = 2**depth
    palette = [b"PLTE" + RNG.bytes(3 * colors)] if color == 3 else []
    alphas = {
        0: b"tRNS\0\1",
        2: b"tRNS\0\1\0\2\0\3",
        3: b"tRNS" + bytes(range(0, 200, 9))[: colors - 1],
    }
    for extra in ([], [alphas[color]] if color in alphas else []):
        for size, rows in ((1, 1), (5, 3), (17, 19)):
            data = file_of(color, depth, size, rows, *palette, *extra, interlaced=interlaced)
            shallow = (
                color in (0, 3) and depth < 8 and not extra
            )  # TensorFlow's opaque value is not 255
            for wanted in (0, 1, 3) if shallow else (0, 1, 3, 4):
                compare(*(tf.io.decode_png(data, wanted) for tf in BOTH), 0, f"{size} {wanted}")


def bmp(pixels: Any, bits: int, height: int) -> bytes:
    rows = [line.tobytes().ljust((line.nbytes + 3) // 4 * 4, b"\0") for line in pixels]
    body = b"".join(rows)
    head = struct.pack(
        "<IiiHHIIiiII", 40, pixels.shape[1], height, 1, bits, 0, len(body), 0, 0, 0, 0
    )
    return b"BM" + struct.pack("<IHHI", 54 + len(body), 0, 0, 54) + head + body


@pytest.mark.parametrize("bits", [8, 24, 32])
def test_bmp(bits: int) -> None:
    pixels = picture(4, 5, bits // 8)
    for height in (4, -4):
        data = bmp(pixels, bits, height)
        compare(*(tf.io.decode_bmp(data) for tf in BOTH), 0, "bmp")
        compare(*(tf.image.decode_image(data) for tf in BOTH), 0, "image")
        compare(*(error(lambda tf=tf: tf.io.decode_bmp(b"BM" * 40, 2)) for tf in BOTH), 0, "error")


@same
def test_errors_of_images(tf: Any) -> Any:
    whole = tensorflow.io.encode_png(np.zeros((4, 4, 3), np.uint8)).numpy()
    image = tf.zeros([2, 3, 3], tf.uint8)
    return [
        error(lambda: tf.image.decode_image(b"no image")),
        error(lambda: tf.image.decode_image(b"")),
        error(lambda: tf.image.decode_image([whole, whole])),
        error(lambda: tf.image.decode_image(whole, channels=5)),
        error(lambda: tf.image.decode_image(whole[:40])),
        error(lambda: tf.image.decode_png(whole[:-20])),
        error(lambda: tf.image.decode_png(whole.replace(b"IHDR", b"IHDX"))),
        error(lambda: tf.image.decode_bmp(whole)),
        error(lambda: tf.image.encode_png(tf.zeros([2, 3], tf.uint8))),
        error(lambda: tf.image.encode_png(tf.zeros([2, 3, 5], tf.uint8))),
        error(lambda: tf.image.encode_png(image, compression=10)),
        error(lambda: tf.io.encode_jpeg(tf.zeros([2, 3, 2], tf.uint8))),
        tf.io.is_jpeg(whole),
    ]


def test_images_that_need_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    image = picture(8, 8, 3)
    data = tensorflow.io.encode_jpeg(image).numpy()
    for name in ("Image", "JpegImagePlugin"):
        monkeypatch.setitem(__import__("sys").modules, f"PIL.{name}", None)
    with pytest.raises(tfpy.errors.UnimplementedError, match="decode_image: JPEG"):
        tfpy.image.decode_image(data)
    with pytest.raises(tfpy.errors.UnimplementedError, match="encode_jpeg: JPEG"):
        tfpy.io.encode_jpeg(image)


def test_jpeg() -> None:
    image = np.broadcast_to(np.arange(0, 240, 10, np.uint8)[:, None, None], (24, 16, 3))
    data = tensorflow.io.encode_jpeg(image, quality=100).numpy()
    for wanted in (0, 1, 3):
        mine, theirs = (tf.io.decode_jpeg(data, wanted).numpy().astype(int) for tf in BOTH)
        np.testing.assert_allclose(mine, theirs, atol=3)
    again = tfpy.io.decode_jpeg(tfpy.io.encode_jpeg(image, quality=100)).numpy().astype(int)
    np.testing.assert_allclose(again, image, atol=3)


def test_files_that_are_read_and_written(tmp_path: Path) -> None:
    results = []
    for tf in BOTH:
        gfile, path = tf.io.gfile, str(tmp_path / f"{tf.__name__}.txt")
        found = []
        with gfile.GFile(path, "r+") as file:  # creates the file
            file.write("one\ntwo\nthree")
        found += [file.size(), file.readline(), file.tell(), file.read(2), file.read()]
        file.seek(4)
        found.append(file.readline())
        file.seek(-5, 2)
        found.append(file.read())
        file.seek(0)
        file.seek(4, 1)
        found += [file.tell(), list(file)]
        found += [error(partial(file.seek, -1)), error(partial(file.seek, 0, 3))]
        found.append(error(partial(file.read, -2)))
        file.close()
        with gfile.GFile(path, "w+") as file:
            file.write("new")
            file.flush()
            found.append(file.read())
        with gfile.GFile(path, "wb") as file:
            file.write("text é")
        with gfile.GFile(path, "a") as file:
            file.write(b"bytes")
            found.append(file.tell())
        with gfile.GFile(path, "rb") as file:
            found.append(file.read())
        found.append(error(partial(gfile.GFile(path, "r").write, "x")))
        found.append(error(gfile.GFile(path, "w").read))
        found.append(error(gfile.GFile(path + "x", "r+").read))
        results.append(found)
    assert results[0] == results[1]
