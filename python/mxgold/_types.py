"""Types of arguments, for annotations only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, Union

if TYPE_CHECKING:
    import numpy
    import numpy.typing
    from typing_extensions import Unpack as Unpack

    from ._formats import BlockFormat, ElementFormat
    from ._literals import Settings as Settings
    from ._policies import Policy

    Array = numpy.typing.NDArray[Any]
    """A NumPy array of any type, ml_dtypes' too."""


class DLPack(Protocol):
    """An array of another package: JAX's, CuPy's."""

    def __dlpack__(self, *, stream: Any = None) -> Any: ...
    def __dlpack_device__(self) -> Any: ...


class Tensor(Protocol):
    """A torch tensor, as far as it is needed here. torch itself need not be installed."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def requires_grad(self) -> bool: ...
    def data_ptr(self) -> int: ...
    def element_size(self) -> int: ...


TensorT = TypeVar("TensorT", bound=Tensor)
ArrayOrTensorT = TypeVar("ArrayOrTensorT", bound="ArrayOrTensor")

class Type(Protocol):
    """A type of torch: torch.float8_e4m3fn."""

    @property
    def is_floating_point(self) -> bool: ...
    @property
    def itemsize(self) -> int: ...
    def __hash__(self) -> int: ...


if TYPE_CHECKING:
    FloatArray = numpy.typing.NDArray[numpy.float32]
    #: NumPy's own values: arrays of any shape, and scalars.
    ArrayOrScalar = Union[Array, numpy.generic]
    #: A type of numbers: its name, or an object of NumPy, ml_dtypes or torch.
    DTypeLike = Union[str, numpy.dtype[Any], type[Any], Type]
    #: What the emulated systems take and give: NumPy arrays, or torch tensors.
    ArrayOrTensor = Union[Array, Tensor]
    #: What becomes an array: NumPy arrays of any type (ml_dtypes' too), arrays of JAX, numbers and lists of them.
    ArrayLike = Union[numpy.typing.ArrayLike, DLPack]
    #: A format, its name, or a type of NumPy, ml_dtypes or torch.
    FormatLike = Union[str, ElementFormat, BlockFormat, numpy.dtype[Any], type[numpy.generic], Type]
    #: What mxgold.policy() takes.
    PolicyLike = Union[str, Policy, Mapping[str, Any]]
