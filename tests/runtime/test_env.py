"""Flags: the table, rejected values, sources, and effects."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from runtime.fake import FakeDevice

import tfpy as tf
from tfpy._src.backends import device, host_facts, opening, registry
from tfpy._src.backends.backend import BackendSkipped
from tfpy._src.backends.javascript import bridge, page_facts
from tfpy._src.base.flags.environment import Environment
from tfpy._src.base.flags.kinds import Follows, Found, Value
from tfpy._src.base.flags.table import FLAGS
from tfpy._src.base.flags.without_effect import MEANINGLESS

TENSORFLOW_JS = """
    DEBUG PROD CHECK_COMPUTATION_FOR_ERRORS IS_BROWSER IS_NODE IS_CHROME IS_SAFARI
    TENSORLIKE_CHECK_SHAPE_CONSISTENCY
    DEPRECATION_WARNINGS_ENABLED IS_TEST WRAP_TO_IMAGEBITMAP
    CANVAS2D_WILL_READ_FREQUENTLY_FOR_GPU USE_SETTIMEOUTCUSTOM KEEP_INTERMEDIATE_TENSORS
    TOPOLOGICAL_SORT_CACHE_MAX_ENTRIES
    HAS_WEBGL WEBGL_VERSION WEBGL_CHECK_NUMERICAL_PROBLEMS WEBGL_BUFFER_SUPPORTED WEBGL_CPU_FORWARD
    WEBGL_FORCE_F16_TEXTURES WEBGL_PACK WEBGL_PACK_NORMALIZATION WEBGL_PACK_CLIP
    WEBGL_PACK_DEPTHWISECONV WEBGL_PACK_BINARY_OPERATIONS WEBGL_PACK_UNARY_OPERATIONS
    WEBGL_PACK_ARRAY_OPERATIONS WEBGL_PACK_IMAGE_OPERATIONS WEBGL_PACK_REDUCE
    WEBGL_PACK_CONV2DTRANSPOSE WEBGL_LAZILY_UNPACK WEBGL_CONV_IM2COL WEBGL_MAX_TEXTURE_SIZE
    WEBGL_MAX_TEXTURES_IN_SHADER WEBGL_DISJOINT_QUERY_TIMER_EXTENSION_VERSION
    WEBGL_DISJOINT_QUERY_TIMER_EXTENSION_RELIABLE WEBGL_RENDER_FLOAT32_CAPABLE
    WEBGL_RENDER_FLOAT32_ENABLED WEBGL_DOWNLOAD_FLOAT_ENABLED WEBGL_FENCE_API_ENABLED
    WEBGL_SIZE_UPLOAD_UNIFORM WEBGL_DELETE_TEXTURE_THRESHOLD WEBGL_FLUSH_THRESHOLD
    CPU_HANDOFF_SIZE_THRESHOLD WEBGL_USE_SHAPES_UNIFORMS
    TOPK_LAST_DIM_CPU_HANDOFF_SIZE_THRESHOLD TOPK_K_CPU_HANDOFF_THRESHOLD WEBGL_EXP_CONV
    SOFTWARE_WEBGL_ENABLED WEBGL_MAX_SIZE_FOR_NARROW_TEXTURE
    WEBGL_AUTO_SQUARIFY_NARROW_TEXTURE_SHAPE WEBGL2_ISNAN_CUSTOM ENGINE_COMPILE_ONLY
    WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE WEBGPU_CPU_FORWARD WEBGPU_MATMUL_PROGRAM_TYPE
    WEBGPU_USE_NAIVE_CONV2D_TRANSPOSE WEBGPU_USE_LOW_POWER_GPU WEBGPU_CPU_HANDOFF_SIZE_THRESHOLD
    WEBGPU_USE_PROFILE_TOOL WEBGPU_IMPORT_EXTERNAL_TEXTURE WEBGPU_USE_NAIVE_CONV2D_DEBUG
    WEBGPU_THRESHOLD_TO_INCREASE_WORKGROUPS_FOR_MATMUL WEBGPU_CONV_SEPARATE_IM2COL_SHADER
    WEBGPU_PRINT_SHADER WEBGPU_ENGINE_COMPILE_ONLY
    WASM_HAS_SIMD_SUPPORT WASM_HAS_MULTITHREAD_SUPPORT
"""

PHONE = {
    "host": {"browser": True, "node": False, "chrome": True, "safari": False, "mobile": True},
    "webgl": {"version": 2, "float32Target": False, "maxTextureSize": 4096, "timers": 2},
    "wasm": {"simd": True, "relaxedSimd": True, "threads": True},
    "budgets": {"gpu": 2**31, "wasm": 3 * 2**30, "host": 2**32},
}


@pytest.fixture(autouse=True)
def default_flags() -> Iterator[None]:
    tf.env().reset()
    yield
    tf.env().reset()


@pytest.fixture
def phone(monkeypatch: pytest.MonkeyPatch) -> Environment:
    """Return the flags of a phone with a browser that answers only when it is awaited."""

    async def find() -> Any:
        return PHONE

    found = Environment()
    found.found_by(find, bridge.wait)
    monkeypatch.setattr(opening, "env", lambda: found)
    return found


def test_each_flag_of_tensorflow_js_is_here_or_has_a_reason_not_to_be() -> None:
    names = TENSORFLOW_JS.split()
    assert [n for n in names if n not in FLAGS and n not in MEANINGLESS] == []
    assert not FLAGS.keys() & MEANINGLESS.keys()
    own = {n for n in FLAGS if n not in names and not n.startswith("TFPY_")}
    assert own == {"WEBGPU_SOFTWARE_ENABLED"}, "named as SOFTWARE_WEBGL_ENABLED is"


def test_defaults_are_values_that_flags_take() -> None:
    for flag in FLAGS.values():
        if not isinstance(flag.default, Found | Follows):
            assert flag.kind.takes(flag.default), flag.name
        assert flag.meaning.endswith("."), flag.name
        assert not (flag.fixed and flag.lowers), flag.name


def test_flags() -> None:
    flags = tf.env()
    assert flags is tf.env()
    assert flags.get("TFPY_WASM_THREADS_COUNT") == 0
    flags.set("TFPY_WASM_THREADS_COUNT", 3)
    assert flags.get_number("TFPY_WASM_THREADS_COUNT") == 3
    assert flags.get_bool("SOFTWARE_WEBGL_ENABLED") is False
    flags.set("SOFTWARE_WEBGL_ENABLED", True)
    assert flags.get_bool("SOFTWARE_WEBGL_ENABLED") is True
    assert flags.get_string("TFPY_WASM_CODEGEN") == "auto"
    assert flags.get_flags()["SOFTWARE_WEBGL_ENABLED"] is True
    assert flags.features == flags.get_flags()
    flags.reset()
    assert flags.get_bool("SOFTWARE_WEBGL_ENABLED") is False


def test_several_flags_or_none() -> None:
    flags = tf.env()
    flags.set_flags({"TFPY_WASM_THREADS_COUNT": 2, "TFPY_WASM_CODEGEN": "never"})
    with pytest.raises(ValueError, match="TFPY_WASM_CODEGEN"):
        flags.set_flags({"TFPY_WASM_THREADS_COUNT": 5, "TFPY_WASM_CODEGEN": "now"})
    assert flags.get("TFPY_WASM_THREADS_COUNT") == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("WASM_THREADS_COUNT", r"'WASM_THREADS_COUNT'. Did you mean 'TFPY_WASM_THREADS_COUNT'\?"),
        ("WEBGL_FORCE_F16_TEXTURE", r"Did you mean 'WEBGL_FORCE_F16_TEXTURES'\?"),
        ("speed", "docs/environment.md"),
        ("WEBGL_PACK", "no effect here: textures always hold four"),
    ],
)
def test_names_that_there_are_not(name: str, text: str) -> None:
    flags = tf.env()
    for call in (flags.get, flags.get_bool, lambda name: flags.set(name, True)):
        with pytest.raises(ValueError, match=text):
            call(name)
    with pytest.raises(ValueError, match=text):
        asyncio.run(flags.get_async(name))


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("TFPY_WASM_THREADS_COUNT", -3, "must be an integer of at least 0"),
        ("TFPY_WASM_THREADS_COUNT", "many", "must be an integer of at least 0"),
        ("TFPY_WASM_THREADS_COUNT", True, "must be an integer of at least 0"),
        ("TFPY_WASM_THREADS_COUNT", 1.5, "must be an integer of at least 0"),
        ("TFPY_WASM_CODEGEN", "sometimes", "must be 'auto' or 'always' or 'never'"),
        ("TFPY_WASM_CODEGEN", None, "must be 'auto' or 'always' or 'never'"),
        ("SOFTWARE_WEBGL_ENABLED", 1, "must be True or False"),
        ("WASM_HAS_SIMD_SUPPORT", "no", "must be True or False"),
        ("WEBGL_MAX_TEXTURE_SIZE", 0, "must be an integer of at least 1"),
        ("WEBGPU_PRINT_SHADER", True, "must be a string"),
    ],
)
def test_values_that_flags_do_not_take(name: str, value: Any, wanted: str) -> None:
    before = tf.env().get(name)
    with pytest.raises(ValueError, match=f"Flag {name} {wanted}, not {value!r}"):
        tf.env().set(name, value)
    assert tf.env().get(name) == before


def test_flags_are_read_as_what_they_are() -> None:
    with pytest.raises(ValueError, match=r"a number, not a bool. Use get_number"):
        tf.env().get_bool("TFPY_WASM_THREADS_COUNT")
    with pytest.raises(ValueError, match=r"a bool, not a string. Use get_bool"):
        tf.env().get_string("IS_NODE")


def test_facts() -> None:
    """Check that the facts of CPython cannot be overridden.

    CPython is not a browser and does not have devices.
    """
    flags = tf.env()
    for name in ("IS_BROWSER", "IS_NODE", "IS_CHROME", "IS_SAFARI", "HAS_WEBGL"):
        assert flags.get(name) is False
        with pytest.raises(ValueError, match=f"Flag {name} is a fact"):
            flags.set(name, True)
    assert asyncio.run(flags.get_async("WEBGL_MAX_TEXTURE_SIZE")) == 0


def test_what_is_found_can_be_lowered_and_never_raised(phone: Environment) -> None:
    assert phone.get("WEBGL_MAX_TEXTURE_SIZE") == 4096
    phone.set("WEBGL_MAX_TEXTURE_SIZE", 2**20)
    assert phone.get("WEBGL_MAX_TEXTURE_SIZE") == 4096
    phone.set("WEBGL_MAX_TEXTURE_SIZE", 64)
    assert phone.get("WEBGL_MAX_TEXTURE_SIZE") == 64
    assert phone.get("WEBGL_RENDER_FLOAT32_ENABLED") is False
    phone.set("WEBGL_RENDER_FLOAT32_ENABLED", True)
    assert phone.get("WEBGL_RENDER_FLOAT32_ENABLED") is False
    assert phone.get("WEBGL_DISJOINT_QUERY_TIMER_EXTENSION_RELIABLE") is False
    assert phone.get("TFPY_GPU_MEMORY_BUDGET") == 2**31
    assert phone.get("TFPY_WASM_MEMORY_BUDGET") == 3 * 2**30
    phone.set("TFPY_HOST_MEMORY_BUDGET", -1)
    assert phone.get("TFPY_HOST_MEMORY_BUDGET") == -1
    assert phone.get("HAS_WEBGL") is True
    phone.set("WEBGL_VERSION", 0)
    assert phone.get("HAS_WEBGL") is False


def test_float16_textures_follow_two_flags(phone: Environment) -> None:
    phone._facts = {**PHONE, "webgl": {**PHONE["webgl"], "float32Target": True}}
    assert phone.get("WEBGL_RENDER_FLOAT32_ENABLED") is True
    phone.set("WEBGL_FORCE_F16_TEXTURES", True)
    assert phone.get("WEBGL_RENDER_FLOAT32_ENABLED") is False


def test_the_browser_is_asked_when_a_fact_is_needed() -> None:
    asked = []

    async def find() -> Any:
        asked.append(1)
        await asyncio.sleep(0)
        return PHONE

    def refuse(found: Any, mend: str) -> Any:
        found.close()
        raise RuntimeError(f"Python cannot wait here; {mend}")

    flags = Environment()
    flags.found_by(find, refuse)
    assert flags.get("TFPY_WASM_CODEGEN") == "auto"
    assert "IS_CHROME" not in flags.get_flags()
    with pytest.raises(RuntimeError, match=r"await tf.env\(\).get_async\('IS_CHROME'\)"):
        flags.get("IS_CHROME")
    assert asyncio.run(flags.get_async("IS_CHROME")) is True
    assert flags.get("IS_CHROME") is True
    assert flags.get_flags()["IS_CHROME"] is True
    assert len(asked) == 1


def test_too_late() -> None:
    flags = tf.env()
    before = flags.get("TFPY_WASM_CODEGEN")
    flags.opened("wasm")
    try:
        with pytest.raises(RuntimeError, match=r"wasm backend opens.*TFPY_WASM_CODEGEN:never"):
            flags.set("TFPY_WASM_CODEGEN", "never")
        assert flags.get("TFPY_WASM_CODEGEN") == before
        flags.set("TFPY_WASM_CODEGEN", before)  # unchanged
        flags.set("WEBGPU_SOFTWARE_ENABLED", True)  # belongs to another backend
        with pytest.raises(RuntimeError, match="TFPY_WASM_THREADS_COUNT"):
            flags.set_flags({"SOFTWARE_WEBGL_ENABLED": True, "TFPY_WASM_THREADS_COUNT": 1})
        assert flags.get("SOFTWARE_WEBGL_ENABLED") is False
    finally:
        flags.closed("wasm")
    flags.set("TFPY_WASM_CODEGEN", "never")


def test_reset_keeps_what_an_open_backend_has_read() -> None:
    flags = tf.env()
    flags.set_flags({"TFPY_WASM_CODEGEN": "never", "SOFTWARE_WEBGL_ENABLED": True})
    flags.opened("wasm")
    try:
        flags.reset()
        assert flags.get("TFPY_WASM_CODEGEN") == "never"
        assert flags.get("SOFTWARE_WEBGL_ENABLED") is False
    finally:
        flags.closed("wasm")
    flags.reset()
    assert flags.get("TFPY_WASM_CODEGEN") == "auto"


def test_the_registry_says_which_backends_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_entries", {})
    monkeypatch.setattr(registry, "active", None)
    tf.register_backend("wasm", lambda: named("wasm"))
    tf.set_backend("wasm")
    with pytest.raises(RuntimeError, match="already open"):
        tf.env().set("TFPY_WASM_CODEGEN", "never")
    tf.remove_backend("wasm")
    tf.env().set("TFPY_WASM_CODEGEN", "never")


def named(name: str) -> FakeDevice:
    backend = FakeDevice()
    backend.name = name
    return backend


# Sources


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("WEBGL_FORCE_F16_TEXTURES:true", {"WEBGL_FORCE_F16_TEXTURES": True}),
        (
            "TFPY_WASM_THREADS_COUNT:4, TFPY_WASM_CODEGEN:never,",
            {"TFPY_WASM_THREADS_COUNT": 4, "TFPY_WASM_CODEGEN": "never"},
        ),
    ],
)
def test_flags_as_text(text: str, expected: dict[str, Value]) -> None:
    flags = Environment()
    flags.take(text, "a text")
    assert {n: flags.get(n) for n in expected} == expected
    flags.set_flags({n: FLAGS[n].default for n in expected})
    flags.reset()
    assert {n: flags.get(n) for n in expected} == expected


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("WEBGL_FORCE_F16_TEXTURES", "write NAME:value"),
        ("WEBGL_FORCE_F16_TEXTURES:yes", "True or False, not 'yes'"),
        ("TFPY_WASM_THREADS_COUNT:1.5", "not '1.5'"),
        ("TFPY_WASM_THREADS_COUNT:1:2", "not '1:2'"),
        ("WASM_THREADS:1", "Did you mean"),
        ("WEBGL_PACK:true", "no effect"),
        ("IS_NODE:true", "fact"),
    ],
)
def test_text_that_is_no_flags(text: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=f"^a text: .*{re.escape(wrong)}"):
        Environment().take(text, "a text")


NAMES = st.sampled_from([*FLAGS, *MEANINGLESS, "WEBGL_FAST", ""])
VALUES = st.sampled_from(["true", "FALSE", "3", "-1", "1e3", "auto", "x", ""]) | st.text(max_size=9)
TEXTS = st.lists(st.builds("{}{}{}".format, NAMES, st.sampled_from(":;"), VALUES)).map(",".join)


@given(TEXTS | st.text(), st.booleans())
def test_any_text(text: str, foreign: bool) -> None:
    """Check that any text is accepted, or rejected with its place.

    Values have the flag's type.
    """
    flags = Environment()
    refused = ""
    try:
        flags.take(text, "a text", foreign)
    except ValueError as error:
        refused = str(error)
    assert refused == "" or refused.startswith("a text: ")
    for name, value in flags.get_flags().items():
        assert FLAGS[name].kind.takes(value)


def test_flags_of_a_page_for_tensorflow_js() -> None:
    flags = Environment()
    flags.take("WEBGL_PACK:false,WEBGL_FORCE_F16_TEXTURES:true", "the page", foreign=True)
    assert flags.get("WEBGL_FORCE_F16_TEXTURES") is True
    with pytest.raises(ValueError, match="Unknown"):
        flags.take("WEBGL_PAKC:false", "the page", foreign=True)


def test_the_page_s_address(monkeypatch: pytest.MonkeyPatch) -> None:
    flags = Environment()
    monkeypatch.setattr(host_facts, "env", lambda: flags)
    given = "TFPY_WASM_CODEGEN:never,TFPY_WASM_THREADS_COUNT:2"
    pairs = [("a", "b"), ("tfpyflags", given), ("tfjsflags", "WEBGL_PACK:1")]
    monkeypatch.setattr(page_facts, "page_parameters", lambda: pairs)
    host_facts.install()
    assert flags.get("TFPY_WASM_CODEGEN") == "never"
    assert flags.get("TFPY_WASM_THREADS_COUNT") == 2
    pairs[1:] = [("tfpyflags", "WEBGL_PACK:1")]
    with pytest.raises(ValueError, match="the page's address, tfpyflags: Flag WEBGL_PACK"):
        host_facts.install()


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("TFPY_WASM_THREADS_COUNT:3", "3"),
        ("TFPY_WASM_THREAD_COUNT:3", "the variable TFPY_FLAGS: Unknown flag"),
    ],
)
def test_the_variable(text: str, output: str) -> None:
    code = "import tfpy; print(tfpy.env().get('TFPY_WASM_THREADS_COUNT'))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True,
        env={**os.environ, "TFPY_FLAGS": text},
    )  # fmt: skip
    assert output in done.stdout + done.stderr


# Effects


@pytest.mark.parametrize(
    ("relaxed", "threads", "variant"),
    [
        (True, True, "relaxed-threads"),
        (True, False, "relaxed"),
        (False, True, "simd-threads"),
        (False, False, "simd"),
    ],
)
def test_variant(phone: Environment, relaxed: bool, threads: bool, variant: str) -> None:
    phone.set("TFPY_WASM_HAS_RELAXED_SIMD_SUPPORT", relaxed)
    phone.set("WASM_HAS_MULTITHREAD_SUPPORT", threads)
    assert opening.choose_variant() == variant
    phone.reset()
    phone._facts = {"wasm": {"simd": True, "relaxedSimd": relaxed, "threads": threads}}
    assert opening.choose_variant() == variant


def test_without_simd(phone: Environment) -> None:
    phone.set("WASM_HAS_SIMD_SUPPORT", False)
    with pytest.raises(BackendSkipped, match="SIMD"):
        opening.choose_variant()
    phone.reset()
    phone._facts = {"wasm": {"simd": False, "relaxedSimd": False, "threads": False}}
    with pytest.raises(BackendSkipped, match="SIMD"):
        opening.choose_variant()


def test_values_that_float16_has_not() -> None:
    for good in ([1.0, -65504.0, 6e-8, 0.0, np.inf, np.nan], [[1, 70000]], []):
        device._check_float16(np.array(good, np.float32 if good != [[1, 70000]] else np.int32))
    for bad in (65536.0, -1e9, 1e-8):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=re.escape(f"{bad:g} cannot be stored")
        ):
            device._check_float16(np.array([[1.0, bad]], np.float32))
    with pytest.raises(tf.errors.InvalidArgumentError, match="1e\\+09"):
        device._check_float16(np.array([1 + 1e9j], np.complex64))
