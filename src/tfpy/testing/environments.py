"""Browsers and the environments in which tests run: flags as data."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field

BACKENDS = ("cpu", "wasm", "webgl", "webgpu")

Flag = bool | int | float | str


@dataclass(frozen=True)
class Environment:
    """What a page finds: the browser's abilities, the server's headers, the thread, tf's flags."""

    webgl: bool = True
    """Whether the browser is started with WebGL."""
    simd: bool = True
    """Whether the browser is started with WebAssembly SIMD."""
    isolated: bool = True
    """Whether the server makes the page cross-origin isolated (threads need it)."""
    worker: bool = False
    """Whether Pyodide runs in a module worker instead of the page's main thread."""
    flags: Mapping[str, Flag] = field(default_factory=dict)
    """Flags of ``tf.env()``, set before a backend starts."""


_SOFTWARE_WEBGL = {"SOFTWARE_WEBGL_ENABLED": True, "WEBGL_CPU_FORWARD": False}
_SOFTWARE = {
    **_SOFTWARE_WEBGL,
    "WEBGPU_SOFTWARE_ENABLED": True,
    "WEBGPU_CPU_FORWARD": False,
}

ENVIRONMENTS: Mapping[str, Environment] = {
    "default": Environment(),
    "software": Environment(flags=_SOFTWARE),
    "software-webgl": Environment(flags=_SOFTWARE_WEBGL),
    "no-webgl": Environment(webgl=False),
    "no-simd": Environment(simd=False),
    "not-isolated": Environment(isolated=False, flags=_SOFTWARE),
    "worker": Environment(worker=True, flags=_SOFTWARE),
    "worker-not-isolated": Environment(worker=True, isolated=False, flags=_SOFTWARE),
    "float16": Environment(flags={**_SOFTWARE, "WEBGL_FORCE_F16_TEXTURES": True}),
    "generated-code": Environment(flags={**_SOFTWARE, "TFPY_WASM_CODEGEN": "always"}),
}
"""The environments by name. Machines that run tests have no GPU, so most allow software
rasterisers; and a test of a kernel has few numbers, which are to reach it all the same."""


@dataclass(frozen=True)
class Browser:
    """How one browser is found and started."""

    executables: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    without_webgl: tuple[str, ...] = ()
    """Arguments (Chromium) or preferences (Firefox, ``name=value``) that take WebGL away."""
    without_simd: tuple[str, ...] = ()
    preferences: tuple[str, ...] = ()
    backends: tuple[str, ...] = BACKENDS
    """Those that it can offer."""

    def executable(self) -> str | None:
        """Path of the first executable on PATH, or None."""
        return next(filter(None, map(shutil.which, self.executables)), None)


BROWSERS: Mapping[str, Browser] = {
    "chromium": Browser(
        executables=("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
        arguments=(
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-domain-reliability",
            "--no-first-run",
            "--no-default-browser-check",
            "--no-pings",
            "--disable-default-apps",
            "--use-fake-device-for-media-stream",
            "--use-fake-ui-for-media-stream",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--enable-unsafe-webgpu",
            "--use-webgpu-adapter=swiftshader",
            # Without it the software adapter dies of canvases and of videos' frames.
            "--enable-features=Vulkan",
            "--use-vulkan=swiftshader",
            # It unrolls the loop that clears a workgroup's memory, which takes it longer to compile
            # than all the rest of a kernel; and no kernel may rely on that memory being clear.
            "--enable-dawn-features=disable_workgroup_init",
        ),
        without_webgl=("--disable-gpu", "--disable-software-rasterizer"),
        without_simd=("--js-flags=--no-enable-ssse3 --no-enable-sse4-1 --no-enable-avx",),
    ),
    "firefox": Browser(
        executables=("firefox", "firefox-esr"),
        arguments=("--no-remote", "--new-instance"),
        preferences=(
            "webgl.force-enabled=true",
            "dom.webgpu.enabled=true",
            "gfx.webgpu.ignore-blocklist=true",
            "media.navigator.permission.disabled=true",
            "media.navigator.streams.fake=true",
            "app.update.enabled=false",
            "browser.shell.checkDefaultBrowser=false",
            "datareporting.policy.dataSubmissionEnabled=false",
            "toolkit.telemetry.enabled=false",
            "browser.newtabpage.enabled=false",
            "network.captive-portal-service.enabled=false",
            "network.connectivity-service.enabled=false",
        ),
        without_webgl=("webgl.disabled=true",),
    ),
    "webkit": Browser(executables=("WebKitWebDriver",), backends=("cpu", "wasm", "webgl")),
}
