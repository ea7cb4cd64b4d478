"""What checkers of types say of calls of the emulated systems: types_test.sh checks this program, with torch."""

from __future__ import annotations

from typing import assert_type

import numpy as np
import numpy.typing as npt
import torch

from mxgold import aimet, dmx, qtorch
from mxgold import microxcaling as mx
from mxgold.qtorch.quant import Quantizer, float_quantize, quant_function, quantizer
from mxgold.torchmx import dtypes, ops
from mxgold.torchmx.mx_tensor import MXTensor, quantize_mx

FloatArray = npt.NDArray[np.float32]

x = np.ones(4, np.float32)
t = torch.ones(4)

assert_type(float_quantize(x, 5, 2), FloatArray)
assert_type(float_quantize(x.astype(np.float16), 5, 2), FloatArray)
assert_type(float_quantize(t, 5, 2), torch.Tensor)
assert_type(quantizer(qtorch.FloatingPoint(5, 2))(t), torch.Tensor)
assert_type(quant_function.quant_cuda.block_quantize_sim_nearest(t, 8), torch.Tensor)

cast = dmx.Format.from_shorthand("BFP[8|8]{64}(SN)")
assert_type(cast.cast(t, -1), torch.Tensor)
assert_type(cast.cast(x, -1), FloatArray)
assert_type(cast.cast([1.0, 2.0], -1), FloatArray)
assert_type(dmx.MXINT.from_shorthand("MXINT8{32}"), dmx.MXINT)
assert_type(dmx.format.BFP16_64, dmx.Format)
assert_type(dmx.float_quantize(t, 5, 2), torch.Tensor)
dmx.CastToFormat.apply(t, cast, -1)

assert_type(mx._quantize_mx(t, 8, "fp4", axes=[-1]), torch.Tensor)
layer = mx.Linear(4, 5, mx_specs=mx.finalize_mx_specs({"w_elem_format": "fp4"}))
assert_type(mx.linear(t, layer.weight), torch.Tensor)
assert_type(mx.simd_split(t), tuple[torch.Tensor, torch.Tensor])

assert_type(quantize_mx(t.bfloat16(), "int8", 4), tuple[torch.Tensor, torch.Tensor])
of_torch = MXTensor.to_mx(t.bfloat16().reshape(1, 4), dtypes.int8, 4)
torch.mm(of_torch, of_torch.t())
of_numpy = MXTensor.to_mx(np.zeros((1, 4), np.uint16), dtypes.int8, 4)
assert_type(of_numpy.t(), MXTensor)
ops.mm(of_numpy, of_numpy.t())

quantizer_of_aimet = aimet.FloatQuantizeDequantize(4, 3, shape=(1,))
assert_type(quantizer_of_aimet.forward(t).quantize(), aimet.QuantizedTensor)
assert_type(quantizer_of_aimet.get_encodings().quantize(t), torch.Tensor)
assert_type(aimet.fake_cast_to_ieee_float(t, 6, 2, 1), torch.Tensor)

model = torch.nn.Sequential(Quantizer(qtorch.FixedPoint(8, 2)), quantizer_of_aimet, dmx.CastTo("MXINT8{32}"), layer)
with quantizer_of_aimet.compute_encodings():
    model(t)
