// Rows for the casts of emulated systems: what their block maxima, roundings and special cases
// hang on (spec S3, S9).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "golden/points/operand_kit.hpp"
#include "golden/stimulus/suites.hpp"

namespace mx::golden {
namespace {

/// In `ordinary`, lanes lie within few binades of each other; `spread` covers the whole range;
/// `sparse` has the ties; `below_power` has maxima next to powers of two, where binary logarithms
/// slip; `same` repeats one value; `special` has zeros, infinities and NaN among ordinary lanes;
/// `extreme` has the ends of the range; `uniform` is any word; `zero` has signed zeros alone.
constexpr std::array<std::string_view, 9> kCastClasses{
    "ordinary", "spread", "sparse", "below_power", "same", "special", "extreme", "uniform", "zero"};
constexpr std::uint64_t kSmokeCasts = 8;
constexpr std::uint64_t kDirectedCasts = 256;
constexpr std::uint64_t kRareRows = 24;
constexpr std::uint64_t kWalkedElements = 1025;

class CastSuite final : public Suite {
 public:
  CastSuite(const CastCase& what, const SuiteOptions& options)
      : kit_(casts::format_of(what.source)),
        seed_(options.seed),
        tag_(suite_tag(fmt::format("cast.{}.{}", what.text, token_of(what.source)))) {
    const bool is_drawn = options.kind == SuiteKind::kRandom || options.kind == SuiteKind::kPolicy;
    const std::uint64_t turns = options.kind == SuiteKind::kSmoke ? kSmokeCasts : kDirectedCasts;
    drawn_ = is_drawn ? options.drawn : kCastClasses.size() * turns;
    size_ = drawn_;
    classes_ = taking_turns(kCastClasses, drawn_);
    if (options.kind != SuiteKind::kDirected) return;
    // Every exponent, then rows that chance makes too rarely.
    const auto lanes = static_cast<std::uint64_t>(options.lanes);
    exponent_rows_ = (2 * exponents() + lanes - 1) / lanes;
    const std::uint64_t walking = std::min(lanes, kWalkedElements);
    size_ += exponent_rows_ + kRareRows + walking;
    classes_.push_back({"exponents", exponent_rows_});
    classes_.push_back({"rare", kRareRows});
    classes_.push_back({"walking_special", walking});
  }

  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] std::span<const StimulusClass> classes() const override { return classes_; }

  void fill(std::uint64_t i, RecordBatch& batch, std::size_t at) const override {
    Draw draw(seed_, tag_, i);
    const auto words = batch.of(Field::kSource, at);
    if (i >= drawn_) {
      fill_directed(draw, i - drawn_, words);
      finish(draw, batch, at);
      return;
    }
    const std::size_t kind = i % kCastClasses.size();
    const std::uint64_t centre = kit_.middle(draw);
    const std::uint64_t far = kit_.number(draw);
    for (std::uint64_t& word : words) word = one(draw, kind, centre, far);
    finish(draw, batch, at);
  }

 private:
  /// Random words and a scale, where the system takes some.
  static void finish(Draw& draw, RecordBatch& batch, std::size_t at) {
    if (batch.has(Field::kRandom)) {
      for (std::uint64_t& word : batch.of(Field::kRandom, at)) word = draw.word();
    }
    if (batch.has(Field::kAScale)) batch.word(Field::kAScale, at) = scale(draw);
  }

  /// Exponents of subnormal and normal numbers.
  [[nodiscard]] std::uint64_t exponents() const {
    const ElementFormat& f = kit_.format();
    return static_cast<std::uint64_t>(f.man_bits) + (f.max_code >> f.man_bits);
  }
  /// A number of either sign whose exponent is the k-th from below.
  [[nodiscard]] std::uint64_t with_exponent(Draw& draw, std::uint64_t k, bool negative) const {
    const ElementFormat& f = kit_.format();
    const auto fraction = static_cast<std::uint64_t>(f.man_bits);
    const std::uint64_t sign = negative ? f.sign_bit() : 0;
    if (k < fraction) return sign | std::uint64_t{1} << k;
    return sign | (k - fraction + 1) << fraction | (draw.word64() & f.man_mask());
  }

  /// Rows of subnormals only, with one lane, with two equal maxima, with one magnitude, in turn;
  /// then an infinity and a NaN in each lane.
  void fill_directed(Draw& draw, std::uint64_t i, std::span<std::uint64_t> words) const {
    const ElementFormat& f = kit_.format();
    if (i < exponent_rows_) {
      for (std::size_t lane = 0; lane < words.size(); ++lane) {
        const std::uint64_t k = i * words.size() + lane;
        words[lane] = with_exponent(draw, k / 2 % exponents(), k % 2 != 0);
      }
      return;
    }
    const std::uint64_t kind = i - exponent_rows_ < kRareRows ? (i - exponent_rows_) % 4 : 4;
    const std::uint64_t most = with_exponent(draw, exponents() / 2, draw.small(2) != 0);
    const std::size_t first = draw.below(words.size());
    for (std::uint64_t& word : words) {
      word = kind == 0 ? 1 + draw.below(f.man_mask()) : 0;
      if (kind == 0 && draw.small(2) != 0) word |= f.sign_bit();
      if (kind == 2) word = with_exponent(draw, draw.below(exponents() / 2), draw.small(2) != 0);
      if (kind == 3) word = draw.small(2) != 0 ? most : most ^ f.sign_bit();
      if (kind == 4) word = kit_.near(draw, most, 2);
    }
    if (kind == 4) {
      const std::size_t lane = static_cast<std::size_t>(i - exponent_rows_ - kRareRows);
      words[(lane + 1) % words.size()] = f.canonical_nan;
      words[lane] = f.inf_code() | (draw.small(2) != 0 ? f.sign_bit() : 0);
      return;
    }
    if (kind != 0) words[first] = most;
    if (kind == 2 && words.size() > 1) words[(first + 1) % words.size()] = most ^ f.sign_bit();
  }

  [[nodiscard]] std::uint64_t one(Draw& draw, std::size_t kind, std::uint64_t centre,
                                  std::uint64_t far) const {
    constexpr int kBinades = 6;
    switch (kind) {
      case 0:
        return kit_.near(draw, centre, kBinades);
      case 1:
        return kit_.number(draw);
      case 2:
        return kit_.sparse(draw);
      case 3:
        return draw.small(4) == 0 ? kit_.opposite(draw, power_of(far)) : kit_.near(draw, far, 2);
      case 4:
        return draw.small(2) == 0 ? far : kit_.opposite(draw, far);
      case 5:
        return draw.small(4) == 0 ? kit_.special(draw) : kit_.near(draw, centre, kBinades);
      case 6:
        return kit_.extreme(draw);
      case 7:
        return kit_.any(draw);
      default:
        return draw.small(2) == 0 ? 0 : std::uint64_t{1} << (kit_.format().bits - 1);
    }
  }

  /// The power of two at or below a magnitude.
  [[nodiscard]] std::uint64_t power_of(std::uint64_t code) const {
    return code >> kit_.format().man_bits << kit_.format().man_bits;
  }

  /// A scale as calibrations find them: any significand, a middle exponent.
  static std::uint32_t scale(Draw& draw) {
    const std::uint32_t exponent = 127 - 12 + draw.small(25);
    const std::uint32_t significand = draw.small(3) == 0 ? 0 : draw.word() & 0x7FFFFF;
    return exponent << 23 | significand;
  }

  OperandKit kit_;
  std::uint64_t seed_;
  std::uint32_t tag_;
  std::uint64_t drawn_ = 0;          ///< rows whose classes take turns; others follow
  std::uint64_t exponent_rows_ = 0;  ///< of the directed suite
  std::uint64_t size_ = 0;
  std::vector<StimulusClass> classes_;
};

}  // namespace

std::unique_ptr<const Suite> make_cast_suite(const CastCase& what, const SuiteOptions& options) {
  return std::make_unique<const CastSuite>(what, options);
}

}  // namespace mx::golden
