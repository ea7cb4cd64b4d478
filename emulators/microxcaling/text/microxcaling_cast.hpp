// microxcaling's functions by text:
//   quantize_mx(scale_bits=8,elem_format=fp8_e4m3,shared_exp_method=max,axes=(-1),block_size=32,
//               round=nearest,flush_fp32_subnorms=False,path=python)
//   quantize_mx_op(elem_format=fp8_e4m3,scale_bits=0,block_size=0,axes=(-1),round=nearest,
//                  shared_exp_method=max,mx_flush_fp32_subnorms=False,path=python)
//   quantize_elemwise(elem_format=fp8_e4m3,...) or (bits=5,exp_bits=4,max_norm=448,...), each with
//                     round=nearest,saturate_normals=False,allow_denorm=True,path=python
//   quantize_bfloat(bfloat=16,round=nearest,allow_denorm=True,path=python)
//   quantize_fp(exp_bits=5,mantissa_bits=10,round=nearest,allow_denorm=True,path=python)
//   quantize_elemwise_op(bfloat=16,fp=0,bfloat_subnorms=True,round=nearest,path=python)
#pragma once

#include <string_view>

#include "emulators/common/interface.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::microxcaling {

[[nodiscard]] Checked<CastPointer> make(std::string_view body, const Setting& setting);

}  // namespace mx::emulators::microxcaling
