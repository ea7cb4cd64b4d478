// Where two conversions of the same source and destination part.
//
// Deterministic conversions to at most 8 bits from fp32 are compared by their threshold
// certificates, which are complete; conversions from 16-bit sources on every pattern; all others on
// directed inputs. The answers that are reported are the reference's own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "golden/compare/difference.hpp"
#include "golden/deviation/deviation.hpp"
#include "reference/element/encode.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::golden {

/// One side of a comparison: a conversion and what of it is left open (bits of mx::ElementMask).
struct ElementSubject {
  ConversionConfig conversion;
  Masks masks = 0;
};

/// An input that two conversions answer differently.
struct ElementDifference {
  std::uint64_t input = 0;   ///< source code
  std::uint32_t random = 0;  ///< R, where a rounding is stochastic
  std::uint64_t code_a = 0;
  std::uint64_t code_b = 0;
  InputKind kind = InputKind::kFinite;
  /// The settings of B that, put into A, give B's answer: one where one suffices, else a set from
  /// which none can be left out.
  std::vector<Deviation> causes;
  bool operator==(const ElementDifference&) const = default;
};

/// Differences are ordered by magnitude pattern, positive first.
struct ElementComparison {
  Basis basis = Basis::kByDefinition;
  std::uint64_t compared = 0;  ///< source patterns covered (kSearched: inputs tried)
  std::vector<ElementDifference> differences;
  std::vector<ElementDifference> masked;  ///< the same where a side leaves its answer open
  [[nodiscard]] bool agree() const { return differences.empty(); }
};

/// The conversion with every setting that cannot change a code put to its default.
[[nodiscard]] ConversionConfig normalized(const ConversionConfig& conversion);

/// Compares conversions, keeping certificates and thresholds it made. Not safe for concurrent use.
class ElementComparer {
 public:
  ElementComparer();
  ~ElementComparer();
  ElementComparer(ElementComparer&&) noexcept;
  ElementComparer& operator=(ElementComparer&&) noexcept;

  /// Requires the same source, and destinations that differ at most in canonical_nan, parity and
  /// name. Throws std::logic_error if a certificate and the reference disagree.
  [[nodiscard]] ElementComparison compare(const ElementSubject& a, const ElementSubject& b,
                                          Detail detail = Detail::kPerCause);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Order of element inputs: magnitude pattern, then positive before negative.
[[nodiscard]] std::uint64_t simplicity(const ElementFormat& source, std::uint64_t code);

/// Source codes where conversions to `destination` tend to part: every destination value and
/// midpoint with its neighbours (at most `limit` of them, evenly thinned), range edges, zeros,
/// infinities, NaN of each kind. Sorted by simplicity, each once.
[[nodiscard]] std::vector<std::uint64_t> directed_inputs(const ElementFormat& source,
                                                         const ElementFormat& destination,
                                                         std::size_t limit);

}  // namespace mx::golden
