// Casts of blocks by text.
#pragma once

#include "emulators/common/call.hpp"
#include "emulators/common/interface.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::microxcaling {

[[nodiscard]] Checked<CastPointer> quantize_mx_cast(Call& call, const Setting& setting);
[[nodiscard]] Checked<CastPointer> quantize_mx_op_cast(Call& call, const Setting& setting);

}  // namespace mx::emulators::microxcaling
