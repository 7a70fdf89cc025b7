"""The store of `tf.hub` in pages and workers: offline starts, faults and full storages."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hub_server import Faults, HubServer, digest

import tfpy as tf
from tfpy.testing.environments import ENVIRONMENTS, BrowserError
from tfpy.testing.server import SiteServer
from tfpy.testing.sessions import PAGE as PAGES, OpenPage, Sessions

SITE = Path(__file__).parents[1] / "build" / "site"
BLANK = "tfpy-testing/blank.html"
SECONDS = 240.0
BLOCK = 1 << 22
DATA = np.random.default_rng(0).bytes(2 * BLOCK + 1000)
BROWSERS = ("chromium", "firefox")

WORKER = """import("/worker.mjs").then(async ({ startWorker }) => {
  globalThis.tfpy?.end();
  globalThis.tfpy = await startWorker({ backend: "cpu", packages: PACKAGES });
})"""
PAGE = """import("/tfpy.mjs").then(async ({ loadTfpy }) => {
  globalThis.tfpy = await loadTfpy({ backend: "cpu", packages: PACKAGES });
})"""

FETCH = """
import hashlib, json
import tfpy as tf

fractions = []
path = await tf.hub.fetch(URL, DIGEST, progress=fractions.append)
with open(path, "rb") as file:
    found = hashlib.sha256(file.read()).hexdigest()
    file.seek(4194300)
    part = list(file.read(8))
usage = await tf.hub.usage()
json.dumps([found, part, fractions[-1], usage.storage, usage.files, usage.stored])
"""
"""A program that fetches a file and returns its digest, some bytes, and facts of the store."""

TRY = """
import json
import tfpy as tf

try:
    found = await tf.hub.fetch(URL, DIGEST)
except Exception as error:
    found = f"{type(error).__name__}: {error}"
files = [[f.address, f.stored, f.is_complete] for f in await tf.hub.list_files()]
json.dumps([found, files])
"""
"""A program that fetches a file and returns its path or the error, and the files of the store."""

NO_OPFS = """
from pyodide.code import run_js
run_js("Reflect.deleteProperty(StorageManager.prototype, 'getDirectory')")
"""
DENIED = """
from pyodide.code import run_js
run_js('''StorageManager.prototype.getDirectory = async () => {
  throw new DOMException("denied", "SecurityError");
}''')
"""
"""A change that lets OPFS fail, as in private windows of some browsers."""
NO_CACHE = """
run_js("Object.defineProperty(globalThis, 'caches', { value: undefined })")
run_js("CacheStorage.prototype.open = async () => { throw new DOMException('x', 'SecurityError') }")
"""
FULL = """
from pyodide.code import run_js
run_js('''(() => {
  const { write } = FileSystemWritableFileStream.prototype;
  FileSystemWritableFileStream.prototype.write = function (data) {
    if (data.length > 4000) globalThis.writes = (globalThis.writes ?? 0) + 1;
    if (globalThis.writes > 1)
      return Promise.reject(new DOMException("no space", "QuotaExceededError"));
    return write.call(this, data);
  };
})()''')
"""
"""A change that lets the second block exceed the quota."""


class Program:
    """A page in which Python programs run one after the other.

    Args:
        page: The page.
        is_worker: True if Python runs in a worker.
    """

    def __init__(self, page: OpenPage, is_worker: bool) -> None:
        self.page, self.is_worker = page, is_worker

    def start(self, packages: tuple[str, ...] = ()) -> None:
        """Start Python again; nothing in memory remains."""
        script = WORKER
        if not self.is_worker:
            script = PAGE
            self.page.evaluate("void setTimeout(() => location.reload(), 50)")
            time.sleep(0.5)
            self._wait()
        self.page.evaluate(script.replace("PACKAGES", json.dumps([*packages])), SECONDS)

    def _wait(self) -> None:
        """Wait until the page is loaded again."""
        for _ in range(100):
            try:
                if self.page.evaluate("document.readyState === 'complete' && !globalThis.tfpy"):
                    return
            except BrowserError:
                pass
            time.sleep(0.1)

    def run(self, source: str, **names: Any) -> Any:
        """Run a program, in which words in capital letters are replaced, and return its JSON."""
        for name, value in names.items():
            source = source.replace(name, repr(value))
        return json.loads(self.page.evaluate(f"tfpy.run({json.dumps(source)})", SECONDS))


Open = Callable[..., Program]


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with HubServer() as made:
        made.files["/a/model.bin"] = DATA
        yield made


@pytest.fixture
def program(tfpy_sessions: Sessions) -> Iterator[Open]:
    """Open a page of a new origin, which has no files."""
    folder = {"tfpy-testing": PAGES}
    opened = []
    with SiteServer(SITE, mounts=folder) as server:

        def open_program(browser: str, is_worker: bool = True) -> Program:
            environment = ENVIRONMENTS["default"]
            page = tfpy_sessions.browsers.open(browser, environment, server.url + BLANK)
            opened.append(page)
            made = Program(page, is_worker)
            made.start()
            return made

        yield open_program
        for page in opened:
            with closing(page):
                pass


@pytest.mark.parametrize("is_worker", [True, False], ids=["worker", "page"])
@pytest.mark.parametrize("browser", BROWSERS)
def test_second_start_is_offline(program: Open, browser: str, is_worker: bool) -> None:
    with HubServer() as hub:
        hub.files["/a/model.bin"] = DATA
        url = f"{hub.url}a/model.bin"
        here = program(browser, is_worker)
        wanted = [digest(DATA), list(DATA[4194300:4194308]), 1.0, "opfs", 1, len(DATA)]
        assert here.run(FETCH, URL=url, DIGEST=digest(DATA)) == wanted
        assert len(hub.asked) == 1
    here.start()
    assert here.run(FETCH, URL=url, DIGEST=None) == wanted


@pytest.mark.parametrize("browser", BROWSERS)
def test_interrupted_download_continues(program: Open, hub: HubServer, browser: str) -> None:
    url = f"{hub.url}a/model.bin"
    hub.faults["/a/model.bin"] = Faults(cuts=[BLOCK + 1000, 0, 0, 0], pause=3.0)
    here = program(browser)
    error, files = here.run(TRY, URL=url, DIGEST=None)
    assert error.startswith(f"UnavailableError: {url}: ")
    assert f"{BLOCK} of {len(DATA)} bytes are stored; call again to continue" in error
    assert files == [[url, BLOCK, False]]
    here.start()
    hub.asked.clear()
    assert here.run(FETCH, URL=url, DIGEST=digest(DATA))[0] == digest(DATA)
    assert hub.requests() == [f"bytes={BLOCK}-"]


@pytest.mark.parametrize("browser", BROWSERS)
def test_compressed_files_with_hidden_headers(program: Open, hub: HubServer, browser: str) -> None:
    """Pages cannot read all headers of other servers, and would receive compressed bytes."""
    hub.faults["/a/model.bin"] = Faults(packed=True)
    hub.faults["/b/model.bin"] = Faults(cuts=[BLOCK + 1000], pause=3.0, hides=True)
    hub.files["/b/model.bin"] = DATA[::-1]
    here = program(browser)
    for path in ("a/model.bin", "b/model.bin"):
        wanted = digest(hub.files[f"/{path}"])
        assert here.run(FETCH, URL=f"{hub.url}{path}", DIGEST=wanted)[0] == wanted
    hub.files["/a/empty"] = b""
    assert here.run(FETCH, URL=f"{hub.url}a/empty", DIGEST=None)[0] == digest(b"")
    assert hub.requests("/b/") == ["bytes=0-", f"bytes={BLOCK}-"]


@pytest.mark.parametrize("browser", BROWSERS)
def test_wrong_digest(program: Open, hub: HubServer, browser: str) -> None:
    here = program(browser)
    hub.files["/a/other.bin"] = b"other"
    urls = [f"{hub.url}a/other.bin", f"{hub.url}a/model.bin"]
    here.run(TRY, URL=urls[0], DIGEST=digest(b"other"))
    error, files = here.run(TRY, URL=urls[1], DIGEST="0" * 64)
    assert error.startswith(f"DataLossError: {urls[1]}: the downloaded file has the SHA-256 ")
    kept = f"sha256://{digest(DATA)}"
    assert files == [[urls[0], 5, True], [kept, len(DATA), True]]
    hub.asked.clear()
    assert here.run(FETCH, URL=urls[1], DIGEST=digest(DATA))[0] == digest(DATA)
    assert hub.asked == []


@pytest.mark.parametrize("browser", BROWSERS)
def test_without_opfs(program: Open, browser: str) -> None:
    """The Cache API replaces OPFS. Without both, an error explains the reasons."""
    with HubServer() as hub:
        hub.files["/a/model.bin"] = DATA
        url = f"{hub.url}a/model.bin"
        here = program(browser)
        found = here.run(NO_OPFS + FETCH, URL=url, DIGEST=digest(DATA))
        assert found[0] == digest(DATA)
        assert found[3:] == ["cache", 1, len(DATA)]
    here.start()
    assert here.run(DENIED + FETCH, URL=url, DIGEST=None)[2:4] == [1.0, "cache"]
    here.start()
    lost = DENIED + NO_CACHE + TRY.replace("await tf.hub.list_files()", "[]")
    error, _ = here.run(lost, URL=url, DIGEST=None)
    assert error.startswith("UnavailableError: this page cannot store files: ")
    assert "denied" in error
    assert "Some of them refuse in private windows" in error
    here.start()
    assert here.run(NO_OPFS + FETCH, URL=url, DIGEST=None)[0] == digest(DATA)


@pytest.mark.parametrize("browser", BROWSERS)
def test_full_storage(program: Open, hub: HubServer, browser: str) -> None:
    url, small = f"{hub.url}a/model.bin", f"{hub.url}a/small"
    hub.files["/a/small"] = b"small"
    here = program(browser)
    here.run(TRY, URL=small, DIGEST=None)
    error, files = here.run(FULL + TRY, URL=url, DIGEST=None)
    assert error.startswith("ResourceExhaustedError: the browser's storage cannot store ")
    assert f"{BLOCK} bytes of {url} stay stored" in error
    assert files == [[url, BLOCK, False], [small, 5, True]]
    here.start()
    assert here.run(FETCH, URL=url, DIGEST=digest(DATA))[0] == digest(DATA)
    assert here.run(FETCH, URL=small, DIGEST=None)[0] == digest(b"small")


def test_quota_of_chromium(program: Open, hub: HubServer) -> None:
    """A file that exceeds the quota is not begun. Least recently used files make room."""
    here = program("chromium")
    _set_quota(here.page, len(DATA) + BLOCK)
    urls = [f"{hub.url}a/{name}.bin" for name in ("model", "second", "third")]
    hub.files["/a/second.bin"] = DATA[::-1]
    hub.files["/a/third.bin"] = DATA * 2
    assert here.run(FETCH, URL=urls[0], DIGEST=None)[0] == digest(DATA)
    error, files = here.run(TRY, URL=urls[2], DIGEST=None)
    assert error.startswith("ResourceExhaustedError: the browser's storage cannot store ")
    assert files == [[urls[0], len(DATA), True], [urls[2], files[1][1], False]]
    here.start()
    _, files = here.run(TRY, URL=urls[1], DIGEST=None)
    assert [urls[1], len(DATA), True] in files


def _set_quota(page: OpenPage, size: int) -> None:
    """Set the number of bytes that the page's origin can store."""
    plain = page._page._page  # type: ignore[attr-defined]  # the page of Playwright

    async def override() -> None:
        session = await plain.context.new_cdp_session(plain)
        origin = await plain.evaluate("location.origin")
        arguments = {"origin": origin, "quotaSize": size}
        await session.send("Storage.overrideQuotaForOrigin", arguments)

    page._loop.run(override(), 30)


MODELS = """
import json
import tfpy as tf

tf.hub.configure(endpoints={"hf": SERVER})
fractions = []
model = await tf.load_graph_model_async("hf://o/net", progress=fractions.append)
y = (await model(tf.ones([1, 100])).data()).sum().item()
part = list(await tf.hub.read("hf://o/net/large.bin", 4194302, 4194306))
json.dumps([y, fractions[-1], part])
"""


@pytest.mark.parametrize("browser", BROWSERS)
def test_models_of_hubs(program: Open, browser: str, tmp_path: Path) -> None:
    factor = tf.Variable([2.0] * 100)
    tf.save_graph_model(lambda x: x * factor, tmp_path / "net", [tf.TensorSpec([None, 100])])
    here = program(browser)
    wanted = [200.0, 1.0, list(DATA[4194302:4194306])]
    with HubServer() as hub:
        files = {path.name: path.read_bytes() for path in (tmp_path / "net").iterdir()}
        hub.models["o/net"] = {**files, "large.bin": DATA}
        assert here.run(MODELS, SERVER=hub.url) == wanted
        assert f"bytes=0-{2 * BLOCK - 1}" in hub.requests("/cdn/")
    here.start()
    assert here.run(MODELS, SERVER=hub.url) == wanted


IN_NODE = """
import {{ loadTfpy }} from {module};
const tfpy = await loadTfpy({{ backend: "cpu" }});
console.log(await tfpy.run({program}));
process.exit(0);
"""


def test_node(hub: HubServer, tmp_path: Path) -> None:
    """Node.js stores the files in a folder of the machine."""
    program = FETCH.replace("URL", repr(f"{hub.url}a/model.bin")).replace("DIGEST", "None")
    module = json.dumps((SITE / "tfpy.mjs").as_uri())
    script = tmp_path / "program.mjs"
    script.write_text(IN_NODE.format(module=module, program=json.dumps(program)))
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    for _ in range(2):
        done = subprocess.run(["node", script], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout.splitlines()[-1])
        assert found[0] == digest(DATA)
        assert found[2:] == [1.0, "folder", 1, len(DATA)]
    assert len(hub.asked) == 1


PRESET = """
import base64, json
from pathlib import Path
import keras_hub
import numpy as np
import tfpy as tf

def output(model):
    x = {"token_ids": np.array([[1, 2, 3]]), "padding_mask": np.ones([1, 3])}
    return np.asarray(model(x)).ravel().tolist()

"""
SAVED = (
    PRESET
    + """
model = keras_hub.models.GPT2Backbone(
    vocabulary_size=9, num_layers=1, num_heads=2, hidden_dim=4, intermediate_dim=8)
folder = Path("/tmp/preset")
model.save_to_preset(str(folder))
files = [path for path in folder.rglob("*") if path.is_file()]
json.dumps([output(model), {
    path.relative_to(folder).as_posix(): base64.b64encode(path.read_bytes()).decode()
    for path in files
}])
"""
)
LOADED = (
    PRESET
    + """
tf.hub.configure(endpoints={"hf": SERVER, "kaggle": SERVER})
found = [
    output(keras_hub.models.Backbone.from_preset(handle))
    for handle in ("hf://o/preset", "kaggle://o/gpt2/keras/preset")
]
json.dumps(found)
"""
)
FETCHED = LOADED.replace("found = [", "await tf.hub.fetch('hf://o/preset')\nfound = [")


@pytest.mark.parametrize("browser", BROWSERS)
def test_presets_of_keras_hub(program: Open, browser: str) -> None:
    here = program(browser)
    here.start(("keras-hub",))
    wanted, files = here.run(SAVED)
    with HubServer() as hub:
        preset = {path: base64.b64decode(data) for path, data in files.items()}
        hub.models["o/preset"] = hub.models["o/gpt2/keras/preset"] = preset
        assert here.run(LOADED, SERVER=hub.url) == [wanted, wanted]
    here.start(("keras-hub",))
    assert here.run(FETCHED, SERVER=hub.url) == [wanted, wanted]
