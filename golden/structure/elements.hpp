// SPDX-License-Identifier: Apache-2.0
// The elements of an answer, one by one, with why each has its code.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "golden/configuration/configuration.hpp"
#include "golden/vectors/record.hpp"

namespace mx::golden {

/// One element of a block, or the one of a conversion.
struct Element {
  const ElementFormat& format;
  const ElementPolicy& policy;
  Unpacked value;  ///< what is rounded
  std::uint32_t random = 0;
  Encoded encoded;  ///< the right answer
  Trace trace;      ///< and why
};

/// The element with another magnitude code, its sign and flags to match; as it is where the
/// magnitude lies beyond the largest.
[[nodiscard]] Encoded with_magnitude(const Element& element, std::uint64_t magnitude);

/// Computes the elements of answers under one configuration. Not thread-safe.
class Elements {
 public:
  using Change = std::function<Encoded(const Element&)>;

  /// The configuration must have no problem, and live as long.
  explicit Elements(const Configuration& configuration);
  /// Are answers of the configuration made of elements that can be computed one by one?
  [[nodiscard]] static bool are_in(const Configuration& configuration);

  [[nodiscard]] const Configuration& configuration() const { return *configuration_; }
  /// Of blocks.
  [[nodiscard]] const Quantizer& quantizer() const { return *quantizer_; }

  /// Gives every element of record 0 to `change`, and puts what that returns in its place, flags
  /// too. Nothing under a scale that is no number above zero.
  void change(RecordBatch& record, const Change& change) const;
  /// The block of record 0 under another scale code: its codes, and the flags of its elements.
  void recode(RecordBatch& record, std::uint64_t scale) const;
  /// What a quantizer makes of other source codes in place of record 0's: the scale code, and the
  /// flags of the block as vectors have them.
  struct Scale {
    std::uint64_t code = 0, flags = 0;
  };
  [[nodiscard]] Scale scale_of(const RecordBatch& record,
                               std::span<const std::uint64_t> source) const;

 private:
  [[nodiscard]] bool has_number_scale(const RecordBatch& record) const;

  const Configuration* configuration_;
  std::optional<Quantizer> quantizer_;
  std::optional<Conversion> conversion_;
};

}  // namespace mx::golden
