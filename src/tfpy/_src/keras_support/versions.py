"""Reports of versions of Keras with which tfpy is not tested."""

from __future__ import annotations

from tfpy._src.base.missing_packages import remedy
from tfpy._src.base.source_locations import warn
from tfpy._src.base.version import __version__

TESTED = "3.15"
"""Version of Keras with which tfpy is tested; the last number may be any. See pyproject.toml."""


def warn_if_untested(version: str) -> None:
    """Warn if Keras, which has just been imported, has a version that is not tested."""
    if not _is_tested(version):
        warn(_text(version))


def add_note(error: Exception) -> None:
    """Add a note to an error of the import of Keras if the version of Keras is not tested."""
    from importlib import metadata  # slow to import, and needed for this error only

    try:
        version = metadata.version("keras")
    except metadata.PackageNotFoundError:
        return
    if not _is_tested(version):
        error.add_note(_text(version))


def _is_tested(version: str) -> bool:
    return f"{version}.".startswith(f"{TESTED}.")


def _text(version: str) -> str:
    return (
        f"Keras {version} is installed, but tfpy {__version__} is tested with Keras {TESTED} only. "
        "Other versions may raise errors or compute different values. "
        f"{remedy('keras', f'{TESTED}.*')}"
    )
