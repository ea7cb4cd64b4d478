// make_mantissa_asymmetric(): the code -2^(n-1) after a symmetric cast. Rule DX-BA, spec S5.5.
#pragma once

#include <cstdint>
#include <span>

#include "emulators/dmx/kernel/patterns.hpp"

namespace mx::emulators::dmx {

/// The rule for rows of one chunk: if one of them has an edge code, -(2^(bits-1) - 1), all of them
/// are rebuilt from their codes.
struct AsymmetricRule {
  int bits = 8;
  SoftMachine machine = {};

  /// For rows that a block kernel made.
  [[nodiscard]] bool has_edge(std::span<const Bits> row) const;
  void rebuild(std::span<const Bits> values, std::span<Bits> row) const;

  /// For any rows.
  [[nodiscard]] bool has_edge_code(std::span<const Bits> row) const;
  void rebuild_codes(std::span<const Bits> values, std::span<Bits> row) const;

 private:
  [[nodiscard]] std::int64_t edge() const;
  [[nodiscard]] Bits edge_pattern(Bits most) const;
  [[nodiscard]] Bits rebuilt(std::int64_t code, Bits quantized, Bits value, Bits step) const;
};

}  // namespace mx::emulators::dmx
