"""The decorator of tests that run in a browser. Imported on both sides, so it needs no pytest."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tfpy.testing.environments import BACKENDS, ENVIRONMENTS, Environment

GIVEN_IN_BROWSER = ("tf", "backend")


@dataclass(frozen=True)
class BrowserTest:
    """How a decorated test wants to run; see :func:`run_in_browser`."""

    backends: tuple[str, ...]
    environment: Environment
    browsers: tuple[str, ...]
    packages: tuple[str, ...]
    timeout: float
    check_leaks: bool
    fresh_page: bool


def run_in_browser(
    *,
    backends: Sequence[str] = BACKENDS,
    environment: str | Environment = "software",
    browsers: Sequence[str] = (),
    packages: Sequence[str] = (),
    timeout: float = 120.0,
    check_leaks: bool = True,
    fresh_page: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Run a test function, sync or async, inside Pyodide in a browser, once per backend.

    The whole source of the test's module is sent, so module-level helpers and imports are there;
    closures and fixtures' live objects are not. The function may take ``tf`` (the tfpy module) and
    ``backend`` (the name of the active one); other arguments come from pytest and are pickled.

    Args:
        backends: names of backends, of which a browser runs those that it can offer; an empty
            one runs it once on the automatically chosen backend.
        environment: one, or its name in :data:`tfpy.testing.ENVIRONMENTS`.
        browsers: names of browsers that it is for; empty: those of ``--tfpy-browser``.
        packages: more packages of the site's lock file.
        timeout: seconds after which the page is given up and the test fails.
        check_leaks: fail when a tensor, a slot or a PyProxy survives the test.
        fresh_page: take a page of its own instead of the shared one of this environment.

    Raises:
        ValueError: when the environment or a backend has no such name.
    """
    if isinstance(environment, str):
        if environment not in ENVIRONMENTS:
            raise ValueError(f"no environment {environment!r}; one of {', '.join(ENVIRONMENTS)}")
        environment = ENVIRONMENTS[environment]
    for backend in backends:
        if backend not in BACKENDS:
            raise ValueError(f"no backend {backend!r}; one of {', '.join(BACKENDS)}")
    test = BrowserTest(
        backends=tuple(backends),
        environment=environment,
        browsers=tuple(browsers),
        packages=tuple(packages),
        timeout=timeout,
        check_leaks=check_leaks,
        fresh_page=fresh_page,
    )

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def on_host(tfpy_target: Any, **arguments: Any) -> None:
            tfpy_target.run(function, arguments)

        signature = inspect.signature(function)
        kept = [p for n, p in signature.parameters.items() if n not in GIVEN_IN_BROWSER]
        target = inspect.Parameter("tfpy_target", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        vars(on_host)["__signature__"] = signature.replace(parameters=[target, *kept])
        vars(on_host)["tfpy_browser_test"] = test
        return on_host

    return decorate


def browser_test_of(function: Callable[..., Any]) -> BrowserTest | None:
    """How a function wants to run that :func:`run_in_browser` has decorated; None for others."""
    test: BrowserTest | None = getattr(function, "tfpy_browser_test", None)
    return test
