"""What the text of a shader needs of its language beyond scalar expressions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from tfpy._src.dtypes import DType
from tfpy._src.lower.render import Renderer


class ShadingLanguage(Renderer):
    """A language of functions over arrays that are stored in fours.

    A bool is stored as the int 0 or 1.
    """

    name: str
    """Of the folder and the suffix of its templates."""

    int_: str
    """The type of positions."""

    @abstractmethod
    def stored(self, dtype: DType) -> tuple[str, str]:
        """The types of an element, and of four, in memory."""

    @abstractmethod
    def function(
        self, name: str, result: str, parameters: Sequence[tuple[str, str]], lines: Sequence[str]
    ) -> list[str]:
        """A function of parameters, each a type and a name."""

    @abstractmethod
    def variable(self, kind: str, name: str, value: str) -> str:
        """The declaration of a variable of a type."""

    @abstractmethod
    def count_down(self, name: str, first: int) -> str:
        """The head of a loop from ``first`` down to 1."""

    @abstractmethod
    def item(self, name: str, place: str) -> str:
        """An element of a parameter that is a list."""

    @abstractmethod
    def number(self, name: str) -> str:
        """A parameter that is a number."""

    @abstractmethod
    def made_operand(self, x: str, dtype: DType, quads: bool) -> list[str]:
        """What lets a template read the operand ``x``, which the functions ``<x>_texel`` and
        ``<x>_at`` make, as it reads arrays."""
