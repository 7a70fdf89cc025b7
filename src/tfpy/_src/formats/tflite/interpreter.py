"""`tf.lite.Interpreter`: models in `.tflite` files, run by the numbers of their tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy._src.base.errors import NotFoundError
from tfpy._src.compiler.ir.aval import Array
from tfpy._src.core.byte_strings import as_bytes
from tfpy._src.core.typing import PathLike
from tfpy._src.formats.raw_ops.resources import Resources, using
from tfpy._src.formats.tflite.reader.files import ModelFile, read_file
from tfpy._src.formats.tflite.subgraph_state import Details, SubgraphState
from tfpy._src.library.io.checked_json import ModelFileError
from tfpy._src.library.io.file_objects import GFile


class Interpreter:
    """Runs a model of a `.tflite` file.

    Set the values of the inputs by their numbers, call `invoke`, and get the values of the outputs.
    `tf.models.load` reads the same files and returns a function of tensors.

    Args:
        model_path: Path of the file.
        model_content: Content of the file, bytes. Pass either a path or the content.
        experimental_delegates: None. tfpy uses the device of its backend instead of delegates.
        num_threads: Has no effect.
        experimental_op_resolver_type: Has no effect.
        experimental_preserve_all_tensors: If True, `get_tensor` also returns values between the
            inputs and the outputs.
        experimental_disable_delegate_clustering: Has no effect.
        experimental_default_delegate_latest_features: Has no effect.

    Raises:
        ValueError: If the file does not exist or is not a valid model, if both or none of
            `model_path` and `model_content` are passed, or if an operation is not supported.

    Example:
        >>> import tfpy as tf
        >>> tf.lite.Interpreter()
        Traceback (most recent call last):
        ...
        ValueError: `model_path` or `model_content` must be specified.

    See also: `tf.models.load`.
    """

    def __init__(
        self,
        model_path: PathLike | None = None,
        model_content: bytes | None = None,
        experimental_delegates: Sequence[object] | None = None,
        num_threads: int | None = None,
        experimental_op_resolver_type: object = None,
        experimental_preserve_all_tensors: bool = False,
        experimental_disable_delegate_clustering: bool = False,
        experimental_default_delegate_latest_features: bool = False,
    ) -> None:
        if experimental_delegates:
            raise ValueError("tfpy has no delegates. Omit experimental_delegates.")
        if num_threads is not None and int(num_threads) < 1:
            raise ValueError("num_threads should >= 1")
        self._file = _read(model_path, model_content)
        self._resources: Resources = {}
        self._keeps_all = experimental_preserve_all_tensors
        self._subgraphs: dict[int, SubgraphState] = {}
        self.reset_all_variables()

    def allocate_tensors(self) -> None:
        """Allocate the inputs and outputs, also after `resize_tensor_input`."""
        self._main.allocate()

    def get_input_details(self) -> list[Details]:
        """Return a dict for each input: number, name, shape, dtype and quantization.

        Returns:
            List of dicts with the keys `index`, `name`, `shape`, `shape_signature` (-1 for unknown
            sizes), `dtype` (a type of NumPy), `quantization` (scale and zero point),
            `quantization_parameters` and `sparsity_parameters`.
        """
        return [self._main.details(index) for index in self._main.inputs]

    def get_output_details(self) -> list[Details]:
        """Return a dict for each output, as `get_input_details` does for inputs."""
        return [self._main.details(index) for index in self._main.outputs]

    def get_tensor_details(self) -> list[Details]:
        """Return a dict for each tensor of the model, as `get_input_details` does for inputs."""
        return [self._main.details(index) for index in range(len(self._main.tables))]

    def set_tensor(self, tensor_index: int, value: Array) -> None:
        """Set the value of an input.

        Args:
            tensor_index: Number of the input, from `get_input_details`.
            value: Array with the dtype and shape of the input.

        Raises:
            ValueError: If the dtype or shape is wrong, or the tensors are not allocated.
        """
        self._main.set(tensor_index, value)

    def get_tensor(self, tensor_index: int, subgraph_index: int = 0) -> Array:
        """Return a copy of the value of an input, an output or a constant.

        Args:
            tensor_index: Number of the tensor.
            subgraph_index: Number of the graph in the file.

        Returns:
            NumPy array.

        Raises:
            ValueError: If there is no such tensor, or its value is not stored.
        """
        return self._subgraph(subgraph_index).get(tensor_index).copy()

    def tensor(self, tensor_index: int) -> Callable[[], Array]:
        """Return a function that returns the value of a tensor without copying it.

        Assign to the elements of the array of an input to change its value.

        Args:
            tensor_index: Number of the tensor.

        Returns:
            Function without arguments that returns a NumPy array.
        """
        return lambda: self._main.get(tensor_index)

    def resize_tensor_input(
        self, input_index: int, tensor_size: Sequence[int], strict: bool = False
    ) -> None:
        """Change the shape of an input. Call `allocate_tensors` afterwards.

        Args:
            input_index: Number of the input.
            tensor_size: New shape.
            strict: If True, only sizes that the file declares as unknown may change.

        Raises:
            ValueError: If there is no such input.
            RuntimeError: If `strict` is True, and another size changes.
        """
        self._main.resize(input_index, tensor_size, strict)

    def invoke(self) -> None:
        """Run the model on the current values of its inputs.

        Raises:
            RuntimeError: If the tensors are not allocated.
        """
        self._main.invoke()

    def reset_all_variables(self) -> None:
        """Reset the state that the model keeps between calls."""
        with using(self._resources):
            self._file.state.reset(self._file.firsts)

    def get_signature_list(self) -> dict[str, dict[str, list[str]]]:
        """Return the names of the inputs and outputs of each signature.

        Returns:
            Dict from the keys of signatures to dicts with the lists `inputs` and `outputs`.
        """
        found = {}
        for table in self._file.tables["signature_defs"]:
            inputs, outputs = (list(_indices(table[end])) for end in ("inputs", "outputs"))
            found[table["signature_key"]] = {"inputs": inputs, "outputs": outputs}
        return dict(sorted(found.items()))

    def get_signature_runner(self, signature_key: str | None = None) -> SignatureRunner:
        """Return a function that runs a signature.

        Args:
            signature_key: Key of the signature. Default: the only signature.

        Returns:
            Function that takes arrays by name and returns a dict of arrays.

        Raises:
            ValueError: If the model has no such signature.
        """
        tables = {one["signature_key"]: one for one in self._file.tables["signature_defs"]}
        if signature_key is None:
            if len(tables) != 1:
                raise ValueError(
                    f"SignatureDef signature_key is None and model has {len(tables)} Signatures. "
                    "None is only allowed when the model has 1 SignatureDef"
                )
            signature_key = next(iter(tables))
        if signature_key not in tables:
            raise ValueError(f'Invalid signature_key provided: "{signature_key}".')
        table = tables[signature_key]
        return SignatureRunner(
            self._subgraph(table["subgraph_index"]),
            _indices(table["inputs"]),
            _indices(table["outputs"]),
        )

    @property
    def _main(self) -> SubgraphState:
        return self._subgraph(0)

    def _subgraph(self, number: int) -> SubgraphState:
        if number not in self._subgraphs:
            self._subgraphs[number] = SubgraphState(
                self._file, number, self._resources, self._keeps_all
            )
        return self._subgraphs[number]


class SignatureRunner:
    """Runs a signature of a model, as `tf.lite.Interpreter.get_signature_runner` returns it."""

    def __init__(
        self, subgraph: SubgraphState, inputs: dict[str, int], outputs: dict[str, int]
    ) -> None:
        self._subgraph, self._inputs, self._outputs = subgraph, inputs, outputs

    def __call__(self, **kwargs: Any) -> dict[str, Array]:
        if len(kwargs) != len(self._inputs):
            raise ValueError(
                "Invalid number of inputs provided for running a SignatureDef, expected "
                f"{len(self._inputs)} vs provided {len(kwargs)}"
            )
        arrays = {}
        for name, value in kwargs.items():
            if name not in self._inputs:
                raise ValueError(f"Invalid Input name ({name}) for SignatureDef")
            arrays[self._inputs[name]] = np.asarray(value)
            self._subgraph.resize(self._inputs[name], np.shape(value), False)
        self._subgraph.allocate()
        for index, array in arrays.items():
            self._subgraph.set(index, array)
        self._subgraph.invoke()
        return {name: self._subgraph.get(index).copy() for name, index in self._outputs.items()}

    def allocate_tensors(self) -> None:
        """Allocate the inputs and outputs."""
        self._subgraph.allocate()

    def get_input_details(self) -> dict[str, Details]:
        """Return a dict for each input by its name."""
        return {name: self._subgraph.details(index) for name, index in self._inputs.items()}

    def get_output_details(self) -> dict[str, Details]:
        """Return a dict for each output by its name."""
        return {name: self._subgraph.details(index) for name, index in self._outputs.items()}


def _read(path: PathLike | None, content: bytes | None) -> ModelFile:
    """Return the content of a file, or of bytes.

    Raises:
        ValueError: If there is no such file, or it is not a model.
    """
    if path is not None and content is not None:
        raise ValueError("Can't both provide `model_path` and `model_content`")
    if path is None and content is None:
        raise ValueError("`model_path` or `model_content` must be specified.")
    if path is not None:
        try:
            with GFile(path, "rb") as file:
                content = as_bytes(file.read())
        except (OSError, NotFoundError):
            raise ValueError(f"Could not open '{path!s}'.") from None
    assert content is not None
    try:
        return read_file(content)
    except ModelFileError as error:
        raise ValueError(f"The model is not a valid Flatbuffer buffer: {error}") from None


def _indices(tables: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Return the numbers of tensors by their names in a signature."""
    return dict(sorted((one["name"], one["tensor_index"]) for one in tables))
