"""Abilities that only some backends have, corresponding to `web/common/backend.mjs`.

A backend inherits the classes of its abilities. Callers test for them with `isinstance`, or call a
function of this module that does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Coroutine
from typing import Any

from tfpy._src.backends.backend import Backend
from tfpy._src.backends.interface import (
    Compiled,
    KernelTimes,
    Links,
    Look,
    Progress,
    Sharing,
    SlicedRun,
)
from tfpy._src.base.errors import UnimplementedError
from tfpy._src.compiler.ir.aval import Array, Aval


class AsyncReads(ABC):
    """Reads that wait for the device without blocking the page."""

    @property
    @abstractmethod
    def reads_at_once(self) -> bool:
        """True if `Backend.read` can be called here. Some devices must be awaited."""

    @property
    @abstractmethod
    def answers_late(self) -> bool:
        """True if runs return before the device has finished them, so that reads take time."""

    @abstractmethod
    async def read_async(self, slot: int, aval: Aval) -> Array:
        """Copy the slot's value to a new array as soon as it is computed."""


class AsyncRegistration(ABC):
    """Registration without blocking the page, for programs that take long to compile."""

    @abstractmethod
    async def register_async(self, compiled: Compiled, progress: Progress) -> int:
        """Make a program and return its id.

        Args:
            progress: Called with the number of finished parts (shaders) and the total number.
        """


class SlicedRuns(ABC):
    """Runs in slices, between which the page can react."""

    @abstractmethod
    def begin(self, program: int, *slots: int) -> SlicedRun | None:
        """Begin a run. Donated slots, which are negative, are removed immediately.

        Returns:
            The run; None if runs return as soon as they are submitted.
        """


class RepeatedRuns(ABC):
    """Several runs of a program in one call, each on the outputs of the previous one."""

    @abstractmethod
    def link(self, program: int, links: Links) -> bool:
        """Specify which outputs become the inputs of the next run.

        Returns:
            True if `repeat` can run the program.
        """

    @abstractmethod
    def repeat(self, program: int, count: int, *slots: int) -> int:
        """Run a linked program `count` times, and return the first output of the last run.

        If a later run fails, the attribute `first` of the failure is the first output of the
        previous run.

        Args:
            slots: The inputs of the first run, followed for each later run by the inputs that
                `Links.given` lists.
        """


class Timed(ABC):
    """Durations of kernels."""

    @abstractmethod
    def start_timing(self) -> None:
        """Begin to time kernels, which slows them down."""

    @abstractmethod
    def stop_timing(self) -> KernelTimes | Coroutine[Any, Any, KernelTimes]:
        """Return the times of the kernels since then; awaited if kernels may still run."""


class Pictured(ABC):
    """Transfers of images between the page and the device that do not pass through the CPU."""

    @abstractmethod
    def picture(self, source: Any, shape: tuple[int, int, int]) -> int:
        """Copy an image of the page to a new int32 slot `[height, width, channels]`.

        Returns:
            The slot; 0 if the device cannot read this image.
        """

    @property
    @abstractmethod
    def draws(self) -> bool:
        """True if `draw` can be called."""

    @abstractmethod
    def draw(self, slot: int, canvas: Any, look: Look) -> bool:
        """Resize a canvas and draw an image `[height, width, channels]` on it.

        Returns:
            False if the device cannot draw on this canvas.
        """


class SharesBuffers(ABC):
    """Slots that are buffers of a GPUDevice, which the page can use."""

    @property
    @abstractmethod
    def sharing(self) -> Sharing | None:
        """Functions that share buffers; None if the slots are not buffers of a GPUDevice."""


class Losable(ABC):
    """A device that the browser may take away."""

    @abstractmethod
    def lost(self) -> str:
        """Return the reason for the loss of the device; empty if it is available."""

    @abstractmethod
    def rescue(self, slot: int, aval: Aval) -> Array | None:
        """Return a slot's value after the loss of the device; None if only the device held it."""


def slots_of(backend: Backend, aval: Aval) -> int:
    """Return the number of slots of a tensor."""
    return 2 if backend.splits_complex and aval.dtype.is_complex else 1


async def registered(backend: Backend, compiled: Compiled, progress: Progress) -> int:
    """Make a program and return its id, without blocking the page if the backend supports it."""
    if isinstance(backend, AsyncRegistration):
        return await backend.register_async(compiled, progress)
    program = backend.register(compiled)
    progress(1, 1)
    return program


def loss_of(backend: Backend) -> str:
    """Return the reason for the loss of a backend's device; empty if it is available."""
    return backend.lost() if isinstance(backend, Losable) else ""


def draws(backend: Backend) -> bool:
    """Return True if a backend draws images on canvases."""
    return isinstance(backend, Pictured) and backend.draws


def sharing_of(backend: Backend) -> Sharing:
    """Return the functions that share a backend's buffers with the page.

    Raises:
        UnimplementedError: If the slots are not buffers of a GPUDevice.
    """
    sharing = backend.sharing if isinstance(backend, SharesBuffers) else None
    if sharing is None:
        mend = 'On a device with a GPU, call await tf.set_backend_async("webgpu") first.'
        text = f"The {backend.name} backend cannot share buffers of a GPU. {mend}"
        raise UnimplementedError(None, None, text)
    return sharing
