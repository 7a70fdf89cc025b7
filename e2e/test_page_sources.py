"""Data sources of a page (addresses, files, devices) and the display of training."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tfpy.testing import run_in_browser
from tfpy.testing.sessions import OpenPage

CHROMIUM = ("chromium",)
LINES = b"".join(b"line %d\n" % i for i in range(50_000))


def file_of(data: bytes, name: str) -> Any:
    """Return a File of the browser, like the files that a user picks."""
    import js
    from pyodide.ffi import to_js

    return js.File.new(to_js([to_js(data)]), name)


async def elements(dataset: Any) -> list[Any]:
    return [element async for element in dataset]


@run_in_browser(backends=["wasm"])
async def test_weights_are_fetched_while_the_graph_is_read(tf: Any) -> None:
    import json

    import numpy as np
    from pyodide.code import run_js

    nodes = [
        {"name": "w", "op": "Const", "attr": {"dtype": {"type": "DT_FLOAT"}}},
        {"name": "y", "op": "Neg", "input": ["w"], "attr": {"T": {"type": "DT_FLOAT"}}},
    ]
    weights = [{"name": "w", "shape": [2], "dtype": "float32"}]
    model = {
        "modelTopology": {"node": nodes},
        "weightsManifest": [{"paths": ["w.bin"], "weights": weights}],
    }
    fetch = run_js("""(files) => {
        const own = fetch, asked = [], contents = new Map(JSON.parse(files));
        globalThis.fetch = async (url) => {
            asked.push(url);
            const found = contents.get(url);
            return new Response(found && Uint8Array.from(found), { status: found ? 200 : 404 });
        };
        return { asked, end: () => { globalThis.fetch = own; } };
    }""")
    data = [0, 0, 128, 63] * 2
    misled = {**model, "userDefinedMetadata": {"paths": ["nix.bin"]}}
    texts = {"a": json.dumps(model), "b": json.dumps(misled), "c": json.dumps(model)[:-1]}
    files = [[f"/{key}/m.json", list(text.encode())] for key, text in texts.items()]
    fetched = fetch(json.dumps(files + [[f"/{key}/w.bin", data] for key in texts]))
    try:
        for key in "ab":
            found = await tf.load_graph_model_async(f"/{key}/m.json")
            np.testing.assert_array_equal(await found().data(), [-1, -1.0])
        with pytest.raises(ValueError, match="not valid JSON"):
            await tf.load_graph_model_async("/c/m.json")
    finally:
        fetched.end()
    assert [url[1:] for url in fetched.asked] == [
        "a/m.json", "a/w.bin", "b/m.json", "b/w.bin", "b/nix.bin", "c/m.json", "c/w.bin",
    ]  # fmt: skip


@run_in_browser(backends=["wasm"], check_leaks=False)  # Pyodide keeps the errors of promises
async def test_answers_that_say_their_size(tf: Any) -> None:
    import json

    import numpy as np
    from pyodide.code import run_js

    node = {"name": "w", "op": "Const", "attr": {"dtype": {"type": "DT_FLOAT"}}}
    weights = [{"name": "w", "shape": [4], "dtype": "float32"}]
    model = {
        "modelTopology": {"node": [node]},
        "signature": {"outputs": {"w": {"name": "w"}}},
        "weightsManifest": [{"paths": ["1", "2"], "weights": weights}],
    }
    fetch = run_js("""(text) => {
        const own = fetch, whole = new TextEncoder().encode(text);
        const half = new Uint8Array(new Float32Array([1, 2]).buffer);
        const answer = (data, size) => new Response(data, { headers: { "Content-Length": size } });
        const broken = () => answer(new ReadableStream({ start: (c) => c.error("broken") }), 8);
        globalThis.fetch = async (url) => {
            if (url.endsWith("m.json")) return answer(whole, whole.length);
            if (url === "/long/2") return answer(new Uint8Array(9), 9);
            if (url === "/lost/2") return new Response(null, { status: 404 });
            if (url === "/broken/2") return broken();
            if (url === "/away/2") throw new TypeError("nobody answers");
            return answer(half, 8);
        };
        return { end: () => { globalThis.fetch = own; } };
    }""")
    fetched = fetch(json.dumps(model))
    try:
        found = await tf.load_graph_model_async("/good/m.json")
        np.testing.assert_array_equal(await tf.constant(found()).data(), [1, 2, 1, 2.0])
        for place, text in {
            "long": "/long/2 has more than the 16 bytes",
            "lost": "/lost/2: 404",
            "broken": "ended early",
            "away": "nobody answers",
        }.items():
            with pytest.raises(ValueError, match=text):
                await tf.load_graph_model_async(f"/{place}/m.json")
    finally:
        fetched.end()


@run_in_browser(backends=["wasm"])
async def test_addresses_and_files(tf: Any) -> None:
    import js

    heard: list[tuple[int, int]] = []
    source = tf.data.FileDataSource(file_of(LINES, "lines.txt"), lambda *found: heard.append(found))
    batches = tf.data.TextLineDataset(source).batch(20_000)
    found = await elements(batches)
    assert [len(batch) for batch in found] == [20_000, 20_000, 10_000]
    assert found[2].numpy()[-1] == b"line 49999"
    assert heard[-1] == (len(LINES), len(LINES))
    page = js.location.href
    heard.clear()
    (whole,) = await elements(
        tf.data.WholeFileDataset(tf.data.URLDataSource(page, lambda *f: heard.append(f)))
    )
    assert b"<!doctype html>" in whole.numpy().lower()
    assert heard[-1][0] == len(whole.numpy())
    blob = js.URL.createObjectURL(file_of(b"a,b\n1,x\n2,y\n", "t.csv"))
    table = await tf.data.csv_async(blob)
    assert [(int(r["a"]), r["b"].numpy()) for r in await elements(table)] == [(1, b"x"), (2, b"y")]
    js.URL.revokeObjectURL(blob)
    both = tf.data.TextLineDataset([file_of(b"1\n2", "a"), "data:text/plain,3"])
    assert [x.numpy() for x in await elements(both)] == [b"1", b"2", b"3"]


@run_in_browser(backends=["wasm"])
async def test_addresses_that_give_nothing(tf: Any) -> None:
    import js

    with pytest.raises(tf.errors.NotFoundError, match="404"):
        await elements(tf.data.TFRecordDataset(js.location.href + "/nothing"))
    with pytest.raises(TypeError, match="async for"):
        next(iter(tf.data.TFRecordDataset(js.location.href)))
    where = r"nothing\.csv: 404 .*\(http://\S+/nothing\.csv\)\. Python's file system has no file"
    with pytest.raises(tf.errors.NotFoundError, match=where):
        await tf.data.csv_async("nothing.csv")
    with pytest.raises(ValueError, match=r"'a\.csv' is not a model: it begins with b'x,y'"):
        await tf.models.load_async(file_of(b"x,y", "a.csv"))


@run_in_browser(backends=["wasm"])
async def test_files_of_python(tf: Any) -> None:
    """Read a file of Python's file system by its relative path, as in a notebook."""
    path = Path("kept.csv")
    path.write_bytes(b"a,b\n1,x\n")
    try:
        table = await tf.data.csv_async("kept.csv")
        assert [int(row["a"]) for row in await elements(table)] == [1]
        with pytest.raises(tf.errors.NotFoundError, match=r"FileDataSource\('kept\.csv'\)"):
            await tf.data.csv_async(tf.data.URLDataSource("kept.csv"))
    finally:
        path.unlink()


@run_in_browser(backends=["wasm"], check_leaks=False)  # Pyodide keeps the errors of promises
async def test_servers_that_do_not_answer(tf: Any) -> None:
    with pytest.raises(tf.errors.UnavailableError, match="CORS"):
        await elements(tf.data.TextLineDataset("http://127.0.0.1:1/none"))


@run_in_browser(backends=["wasm"])
async def test_folders(tf: Any) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a/1.txt", LINES)
        file.writestr("b/2.txt", b"two")
    files = [file_of(archive.getvalue(), "all.zip"), file_of(b"3", "three.txt")]
    written = await tf.io.to_folder_async(files, "/tmp/unpacked")
    assert written == [f"/tmp/unpacked/{name}" for name in ("a/1.txt", "b/2.txt", "three.txt")]
    assert Path(written[0]).read_bytes() == LINES


@run_in_browser(backends=["wasm"], browsers=CHROMIUM)
async def test_camera(tf: Any) -> None:
    """Read Chromium's camera for tests, which is green with a moving figure."""
    async with await tf.data.webcam_async(resize_width=32, resize_height=24) as camera:
        assert camera.element_spec == tf.TensorSpec([24, 32, 3], tf.int32)
        batches = camera.map(lambda x: tf.cast(x, tf.float32) / 255).batch(2).take(3)
        found = [batch.numpy() async for batch in batches]
        assert [batch.shape for batch in found] == [(2, 24, 32, 3)] * 3
        pixels = np.concatenate(found)
        assert pixels[..., 1].mean() > pixels[..., 0].mean() + 0.2
        first = np.rint(pixels[0, 0] * 255)
        async for frame in camera.take(100):  # a busy browser may repeat a frame for a while
            if (frame.numpy() != first).any():
                break
        else:
            raise AssertionError("the figure does not move")
        with pytest.raises(TypeError, match="async for"):
            next(iter(camera))
    with pytest.raises(tf.errors.UnavailableError, match="turned off"):
        await camera.capture_async()
    cropped = await tf.data.webcam_async(resize_width=8, resize_height=6, center_crop=True)
    assert (await cropped.capture_async()).shape == (6, 8, 3)
    cropped.stop()
    with pytest.raises(tf.errors.InvalidArgumentError, match="too small"):
        await tf.data.webcam_async(resize_width=80_000, resize_height=6, center_crop=True)


@run_in_browser(backends=["wasm"], browsers=CHROMIUM)
async def test_microphone(tf: Any) -> None:
    """Record Chromium's microphone for tests, which beeps once per second."""
    options = {"fft_size": 512, "column_truncate_length": 100, "num_frames_per_spectrogram": 20}
    async with await tf.data.microphone_async(**options, include_waveform=True) as sound:
        assert sound.sample_rate_hz >= 8000
        heard = [element async for element in sound.take(6)]
    shapes = {name: tuple(value.shape) for name, value in heard[0].items()}
    assert shapes == {"spectrogram": (20, 100, 1), "waveform": (20 * 512, 1)}
    waves = np.stack([element["waveform"].numpy() for element in heard])
    assert np.abs(waves).max() > 0.01
    loud = np.stack([e["spectrogram"].numpy() for e in heard])
    assert loud.max() > -70


@run_in_browser(backends=["wasm"], browsers=CHROMIUM)
async def test_refused_devices(tf: Any) -> None:
    import js

    asked = js.navigator.mediaDevices.getUserMedia
    try:
        for name, error in (
            ("NotAllowedError", tf.errors.PermissionDeniedError),
            ("NotFoundError", tf.errors.NotFoundError),
            ("NotReadableError", tf.errors.UnavailableError),
        ):
            js.eval(
                "navigator.mediaDevices.getUserMedia = "
                f"async () => {{ throw new DOMException('no', '{name}') }}"
            )
            with pytest.raises(error, match="cannot open the camera"):
                await tf.data.webcam_async()
            with pytest.raises(error, match="cannot open the microphone"):
                await tf.data.microphone_async()
    finally:
        js.navigator.mediaDevices.getUserMedia = asked
        js.eval("delete navigator.mediaDevices.getUserMedia")


@run_in_browser(backends=["wasm"], environment="worker", browsers=CHROMIUM)
async def test_workers_have_no_devices(tf: Any) -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="main thread"):
        await tf.data.webcam_async()
    file = file_of(b"1\n2", "a")
    assert [x.numpy() for x in await elements(tf.data.TextLineDataset(file))] == [b"1", b"2"]


# Display of training

PROGRAM = """
import keras
import tfpy as tf
from pyodide.ffi import to_js
import js

keras.utils.set_random_seed(1)
given = keras.Input((2,))
x = keras.layers.Dense(16, activation="relu")(given)
y = keras.layers.Dense(16, activation="relu")(x)
model = keras.Model(given, keras.layers.Dense(1)(keras.layers.Add()([x, y])))
model.compile("adam", "mse", metrics=["mae"])
model.summary()
x = tf.random.normal([512, 2], seed=1).numpy()
rows = "a,b,y\\n" + "".join(f"{a},{b},{a * b}\\n" for a, b in x)
table = await tf.data.csv_async(
    js.File.new(to_js([rows]), "rows.csv"), {"y": {"is_label": True}}
)
batches = table.map(lambda r, t: (tf.stack([r["a"], r["b"]]), t["y"])).batch(16)
plot = keras.callbacks.LivePlot(every=0.2)
await model.fit_async(
    batches.repeat(), epochs=3, steps_per_epoch=32, shuffle=False, callbacks=[plot],
    validation_data=batches.take(4), validation_steps=4,
)
print(await model.evaluate_async(batches, verbose=0))
keras.utils.plot_model(model, "/tmp/model.svg", show_shapes=True, rankdir="LR")
picture = js.document.createElement("div")
picture.innerHTML = open("/tmp/model.svg").read()
js.document.body.append(picture)
"""

SHOWN = """(source) => new Promise((resolve) => {
  const texts = () => document.querySelector(".tfpy-output").textContent;
  const bold = () => [...document.querySelectorAll(".tfpy-output span")].map(
    (span) => span.style.fontWeight).filter(Boolean).length;
  const lines = () => [...document.querySelectorAll(".tfpy-picture polyline")].map(
    (line) => line.getAttribute("points").split(" ").length);
  addEventListener("tfpy-result", () => resolve({ text: texts(), bold: bold(), lines: lines() }));
  addEventListener("tfpy-error", ({ detail }) => resolve({ text: String(detail.error) }));
  const script = document.createElement("script");
  script.type = "text/tfpy";
  script.setAttribute("packages", "keras");
  script.textContent = source;
  document.body.append(script);
  import("/tfpy.mjs");
})"""


def test_training_is_shown(tfpy_page: Callable[..., OpenPage]) -> None:
    """Check the display of training below the script.

    It has a summary, progress bars that update in place, and growing lines.
    """
    page = tfpy_page("tfpy-testing/blank.html")
    shown = page.evaluate(f"({SHOWN})({json.dumps(PROGRAM)})", 300)
    text = shown["text"]
    assert 'Model: "functional"' in text, text
    assert "│ input_layer" in text
    for epoch in (1, 2, 3):
        (bar,) = text.split(f"Epoch {epoch}/3\n")[1].split("\n")[:1]
        assert "val_loss" in bar
        assert bar.count("loss:") == 2
    assert "\x1b" not in text
    assert "\b" not in text
    assert shown["bold"] > 3
    assert len(shown["lines"]) == 4
    assert min(shown["lines"]) >= 3
