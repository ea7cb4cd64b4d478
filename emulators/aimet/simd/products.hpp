// Products of many binary32 numbers by one, by integers without a branch.
#pragma once

#include <span>

#include "emulators/aimet/element/working.hpp"
#include "emulators/common/vector_target.hpp"

namespace mx::emulators::aimet {

/// multiply(value, factor) in the place of each value.
void multiply_all(std::span<Bits> values, Bits factor, VectorTarget target = vector_target());

}  // namespace mx::emulators::aimet
