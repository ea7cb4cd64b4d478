// Operands of dequantizing: every code in every lane, every scale, every pair of both where they
// are few enough, and pairs whose product lies at the ends of the result format.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "golden/points/operand_kit.hpp"
#include "golden/stimulus/suites.hpp"

namespace mx::golden {
namespace {

constexpr std::uint64_t kSmokeDrawn = 96;
constexpr std::uint64_t kDirectedDrawn = 1024;
/// Pairs of a scale and a code that the suite dir walks through, at most.
constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 18;
/// Scales and codes of wider formats are sampled.
constexpr std::uint64_t kMostCodes = 1024;

enum Class : std::size_t { kRotated, kScales, kCorners, kPairs, kDrawn };
constexpr std::array<std::string_view, 4> kNames{"lane_codes", "scales", "corners", "pairs"};
enum Drawn : std::size_t { kAny, kSpecial, kExtreme, kNear };
constexpr std::array<std::string_view, 4> kDrawnNames{"any", "special", "extreme", "near"};

class DequantizeSuite final : public Suite {
 public:
  DequantizeSuite(const DequantizeCase& what, const SuiteOptions& options)
      : what_(what),
        kit_(what.format.element),
        corners_(kit_.corners()),
        scale_corners_(OperandKit(what.format.scale).corners()),
        one_(code_of_one(what.format.scale)),
        seed_(options.seed),
        tag_(suite_tag(fmt::format("dequantize.{}.{}", what.format.name, what.result.name))) {
    lanes_ = static_cast<std::uint64_t>(options.lanes);
    const std::uint64_t codes = count(what.format.element.bits);
    const std::uint64_t scales = count(what.format.scale_bits());
    const bool is_short = options.kind == SuiteKind::kSmoke;
    if (options.kind == SuiteKind::kSmoke || options.kind == SuiteKind::kDirected) {
      sizes_[kRotated] = is_short ? std::min<std::uint64_t>(codes, 64) : codes;
      step_ = codes / sizes_[kRotated];
      sizes_[kScales] = scales;
      corner_chunks_ = corners_.size() / lanes_ + (corners_.size() % lanes_ != 0 ? 1 : 0);
      sizes_[kCorners] = corner_chunks_ * scale_corners_.size();
      sizes_[kDrawn] = is_short ? kSmokeDrawn : kDirectedDrawn;
      chunks_ = codes / lanes_ + (codes % lanes_ != 0 ? 1 : 0);
      const bool has_pairs = !is_short && codes * scales <= kMostPairs;
      sizes_[kPairs] = has_pairs ? chunks_ * scales : 0;
    } else {
      sizes_[kDrawn] = options.drawn;
    }
    for (std::size_t c = 0; c < kNames.size(); ++c) {
      if (sizes_[c] != 0) classes_.push_back({kNames[c], sizes_[c]});
    }
    const std::vector<StimulusClass> drawn = taking_turns(kDrawnNames, sizes_[kDrawn]);
    classes_.insert(classes_.end(), drawn.begin(), drawn.end());
    for (const std::uint64_t each : sizes_) size_ += each;
  }

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] std::span<const StimulusClass> classes() const override { return classes_; }

  void fill(std::uint64_t i, RecordBatch& batch, std::size_t at) const override {
    Draw draw(seed_, tag_, i);
    std::size_t kind = 0;
    while (i >= sizes_[kind]) i -= sizes_[kind++];
    const auto all = batch.of(Field::kA, at);
    std::size_t n = all.size();
    const bool may_be_short = kind == kDrawn && batch.has(Field::kElements) && n > 1;
    if (may_be_short && draw.small(8) == 0) n = 1 + draw.below(n - 1);
    if (batch.has(Field::kElements)) batch.word(Field::kElements, at) = n;
    std::ranges::fill(all.subspan(n), 0);
    batch.word(Field::kAScale, at) = scale(draw, kind, i);
    for (std::size_t lane = 0; lane < n; ++lane) all[lane] = element(draw, kind, i, lane);
  }

 private:
  static std::uint64_t count(int bits) {
    return bits >= 10 ? kMostCodes : std::uint64_t{1} << bits;
  }
  static std::uint64_t code_of_one(const ScaleFormat& format) {
    const SourceGrid grid(format);
    return grid.code(false, grid.floor(unpack_integer(false, 1, 0)));
  }
  /// Code number i of a format: all of them, or evenly spread ones with the ends.
  static std::uint64_t code_number(std::uint64_t i, int bits) {
    const std::uint64_t n = count(bits);
    i %= n;
    if (bits <= 10) return i;
    const std::uint64_t mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    return i == n - 1 ? mask : (i << (bits - 10) | i) & mask;
  }

  [[nodiscard]] std::uint64_t any_scale(Draw& draw) const {
    const int bits = what_.format.scale_bits();
    return draw.word64() & (bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1);
  }
  [[nodiscard]] std::uint64_t scale(Draw& draw, std::size_t kind, std::uint64_t i) const {
    const int bits = what_.format.scale_bits();
    if (kind == kScales) return code_number(i, bits);
    if (kind == kPairs) return code_number(i / chunks_, bits);
    if (kind == kCorners) return scale_corners_[i / corner_chunks_];
    if (kind == kDrawn && i % kDrawnNames.size() != kNear) return any_scale(draw);
    // Around 1.0, with any bits of sublevels.
    const std::uint64_t mask = what_.format.scale.code_mask();
    const std::uint64_t near = one_ + draw.small(8);
    return (any_scale(draw) & ~mask) | std::min(near - std::min<std::uint64_t>(near, 4), mask);
  }
  [[nodiscard]] std::uint64_t element(Draw& draw, std::size_t kind, std::uint64_t i,
                                      std::size_t lane) const {
    const int bits = what_.format.element.bits;
    if (kind == kRotated) return code_number(i * step_ + lane, bits);
    if (kind == kPairs) {
      const std::uint64_t chunk = i % chunks_;
      return code_number(chunk * lanes_ + lane, bits);
    }
    if (kind == kCorners) {
      return corners_[(i % corner_chunks_ * lanes_ + lane) % corners_.size()];
    }
    switch (kind == kDrawn ? i % kDrawnNames.size() : std::size_t{kAny}) {
      case kSpecial:
        return draw.small(2) == 0 ? kit_.special(draw) : kit_.any(draw);
      case kExtreme:
        return kit_.extreme(draw);
      default:
        return kit_.any(draw);
    }
  }

  DequantizeCase what_;
  OperandKit kit_;
  std::vector<std::uint64_t> corners_, scale_corners_;
  std::uint64_t one_;
  std::uint64_t seed_;
  std::uint32_t tag_;
  std::array<std::uint64_t, kDrawn + 1> sizes_{};
  std::uint64_t lanes_ = 1;
  std::uint64_t step_ = 1;  ///< codes from one record of lane_codes to the next
  std::uint64_t corner_chunks_ = 1;
  std::uint64_t chunks_ = 1;  ///< records that a scale needs to meet every code
  std::uint64_t size_ = 0;
  std::vector<StimulusClass> classes_;
};

}  // namespace

std::unique_ptr<const Suite> make_dequantize_suite(const DequantizeCase& what,
                                                   const SuiteOptions& options) {
  return std::make_unique<const DequantizeSuite>(what, options);
}

}  // namespace mx::golden
