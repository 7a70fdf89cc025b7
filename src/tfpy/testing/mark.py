"""The decorator of browser tests. The browser imports it as well, so it does not need pytest."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, overload

from tfpy.testing.environments import BACKENDS, ENVIRONMENTS, Environment

GIVEN_IN_BROWSER = ("tf", "backend")


@dataclass(frozen=True)
class BrowserTest:
    """The settings of a decorated test; see :func:`run_in_browser`."""

    backends: tuple[str, ...]
    environment: Environment
    browsers: tuple[str, ...]
    packages: tuple[str, ...]
    timeout: float
    check_leaks: bool
    fresh_page: bool


@overload
def run_in_browser(function: Callable[..., Any], /) -> Callable[..., Any]: ...


@overload
def run_in_browser(
    *,
    backends: Sequence[str] = ...,
    environment: str | Environment = ...,
    browsers: Sequence[str] = ...,
    packages: Sequence[str] = ...,
    timeout: float = ...,
    check_leaks: bool = ...,
    fresh_page: bool = ...,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...


def run_in_browser(
    function: Callable[..., Any] | None = None,
    /,
    *,
    backends: Sequence[str] = BACKENDS,
    environment: str | Environment = "software",
    browsers: Sequence[str] = (),
    packages: Sequence[str] = (),
    timeout: float = 120.0,
    check_leaks: bool = True,
    fresh_page: bool = False,
) -> Callable[..., Any]:
    """Run a test in Pyodide in a browser, once for each backend.

    Use it as a decorator: `@run_in_browser` or `@run_in_browser(backends=["wasm"])`.

    The function may be synchronous or asynchronous. Its module is sent to the browser as source
    text, so the function can use imports and other functions of the module, but no closures and no
    live objects from fixtures. The function may have the parameters `tf` (the tfpy module) and
    `backend` (the name of the active backend). All other arguments come from pytest and are
    pickled. A method of a test class runs on a new instance of the class, without
    `setup_method` and without fixtures that set attributes.

    Args:
        function: Test function, if the decorator has no other arguments.
        backends: Names of backends: `"cpu"`, `"wasm"`, `"webgl"` or `"webgpu"`. A browser runs
            those that it supports. If the sequence is empty, the test runs once, on the backend
            that tfpy selects. Default: all four.
        environment: An `Environment`, or its name in `tfpy.testing.ENVIRONMENTS`.
        browsers: Names of browsers: `"chromium"`, `"firefox"` or `"webkit"`. Default: the browsers
            that the option `--tfpy-browser` names, or Chromium.
        packages: Names of further packages to install, from the lock file of the site. Default:
            none.
        timeout: Number of seconds after which the test fails and its page is closed.
        check_leaks: If True, the test fails if tensors, buffers or proxies of JavaScript objects
            that it created still exist afterwards.
        fresh_page: If True, the test runs in a new page. If False, tests with the same environment
            share a page.

    Returns:
        The decorated function, or a decorator for test functions.

    Raises:
        ValueError: If the environment or a backend is unknown.

    Example::

        from tfpy.testing import run_in_browser

        @run_in_browser(backends=["wasm", "webgl"])
        async def test_add(tf, backend):
            assert (await (tf.constant(1.0) + 1.0).data()) == 2.0
    """
    if isinstance(environment, str):
        if environment not in ENVIRONMENTS:
            raise ValueError(
                f"no environment {environment!r}; expected one of {', '.join(ENVIRONMENTS)}"
            )
        environment = ENVIRONMENTS[environment]
    for backend in backends:
        if backend not in BACKENDS:
            raise ValueError(f"no backend {backend!r}; expected one of {', '.join(BACKENDS)}")
    test = BrowserTest(
        backends=tuple(backends),
        environment=environment,
        browsers=tuple(browsers),
        packages=tuple(packages),
        timeout=timeout,
        check_leaks=check_leaks,
        fresh_page=fresh_page,
    )

    decorate = functools.partial(_decorated, test)
    return decorate if function is None else decorate(function)


def _decorated(test: BrowserTest, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def on_host(*instance: Any, tfpy_target: Any, **arguments: Any) -> None:
        tfpy_target.run(function, arguments)

    signature = inspect.signature(function)
    kept = [p for n, p in signature.parameters.items() if n not in GIVEN_IN_BROWSER]
    target = inspect.Parameter("tfpy_target", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    kept.insert(int(is_method(function)), target)
    vars(on_host)["__signature__"] = signature.replace(parameters=kept)
    vars(on_host)["tfpy_browser_test"] = test
    return on_host


def is_method(function: Callable[..., Any]) -> bool:
    """Return True if a function is defined in a class."""
    return "." in function.__qualname__.rpartition("<locals>.")[2]


def browser_test_of(function: Callable[..., Any]) -> BrowserTest | None:
    """Return the settings of a function that :func:`run_in_browser` decorated, else None."""
    test: BrowserTest | None = getattr(function, "tfpy_browser_test", None)
    return test
