// Products of many binary32 numbers by one, by integers without a branch.
#pragma once

#include <span>

#include "reference/systems/aimet/element/working.hpp"
#include "reference/systems/parts/vector_target.hpp"

namespace mx::systems::aimet {

/// multiply(value, factor) in the place of each value.
void multiply_all(std::span<Bits> values, Bits factor, VectorTarget target = vector_target());

}  // namespace mx::systems::aimet
