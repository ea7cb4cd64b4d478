// Casts of single elements by text.
#pragma once

#include "emulators/common/call.hpp"
#include "emulators/common/interface.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::microxcaling {

/// A tensor that stays as it is: elem_format=None, bfloat 0 or 32.
[[nodiscard]] CastPointer identity_cast(std::string text);

[[nodiscard]] Checked<CastPointer> quantize_elemwise_cast(Call& call, const Setting& setting);
[[nodiscard]] Checked<CastPointer> quantize_bfloat_cast(Call& call, const Setting& setting);
[[nodiscard]] Checked<CastPointer> quantize_fp_cast(Call& call, const Setting& setting);
[[nodiscard]] Checked<CastPointer> quantize_elemwise_op_cast(Call& call, const Setting& setting);

}  // namespace mx::emulators::microxcaling
