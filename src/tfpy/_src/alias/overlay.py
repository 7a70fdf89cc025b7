"""What replaces parts of Keras as it is imported: the module, and what is done to it."""

from __future__ import annotations

import importlib
import types
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader

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

LATER = ("h5py",)
"""What Keras imports and uses for some files only: loaded when something of it is first asked for.

Loading h5py would be an eighth of Keras's import in a page.
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
            wrapped_in = LazyLoader if fullname in LATER else _Replacing
            spec.loader = wrapped_in(spec.loader)
        return spec


class _Replacing(Loader):
    """Loads a module as another loader does, then replaces parts of it."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> types.ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: types.ModuleType) -> None:
        self._loader.exec_module(module)
        importlib.import_module(PARTS[module.__name__]).replace(module)
