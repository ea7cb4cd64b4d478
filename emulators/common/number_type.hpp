// The floating types that tensors have, seen from binary32, in which the systems compute.
#pragma once

#include <cstdint>

#include "emulators/common/interface.hpp"
#include "emulators/common/machine.hpp"

namespace mx::emulators {

/// A word of a floating type as a binary32 pattern: exact, but fp64 is rounded once, ties to even.
/// A NaN keeps its sign and leading payload bits; fp32 words stay as they are.
[[nodiscard]] Bits widen(TensorType type, std::uint64_t word);

/// fl_T: a binary32 pattern as a word of a floating type, rounded once, ties to even, overflow to
/// infinity. A NaN becomes a quiet one of its sign and leading payload bits.
[[nodiscard]] std::uint64_t narrow(TensorType type, Bits value);

/// fl_T with the result as a binary32 pattern: what an operation on a tensor of the type leaves.
[[nodiscard]] inline Bits rounded_to(TensorType type, Bits value) {
  return type == TensorType::kFp32 ? value : widen(type, narrow(type, value));
}

/// Significand bits p, the hidden one included (24, 8, 11).
[[nodiscard]] constexpr int precision_of(TensorType type) {
  return type == TensorType::kBf16 ? 8 : type == TensorType::kFp16 ? 11 : 24;
}

}  // namespace mx::emulators
