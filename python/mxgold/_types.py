"""Types of arguments, for annotations only."""

from collections.abc import Mapping
from typing import Any, Union

from ._policies import Policy

# What becomes an array: NumPy arrays of any type (ml_dtypes' too), CPU torch tensors, numbers and lists of them.
ArrayLike = Any
# A NumPy array or a torch tensor; a result is what the argument was.
ArrayOrTensor = Any
# What mxgold.policy() takes.
PolicyLike = Union[str, Policy, "Mapping[str, Any]"]
