"""The table of all flags. `tf.env()` and `docs/environment.md` are made from it.

Flags have TensorFlow.js's names if they have the same meaning. Other names begin with TFPY or
follow one of TensorFlow.js's names.
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
    """Return the default of a memory budget, which `web/common/budgets.mjs` computes."""
    return Found(lambda facts: int(facts["budgets"][of]), words)


_ALL = (
    Flag(
        "IS_BROWSER",
        SWITCH,
        Found(lambda facts: facts["host"]["browser"], "found"),
        "True if Python runs in a page or in a worker of a page.",
        fixed=True,
    ),
    Flag(
        "IS_CHROME",
        SWITCH,
        Found(lambda facts: facts["host"]["chrome"], "found"),
        "True if the browser is Chrome or another Chromium browser.",
        fixed=True,
    ),
    Flag(
        "IS_SAFARI",
        SWITCH,
        Found(lambda facts: facts["host"]["safari"], "found"),
        "True if the browser is Safari or another WebKit browser.",
        fixed=True,
    ),
    Flag(
        "IS_NODE",
        SWITCH,
        Found(lambda facts: facts["host"]["node"], "found"),
        "True if Pyodide runs in Node.js, Deno or Bun.",
        fixed=True,
    ),
    Flag(
        "CANVAS2D_WILL_READ_FREQUENTLY_FOR_GPU",
        SWITCH,
        False,
        "Make `tf.browser.from_pixels` draw on a CPU canvas (`willReadFrequently`), which avoids "
        "reading pixels back from the GPU.",
    ),
    Flag(
        "DEBUG",
        SWITCH,
        False,
        "Check the result of each op and raise an error at the first NaN or infinity "
        "(`tf.enable_debug_mode()`).",
    ),
    Flag(
        "CHECK_COMPUTATION_FOR_ERRORS",
        SWITCH,
        Follows(lambda get: get("DEBUG"), "`DEBUG`"),
        "Check the result of each op, independently of debug mode.",
    ),
    Flag(
        "PROD",
        SWITCH,
        False,
        "Disable `DEBUG`, and trace functions without recording source lines "
        "(`tf.enable_prod_mode()`).",
    ),
    Flag(
        "TFPY_VERIFY_PASSES",
        SWITCH,
        False,
        "Verify the Graph of a compiled function after each pass, for the development of passes.",
    ),
    Flag(
        "TFPY_FULL_TRACEBACKS",
        SWITCH,
        False,
        "Show the frames of tfpy and Keras in the tracebacks of uncaught exceptions.",
    ),
    Flag(
        "TFPY_GPU_MEMORY_BUDGET",
        LIMIT,
        _budget("gpu", "derived from the device's memory and the screen"),
        "Number of bytes that a GPU backend may hold. Above this number, the least recently used "
        "tensors move to the host, and return when they are used. webgl also moves tensors when "
        "the GPU is out of memory. -1: tensors move only then. Read when a backend opens.",
    ),
    Flag(
        "TFPY_HOST_MEMORY_BUDGET",
        LIMIT,
        _budget("host", "the device's memory as the browser reports it, or 4 GiB"),
        "Number of bytes of tensors that may move from a backend to the host. Above this number, "
        "the backend raises an error that memory is exhausted. -1: no limit. Read when a backend "
        "opens.",
    ),
    Flag(
        "TFPY_MAX_UNPACKED_BYTES",
        SIZE,
        2**28,
        "Largest number of bytes to which the contents of one file may be unpacked: the pixels of "
        "an image, the members of an archive, a record of a compressed file, or constants that "
        "repeat a value. 64 times the size of the file is always allowed. Raise the flag for files "
        "that you trust.",
    ),
    Flag(
        "TFPY_HEARTBEAT_SECONDS",
        LIMIT,
        30,
        "Number of seconds without a heartbeat after which a process of a cluster is considered "
        "lost, and the other processes raise `tf.errors.UnavailableError`. Read when the processes "
        "connect.",
    ),
    Flag(
        "SOFTWARE_WEBGL_ENABLED",
        SWITCH,
        False,
        "Also use WebGL on a software rasterizer, although wasm is faster there.",
        "webgl",
    ),
    Flag(
        "WEBGL_VERSION",
        COUNT,
        Found(lambda facts: facts["webgl"]["version"], "found"),
        "Highest available version of WebGL; 0 if there is none. The backend needs 2.",
        "webgl",
        lowers=True,
    ),
    Flag(
        "HAS_WEBGL",
        SWITCH,
        Follows(lambda get: int(get("WEBGL_VERSION")) > 0, "`WEBGL_VERSION` > 0"),
        "True if any version of WebGL is available.",
        fixed=True,
    ),
    Flag(
        "WEBGL_RENDER_FLOAT32_CAPABLE",
        SWITCH,
        Found(lambda facts: facts["webgl"]["float32Target"], "found"),
        "True if float32 textures are renderable.",
        "webgl",
        lowers=True,
    ),
    Flag(
        "WEBGL_FORCE_F16_TEXTURES",
        SWITCH,
        False,
        "Store floats in 16 bits even if float32 textures are renderable, to test a program as on "
        "phones without such textures.",
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
        "Store floats in 32 bits instead of 16.",
        "webgl",
        lowers=True,
    ),
    Flag(
        "WEBGL_CHECK_NUMERICAL_PROBLEMS",
        SWITCH,
        False,
        "On float16 textures, raise an error for values that would become infinite or zero.",
        "webgl",
    ),
    Flag(
        "WEBGL_CPU_FORWARD",
        SWITCH,
        True,
        "Compute small ops outside of compiled functions with NumPy if the host has the operands, "
        "which is faster than a dispatch.",
        "webgl",
    ),
    Flag(
        "CPU_HANDOFF_SIZE_THRESHOLD",
        COUNT,
        1000,
        "An op is small if its operands and result each have fewer elements than this.",
        "webgl",
    ),
    Flag(
        "WEBGL_MAX_TEXTURE_SIZE",
        SIZE,
        Found(lambda facts: facts["webgl"]["maxTextureSize"], "found"),
        "Largest width and height of a texture. A tensor has at most 4 x this number² elements.",
        "webgl",
        lowers=True,
    ),
    Flag(
        "WEBGL_DELETE_TEXTURE_THRESHOLD",
        LIMIT,
        512 * 2**20,
        "Number of bytes of free textures that are cached for new tensors. -1: no limit.",
        "webgl",
    ),
    Flag(
        "WEBGL_FLUSH_THRESHOLD",
        LIMIT,
        -1,
        "Number of milliseconds after which draws are submitted to the GPU (`gl.flush`). -1: the "
        "browser decides.",
        "webgl",
    ),
    Flag(
        "WEBGL_DISJOINT_QUERY_TIMER_EXTENSION_VERSION",
        COUNT,
        Found(lambda facts: facts["webgl"]["timers"], "found"),
        "2 if kernels can be timed (`EXT_disjoint_timer_query_webgl2`), otherwise 0.",
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
        "True if `tf.time` reports the times of kernels.",
        "webgl",
        lowers=True,
    ),
    Flag(
        "WEBGPU_SOFTWARE_ENABLED",
        SWITCH,
        False,
        "Also use a fallback adapter of WebGPU, although wasm is faster there.",
        "webgpu",
    ),
    Flag(
        "TFPY_WEBGPU_USE_SUBGROUP_MATRIX",
        SWITCH,
        False,
        "Multiply matrices of int8 and float16, and weights in block formats, with subgroup "
        "matrices, an experimental feature of browsers, if they are available.",
        "webgpu",
    ),
    Flag(
        "WEBGPU_CPU_FORWARD",
        SWITCH,
        True,
        "Compute small ops outside of compiled functions with NumPy if the host has the operands, "
        "which is faster than a dispatch.",
        "webgpu",
    ),
    Flag(
        "WEBGPU_CPU_HANDOFF_SIZE_THRESHOLD",
        COUNT,
        1000,
        "An op is small if its operands and result each have fewer elements than this.",
        "webgpu",
    ),
    Flag(
        "WEBGPU_USE_LOW_POWER_GPU",
        SWITCH,
        False,
        "Request the low-power GPU if there are two.",
        "webgpu",
    ),
    Flag(
        "WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE",
        SIZE,
        64,
        "Number of dispatches that are collected before they are submitted to the GPU.",
        "webgpu",
    ),
    Flag(
        "WEBGPU_IMPORT_EXTERNAL_TEXTURE",
        SWITCH,
        True,
        "Read video frames directly as external textures instead of drawing them first.",
        "webgpu",
    ),
    Flag(
        "WEBGPU_PRINT_SHADER",
        TEXT,
        "",
        "Print the WGSL code of the named kernels (`matmul,conv2d`), or of `all`, when they are "
        "compiled.",
        "webgpu",
    ),
    Flag(
        "WASM_HAS_SIMD_SUPPORT",
        SWITCH,
        Found(lambda facts: facts["wasm"]["simd"], "found"),
        "True if WebAssembly supports SIMD, which the backend needs.",
        "wasm",
        lowers=True,
    ),
    Flag(
        "TFPY_WASM_HAS_RELAXED_SIMD_SUPPORT",
        SWITCH,
        Found(lambda facts: facts["wasm"]["relaxedSimd"], "found"),
        "True if WebAssembly supports relaxed SIMD.",
        "wasm",
        lowers=True,
    ),
    Flag(
        "WASM_HAS_MULTITHREAD_SUPPORT",
        SWITCH,
        Found(lambda facts: facts["wasm"]["threads"], "found"),
        "True if WebAssembly supports threads, which need a cross-origin isolated page.",
        "wasm",
        lowers=True,
    ),
    Flag(
        "TFPY_WASM_THREADS_COUNT",
        COUNT,
        0,
        "Number of threads, at most 8. 0: one for each core. `tf.set_threads_count` sets this "
        "flag.",
        "wasm",
    ),
    Flag(
        "TFPY_WASM_CODEGEN",
        one_of("auto", "always", "never"),
        "auto",
        "When to compile elementwise kernels to WebAssembly: `auto` (after they have run often "
        "enough to make it worthwhile), `always` or `never`.",
        "wasm",
    ),
    Flag(
        "TFPY_WASM_MEMORY_BUDGET",
        LIMIT,
        _budget("wasm", "3 GiB"),
        "Number of bytes that tensors may take in the module's heap, which grows to at most 4 GiB. "
        "Above this number, tensors move to the host, as with `TFPY_GPU_MEMORY_BUDGET`. Tensors "
        "also move when the browser does not let the heap grow. -1: tensors move only then.",
        "wasm",
    ),
)

FLAGS = {flag.name: flag for flag in _ALL}
"""By name, in the order of the documentation."""
