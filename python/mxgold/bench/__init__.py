"""Benches in Python: models by a line of text, a scoreboard, and streams with stalls and noise.

Nothing here imports a simulator's package: streams take the triggers of cocotb from the test that uses them
(docs/howto/cocotb.md), and everything else runs without a simulator.
"""

from mxgold.bench._model import Model
from mxgold.bench.scoreboard import Mismatch, Scoreboard
from mxgold.bench.stream import StreamMonitor, StreamSource

__all__ = ["Mismatch", "Model", "Scoreboard", "StreamMonitor", "StreamSource"]
