// Integers that from_integer is sensitive to: ends of the type, powers of two and sums of two of
// them with their neighbours, ties of the format that they are rounded to.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "golden/points/draw.hpp"
#include "golden/points/sort_unique.hpp"
#include "golden/stimulus/suites.hpp"

namespace mx::golden {
namespace {

constexpr std::array<std::string_view, 4> kIntegerClasses{"uniform", "length", "sparse", "tie"};
constexpr std::uint64_t kSmokeIntegers = 256;
constexpr std::uint64_t kDirectedIntegers = 4096;

/// 0, the powers of two, the largest number of the format and the middle between it and what would
/// follow, what is one beside them, and the same below zero.
std::vector<std::uint64_t> corners_of(const ElementFormat& integer, const ElementFormat& format) {
  std::vector<std::uint64_t> middles;
  for (int bit = 0; bit < integer.bits; ++bit) middles.push_back(std::uint64_t{1} << bit);
  const Unpacked largest = decode(format, format.max_code);
  if (largest.exponent >= 0 && largest.exponent < integer.bits) {
    const std::uint64_t whole = largest.significand >> (63 - largest.exponent);
    const int half_ulp = largest.exponent - format.man_bits - 1;
    middles.push_back(whole);
    if (half_ulp >= 0) middles.push_back(whole + (std::uint64_t{1} << half_ulp));
  }
  std::vector<std::uint64_t> codes;
  for (const std::uint64_t middle : middles) {
    for (const std::uint64_t x : {middle - 1, middle, middle + 1}) {
      codes.push_back(x & integer.code_mask());
      codes.push_back((~x + 1) & integer.code_mask());
    }
  }
  sort_unique(codes);
  return codes;
}

class FromIntegerSuite final : public Suite {
 public:
  FromIntegerSuite(const ArithmeticCase& what, const SuiteOptions& options)
      : integer_(what.operand()),
        precision_(what.result().man_bits + 1),
        seed_(options.seed),
        tag_(suite_tag(
            fmt::format("arith.from_integer.{}.{}", what.operand().name, what.result().name))) {
    const bool is_drawn = options.kind == SuiteKind::kRandom || options.kind == SuiteKind::kPolicy;
    const bool is_smoke = options.kind == SuiteKind::kSmoke;
    if (!is_drawn) corners_ = corners_of(integer_, what.result());
    drawn_ = is_drawn ? options.drawn
                      : kIntegerClasses.size() * (is_smoke ? kSmokeIntegers : kDirectedIntegers);
    classes_ = taking_turns(kIntegerClasses, drawn_);
    if (!is_drawn) classes_.insert(classes_.begin(), {"powers", corners_.size()});
  }

  [[nodiscard]] std::uint64_t size() const override { return corners_.size() + drawn_; }
  [[nodiscard]] std::span<const StimulusClass> classes() const override { return classes_; }

  void fill(std::uint64_t i, RecordBatch& batch, std::size_t at) const override {
    batch.word(Field::kA, at) = i < corners_.size() ? corners_[i] : drawn(i);
  }

 private:
  [[nodiscard]] std::uint64_t drawn(std::uint64_t i) const {
    Draw draw(seed_, tag_, i);
    const std::uint64_t magnitude = magnitude_of(draw, i % kIntegerClasses.size());
    return (draw.small(2) != 0 ? ~magnitude + 1 : magnitude) & integer_.code_mask();
  }

  [[nodiscard]] std::uint64_t magnitude_of(Draw& draw, std::size_t kind) const {
    const auto bits = static_cast<std::uint32_t>(integer_.bits);
    switch (kind) {
      case 0:
        return draw.word64();
      case 1:
        return draw.word64() >> (64 - bits) >> draw.small(bits);
      case 2: {
        std::uint64_t x = 0;
        for (std::uint32_t k = 1 + draw.small(3); k > 0; --k)
          x |= std::uint64_t{1} << draw.small(bits);
        return x;
      }
      default:
        return tie(draw);
    }
  }

  /// As many bits as the format keeps, and below them a half, or one beside it, or 0, or one beside
  /// that.
  [[nodiscard]] std::uint64_t tie(Draw& draw) const {
    const int below = integer_.bits - precision_;
    if (below < 1) return draw.word64();
    const int cut = 1 + static_cast<int>(draw.small(static_cast<std::uint32_t>(below)));
    const std::uint64_t kept = draw.word64() >> (64 - precision_) | std::uint64_t{1}
                                                                        << (precision_ - 1);
    const std::uint64_t half = draw.small(2) != 0 ? std::uint64_t{1} << (cut - 1) : 0;
    return (kept << cut) + half + draw.small(3) - 1;
  }

  ElementFormat integer_;
  int precision_;
  std::uint64_t seed_;
  std::uint32_t tag_;
  std::vector<std::uint64_t> corners_;
  std::uint64_t drawn_ = 0;
  std::vector<StimulusClass> classes_;
};

}  // namespace

std::unique_ptr<const Suite> make_from_integer_suite(const ArithmeticCase& what,
                                                     const SuiteOptions& options) {
  return std::make_unique<const FromIntegerSuite>(what, options);
}

}  // namespace mx::golden
