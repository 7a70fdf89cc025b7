"""The table of flags: all that there are. ``tf.env()`` and ``docs/environment.md`` are made of it.

Names are TensorFlow.js's where the meaning is; ours begin with TFPY (or are as one of its own).
"""

from __future__ import annotations

from tfpy._src.base.flags.kinds import (
    COUNT,
    LIMIT,
    SIZE,
    SWITCH,
    TEXT,
    Flag,
    Follows,
    Found,
    one_of,
)


def _budget(of: str, words: str) -> Found:
    """What may be held where nobody says how much: see ``web/common/budgets.mjs``."""
    return Found(lambda facts: int(facts["budgets"][of]), words)


_ALL = (
    Flag(
        "IS_BROWSER",
        SWITCH,
        Found(lambda facts: facts["host"]["browser"], "found"),
        "Whether Python runs in a page, or in a worker of one.",
        fixed=True,
    ),
    Flag(
        "IS_CHROME",
        SWITCH,
        Found(lambda facts: facts["host"]["chrome"], "found"),
        "Whether that is Chrome, or another browser of Chromium.",
        fixed=True,
    ),
    Flag(
        "IS_SAFARI",
        SWITCH,
        Found(lambda facts: facts["host"]["safari"], "found"),
        "Whether that is Safari, or another browser of WebKit.",
        fixed=True,
    ),
    Flag(
        "IS_NODE",
        SWITCH,
        Found(lambda facts: facts["host"]["node"], "found"),
        "Whether Pyodide runs in Node.js, Deno or Bun.",
        fixed=True,
    ),
    Flag(
        "CANVAS2D_WILL_READ_FREQUENTLY_FOR_GPU",
        SWITCH,
        False,
        "`tf.browser.from_pixels` reads by a canvas of the CPU (`willReadFrequently`): the browser "
        "does not draw on the GPU to read it back from there.",
    ),
    Flag(
        "DEBUG",
        SWITCH,
        False,
        "Checks each op's result: the first NaN or infinity raises (`tf.enable_debug_mode()`).",
    ),
    Flag(
        "CHECK_COMPUTATION_FOR_ERRORS",
        SWITCH,
        Follows(lambda get: get("DEBUG"), "`DEBUG`"),
        "Whether each op's result is checked, in debug mode or without it.",
    ),
    Flag(
        "PROD",
        SWITCH,
        False,
        "Ends DEBUG; functions are traced without the lines of the program "
        "(`tf.enable_prod_mode()`).",
    ),
    Flag(
        "TFPY_VERIFY_PASSES",
        SWITCH,
        False,
        "Checks the Graph of a compiled function after each pass; for who writes passes.",
    ),
    Flag(
        "TFPY_GPU_MEMORY_BUDGET",
        LIMIT,
        _budget("gpu", "found of the device's memory and the screen"),
        "Over so many bytes that a GPU backend holds, the tensors that were used longest ago go to "
        "the host, and come back when they are used; webgl also sends some when the GPU has no "
        "memory left, and with -1 only then. Read when a backend opens.",
    ),
    Flag(
        "TFPY_HOST_MEMORY_BUDGET",
        LIMIT,
        _budget("host", "the device's memory as browsers tell it, or 4 GiB"),
        "Bytes of tensors that the host takes over from a backend: with more, its memory runs "
        "out; -1: any. Read when a backend opens.",
    ),
    Flag(
        "TFPY_MAX_UNPACKED_BYTES",
        SIZE,
        2**28,
        "Bytes that the contents of one file may unpack to: the pixels of an image, the members of "
        "an archive, a record of a compressed file, constants that repeat a value. A file whose "
        "size times 64 is more may unpack to that. Raise it for files that you trust.",
    ),
    Flag(
        "TFPY_HEARTBEAT_SECONDS",
        LIMIT,
        30,
        "Where several processes compute together: after so many seconds without a sign of life "
        "one of them counts as gone, and the others raise `tf.errors.UnavailableError`. Read when "
        "they meet.",
    ),
    Flag(
        "SOFTWARE_WEBGL_ENABLED",
        SWITCH,
        False,
        "Takes WebGL on a software rasteriser, too, though wasm is faster there.",
        "webgl",
    ),
    Flag(
        "WEBGL_VERSION",
        COUNT,
        Found(lambda facts: facts["webgl"]["version"], "found"),
        "The highest version of WebGL, 0 without any; the backend needs 2.",
        "webgl",
        lowers=True,
    ),
    Flag(
        "HAS_WEBGL",
        SWITCH,
        Follows(lambda get: int(get("WEBGL_VERSION")) > 0, "`WEBGL_VERSION` > 0"),
        "Whether there is WebGL of any version.",
        fixed=True,
    ),
    Flag(
        "WEBGL_RENDER_FLOAT32_CAPABLE",
        SWITCH,
        Found(lambda facts: facts["webgl"]["float32Target"], "found"),
        "Whether float32 textures can be rendered to.",
        "webgl",
        lowers=True,
    ),
    Flag(
        "WEBGL_FORCE_F16_TEXTURES",
        SWITCH,
        False,
        "Stores floats in 16 bits even where float32 textures can be rendered to, as phones do "
        "that cannot.",
        "webgl",
    ),
    Flag(
        "WEBGL_RENDER_FLOAT32_ENABLED",
        SWITCH,
        Follows(
            lambda get: (
                bool(get("WEBGL_RENDER_FLOAT32_CAPABLE")) and not get("WEBGL_FORCE_F16_TEXTURES")
            ),
            "`WEBGL_RENDER_FLOAT32_CAPABLE` and not `WEBGL_FORCE_F16_TEXTURES`",
        ),
        "Whether floats are stored in 32 bits; in 16 where not.",
        "webgl",
        lowers=True,
    ),
    Flag(
        "WEBGL_CHECK_NUMERICAL_PROBLEMS",
        SWITCH,
        False,
        "Refuses, where textures have float16, values that would become infinite or zero there.",
        "webgl",
    ),
    Flag(
        "WEBGL_CPU_FORWARD",
        SWITCH,
        True,
        "NumPy computes an op outside of compiled functions whose few operands the host has: "
        "that takes less than a dispatch.",
        "webgl",
    ),
    Flag(
        "CPU_HANDOFF_SIZE_THRESHOLD",
        COUNT,
        1000,
        "Few are fewer elements than this, those of the result included.",
        "webgl",
    ),
    Flag(
        "WEBGL_MAX_TEXTURE_SIZE",
        SIZE,
        Found(lambda facts: facts["webgl"]["maxTextureSize"], "found"),
        "The largest width and height of a texture; a tensor takes up to 4 x its square.",
        "webgl",
        lowers=True,
    ),
    Flag(
        "WEBGL_DELETE_TEXTURE_THRESHOLD",
        LIMIT,
        512 * 2**20,
        "So many bytes of free textures are kept for the next tensors; -1: all of them.",
        "webgl",
    ),
    Flag(
        "WEBGL_FLUSH_THRESHOLD",
        LIMIT,
        -1,
        "Draws are handed to the GPU (`gl.flush`) when so many ms have passed since the last "
        "time; -1: when the browser finds it right.",
        "webgl",
    ),
    Flag(
        "WEBGL_DISJOINT_QUERY_TIMER_EXTENSION_VERSION",
        COUNT,
        Found(lambda facts: facts["webgl"]["timers"], "found"),
        "2 where kernels can be timed (`EXT_disjoint_timer_query_webgl2`), else 0.",
        "webgl",
        lowers=True,
    ),
    Flag(
        "WEBGL_DISJOINT_QUERY_TIMER_EXTENSION_RELIABLE",
        SWITCH,
        Found(
            lambda facts: facts["webgl"]["timers"] > 0 and not facts["host"]["mobile"],
            "found; not on phones",
        ),
        "Whether `tf.time` believes the times of kernels.",
        "webgl",
        lowers=True,
    ),
    Flag(
        "WEBGPU_SOFTWARE_ENABLED",
        SWITCH,
        False,
        "Takes a fallback adapter of WebGPU, too, though wasm is faster there.",
        "webgpu",
    ),
    Flag(
        "TFPY_WEBGPU_USE_SUBGROUP_MATRIX",
        SWITCH,
        False,
        "Multiplies int8 by subgroup matrices, which browsers call experimental, if there are any.",
        "webgpu",
    ),
    Flag(
        "WEBGPU_CPU_FORWARD",
        SWITCH,
        True,
        "NumPy computes an op outside of compiled functions whose few operands the host has: "
        "that takes less than a dispatch.",
        "webgpu",
    ),
    Flag(
        "WEBGPU_CPU_HANDOFF_SIZE_THRESHOLD",
        COUNT,
        1000,
        "Few are fewer elements than this, those of the result included.",
        "webgpu",
    ),
    Flag(
        "WEBGPU_USE_LOW_POWER_GPU",
        SWITCH,
        False,
        "Asks for the GPU that takes less power, where there are two.",
        "webgpu",
    ),
    Flag(
        "WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE",
        SIZE,
        64,
        "After so many dispatches the GPU begins, while the next ones are encoded.",
        "webgpu",
    ),
    Flag(
        "WEBGPU_IMPORT_EXTERNAL_TEXTURE",
        SWITCH,
        True,
        "Reads frames of videos where the browser has them; else it draws them first.",
        "webgpu",
    ),
    Flag(
        "WEBGPU_PRINT_SHADER",
        TEXT,
        "",
        "Prints the WGSL of kernels when they are made: of those with these names "
        "(`matmul,conv2d`), or `all`.",
        "webgpu",
    ),
    Flag(
        "WASM_HAS_SIMD_SUPPORT",
        SWITCH,
        Found(lambda facts: facts["wasm"]["simd"], "found"),
        "Whether WebAssembly has SIMD; there is no wasm backend without.",
        "wasm",
        lowers=True,
    ),
    Flag(
        "TFPY_WASM_HAS_RELAXED_SIMD_SUPPORT",
        SWITCH,
        Found(lambda facts: facts["wasm"]["relaxedSimd"], "found"),
        "Whether WebAssembly has relaxed SIMD.",
        "wasm",
        lowers=True,
    ),
    Flag(
        "WASM_HAS_MULTITHREAD_SUPPORT",
        SWITCH,
        Found(lambda facts: facts["wasm"]["threads"], "found"),
        "Whether WebAssembly has threads, which need a page that is cross-origin isolated.",
        "wasm",
        lowers=True,
    ),
    Flag(
        "TFPY_WASM_THREADS_COUNT",
        COUNT,
        0,
        "How many threads compute, at most 8; 0: one for each core "
        "(`tf.set_threads_count` sets it).",
        "wasm",
    ),
    Flag(
        "TFPY_WASM_CODEGEN",
        one_of("auto", "always", "never"),
        "auto",
        "Whether elementwise kernels become WebAssembly: where it pays, at once, or never.",
        "wasm",
    ),
    Flag(
        "TFPY_WASM_MEMORY_BUDGET",
        LIMIT,
        _budget("wasm", "3 GiB"),
        "As TFPY_GPU_MEMORY_BUDGET, of bytes in the module's heap, which grows to 4 GiB at most. "
        "Tensors go, too, when the browser does not let it grow; -1: only then.",
        "wasm",
    ),
)

FLAGS = {flag.name: flag for flag in _ALL}
"""By name, in the order of the documentation."""
