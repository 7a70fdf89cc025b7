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

    lacks: tuple[str, ...] = ()
    """What the browser is started without, of its :attr:`Browser.abilities`."""
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
    "no-webgl": Environment(lacks=("webgpu", "webgl")),
    "no-simd": Environment(lacks=("simd",)),
    "not-isolated": Environment(isolated=False, flags=_SOFTWARE),
    "worker": Environment(worker=True, flags=_SOFTWARE),
    "worker-not-isolated": Environment(worker=True, isolated=False, flags=_SOFTWARE),
    "float16": Environment(flags={**_SOFTWARE, "WEBGL_FORCE_F16_TEXTURES": True}),
    "generated-code": Environment(flags={**_SOFTWARE, "TFPY_WASM_CODEGEN": "always"}),
}
"""The environments by name. Machines that run tests have no GPU, so most allow software
rasterisers; and a test of a kernel has few numbers, which are to reach it all the same."""


class BrowserError(RuntimeError):
    """A browser could not be found, started or asked."""


@dataclass(frozen=True)
class Ability:
    """How a browser is started with or without something."""

    on: tuple[str, ...] = ()
    off: tuple[str, ...] = ()


@dataclass(frozen=True)
class Browser:
    """How one browser is found and started.

    Its settings are arguments; ``name=value`` is a preference of Firefox, and a variable of
    WebKitGTK's environment.
    """

    executables: tuple[str, ...]
    settings: tuple[str, ...] = ()
    """Those of every start."""
    abilities: Mapping[str, Ability] = field(default_factory=dict)
    """What it can be started without, by name."""
    backends: tuple[str, ...] = BACKENDS
    """Those that it can offer."""

    def executable(self) -> str | None:
        """Path of the first executable on PATH, or None."""
        return next(filter(None, map(shutil.which, self.executables)), None)

    def start(self, environment: Environment) -> tuple[list[str], list[str]]:
        """The arguments and the other settings with which it offers an environment.

        Raises:
            BrowserError: when it cannot be started without something that is to be lacking.
        """
        for name in environment.lacks:
            if name not in self.abilities:
                raise BrowserError(f"{self.executables[0]} has no switch that takes {name} away")
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
                    # Without it the software adapter dies of canvases and of videos' frames.
                    "--enable-features=Vulkan",
                    "--use-vulkan=swiftshader",
                    # It unrolls the loop that clears a workgroup's memory, which takes it longer to
                    # compile than all the rest of a kernel; and no kernel may rely on that memory
                    # being clear.
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
            "LANG=en_US.UTF-8",  # that of a server may be "C", which Intl refuses as a language
            "JSC_useSharedArrayBuffer=1",  # which Safari has
            "JSC_useWasmRelaxedSIMD=1",  # a part of it, which may be there without the rest
        ),
        abilities={
            "webgl": Ability(off=("--enable-webgl=false",)),
            "webgpu": Ability(),  # it has none
            "relaxed": Ability(),
            "simd": Ability(off=("JSC_useWasmSIMD=0",)),
        },
        backends=("cpu", "wasm", "webgl"),
    ),
}
