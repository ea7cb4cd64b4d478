// One dot product under way, and its roundings.
#pragma once

#include "reference/dot/dot.hpp"

namespace mx {

struct DotProduct::Evaluation {
  const DotOperand& a;
  const DotOperand& b;
  std::size_t block_size;
  std::optional<Unpacked> addend;
  std::vector<DotStep>* trace;
  std::uint8_t flags = 0;

  [[nodiscard]] std::size_t size() const { return a.codes.size(); }

  void note(DotStep::What what, std::size_t index, const Unpacked& exact, const Unpacked& rounded,
            int unit = 0) {
    if (trace != nullptr) trace->push_back({what, index, exact, rounded, unit});
  }

  /// Rounds once and comes back as a number.
  [[nodiscard]] Unpacked round(const Unpacked& x, const ElementFormat& format,
                               const ElementPolicy& policy) {
    const Encoded encoded = encode(x, format, policy, 0);
    flags |= encoded.flags;
    return decode(format, encoded.code);
  }
};

/// The exponent of a format's smallest positive value.
[[nodiscard]] int lowest_exponent(const ElementFormat& format);

/// Significand bits of a format's values.
[[nodiscard]] int significand_bits(const ElementFormat& format);

}  // namespace mx
