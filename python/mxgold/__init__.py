"""mxgold: a bit-exact reference for low-precision and microscaling (MX) number formats."""

from ._library import LIBRARY, Error
from ._mode import mode

__version__ = LIBRARY.mxgold_version().decode()
__all__ = ["Error", "__version__", "mode"]
