"""An import hook that patches modules of Keras and defers modules that are rarely used."""

from __future__ import annotations

import gc
import importlib
import sys
import types
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from typing import Any

from tfpy._src.keras_support import versions

PARTS = {
    "keras.src.api_export": "tfpy._src.keras_support.symbols",
    "keras._tf_keras.keras.callbacks": "tfpy._src.keras_support.live_plot",
    "keras.callbacks": "tfpy._src.keras_support.live_plot",
    "keras.src.backend.config": "tfpy._src.keras_support.epsilon",
    "keras.src.backend.tensorflow.core": "tfpy._src.keras_support.output_spec",
    "keras.src.backend.tensorflow.rnn": "tfpy._src.keras_support.recurrent",
    "keras.src.backend.tensorflow.trainer": "tfpy._src.keras_support.training",
    "keras.src.callbacks.callback_list": "tfpy._src.keras_support.batch_logs",
    "keras.src.optimizers.base_optimizer": "tfpy._src.keras_support.epsilon",
    "keras.src.layers.preprocessing.index_lookup": "tfpy._src.keras_support.vocabularies",
    "keras.src.layers.preprocessing.integer_lookup": "tfpy._src.keras_support.integer_lookup",
    "keras.src.saving.saving_api": "tfpy._src.keras_support.saving",
    "keras.src.saving.saving_lib": "tfpy._src.keras_support.hub_packages",
    "keras.src.trainers.data_adapters.array_data_adapter": "tfpy._src.keras_support.array_batches",
    "keras.src.utils.dataset_utils": "tfpy._src.keras_support.serial",
    "keras.src.utils.python_utils": "tfpy._src.keras_support.logs",
    "keras.src.utils.summary_utils": "tfpy._src.keras_support.summary",
    "keras.src.utils.model_visualization": "tfpy._src.keras_support.plotting",
    "keras_hub.src.layers.preprocessing.preprocessing_layer": (
        "tfpy._src.keras_support.hub_preprocessing"
    ),
    "keras_hub.src.models.causal_lm": "tfpy._src.keras_support.hub_generation",
    "keras_hub.src.models.clip.clip_tokenizer": "tfpy._src.keras_support.hub_tokenizers",
    "keras_hub.src.models.parseq.parseq_tokenizer": "tfpy._src.keras_support.hub_tokenizers",
    "keras_hub.src.tokenizers.sentence_piece_tokenizer_trainer": (
        "tfpy._src.keras_support.hub_tokenizers"
    ),
    "keras_hub.src.tokenizers.tokenizer": "tfpy._src.keras_support.hub_chat",
    "keras_hub.src.utils.pipeline_model": "tfpy._src.keras_support.hub_pipeline",
    "keras_hub.src.utils.preset_utils": "tfpy._src.keras_support.hub_packages",
}
"""Modules of Keras and KerasHub, and the modules that patch them with `replace` after loading."""

LATER = {
    "absl.logging",
    "h5py",
    "ml_dtypes",
    "rich.console",
    "rich.markup",
    "rich.table",
    "keras._tf_keras",
    "keras.applications",
    "keras.datasets",
    "keras.distillation",
    "keras.export",
    "keras.legacy",
    "keras.src.datasets",
    "keras.src.export",
    "keras.src.legacy.saving.legacy_h5_format",
    "keras.src.visualization",
    "keras.visualization",
    "keras.wrappers",
    "regex",
    "sentencepiece",
    "tokenizers",
    "tfpy._src.keras_support.dot",
    "tfpy._src.display.live_plot",
    "tfpy.experimental.dtensor",
}
"""Modules that Keras and KerasHub import and rarely use, which are loaded on first access.

In a page they would take more than half of Keras's import time.
"""

STAND_INS = {
    "html": ("escape",),
    "ipaddress": (),
    "multiprocessing": (),
    "multiprocessing.dummy": (),
    "multiprocessing.pool": ("ThreadPool",),
    "urllib.request": ("urlretrieve",),
}
"""Rarely used modules of Python's standard library, with the functions that Keras imports by name.

They are deferred in pages only. With several threads, the threads could wait for each other.
"""

_IN_PAGE = sys.platform == "emscripten"


class KerasFinder(MetaPathFinder):
    """A finder for Keras modules that are patched or deferred."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: types.ModuleType | None = None,
    ) -> ModuleSpec | None:
        if _load_package_of(fullname):
            return _spec_of_loaded(sys.modules[fullname])
        wrapped_in = _wrapper(fullname)
        if wrapped_in is None:
            return None
        return found(wrapped_in, fullname, path, target)


def found(
    wrapped: Callable[[Loader], Loader],
    fullname: str,
    path: Sequence[str] | None,
    target: types.ModuleType | None,
) -> ModuleSpec | None:
    """Find a module as Python does, and wrap its loader."""
    spec = PathFinder.find_spec(fullname, path, target)
    if spec is not None and spec.loader is not None:
        spec.loader = wrapped(spec.loader)
    return spec


def _wrapper(fullname: str) -> type[Wrapping] | None:
    if fullname in PARTS:
        return _Replacing
    if fullname in LATER or (AtOnce.runs and _IN_PAGE and fullname in STAND_INS):
        return _Deferring
    return {"keras": AtOnce, "keras_hub": _Uncollected}.get(fullname)


class Wrapping(Loader):
    """A loader that wraps another loader."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> types.ModuleType | None:
        return self.loader.create_module(spec)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)


class ExistingModule(Loader):
    """A loader that returns an existing module and restores the module's spec."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> types.ModuleType:
        return self._module

    def exec_module(self, module: types.ModuleType) -> None:
        module.__spec__ = self._spec


def _spec_of_loaded(module: types.ModuleType) -> ModuleSpec:
    """Return a spec for a module that was loaded while Python was looking for it.

    With its own spec, Python would load the module again.
    """
    module.__spec__ = ModuleSpec(module.__name__, ExistingModule(module))
    return module.__spec__


class _Replacing(Wrapping):
    """A loader that patches a module after loading it."""

    def exec_module(self, module: types.ModuleType) -> None:
        self.loader.exec_module(module)
        importlib.import_module(PARTS[module.__name__]).replace(module)


class _Uncollected(Wrapping):
    """A loader of a large package that disables garbage collection.

    The imports make no garbage. In a page, the loaded objects are also excluded from later
    collections, because the package stays loaded as long as the page.
    """

    def exec_module(self, module: types.ModuleType) -> None:
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            self.loader.exec_module(module)
            if _IN_PAGE:
                gc.freeze()
        finally:
            if was_enabled:
                gc.enable()


class AtOnce(_Uncollected):
    """A loader of Keras that reports versions that are not tested."""

    runs = False

    def exec_module(self, module: types.ModuleType) -> None:
        AtOnce.runs = True
        try:
            super().exec_module(module)
        except Exception as error:
            versions.add_note(error)
            raise
        finally:
            AtOnce.runs = False
        versions.warn_if_untested(str(module.__version__))


class _Deferring(Wrapping):
    """A loader that loads a module when a missing name is first accessed.

    `importlib.util.LazyLoader` would already load it when it is imported a second time.
    """

    def exec_module(self, module: types.ModuleType) -> None:
        module.__class__ = _Deferred


_LOCK = RLock()
_LOADING: set[str] = set()


class _Deferred(types.ModuleType):
    """A module of `_Deferring` that has not been loaded."""

    def __getattr__(self, name: str) -> Any:
        own = self.__name__
        if AtOnce.runs and name in STAND_INS.get(own, ()):
            return _stand_in(self, name)
        if name != "__path__":  # Python asks every module whether it is a package
            load(self)
        if name in vars(self):
            return vars(self)[name]
        if type(self) is _Deferred:
            raise AttributeError(
                f"module {own!r} has no attribute {name!r}, or the module is still being loaded"
            )
        return getattr(self, name)

    def __dir__(self) -> list[str]:
        load(self)
        return list(types.ModuleType.__dir__(self))


def load(module: types.ModuleType) -> None:
    """Load a deferred module, unless it is being loaded already."""
    own = module.__name__
    with _LOCK:  # another thread may be loading it
        if type(module) is _Deferred and own not in _LOADING:
            _LOADING.add(own)
            spec = module.__spec__
            assert spec is not None
            assert isinstance(spec.loader, _Deferring)
            try:
                spec.loader.loader.exec_module(module)
                object.__setattr__(module, "__class__", types.ModuleType)
            except BaseException:
                module.__spec__ = spec  # allows another attempt
                raise
            finally:
                _LOADING.discard(own)


def _load_package_of(fullname: str) -> bool:
    """Load the deferred package of a module. Return True if this also loaded the module.

    A package is loaded before its modules, which may depend on it.
    """
    package = sys.modules.get(fullname.rpartition(".")[0])
    if type(package) is not _Deferred or AtOnce.runs or package.__name__ in _LOADING:
        return False
    load(package)
    return fullname in sys.modules


def load_keras() -> bool:
    """Load all deferred modules of Keras. Return True if there were any."""
    waiting = [
        module
        for name, module in list(sys.modules.items())
        if type(module) is _Deferred and name.startswith("keras.")
    ]
    for module in waiting:
        load(module)
    return bool(waiting)


def _stand_in(module: types.ModuleType, name: str) -> Any:
    """Return a function that loads a module and calls the module's function of that name."""

    def call(*args: Any, **options: Any) -> Any:
        load(module)
        return vars(module)[name](*args, **options)

    return call
