"""Vectors of datasets: lists of datasets, and batches of elements that are datasets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy._src.data.node import DatasetNode


class DatasetVector:
    """Datasets in the place of the rows of a vector.

    Args:
        nodes: Nodes of the datasets.
    """

    def __init__(self, nodes: Sequence[DatasetNode]) -> None:
        self.nodes = tuple(nodes)

    @property
    def shape(self) -> tuple[int]:
        """Number of datasets, as the shape of a vector."""
        return (len(self.nodes),)

    def __getitem__(self, place: tuple[int, Any]) -> DatasetNode:
        return self.nodes[place[0]]
