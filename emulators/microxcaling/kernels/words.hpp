// Between a tensor's words and binary32 as the C++ functions and CUDA kernels convert them. spec
// S7.4 (MS-C).
#pragma once

#include "emulators/common/machine.hpp"
#include "emulators/microxcaling/kernels/ieee_type.hpp"

namespace mx::emulators::microxcaling {

/// bf16 patterns are shifted; a binary16 NaN becomes quiet, on CUDA the NaN of every operation.
template <typename T>
[[nodiscard]] Bits to_binary32(Word word, Platform platform) {
  if constexpr (T::kType == TensorType::kFp32) return static_cast<Bits>(word);
  if constexpr (T::kType == TensorType::kBf16) return static_cast<Bits>(word) << 16;
  static_assert(T::kStored <= 23);
  const Word magnitude = word & ~T::kSign;
  const Bits sign = (word & T::kSign) != 0 ? fp32::kSignBit : 0;
  if (magnitude >= T::kInfinity) {
    if (magnitude > T::kInfinity && platform == Platform::kCuda) return made_nan(platform);
    const Bits payload = static_cast<Bits>(magnitude - T::kInfinity) << (23 - T::kStored);
    return sign | fp32::kInfinity | payload | (payload != 0 ? 0x00400000 : 0);
  }
  return sign | static_cast<Bits>(Fp32::rounded(T::value(magnitude)));
}

/// Rounded, ties to even. A bf16 NaN has one pattern, a binary16 NaN keeps its sign; on CUDA both
/// are all ones but for the sign.
template <typename T>
[[nodiscard]] Word from_binary32(Bits x, Platform platform) {
  if constexpr (T::kType == TensorType::kFp32) return x;
  const Bits magnitude = x & ~fp32::kSignBit;
  const Word sign = (x & fp32::kSignBit) != 0 ? T::kSign : 0;
  if (magnitude > fp32::kInfinity) {
    if (platform == Platform::kCuda) return T::kSign - 1;
    return T::kType == TensorType::kBf16 ? T::kNan : sign | T::kNan;
  }
  if (magnitude == fp32::kInfinity) return sign | T::kInfinity;
  return sign | T::rounded(Fp32::value(magnitude));
}

}  // namespace mx::emulators::microxcaling
