// SPDX-License-Identifier: Apache-2.0
// Element codes to their layouts in memory and back, on threads, by the processor's vectors where
// the layout has any.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "fast/packing/packing.hpp"
#include "reference/tensor/packing.hpp"

namespace mx::backend {

/// Packs codes and unpacks them: the bytes of the reference. A value type; the calls are const and
/// may run side by side.
class CodePacker {
 public:
  explicit CodePacker(const CodeLayout& layout);

  [[nodiscard]] bool is_fast() const { return is_fast_; }
  /// "" where the vectors agree with the reference, or none are used.
  [[nodiscard]] std::string self_check() const;

  /// As pack() and unpack() of the reference. Throws std::logic_error where the spans do not fit.
  void pack(std::span<const std::byte> codes, std::span<std::byte> packed, int threads = 1) const;
  void unpack(std::span<const std::byte> packed, std::span<std::byte> codes, int threads = 1) const;

 private:
  CodeLayout layout_;
  fast::CodePacking vectors_ = {};
  bool is_fast_ = false;
};

}  // namespace mx::backend
