"""A program for test_alias.py: Keras's datasets of folders, from an unpacked archive."""

from __future__ import annotations

import asyncio
import io
import tempfile
import zipfile
from pathlib import Path

import keras
import numpy as np

import tfpy as tf

archive = io.BytesIO()
with zipfile.ZipFile(archive, "w") as file:
    for i in range(6):
        image = tf.io.encode_png(np.full((4, 6, 3), 10 * i, np.uint8)).numpy()
        file.writestr(f"{'ab'[i % 2]}/{i}.png", image)
        file.writestr(f"texts/{'ab'[i % 2]}/{i}.txt", f"text {i}")
folder = Path(tempfile.mkdtemp())
(folder / "all.zip").write_bytes(archive.getvalue())
asyncio.run(tf.io.to_folder_async(tf.data.FileDataSource(folder / "all.zip"), folder / "in"))
(folder / "in" / "texts").rename(folder / "texts")

images = keras.utils.image_dataset_from_directory(
    folder / "in", image_size=(2, 3), batch_size=4, shuffle=False, verbose=False
)
assert images.class_names == ["a", "b"]
(first, labels), (last, others) = list(images)
assert first.shape == (4, 2, 3, 3)
assert first.dtype == tf.float32
assert [*labels.numpy(), *others.numpy()] == [0, 0, 0, 1, 1, 1]
np.testing.assert_allclose(first[:, 0, 0, 0], [0, 20, 40, 10])
texts = keras.utils.text_dataset_from_directory(
    folder / "texts", label_mode=None, shuffle=True, seed=3, batch_size=6
)
assert sorted(next(iter(texts)).numpy().tolist()) == [f"text {i}".encode() for i in range(6)]
print("all as it should be")
