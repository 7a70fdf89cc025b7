"""Abilities that only some backends have, as ``web/common/backend.mjs`` lists those of devices.

A backend inherits the classes of the abilities that it has. Callers test for them by
``isinstance``, or call a function of this module that does.
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
        """True if :meth:`Backend.read` can be called here; some devices must be awaited."""

    @abstractmethod
    async def read_async(self, slot: int, aval: Aval) -> Array:
        """Copy the slot's value to a new array when it is computed."""


class AsyncRegistration(ABC):
    """Programs that take long to make, made without blocking the page."""

    @abstractmethod
    async def register_async(self, compiled: Compiled, progress: Progress) -> int:
        """Make a program and return its id.

        Args:
            progress: Called with the number of finished parts (shaders) and the number of all.
        """


class SlicedRuns(ABC):
    """Runs in slices, between which the page reacts."""

    @abstractmethod
    def begin(self, program: int, *slots: int) -> SlicedRun | None:
        """Begin a run with nothing donated.

        Returns:
            None if runs return as soon as they are submitted.
        """


class RepeatedRuns(ABC):
    """Several runs of one program in one call, each on the outputs of the run before."""

    @abstractmethod
    def link(self, program: int, links: Links) -> bool:
        """Specify which outputs are the next run's inputs; return True if :meth:`repeat` can run
        the program."""

    @abstractmethod
    def repeat(self, program: int, count: int, *slots: int) -> int:
        """Run a linked program `count` times, and return the first output of the last run.

        If a later run fails, the failure's ``first`` is the first output of the run before.

        Args:
            slots: The inputs of the first run, then for each other run the inputs that
                :attr:`Links.given` lists.
        """


class Timed(ABC):
    """Durations of kernels."""

    @abstractmethod
    def start_timing(self) -> None:
        """Begin to time kernels, which takes time itself."""

    @abstractmethod
    def stop_timing(self) -> KernelTimes | Coroutine[Any, Any, KernelTimes]:
        """Return the times of the kernels since then; awaited if kernels may still run."""


class Pictured(ABC):
    """Images that go from the page to the device, and back, without passing the CPU."""

    @abstractmethod
    def picture(self, source: Any, shape: tuple[int, int, int]) -> int:
        """Copy an image of the page to a new int32 slot ``[height, width, channels]``; return 0 if
        the device cannot read this image."""

    @property
    @abstractmethod
    def draws(self) -> bool:
        """Whether :meth:`draw` can be called."""

    @abstractmethod
    def draw(self, slot: int, canvas: Any, look: Look) -> bool:
        """Resize a canvas and draw an image ``[height, width, channels]`` on it; return False if
        the device cannot draw on this canvas."""


class SharesBuffers(ABC):
    """Slots that are buffers of a GPUDevice, which the page can use."""

    @property
    @abstractmethod
    def sharing(self) -> Sharing | None:
        """The functions that share buffers; None if the slots are no buffers of a GPUDevice."""


class Losable(ABC):
    """A device that the browser may take away."""

    @abstractmethod
    def lost(self) -> str:
        """Return why the device is gone; an empty string while it is there."""

    @abstractmethod
    def rescue(self, slot: int, aval: Aval) -> Array | None:
        """Return a slot's value after the loss of the device; None if only the device had it."""


def slots_of(backend: Backend, aval: Aval) -> int:
    """Return the number of slots of a tensor."""
    return 2 if backend.splits_complex and aval.dtype.is_complex else 1


async def registered(backend: Backend, compiled: Compiled, progress: Progress) -> int:
    """Return the id of a new program, made without blocking the page if the backend can."""
    if isinstance(backend, AsyncRegistration):
        return await backend.register_async(compiled, progress)
    program = backend.register(compiled)
    progress(1, 1)
    return program


def loss_of(backend: Backend) -> str:
    """Return why a backend's device is gone; an empty string while it is there."""
    return backend.lost() if isinstance(backend, Losable) else ""


def draws(backend: Backend) -> bool:
    """Return True if a backend draws images on canvases."""
    return isinstance(backend, Pictured) and backend.draws


def sharing_of(backend: Backend) -> Sharing:
    """Return the functions that share a backend's buffers with the page.

    Raises:
        UnimplementedError: If its slots are no buffers of a GPUDevice.
    """
    sharing = backend.sharing if isinstance(backend, SharesBuffers) else None
    if sharing is None:
        mend = 'await tf.set_backend_async("webgpu") opens one that does, where there is a GPU'
        text = f"the {backend.name} backend shares no buffers of a GPU; {mend}"
        raise UnimplementedError(None, None, text)
    return sharing
