"""The classes of embedding columns that share one trainable matrix."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from tfpy._src.core.tensor import Tensor
from tfpy._src.core.tensor_shape import TensorShape
from tfpy._src.functions.graph_mode.defaults import get_default_graph
from tfpy._src.library.compat.graphs.scoped_variables import get_variable
from tfpy._src.library.feature_columns.base import CategoricalColumn, DenseColumn
from tfpy._src.library.feature_columns.dense_columns import OfIds, combined_rows


class SharedTable:
    """The trainable matrix of several columns. Each graph has one."""

    def __init__(self, name: str, rows: int, dimension: int, initializer: Any, trainable: bool):
        self.name = name
        self.rows = rows
        self.dimension = dimension
        self._initializer = initializer
        self._trainable = trainable
        self._found: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    @property
    def embedding_weights(self) -> Any:
        """Variable of the default graph."""
        graph = get_default_graph()
        if graph not in self._found:
            self._found[graph] = get_variable(
                self.name,
                (self.rows, self.dimension),
                initializer=self._initializer,
                trainable=self._trainable,
            )
        return self._found[graph]


class _OfTable(NamedTuple):
    categorical_column: CategoricalColumn
    shared_embedding_column_creator: SharedTable
    combiner: str
    max_norm: float | None
    use_safe_embedding_lookup: bool = True


class _OneFeature:
    """The properties of a column that a categorical column determines."""

    categorical_column: CategoricalColumn

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return self.categorical_column.parse_example_spec

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]


class SharedEmbeddingColumn(_OfTable, _OneFeature, OfIds, DenseColumn):
    """A combination of rows of a matrix that several columns share."""

    kind = "embedding_column"

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.shared_embedding_column_creator.dimension])

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> Any:
        """Return the feature of the categorical column."""
        return transformation_cache.get(self.categorical_column, state_manager)

    def _tensor(self, transformation_cache: Any, state_manager: Any) -> Tensor:
        ids = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        return combined_rows(self, self.shared_embedding_column_creator.embedding_weights, *ids)


class _OfCollection(NamedTuple):
    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: Any
    shared_embedding_collection_name: str
    ckpt_to_load_from: str | None
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool = True


class CollectedEmbeddingColumn(_OfCollection, _OneFeature, DenseColumn):
    """A column of TensorFlow 1, which finds the shared matrix in a collection of the graph."""

    @property
    def scope_name(self) -> str:
        """Name of the scope of the matrix."""
        return self.shared_embedding_collection_name

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    def table(self, trainable: bool) -> Any:
        """Return the shared matrix, which the first column creates.

        Raises:
            ValueError: If the collection contains something else.
        """
        graph, name = get_default_graph(), self.shared_embedding_collection_name
        found = graph.get_collection(name)
        sizes = (self.categorical_column.num_buckets, self.dimension)
        if len(found) > 1:
            raise ValueError(
                f"Collection {found} can only contain one variable. Choose a unique name for this "
                "collection, and do not add Variables to it."
            )
        if found:
            if tuple(found[0].shape) != sizes:
                raise ValueError(
                    f"Shared embedding collection {name} contains variable {found[0].name} of "
                    f"unexpected shape {found[0].shape}. Expected shape is {sizes}. Choose a "
                    "unique name for this collection, and do not add Variables to it."
                )
            return found[0]
        made = get_variable(
            "embedding_weights",
            sizes,
            initializer=self.initializer,
            trainable=self.trainable and trainable,
        )
        graph.add_to_collection(name, made)
        return made
