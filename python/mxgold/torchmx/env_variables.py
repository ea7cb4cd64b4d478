"""What the environment sets, read once, at import. spec S6.6.

MX_EXACT_QUANTIZATION: "True" takes the hardware-exact path of quantization; from MX_HARDWARE_EXACT_QUANTIZATION.
TORCHMX_LOG_LEVEL, TORCHMX_LOG_FILE: strict reads the documented variables of these names, compat LOG_LEVEL and
LOG_FILE, as the package does. Nothing here writes a log.
"""

from __future__ import annotations

import os

from .._mode import setting

_PREFIX = "TORCHMX_" if setting()[0] == "strict" else ""

__all__ = ["MX_EXACT_QUANTIZATION", "TORCHMX_LOG_FILE", "TORCHMX_LOG_LEVEL"]

TORCHMX_LOG_LEVEL: str = os.getenv(_PREFIX + "LOG_LEVEL", "INFO")
TORCHMX_LOG_FILE: str | None = os.getenv(_PREFIX + "LOG_FILE", None)
MX_EXACT_QUANTIZATION: str = os.getenv("MX_HARDWARE_EXACT_QUANTIZATION", "False")
