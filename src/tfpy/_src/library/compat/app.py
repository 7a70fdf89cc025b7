"""`tf.compat.v1.app` and `tf.compat.v1.flags`, which are those of the package absl."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

from tfpy._src.base.missing_packages import remedy


def package(name: str) -> Any:
    """Return a module of absl.

    Raises:
        ModuleNotFoundError: If absl is not installed.
    """
    try:
        return importlib.import_module(f"absl.{name}")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"tf.compat.v1.{name} requires the package absl-py. {remedy('absl-py')}", name="absl"
        ) from error


def run(main: Callable[[list[str]], Any] | None = None, argv: Sequence[str] | None = None) -> None:
    """Parse the flags of a program, call its function `main`, and exit.

    Args:
        main: Function of the remaining arguments. Default: the function `main` of the program.
        argv: Arguments of the program. Default: `sys.argv`. Unknown flags are kept.

    Raises:
        SystemExit: After `main` has returned, with its result as the exit status.
        ModuleNotFoundError: If the package absl-py is not installed.

    Example:
        >>> import tfpy as tf
        >>> try:
        ...     tf.compat.v1.app.run(lambda arguments: print(arguments), ["program", "x"])
        ... except SystemExit as end:
        ...     print("exit", end.code)
        ['program', 'x']
        exit None
    """
    flags = package("flags")
    function = main or sys.modules["__main__"].main
    package("app").run(
        main=function, argv=argv, flags_parser=lambda args: flags.FLAGS(args, known_only=True)
    )
