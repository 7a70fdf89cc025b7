"""Browsers, and the environments in which tests run."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field

BACKENDS = ("cpu", "wasm", "webgl", "webgpu")

Flag = bool | int | float | str


@dataclass(frozen=True)
class Environment:
    """The environment of a test page: browser features, server headers, thread and flags.

    Args:
        lacks: Names of browser features to disable: `"webgpu"`, `"webgl"`, `"simd"` or `"relaxed"`.
            Not every browser can disable each of them. Default: none.
        isolated: If True, the page is cross-origin isolated, which the threads of wasm require.
        worker: If True, Pyodide runs in a module worker. If False, it runs in the page's main
            thread.
        flags: Flags of `tf.env()` by name, which are set before a backend is initialized. Default:
            none.

    Example:
        >>> from tfpy.testing import Environment
        >>> Environment(lacks=("webgpu",), worker=True).isolated
        True
    """

    lacks: tuple[str, ...] = ()
    """Names of browser features that are disabled."""
    isolated: bool = True
    """True if the page is cross-origin isolated, which the threads of wasm require."""
    worker: bool = False
    """True if Pyodide runs in a module worker instead of the page's main thread."""
    flags: Mapping[str, Flag] = field(default_factory=dict)
    """Flags of `tf.env()` by name, which are set before a backend is initialized."""


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
    "no-webgl": Environment(lacks=("webgpu", "webgl")),
    "no-simd": Environment(lacks=("simd",)),
    "not-isolated": Environment(isolated=False, flags=_SOFTWARE),
    "worker": Environment(worker=True, flags=_SOFTWARE),
    "worker-not-isolated": Environment(worker=True, isolated=False, flags=_SOFTWARE),
    "float16": Environment(flags={**_SOFTWARE, "WEBGL_FORCE_F16_TEXTURES": True}),
    "generated-code": Environment(flags={**_SOFTWARE, "TFPY_WASM_CODEGEN": "always"}),
}
"""Environments by name.

Most of them allow software rendering, because test machines have no GPU, and run small ops on the
device, although NumPy would compute these ops faster.
"""


class BrowserError(RuntimeError):
    """The exception for a browser that is missing, does not start or does not respond."""


@dataclass(frozen=True)
class Ability:
    """The settings that enable or disable a feature of a browser."""

    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()


@dataclass(frozen=True)
class Browser:
    """The settings to find and start a browser.

    A setting is a command-line argument, or `name=value`: for Firefox a preference, for WebKitGTK
    an environment variable.
    """

    executables: tuple[str, ...]
    settings: tuple[str, ...] = ()
    """Settings for every start."""
    abilities: Mapping[str, Ability] = field(default_factory=dict)
    """Features that can be disabled, by name."""
    backends: tuple[str, ...] = BACKENDS
    """Backends that the browser supports."""

    def executable(self) -> str | None:
        """Return the path of the first executable on PATH, or None."""
        return next(filter(None, map(shutil.which, self.executables)), None)

    def start(self, environment: Environment) -> tuple[list[str], list[str]]:
        """Return the arguments and the other settings for an environment.

        Raises:
            BrowserError: If a feature cannot be disabled.
        """
        for name in environment.lacks:
            if name not in self.abilities:
                raise BrowserError(f"{self.executables[0]} has no switch that disables {name}")
        settings = list(self.settings)
        for name, ability in self.abilities.items():
            settings += ability.off if name in environment.lacks else ability.on
        arguments = [setting for setting in settings if setting.startswith("--")]
        return arguments, [setting for setting in settings if not setting.startswith("--")]


BROWSERS: Mapping[str, Browser] = {
    "chromium": Browser(
        executables=("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
        settings=(
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
        ),
        abilities={
            "webgl": Ability(
                on=("--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
                off=("--disable-gpu", "--disable-software-rasterizer"),
            ),
            "webgpu": Ability(
                on=(
                    "--enable-unsafe-webgpu",
                    "--use-webgpu-adapter=swiftshader",
                    # The software adapter crashes on canvases and video frames without it.
                    "--enable-features=Vulkan",
                    "--use-vulkan=swiftshader",
                    # Otherwise Dawn unrolls the loop that clears a workgroup's memory. This takes
                    # longer to compile than the rest of the kernel, and no kernel may rely on clear
                    # memory.
                    "--enable-dawn-features=disable_workgroup_init",
                ),
            ),
            "simd": Ability(
                off=("--js-flags=--no-enable-ssse3 --no-enable-sse4-1 --no-enable-avx",)
            ),
        },
    ),
    "firefox": Browser(
        executables=("firefox", "firefox-esr"),
        settings=(
            "--no-remote",
            "--new-instance",
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
        abilities={
            "webgl": Ability(on=("webgl.force-enabled=true",), off=("webgl.disabled=true",)),
            "webgpu": Ability(
                on=("dom.webgpu.enabled=true", "gfx.webgpu.ignore-blocklist=true"),
                off=("dom.webgpu.enabled=false",),
            ),
            "relaxed": Ability(off=("javascript.options.wasm_relaxed_simd=false",)),
        },
    ),
    "webkit": Browser(
        executables=("WebKitWebDriver",),
        settings=(
            "LANG=en_US.UTF-8",  # a server may have "C", which Intl does not accept
            "JSC_useSharedArrayBuffer=1",  # enabled in Safari
            "JSC_useWasmRelaxedSIMD=1",  # may be supported only in part
        ),
        abilities={
            "webgl": Ability(off=("--enable-webgl=false",)),
            "webgpu": Ability(),  # not supported
            "relaxed": Ability(),
            "simd": Ability(off=("JSC_useWasmSIMD=0",)),
        },
        backends=("cpu", "wasm", "webgl"),
    ),
}
