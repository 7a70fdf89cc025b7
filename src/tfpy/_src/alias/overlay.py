"""What replaces parts of Keras as it is imported: the module, and what is done to it."""

from __future__ import annotations

import importlib
import types
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from typing import Any

PARTS = {
    "keras._tf_keras.keras.callbacks": "tfpy._src.alias.live_plot",
    "keras.callbacks": "tfpy._src.alias.live_plot",
    "keras.src.backend.tensorflow.core": "tfpy._src.alias.output_spec",
    "keras.src.backend.tensorflow.rnn": "tfpy._src.alias.recurrent",
    "keras.src.backend.tensorflow.trainer": "tfpy._src.alias.training",
    "keras.src.callbacks.callback_list": "tfpy._src.alias.batch_logs",
    "keras.src.layers.preprocessing.integer_lookup": "tfpy._src.alias.integer_lookup",
    "keras.src.trainers.data_adapters.array_data_adapter": "tfpy._src.alias.array_batches",
    "keras.src.utils.dataset_utils": "tfpy._src.alias.serial",
    "keras.src.utils.summary_utils": "tfpy._src.alias.summary",
    "keras.src.utils.model_visualization": "tfpy._src.alias.plotting",
}
"""Modules of Keras -> those of tfpy whose ``replace`` gets them once they are loaded."""

LATER = ("absl.logging", "h5py", "ml_dtypes", "rich.console", "rich.markup", "rich.table")
"""What Keras imports and rarely uses: loaded when something of it is first asked for.

In a page, they would be a third of Keras's import.
"""


class Finder(MetaPathFinder):
    """Finds the modules of Keras that tfpy replaces parts of, and those that are loaded later."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: types.ModuleType | None = None,
    ) -> ModuleSpec | None:
        if fullname not in PARTS and fullname not in LATER:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            wrapped_in = _Deferring if fullname in LATER else _Replacing
            spec.loader = wrapped_in(spec.loader)
        return spec


class _Wrapping(Loader):
    """Does what another loader does."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> types.ModuleType | None:
        return self.loader.create_module(spec)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)


class _Replacing(_Wrapping):
    """Loads a module, then replaces parts of it."""

    def exec_module(self, module: types.ModuleType) -> None:
        self.loader.exec_module(module)
        importlib.import_module(PARTS[module.__name__]).replace(module)


class _Deferring(_Wrapping):
    """Loads a module when it is asked for a name that it has not yet.

    ``importlib.util.LazyLoader`` loads it when it is imported a second time.
    """

    def exec_module(self, module: types.ModuleType) -> None:
        module.__class__ = _Deferred


_LOCK = RLock()
_LOADING: set[str] = set()


class _Deferred(types.ModuleType):
    """A module of ``_Deferring`` until it is loaded."""

    def __getattr__(self, name: str) -> Any:
        own = self.__name__
        with _LOCK:  # another thread may load it
            if type(self) is _Deferred and own not in _LOADING:
                _LOADING.add(own)
                try:
                    self._load()
                finally:
                    _LOADING.discard(own)
            if name in vars(self):
                return vars(self)[name]
        if type(self) is _Deferred:
            raise AttributeError(f"module {own!r} has no attribute {name!r} yet: it loads")
        return getattr(self, name)

    def _load(self) -> None:
        assert self.__spec__ is not None
        assert isinstance(self.__spec__.loader, _Deferring)
        self.__spec__.loader.loader.exec_module(self)
        object.__setattr__(self, "__class__", types.ModuleType)
