// Where two block quantizers of the same source and block format part.
//
// What is compared: every block with one nonzero element (16-bit sources; for fp32 every bfloat16
// magnitude, and between them every pattern where an answer changes), pairs of a block maximum and
// an element at each of its thresholds, special blocks, and seeded blocks. Fewer nonzero elements
// come first, then smaller ones.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "golden/compare/difference.hpp"
#include "golden/deviation/deviation.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::golden {

/// One side of a comparison: a configuration and what of it is left open (bits of mx::BlockMask).
struct BlockSubject {
  QuantizerConfig config;
  Masks masks = 0;
};

/// A block: its first elements; those after them are +0.
struct BlockInput {
  std::vector<std::uint64_t> lanes;
  /// R of stochastic roundings: one an element, or one for all, or none where nothing draws.
  std::vector<std::uint32_t> random = {};
  /// Formats with a tensor scale: binary32 pattern of the tensor's largest magnitude, from which
  /// the configuration derives its tensor level; 0: tensor level 1.
  std::uint32_t tensor_amax = 0;
  bool operator==(const BlockInput&) const = default;
};

/// The codes of the elements given, and of the scale.
struct BlockAnswer {
  std::uint64_t scale = 0;
  std::vector<std::uint64_t> codes;
  bool operator==(const BlockAnswer&) const = default;
};

/// What of an answer is left open: by a profile's masks, or because codes mean nothing under a NaN
/// scale (kBlockCodesMasked).
struct OpenParts {
  bool scale = false;
  std::vector<bool> elements;  ///< one each, or none where all are closed
  /// The elements are open since codes mean nothing under a NaN scale: no choice of the profile.
  bool is_under_nan = false;
  [[nodiscard]] bool any() const;
  /// Is anything left open by the profile?
  [[nodiscard]] bool by_profile() const { return scale || (!is_under_nan && any()); }
  [[nodiscard]] bool is_open(std::size_t i) const { return i < elements.size() && elements[i]; }
  bool operator==(const OpenParts&) const = default;
};

/// A block that two configurations answer differently.
struct BlockDifference {
  BlockInput input;
  BlockAnswer a;
  BlockAnswer b;
  OpenParts open_a = {};
  OpenParts open_b = {};
  InputKind kind = InputKind::kFinite;  ///< of the block's largest magnitude
  std::vector<Deviation> causes;        ///< as in ElementDifference
};

/// How many blocks of each class were tried.
struct BlockCounts {
  std::uint64_t single = 0;   ///< one nonzero element
  std::uint64_t pair = 0;     ///< a maximum and one more element
  std::uint64_t special = 0;  ///< zeros, infinities and NaN among numbers
  std::uint64_t seeded = 0;
  [[nodiscard]] std::uint64_t total() const { return single + pair + special + seeded; }
};

struct BlockComparison {
  Basis basis = Basis::kByDefinition;
  BlockCounts tried;
  std::vector<BlockDifference> differences;  ///< smallest first
  std::vector<BlockDifference> masked;       ///< the same where a side leaves its answer open
  [[nodiscard]] bool agree() const { return differences.empty(); }
};

/// The configuration with every policy that cannot change a scale or an element code put to its
/// default.
[[nodiscard]] QuantizerConfig normalized(const QuantizerConfig& config);

/// The answer to a block.
[[nodiscard]] BlockAnswer answer_of(const QuantizerConfig& config, const BlockInput& input);

/// Are codes of the two comparable, or, since their element formats differ, only values?
[[nodiscard]] bool same_codes(const QuantizerConfig& a, const QuantizerConfig& b);

/// Do two answers agree where neither side leaves them open? Between different element formats the
/// decoded binary32 values are compared (any NaN is as good as another), the scales are not.
enum class Agreement : std::uint8_t { kAgree, kMasked, kDiffer };
[[nodiscard]] Agreement agreement(const BlockSubject& a, const BlockSubject& b,
                                  const BlockInput& input);

/// Compares configurations of one source and block format, keeping the answers they gave. Not safe
/// for concurrent use.
class BlockComparer {
 public:
  /// The format says what is tried; the configurations may differ from it in rule and policies.
  BlockComparer(const ElementFormat& source, const BlockFormat& format);
  ~BlockComparer();
  BlockComparer(BlockComparer&&) noexcept;
  BlockComparer& operator=(BlockComparer&&) noexcept;

  [[nodiscard]] BlockComparison compare(const BlockSubject& a, const BlockSubject& b,
                                        Detail detail = Detail::kPerCause);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The order of blocks: nonzero elements, then the magnitudes from the largest down, then the
/// codes.
[[nodiscard]] bool is_smaller(const ElementFormat& source, const BlockInput& a,
                              const BlockInput& b);

/// Blocks where quantizers of this format tend to part, in the order above: a few hundred.
[[nodiscard]] std::vector<BlockInput> directed_blocks(const ElementFormat& source,
                                                      const BlockFormat& format, std::size_t limit);

}  // namespace mx::golden
