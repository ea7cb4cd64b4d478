// Casts of blocks by text.
#pragma once

#include "reference/policy/checked.hpp"
#include "reference/systems/cast/call.hpp"
#include "reference/systems/cast/cast.hpp"

namespace mx::systems::microxcaling {

[[nodiscard]] Checked<CastPointer> quantize_mx_cast(Call& call, const Setting& setting);
[[nodiscard]] Checked<CastPointer> quantize_mx_op_cast(Call& call, const Setting& setting);

}  // namespace mx::systems::microxcaling
