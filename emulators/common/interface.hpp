// SPDX-License-Identifier: Apache-2.0
// The interface of reference/casts/ under the names that the emulated packages use.
#pragma once

#include "reference/casts/cast.hpp"
#include "reference/casts/operands.hpp"
#include "reference/casts/setting.hpp"
#include "reference/casts/tensor.hpp"

namespace mx::emulators {

using casts::Cast;
using casts::CastInput;
using casts::CastPointer;
using casts::Mode;
using casts::Property;
using casts::ReadsOperands;
using casts::Setting;

using casts::Shape;
using casts::Tensor;
using casts::TensorBytes;
using casts::TensorView;

using casts::elements_of;
using casts::facts_of;
using casts::format_of;
using casts::listed;
using casts::set_word;
using casts::width_of;
using casts::word_at;

}  // namespace mx::emulators
